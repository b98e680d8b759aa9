"""Atomic replacement of files."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import learnkernels as lk
from learnkernels.files import make_folder, replacing


def test_interrupted_write_leaves_the_previous_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt), replacing(path) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_file_is_replaced_only_when_complete(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with replacing(path) as stream:
        stream.write(b"after")
        stream.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_links_are_followed_and_permissions_are_kept(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with replacing(tmp_path / "link") as stream:
        stream.write(b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"after"
    assert permissions(tmp_path / "file") == 0o600


def test_new_file_has_default_permissions(tmp_path):
    (tmp_path / "ordinary").touch()
    with replacing(tmp_path / ("a" * 250)):  # the longest name allowed
        pass
    assert permissions(tmp_path / ("a" * 250)) == permissions(tmp_path / "ordinary")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd here")
def test_pipe_receives_the_bytes():
    reading, writing = os.pipe()
    with replacing(f"/dev/fd/{writing}") as stream:
        stream.write(b"content")
    os.close(writing)
    with open(reading, "rb") as stream:  # noqa: PTH123, a file descriptor
        assert stream.read() == b"content"


def test_concurrent_writes_leave_one_complete_file(tmp_path):
    def write(letter):
        with replacing(tmp_path / "file") as stream:
            for _ in range(50):
                stream.write(letter * 1000)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, [b"a", b"b", b"c", b"d"]))
    content = (tmp_path / "file").read_bytes()
    assert len(content) == 50_000
    assert len(set(content)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_devices_and_folders_are_not_replaced(tmp_path):
    for path, message in (("/dev/full", "No space left"), (tmp_path, "Is a directory")):
        with pytest.raises(lk.InputError, match=message), replacing(path) as stream:
            stream.write(b"content")
        assert not Path(path).is_file()
    with replacing("/dev/null") as stream:
        stream.write(b"content")
    assert not Path("/dev/null").is_file()


def test_advice_ends_the_error_message(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(lk.InputError, match=r"'.*file.+inner': .*; try elsewhere.$"),
        replacing(tmp_path / "file" / "inner", "; try elsewhere"),
    ):
        pass
    with pytest.raises(lk.InputError, match=r"cannot create the directory .*; try elsewhere.$"):
        make_folder(tmp_path / "file" / "inner", "; try elsewhere")

"""The cache of compiled functions."""

import hashlib
import importlib.util
import os
import pickle
import subprocess
import sys
import warnings

import pytest

from learnkernels import compiled_cache
from learnkernels.jit import load_compiler

SOURCE = """
from learnkernels.jit import compiled

@compiled()
def double(x):
    return 2 * x
"""
DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "garbage": lambda content: b"garbage" * 10,
    "one bit": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
}


@pytest.fixture
def compiled_once(tmp_path, monkeypatch):
    """Return a function that imports the module again, as a new process does."""
    monkeypatch.setattr(compiled_cache, "WARNED", set())
    path = tmp_path / "module.py"
    path.write_text(SOURCE)

    def imported():
        spec = importlib.util.spec_from_file_location("module", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "module", module)
        spec.loader.exec_module(module)
        load_compiler()
        return module.double

    assert imported()(3) == 6
    return imported


def hits(function):
    return sum(function.stats.cache_hits.values())


def test_functions_are_loaded_from_the_cache(compiled_once):
    function = compiled_once()
    assert function(3) == 6 and hits(function) == 1


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_cache_is_not_used_and_warns_once_with_the_folder(
    damage, ending, compiled_once, tmp_path
):
    (path,) = (tmp_path / "__pycache__").glob(f"*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    function = compiled_once()
    with pytest.warns(UserWarning, match=f"{tmp_path.name}.*delete the files"):
        assert function(3) == 6
    assert hits(function) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled_once()(3.0) == 6.0


def test_cache_that_cannot_be_written_does_not_raise(compiled_once, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiled_cache.CheckedFiles, "_save_data", full)
    with pytest.warns(UserWarning, match="No space left"):
        assert compiled_once()(3.0) == 6.0


def test_content_with_a_valid_checksum_that_is_not_an_index_is_not_used(compiled_once, tmp_path):
    (path,) = (tmp_path / "__pycache__").glob("*.nbi")
    content = pickle.dumps("no index")
    path.write_bytes(hashlib.sha256(content).digest() + content)
    function = compiled_once()
    with pytest.warns(UserWarning, match="cannot be used"):
        assert function(3) == 6


def test_command_line_fits_with_a_damaged_cache(tmp_path):
    (tmp_path / "table.csv").write_text("a,y\n" + "".join(f"{i},{i % 7}\n" for i in range(30)))
    command = [sys.executable, "-m", "learnkernels", "fit", "table.csv", "--target", "y",
               "--kernels", "per_feature", "--method", "l1-krr", "--alpha", "1",
               "--task", "regression"]  # fmt: skip
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "env": environment}
    first = subprocess.run(command, **run)
    assert first.returncode == 0, first.stderr
    files = list((tmp_path / "cache").rglob("*.nb[ic]"))
    assert files
    for path in files:
        path.write_bytes(b"")
    again = subprocess.run(command, **run)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "cannot be used" in again.stderr and "Traceback" not in again.stderr

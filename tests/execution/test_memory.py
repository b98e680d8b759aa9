"""Available memory of the machine, the container and the process."""

import ctypes
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import learnkernels as lk
from learnkernels.execution import format_bytes, memory, parse_bytes, require_memory


def test_available_memory_is_the_smallest_of_all_limits(monkeypatch):
    for name, free in (("in_machine", 3e9), ("in_container", 2e9), ("by_ulimit", 4e9)):
        monkeypatch.setattr(memory, f"free_{name}", lambda free=free: free)
    assert memory.available_memory() == 2e9
    monkeypatch.setattr(memory, "free_in_machine", lambda: -1.0)
    assert memory.available_memory() == 0.0


def test_require_memory_raises_with_sizes_and_advice_if_memory_is_short(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2e9)
    require_memory(1.9e9, "a table")
    with pytest.raises(
        lk.InputError, match=r"a table would take 2.1 GB and 2 GB are free; drop columns\."
    ):
        require_memory(2.1e9, "a table", "drop columns")


def test_format_bytes_chooses_the_unit():
    assert [format_bytes(n) for n in (12, 3400, 5.6e6)] == ["12 bytes", "3.4 kB", "5.6 MB"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1000", 1e3), ("2 GB", 2e9), ("1.5m", 1.5e6), ("7b", 7.0), (".5 gb", 5e8),
        ("2GiB", 2**31), ("1 kib", 1024), ("1.5Mi", 1.5 * 2**20), ("1TiB", 2**40),
        ("1e9", 1e9), ("2.5E+3kB", 2.5e6), ("1e-1k", 100.0),
    ],
)  # fmt: skip
def test_parse_bytes_reads_decimal_units_binary_units_and_exponents(text, expected):
    assert parse_bytes(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("text", ["", "GB", "-1", "1ib", "1e", "1e400", "2GBB", "1e9 e9", "nan"])
def test_parse_bytes_returns_none_for_a_text_that_is_not_a_finite_size(text):
    assert parse_bytes(text) is None


@pytest.fixture
def no_proc(monkeypatch):
    """Simulate a system without the folder /proc."""

    def missing(path, *_, **__):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "read_text", missing)


def test_installed_memory_is_the_bound_on_macos(no_proc, monkeypatch):
    values = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 16384}

    def sysconf(name):
        if name not in values:
            raise ValueError("unrecognized configuration name")
        return values[name]

    monkeypatch.setattr(os, "sysconf", sysconf)
    assert memory.free_in_machine() == 16_384_000


def test_available_memory_is_read_on_windows(no_proc, monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.setitem(sys.modules, "resource", None)  # its import raises ImportError

    def status(reference):
        record = reference._obj
        assert record.size == ctypes.sizeof(record) == 64
        record.available = 5_000_000
        return 1

    kernel32 = SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    assert memory.available_memory() == 5_000_000
    kernel32.GlobalMemoryStatusEx = lambda reference: 0  # it failed
    assert memory.available_memory() == float("inf")


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_limit_of_a_container_is_read(version, tmp_path):
    folder, limit, used, cached = {
        "v1": (tmp_path / "memory", "limit_in_bytes", "usage_in_bytes", "total_inactive_file"),
        "v2": (tmp_path, "max", "current", "inactive_file"),
    }[version]
    folder.mkdir(exist_ok=True)
    (folder / f"memory.{limit}").write_text("1000000\n")
    (folder / f"memory.{used}").write_text("400000\n")
    (folder / "memory.stat").write_text(f"anon 5\n{cached} 100000\n")
    nowhere = tmp_path / "nowhere"
    assert memory.free_in_container(tmp_path, nowhere) == 700_000
    if version == "v2":
        (folder / "memory.max").write_text("max\n")
        assert memory.free_in_container(tmp_path, nowhere) == float("inf")


def test_smallest_limit_of_nested_control_groups_is_used(tmp_path):
    """A job of a cluster has its limit in a group of its own, below the root."""
    (tmp_path / "membership").write_text("1:cpu:/other\n0::/jobs/mine\n")
    for name, limit in (("jobs", "300"), ("jobs/mine", "max"), ("other", "100")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "memory.max").write_text(limit)
        (tmp_path / name / "memory.current").write_text("50")
        (tmp_path / name / "memory.stat").write_text("inactive_file 0")
    assert memory.free_in_container(tmp_path, tmp_path / "membership") == 250


def test_memory_is_unlimited_without_a_container(tmp_path):
    assert memory.free_in_container(tmp_path, tmp_path / "nowhere") == float("inf")


def test_limit_on_the_address_space_is_read():
    if sys.platform != "linux":
        pytest.skip("the size of the address space is read from /proc")
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    if before[0] != resource.RLIM_INFINITY:
        pytest.skip("the address space is limited already")
    limit = 2**45  # far more than this process uses, so that other threads can allocate
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        free = memory.free_by_ulimit()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert 0 < free < limit

"""Available memory, checked before large allocations."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from learnkernels.errors import InputError

# Units of sizes: 2GB are 2 * 1000^3 bytes, 2GiB are 2 * 1024^3.
UNITS = {"": 1.0} | {
    prefix + binary: base**power
    for binary, base in (("", 1e3), ("i", 1024.0))
    for power, prefix in enumerate("kmgt", 1)
}
SIZE = re.compile(r"((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?) *((?:[kmgt]i?)?)b?", re.ASCII)
CGROUPS, MEMBERSHIP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def available_memory() -> float:
    """Return the bytes that this process can still allocate, or infinity if no limit is known."""
    return max(min(free_in_machine(), free_in_container(), free_by_ulimit()), 0.0)


def require_memory(
    n_bytes: float, what: str, advice: str = "use fewer samples or fewer kernels"
) -> None:
    """Raise InputError if less memory than `n_bytes` is available.

    Parameters
    ----------
    n_bytes : float
        Size of the allocation.
    what : str
        Description of the object to allocate, the subject of the message.
    advice : str
        How to avoid the allocation, the end of the message.
    """
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{what} would take {format_bytes(n_bytes)} and {format_bytes(free)} are free; "
            f"{advice}."
        )


def format_bytes(n_bytes: float) -> str:
    """Return a number of bytes with three digits and a unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes:.0f} bytes"


def parse_bytes(text: str) -> float | None:
    """Return the bytes of a size such as 500MB, 2 GiB or 1e9; None if the text is not a size."""
    match = SIZE.fullmatch(text.strip().lower())
    found = math.inf if match is None else float(match[1]) * UNITS[match[2]]
    return found if math.isfinite(found) else None


def free_in_machine() -> float:
    """Return the free memory of the machine; caches that the system can drop count as free.

    macOS reports only the memory that is installed, which is an upper bound.
    """
    try:
        lines = Path("/proc/meminfo").read_text(encoding="utf-8").splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return 1024 * float(found.split()[1])
    except (OSError, StopIteration):
        pass
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            return float(os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE"))
        except (AttributeError, ValueError, OSError):
            continue
    return free_in_windows()


def free_in_windows() -> float:
    """Return the free memory by GlobalMemoryStatusEx of Windows, or infinity on other systems."""
    import ctypes

    class MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("size", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            ("total", ctypes.c_uint64),
            ("available", ctypes.c_uint64),
            ("others", ctypes.c_uint64 * 5),  # page file, address space
        )

    library = getattr(ctypes, "windll", None)
    status = MemoryStatus(size=ctypes.sizeof(MemoryStatus))
    if library is None or not library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return float("inf")
    return float(status.available)


def free_in_container(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> float:
    """Return what the limits of control groups leave (containers, cluster jobs, services)."""
    folders = control_groups(root, membership)
    return min((free_in_group(folder) for folder in folders), default=float("inf"))


def control_groups(root: Path, membership: Path) -> Iterator[Path]:
    """Yield the folders of this process's memory control groups, from the innermost to the root."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in ["0::/", "0:memory:/", *lines]:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):  # version 2, version 1
            top = root / controllers
            own = top / path.lstrip("/")
            yield from (own, *(parent for parent in own.parents if parent.is_relative_to(top)))


def free_in_group(folder: Path) -> float:
    """Return what the limit of a control group leaves; inactive cached files count as free."""
    for limit, used, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            maximum = float((folder / limit).read_text())  # ValueError for "max", no limit
            now = float((folder / used).read_text())
            stat = (folder / "memory.stat").read_text().split()
            return maximum - now + float(dict(zip(stat[::2], stat[1::2], strict=True))[cached])
        except (OSError, ValueError, KeyError):
            continue
    return float("inf")


def free_by_ulimit() -> float:
    """Return what the limit on the address space of this process leaves (``ulimit -v``)."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return float("inf")
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
        return float(limit - pages * resource.getpagesize())
    except (ImportError, OSError):
        return float("inf")

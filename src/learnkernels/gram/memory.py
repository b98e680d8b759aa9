"""Room in memory: asked for before it is taken."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from learnkernels.errors import InputError

__all__ = ["available_memory", "require_memory", "sized"]

CGROUPS, MEMBERSHIP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def available_memory() -> float:
    """Bytes that this process can still take, or infinity where nobody says."""
    return max(min(free_in_machine(), free_in_container(), free_by_ulimit()), 0.0)


def require_memory(
    n_bytes: float, what: str, instead: str = "use fewer samples or fewer kernels"
) -> None:
    """Raise before an allocation that there is no room for."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{what} would take {sized(n_bytes)} and {sized(free)} are free; {instead}."
        )


def sized(n_bytes: float) -> str:
    """A number of bytes that a person can read."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes:.0f} bytes"


def free_in_machine() -> float:
    """Memory that is free, or would be once the system gives up what it only caches."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return 1024 * float(found.split()[1])
    except (OSError, StopIteration):
        pass
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def free_in_container(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> float:
    """What limits on groups of processes leave: of a container, a cluster's job, a service."""
    return min((free_in_group(folder) for folder in groups(root, membership)), default=float("inf"))


def groups(root: Path, membership: Path) -> Iterator[Path]:
    """Folders of the groups that count this process's memory, from its own up to the root."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        lines = []
    for line in ["0::/", "0:memory:/", *lines]:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):  # version 2, and version 1
            top = root / controllers
            own = top / path.lstrip("/")
            yield from (own, *(parent for parent in own.parents if parent.is_relative_to(top)))


def free_in_group(folder: Path) -> float:
    """What a group's limit leaves; cached files, which give way, do not count as taken."""
    for limit, taken, cached in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most = float((folder / limit).read_text())  # "max" where there is none
            now = float((folder / taken).read_text())
            stat = (folder / "memory.stat").read_text().split()
            return most - now + float(dict(zip(stat[::2], stat[1::2], strict=True))[cached])
        except (OSError, ValueError, KeyError):
            continue
    return float("inf")


def free_by_ulimit() -> float:
    """What the limit on this process's addresses leaves (``ulimit -v``)."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return float("inf")
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return float(most - pages * resource.getpagesize())
    except (ImportError, OSError):
        return float("inf")

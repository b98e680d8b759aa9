"""Room in memory: asked for before it is taken."""

from __future__ import annotations

import os

from learnkernels.errors import InputError

__all__ = ["available_memory", "require_memory"]


def available_memory() -> float:
    """Bytes that this machine has free, or infinity where it does not say."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def require_memory(n_bytes: float, what: str) -> None:
    """Raise before an allocation that this machine has no room for."""
    free = available_memory()
    if n_bytes > free:
        raise InputError(
            f"{what} would take {n_bytes / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; "
            "use fewer samples or fewer kernels."
        )

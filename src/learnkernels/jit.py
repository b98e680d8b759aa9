"""Numba's compiler with its disk cache, or without where no folder can be written."""

from __future__ import annotations

from numba import njit

__all__ = ["compiled"]


def compiled(**options):
    """A decorator like ``numba.njit(cache=True, nogil=True)``."""

    def decorate(function):
        try:
            return njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # a read-only installation and no home: compile in every process
            return njit(nogil=True, **options)(function)

    return decorate

"""Numba's compiler with its disk cache, or without where no folder can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator like ``numba.njit(cache=True, nogil=True)``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        made: Callable[..., Any]
        try:
            made = njit(cache=True, nogil=True, **options)(function)
        except RuntimeError:  # a read-only installation and no home: compile in every process
            made = njit(nogil=True, **options)(function)
        return made

    return decorate

"""The library's warnings on how fits ended: to the user, or to whoever asked to be told instead.

Python's own `warnings.catch_warnings` changes the filters of the whole process. Two threads that
enter and leave it in turns put each other's filters back, and may leave them so for good. What is
asked for here holds in the thread that asks, and in the threads that `gram.Threads` starts for it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

__all__ = ["told", "unheard", "warn"]

Listener = Callable[[str], object]

LISTENERS: ContextVar[Mapping[type[Warning], Listener]] = ContextVar(
    "learnkernels listeners", default=MappingProxyType({})
)


def warn(message: str, category: type[Warning], stacklevel: int = 1) -> None:
    """Warn as `warnings.warn` does, unless somebody is told of this category instead."""
    listener = LISTENERS.get().get(category)
    if listener is None:
        warnings.warn(message, category, stacklevel=stacklevel + 1)
    else:
        listener(message)


@contextmanager
def told(category: type[Warning], listener: Listener) -> Iterator[None]:
    """Call a function with each message of a category; nobody else hears of it."""
    token = LISTENERS.set({**LISTENERS.get(), category: listener})
    try:
        yield
    finally:
        LISTENERS.reset(token)


def unheard(category: type[Warning]):
    """Nobody hears of a category."""
    return told(category, lambda message: None)

"""Capture this library's warnings per thread, and point them at the user's line.

Python's `warnings.catch_warnings` changes the filters of the whole process: two threads that enter
and leave it in turns restore each other's filters. A capture here holds in the current context and
in the threads that `Threads` starts from it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import joblib
import sklearn
from sklearn.exceptions import ConvergenceWarning

from learnkernels.errors import ConstantKernelWarning

__all__ = [
    "ConvergenceWarning",
    "Unconverged",
    "captured",
    "counted_unconverged",
    "suppressed",
    "thread_contexts",
    "warn",
]

Callback = Callable[[str], object]

CALLBACKS: ContextVar[Mapping[type[Warning], Callback]] = ContextVar(
    "learnkernels warnings", default=MappingProxyType({})
)
# Frames in these files are not the user's.
PACKAGES = (__file__, sklearn.__file__, joblib.__file__)
LIBRARY = (*(str(Path(file).parent) + os.sep for file in PACKAGES), contextlib.__file__)
# Line of the user's code that started the threads of a pass.
LINE: ContextVar[dict[str, Any] | None] = ContextVar("learnkernels user line", default=None)


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning at the user's line, or pass it to the callback of its category."""
    callback = CALLBACKS.get().get(category)
    if callback is not None:
        callback(message)
        return
    warnings.warn_explicit(message, category, **user_line())


def user_line() -> dict[str, Any]:
    """Return the user's line as arguments of `warnings.warn_explicit`."""
    line = LINE.get()
    if line is not None:
        return line
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(LIBRARY):
        frame = frame.f_back
    return {
        "filename": frame.f_code.co_filename,
        "lineno": frame.f_lineno,
        "module": frame.f_globals.get("__name__"),
        "registry": frame.f_globals.setdefault("__warningregistry__", {}),
    }


def thread_contexts(count: int) -> list[Context]:
    """Return copies of the context for threads, whose warnings point at the caller's line."""
    line, contexts = user_line(), [copy_context() for _ in range(count)]
    for context in contexts:
        context.run(LINE.set, line)
    return contexts


@contextmanager
def captured(callback: Callback, *categories: type[Warning]) -> Iterator[None]:
    """Call a function with each message of some categories instead of warning."""
    token = CALLBACKS.set({**CALLBACKS.get(), **dict.fromkeys(categories, callback)})
    try:
        yield
    finally:
        CALLBACKS.reset(token)


def suppressed(*categories: type[Warning]) -> AbstractContextManager[None]:
    """Drop the warnings of some categories."""
    return captured(lambda message: None, *categories)


@dataclass
class Unconverged:
    """Number of fits that did not converge to their tolerance."""

    count: int = 0


@contextmanager
def counted_unconverged() -> Iterator[Unconverged]:
    """Count fits that do not converge instead of warning.

    ConstantKernelWarning is dropped too: the fit on all samples raises it.
    """
    found = Unconverged()
    messages: list[str] = []  # fits may run in several threads, where appending is safe
    with captured(messages.append, ConvergenceWarning), suppressed(ConstantKernelWarning):
        yield found
    found.count = len(messages)

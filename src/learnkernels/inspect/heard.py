"""Fits that did not converge, where many fits are one result: counted, not shouted each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from learnkernels.errors import ConstantKernelWarning, UndefinedAlignmentWarning

__all__ = ["Heard", "listening"]


@dataclass
class Heard:
    """What was heard.

    Attributes
    ----------
    unproved : int
        Fits that ended above their tolerance.
    """

    unproved: int = 0


@contextmanager
def listening() -> Iterator[Heard]:
    """Count warnings of fits that did not converge, and pass all others on.

    But for constant kernels and targets that no kernel explains: in a part of the samples they are
    no news, whoever fits all of them hears of it.
    """
    heard = Heard()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        warnings.simplefilter("ignore", ConstantKernelWarning)
        warnings.simplefilter("ignore", UndefinedAlignmentWarning)
        yield heard
    for one in warned:
        if issubclass(one.category, ConvergenceWarning):
            heard.unproved += 1
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)

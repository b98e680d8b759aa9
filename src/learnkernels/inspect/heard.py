"""Fits that did not converge, where many fits are one result: counted, not shouted each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from learnkernels.errors import ConstantKernelWarning
from learnkernels.telling import told, unheard

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
    """Count the library's warnings of fits that did not converge, and let all others pass.

    But for constant kernels: those of a fold are no news, whoever fits all samples hears of them.
    """
    heard = Heard()
    messages: list[str] = []  # fits may run in several threads, and appending is safe there
    with told(ConvergenceWarning, messages.append), unheard(ConstantKernelWarning):
        yield heard
    heard.unproved = len(messages)

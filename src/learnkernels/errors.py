"""Errors and warnings of the library, which a user can catch or filter by name.

Invalid input raises `InputError`, a `ValueError` whose message states what was found, what is
expected, and how to fix it. Where Python, NumPy or scikit-learn raise a `TypeError`, it is a
`TypeError` too.
"""

from __future__ import annotations

__all__ = [
    "ConstantKernelWarning",
    "InputError",
    "InputTypeError",
    "MemoryWarning",
    "NeverPredictedWarning",
    "TableWarning",
    "UndefinedAlignmentWarning",
    "UniformBetterWarning",
]


class InputError(ValueError):
    """The data or a parameter is invalid; the message states how to fix it."""


class InputTypeError(InputError, TypeError):
    """The type of the data or of a parameter is invalid."""


class RowError(InputError):
    """A row of the data is invalid; a caller that read only some rows can change its number.

    Parameters
    ----------
    before, after : str
        The message before and after the number of the row.
    row : int
    """

    def __init__(self, before: str, row: int, after: str) -> None:
        super().__init__(before, row, after)
        self.before, self.row, self.after = before, row, after

    def __str__(self) -> str:
        return f"{self.before}{self.row}{self.after}"

    def with_row(self, row: int) -> RowError:
        """Return the error with another number of the row."""
        return RowError(self.before, row, self.after)


class ConstantKernelWarning(UserWarning):
    """A base kernel is constant on the training data and gets weight zero."""


class MemoryWarning(UserWarning):
    """Not enough memory: a slower algorithm was used."""


class NeverPredictedWarning(UserWarning):
    """A class is never predicted for held-out samples."""


class TableWarning(UserWarning):
    """Columns, rows or classes of a table are probably a mistake, or were left out."""


class UndefinedAlignmentWarning(UserWarning):
    """The target is constant or no kernel is aligned with it, so uniform weights are used."""


class UniformBetterWarning(UserWarning):
    """Uniform weights have a significantly lower held-out error than those of the chosen method."""

"""Checks of plain parameters; errors say what was found and what is expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils import check_random_state

from learnkernels.errors import InputError, InputTypeError, RowError
from learnkernels.plurals import count_text

LARGEST = 1e300


@contextmanager
def as_input_error(what: str = "") -> Iterator[None]:
    """Raise `InputError` for errors of other libraries, without floating-point warnings.

    Parameters
    ----------
    what : str, default=""
        Beginning of the message.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except InputError:
        raise
    except TypeError as error:
        raise InputTypeError(f"{what}{error}") from error
    except ValueError as error:
        raise InputError(f"{what}{error}") from error


def random_generator(random_state: Any) -> np.random.RandomState:
    """Return scikit-learn's random generator for a seed, a generator or None."""
    with as_input_error("random_state: "):
        return check_random_state(random_state)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether value is a finite real number; integers must fit into 64 bits."""
    if isinstance(value, (int, np.integer)):
        return not isinstance(value, bool) and bool(abs(int(value)) < 2**63)
    return isinstance(value, (float, np.floating)) and bool(np.isfinite(value))


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether value is an integer."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_several(value: Any) -> bool:
    """Return whether value is iterable; an array without dimensions is not."""
    return isinstance(value, Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0)


def require_range(X: Any, what: str) -> None:
    """Raise if an absolute value exceeds 1e300, because sums would overflow."""
    values = X.data if hasattr(X, "tocsr") else X
    largest = float(max(np.max(values, initial=0.0), -np.min(values, initial=0.0)))
    if largest > LARGEST:
        raise InputError(
            f"{what} contains values of up to {largest:.3g}, too large to compute with; scale "
            "them, for example with MaxAbsScaler."
        )


def require_finite(X: Any, what: str, names: Sequence[str] | None = None) -> None:
    """Raise `RowError` if cells are infinite; NaN is allowed.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_columns), or stack of Gram matrices
    what : str
        Name of X in the message.
    names : sequence of str or None
        Names of the columns.
    """
    sparse = hasattr(X, "tocsr")
    values = X.data if sparse else X
    mask = np.isinf(values)
    if not mask.any():
        return
    first = np.unravel_index(mask.argmax(), mask.shape)
    row, column, *kernel = (axis[first] for axis in X.tocoo().coords) if sparse else first
    raise RowError(
        f"{what} contains {count_text(int(np.count_nonzero(mask)), 'infinite value')} (the first "
        f"is {values[first]} in row ",
        int(row),
        f", column {column if names is None else repr(names[column])}"
        f"{f' of kernel {kernel[0]}' if kernel else ''}); expected finite numbers: replace them"
        f"{'' if kernel else ', or drop these rows'}.",
    )


def require_whole(owner: str, parameter: str, value: Any, low: int) -> None:
    """Raise unless `value` is a whole number of at least `low`."""
    if not (is_whole(value) and value >= low):
        raise InputError(
            f"{owner} got {parameter}={value!r}; it must be a whole number of at least {low}."
        )


def require_choice(parameter: str, value: Any, choices: Collection[str | None]) -> None:
    """Raise unless `value` is one of the choices, which are strings or None."""
    if not ((value is None or isinstance(value, str)) and value in choices):
        raise InputError(f"{parameter}={value!r}; expected one of {list(choices)}.")


def require_truth(parameter: str, value: Any) -> None:
    """Raise unless `value` is True, False, 1 or 0."""
    if not (isinstance(value, (bool, int, np.bool_, np.integer)) and value in (0, 1)):
        raise InputError(f"{parameter}={value!r}; it must be True or False.")


def require_positive(parameter: str, value: Any, owner: str) -> None:
    """Raise unless `value` is a positive finite number."""
    if not (is_number(value) and value > 0):
        raise InputError(
            f"{owner} got {parameter}={value!r}; {parameter} must be a positive finite number."
        )


def require_not_negative(parameter: str, value: Any, owner: str) -> None:
    """Raise unless `value` is a finite number of at least zero."""
    if not (is_number(value) and value >= 0):
        raise InputError(
            f"{owner} got {parameter}={value!r}; {parameter} must be a finite number of at least 0."
        )


def positive_values(parameter: str, given: Any, other: str = "") -> list[float]:
    """Return a number or a list of numbers as a list; each must be positive and finite.

    Parameters
    ----------
    parameter : str
        Name in messages.
    given : float or list of float
    other : str, default=""
        Another value that the message names.
    """
    values = np.atleast_1d(np.asarray(given, dtype=object)).ravel().tolist()
    if not values:
        raise InputError(f"{parameter} is an empty list; give at least one positive number.")
    for value in values:
        if not (is_number(value) and value > 0):
            raise InputError(
                f"{parameter} contains {value!r}; every value must be a positive finite number"
                f"{f', or pass {other}' if other else ''}."
            )
    return [float(value) for value in values]

"""Checks of plain parameters, each with a sentence for the user."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from learnkernels.errors import InputError

__all__ = ["is_number", "is_whole", "positive_values", "require_positive", "require_whole"]


def is_number(value: Any) -> TypeGuard[float]:
    """Whether value is a finite real number."""
    return (
        isinstance(value, (int, float, np.integer, np.floating))
        and not isinstance(value, bool)
        and bool(np.isfinite(value))
    )


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether value is a whole number."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def require_whole(owner: str, parameter: str, value: Any, low: int) -> None:
    """Raise unless `value` is a whole number of at least `low`."""
    if not (is_whole(value) and value >= low):
        raise InputError(
            f"{owner} got {parameter}={value!r}; it must be a whole number of at least {low}."
        )


def require_positive(parameter: str, value: Any, owner: str) -> None:
    """Raise unless `value` is a positive finite number."""
    if not (is_number(value) and value > 0):
        raise InputError(
            f"{owner} got {parameter}={value!r}; {parameter} must be a positive finite number."
        )


def positive_values(parameter: str, given: Any) -> list[float]:
    """A number or a list of numbers as a list, each positive and finite."""
    values = np.atleast_1d(np.asarray(given, dtype=object)).ravel().tolist()
    if not values:
        raise InputError(f"{parameter} is an empty list; give at least one positive number.")
    for value in values:
        if not (is_number(value) and value > 0):
            raise InputError(
                f"{parameter} holds {value!r}; every value must be a positive finite number."
            )
    return [float(value) for value in values]

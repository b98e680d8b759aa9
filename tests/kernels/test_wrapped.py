"""Kernels from elsewhere."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from learnkernels.kernels import Custom


def overlap(X, Z, power=1.0, kind="sum", offsets=None):
    return np.minimum(X[:, None], Z[None]).sum(axis=2) ** power


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"power": 0.5}, "overlap(power=0.5)"),
        ({"power": 1 / 3, "kind": "sum"}, "overlap(power=0.333333, kind=sum)"),
        ({"offsets": np.zeros(9)}, "overlap"),
        ({}, "overlap"),
    ],
)
def test_partial_function_is_named_after_the_function_and_its_short_arguments(arguments, expected):
    assert Custom(partial(overlap, **arguments)).name == expected


def test_partial_of_partial_shows_the_last_arguments():
    assert Custom(partial(partial(overlap, power=2.0), power=3.0)).name == "overlap(power=3)"

"""Digests: equal for equal content, different for different content."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from learnkernels.execution import digest


@dataclass
class Point:
    x: float
    y: np.ndarray
    note: str = field(default="", compare=False)


EQUAL = {
    "memory order": (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))),
    "strides": (np.arange(6)[::2], np.array([0, 2, 4])),
    "sparse formats": (sparse.csr_array(np.eye(3)), sparse.csc_array(np.eye(3))),
    "objects": (np.array(["a", None], dtype=object), ["a", None]),
    "frames": (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 2]}, index=[5, 6])),
    "dataclasses": (Point(1.0, np.arange(3)), Point(1.0, np.arange(3))),
    "fields that are not compared": (Point(1.0, np.arange(3)), Point(1.0, np.arange(3), "note")),
    "other objects": (object(), object()),
}


@pytest.mark.parametrize("case", EQUAL)
def test_digests_of_equal_content_are_equal(case):
    first, second = EQUAL[case]
    assert digest(first) == digest(second)


DIFFERENT = {
    "types": (np.arange(3), np.arange(3.0)),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "values": (np.zeros(3), np.array([0, 0, 1e-300])),
    "sparse values": (sparse.csr_array(np.eye(3)), 2 * sparse.csr_array(np.eye(3))),
    "column names": (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
    "fields": (Point(1.0, np.arange(3)), Point(1.0, np.arange(1, 4))),
    "nesting": ([["a"], "b"], ["a", ["b"]]),
    "keys": ({"a": 1}, {"b": 1}),
    "text and number": ("1", 1),
    "functions": (np.sin, np.cos),
    "slices": (slice(0, 3), slice(0, 4)),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_digests_of_different_content_differ(case):
    first, second = DIFFERENT[case]
    if case == "functions":

        def first():
            pass

        def second():
            pass

    assert digest(first) != digest(second)


def test_boundaries_between_values_count():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("a", "b") != digest("ab")


def test_digest_is_equal_in_every_process():
    """The value was computed in another process; Python's own hashes of texts would differ."""
    values = (np.arange(5.0, dtype="<f8"), {"a": [None, True, "text"]})
    assert digest(*values) == "907fd2f53579f448a050b256ecda1931c00c6f6a"

"""Reading columns of a table: missing values, absent columns, feature maps."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from learnkernels import InputError
from learnkernels.kernels import Linear, On, Source
from learnkernels.kernels.sources import Columns


@pytest.fixture
def columns():
    return Columns((0, 2), ("a", "c"), 3, False, "view")


def test_columns_are_found_by_name_or_by_position(columns):
    X = np.arange(6.0).reshape(2, 3)
    frame = pd.DataFrame(X[:, ::-1], columns=["c", "b", "a"])
    for table in (X, frame, sparse.csr_array(X)):
        data, observed = Source(columns).read(table)
        values = data.toarray() if sparse.issparse(data) else data
        assert np.array_equal(values, X[:, [0, 2]])
        assert observed is None


def test_samples_without_values_raise_or_are_excluded(columns):
    X = np.array([[1.0, 2.0, 3.0], [np.nan, 5.0, np.nan]])
    with pytest.raises(InputError, match=r"view 'view' has no values for 1 sample .* row 1"):
        Source(columns).read(X)
    data, observed = Source(columns).read(X, "neutral")
    assert data.tolist() == [[1.0, 3.0]]
    assert observed.tolist() == [True, False]


def test_absent_view_has_no_observed_samples(columns):
    frame = pd.DataFrame({"b": [1.0, 2.0]})
    data, observed = Source(columns).read(frame, "neutral")
    assert data.shape == (0, 2)
    assert not observed.any()
    with pytest.raises(InputError, match=r"X lacks columns \['a', 'c'\] of view 'view'"):
        Source(columns).read(frame)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, 0.0, np.nan]]), "contains NaN: view 'view' lacks 1 of 2 values"),
        (np.array([[1.0, 0.0, np.inf]]), r"1 infinite value .* in row 0, column 'c'"),
        (sparse.csr_array([[1.0, 0.0, -np.inf]]), r"first is -inf in row 0, column 'c'"),
        (np.array([[1.0, 0.0, 1e301]]), "too large"),
        (sparse.csr_array([[1.0, 0.0, np.nan]]), "contains NaN in a sparse matrix"),
        (np.zeros((1, 4)), "has 4 columns, but the model was trained on 3"),
    ],
)
def test_unusable_values_raise_input_error(columns, X, message):
    with pytest.raises(InputError, match=message):
        Source(columns).read(X)


def test_maps_are_applied_in_order(columns):
    source = Source(columns, (np.sqrt,)).then(Source(maps=(np.negative,)))
    data, _ = source.read(np.array([[4.0, 0.0, 9.0]]))
    assert data.tolist() == [[-2.0, -3.0]]


def test_kernel_on_a_source_is_a_kernel_of_the_table(columns):
    X = np.arange(6.0).reshape(2, 3)
    kernel = On(Source(columns), Linear(), "view")
    assert kernel.name == "view: linear"
    assert np.array_equal(kernel(X), X[:, [0, 2]] @ X[:, [0, 2]].T)
    assert np.array_equal(kernel.diagonal(X), np.diag(kernel(X)))

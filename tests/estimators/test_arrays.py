"""Arrays that cannot be used are refused with the cell, the shape or the number of columns."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import learnkernels as lk

KERNELS = [lk.table(), lk.gaussians(), lk.on([0, 1, 2], "linear")]


@pytest.fixture
def X(rng):
    return rng.standard_normal((12, 3))


def model(kernels, X):
    return lk.KernelClassifier(kernels, "unif", C=1.0).fit(X, np.arange(12) % 2)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize("kernels", KERNELS)
def test_first_infinite_cell_of_an_array_is_named_in_prediction(kernels, form, X):
    found = model(kernels, X)
    X[4, 1], X[7, 0] = -np.inf, np.inf
    cell = r"2 infinite values .*-inf in row 4, column (1|'x\[1\]')\); expected finite numbers"
    with pytest.raises(lk.InputError, match=cell):
        found.predict(form(X))


@pytest.mark.parametrize("kernels", KERNELS[:2])
def test_first_infinite_cell_of_a_frame_has_the_name_of_the_column(kernels, X):
    X[5, 2] = np.inf
    with pytest.raises(lk.InputError, match="inf in row 5, column 'c'"):
        model(kernels, pd.DataFrame(X, columns=list("abc")))


def test_first_infinite_cell_of_a_stack_has_the_position_of_the_matrix(X):
    K = np.stack([X @ X.T, np.eye(12)], axis=-1)
    K[2, 3, 1] = np.inf
    with pytest.raises(
        lk.InputError, match=r"inf in row 2, column 3 of kernel 1\); .*: replace them\.$"
    ):
        model("precomputed", K)


@pytest.mark.parametrize("kernels", KERNELS)
def test_numbers_of_columns_found_and_expected_are_named_in_prediction(kernels, X):
    with pytest.raises(lk.InputError, match=r"X has 2 .* 3.*same (columns in the same )?order"):
        model(kernels, X).predict(X[:, :2])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("n", [3, 1000])
def test_single_row_or_column_raises_a_short_error_with_its_shape_and_the_remedy(kernels, n, X):
    for given in (np.linspace(0, 1, n), np.linspace(0, 1, n).tolist()):
        with pytest.raises(lk.InputError, match=rf"X has shape \({n},\).*\(1, -1\)") as raised:
            model(kernels, X).predict(given)
        assert len(str(raised.value)) < 250 and "\n" not in str(raised.value)


@pytest.mark.parametrize("kernels", KERNELS)
def test_three_dimensions_raise_an_error_with_the_shape(kernels, X):
    with pytest.raises(lk.InputError, match=r"X has shape \(12, 3, 1\).*\(len\(X\), -1\)"):
        model(kernels, X[:, :, None])


class File:
    """A file of HDF5: it has data sets by name, and no shape."""

    __module__ = "h5py._hl.files"

    def __init__(self, **values):
        self.values = values
        self.keys, self.__getitem__ = values.keys, values.__getitem__

    def __len__(self):
        return len(self.values)


@pytest.mark.parametrize("options", [{}, {"subsample": 6, "n_components": 2}])
def test_file_of_data_sets_raises_an_error_that_names_them(options, X):
    found = model(lk.table(), X)
    message = (
        r"X is a File of h5py with the entries 'X', 'y'; .* pass one of them, such as X\['X'\]"
    )
    given = File(X=X, y=X[:, 0])
    with pytest.raises(lk.InputError, match=message):
        lk.KernelRegressor(**options).fit(given, X[:, 0])
    with pytest.raises(lk.InputError, match=message):
        found.predict(given)


def test_dictionary_of_columns_raises_an_error_that_names_frames(X):
    with pytest.raises(
        lk.InputError, match=r"X is a dict with .*'a', 'b'; .*: pass pandas\.DataFrame\(X\)\."
    ):
        lk.KernelRegressor().fit({"a": X[:, 0], "b": X[:, 1]}, X[:, 2])
    with pytest.raises(lk.InputError, match="without entries"):
        lk.KernelRegressor().fit({}, X[:, 2])


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("given", [None, 3.0])
def test_single_value_raises_an_error_that_names_its_type(kernels, given, X):
    message = rf"^X is a {type(given).__name__}; expected a table .*: pass an array or a frame\.$"
    with pytest.raises(lk.InputError, match=message):
        model(kernels, X).predict(given)


@pytest.mark.parametrize("kernels", KERNELS)
def test_series_of_numbers_raises_an_error_that_names_to_frame(kernels, X):
    message = r"^X is a Series of shape \(12,\); expected .*: pass X\.to_frame\(\)\."
    with pytest.raises(lk.InputError, match=message):
        model(kernels, pd.Series(X[:, 0]))
    with pytest.raises(lk.InputError, match=message):
        model(kernels, X).predict(pd.Series(X[:, 0]))


@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("options", [{}, {"subsample": 6, "n_components": 2}])
@pytest.mark.parametrize("Model", [lk.KernelClassifier, lk.KernelRegressor])
def test_targets_of_several_values_in_a_cell_are_named(Model, options, form, ragged, X):
    y = [[1, 2], [1]] * 6
    if not ragged:
        y = pd.Series(y)
    with pytest.raises(lk.InputError, match=r"^y contains several values .* \[1, 2\]"):
        Model(**options).fit(form(X), y)


def test_targets_of_three_dimensions_are_not_described_as_the_shape_of_X(X):
    with pytest.raises(lk.InputError) as raised:
        lk.KernelRegressor(lk.gaussians()).fit(X, np.zeros((12, 2, 2)))
    assert "X has shape" not in str(raised.value)

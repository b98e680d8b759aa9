"""Row products of dense and sparse matrices against NumPy."""

import numpy as np
import pytest
from scipy import sparse

from learnkernels import InputError
from learnkernels.kernels.row_products import dots, squared_norms

KINDS = [np.asarray, sparse.csr_array]


@pytest.mark.parametrize("left", KINDS)
@pytest.mark.parametrize("right", KINDS)
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_dots_equal_the_dense_product(left, right, density, rng):
    X = rng.standard_normal((7, 5)) * (rng.random((7, 5)) < density)
    Z = rng.standard_normal((4, 5)) * (rng.random((4, 5)) < density)
    found = dots(left(X), right(Z))
    assert isinstance(found, np.ndarray)
    assert np.allclose(found, X @ Z.T, rtol=1e-14, atol=1e-14)


def test_dots_of_mostly_empty_columns_equal_the_dense_product(rng):
    X, Z = (sparse.csr_array(rng.random((6, 1000)) * (rng.random((6, 1000)) < 0.005)) for _ in "XZ")
    Z = sparse.vstack([Z, X[:2]], format="csr")
    assert np.allclose(dots(X, Z), (X @ Z.T).toarray())


@pytest.mark.parametrize("kind", KINDS)
def test_squared_norms_are_the_diagonal_of_the_products(kind, rng):
    X = rng.standard_normal((7, 5))
    assert np.allclose(squared_norms(kind(X)), np.diag(X @ X.T))


def test_sparse_samples_of_different_widths_raise_input_error():
    with pytest.raises(InputError, match="have 3 columns, expected 4"):
        dots(sparse.csr_array((2, 3)), sparse.csr_array((2, 4)))

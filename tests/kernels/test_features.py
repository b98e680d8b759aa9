"""Kernels of rank one and of blocks of columns."""

import numpy as np
from scipy import sparse

import learnkernels as lk
from learnkernels.kernels import FactorKernel, resolve


def test_factor_kernel_by_definition():
    kernel = FactorKernel(1, 2, "two")
    assert kernel([[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]) == 28.0
    assert np.array_equal(kernel.diagonal(np.array([[1.0, 2.0, 3.0]])), [13.0])


def test_per_feature_lists_one_kernel_of_rank_one_per_column(rng):
    X = rng.standard_normal((5, 3))
    for given in (X, sparse.csr_array(X)):
        kernels = resolve(lk.per_feature(), given)
        assert [kernel.name for kernel in kernels] == ["x[0]", "x[1]", "x[2]"]
        for column, kernel in enumerate(kernels):
            assert np.allclose(kernel(given), np.outer(X[:, column], X[:, column]))


def test_per_feature_takes_the_names_of_the_columns(rng):
    kernels = resolve(lk.per_feature(), rng.standard_normal((5, 2)), names=["age", "size"])
    assert [kernel.name for kernel in kernels] == ["age", "size"]

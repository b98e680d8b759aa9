"""Concatenation of families and kernels."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.kernels import Gaussian, Linear, resolve

METRICS = ["cosine", "chi2"]


def overlap(X, Z):
    return np.minimum(X[:, None], Z[None]).sum(axis=2)


@pytest.mark.parametrize(
    ("combined", "names"),
    [
        (lk.gaussians([1.0]) + lk.linear(), ["gaussian(2^0)", "linear"]),
        (lk.linear() + lk.gaussians([1.0]), ["linear", "gaussian(2^0)"]),
        (Gaussian(1.0) + Gaussian(2.0) + Linear(), ["gaussian(2^0)", "gaussian(2^1)", "linear"]),
        (lk.linear() + "cosine", ["linear", "cosine"]),
        ("cosine" + lk.linear(), ["cosine", "linear"]),
        (lk.linear() + overlap, ["linear", "overlap"]),
        (METRICS + lk.linear(), ["cosine", "chi2", "linear"]),
        (lk.linear() + tuple(METRICS), ["linear", "cosine", "chi2"]),
        (lk.on([0], lk.linear()) + lk.linear(), ["0: linear", "linear"]),
        ([lk.linear() + lk.linear(), "chi2"], ["linear", "linear", "chi2"]),
    ],
)
def test_plus_lists_the_kernels_of_both_operands_in_order(combined, names, rng):
    assert [kernel.name for kernel in resolve(combined, rng.random((6, 2)))] == names


def test_sum_of_families_equals_list_of_families(classes):
    X, y = classes
    listed = lk.KernelClassifier([lk.gaussians(), lk.linear()], method="alignf", C=1.0).fit(X, y)
    combined = lk.KernelClassifier(lk.gaussians() + lk.linear(), method="alignf", C=1.0).fit(X, y)
    assert np.array_equal(listed.decision_function(X), combined.decision_function(X))


def test_sum_inside_a_view(rng):
    kernels = resolve(lk.on([0], lk.gaussians([1.0]) + lk.linear()), rng.random((6, 2)))
    assert [kernel.name for kernel in kernels] == ["0: gaussian(2^0)", "0: linear"]


@pytest.mark.parametrize("other", [3, None, {"a": 1}])
def test_plus_raises_type_error_for_other_types(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        lk.gaussians() + other
    with pytest.raises(TypeError, match="unsupported operand"):
        other + lk.gaussians()


def test_kernel_is_a_family_of_one(rng):
    kernel = Gaussian(0.5)
    assert resolve(kernel, rng.random((4, 2))) == [kernel]

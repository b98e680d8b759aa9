"""Change of the weights of align and alignf if one sample is replaced."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import theory
from learnkernels.solvers import nonnegative_qp


def statistics(X, y):
    """Return M and a of a kernel for each column, divided by m^2, and the target's square."""
    m = len(y)
    Z, t = X - X.mean(axis=0), y - y.mean()
    return (Z.T @ Z / m) ** 2, (Z.T @ t / m) ** 2, (t @ t / m) ** 2


def align(X, y):
    M, a, _ = statistics(X, y)
    rho = a / np.sqrt(np.diag(M))
    return rho / rho.sum()


def alignf(X, y):
    M, a, _ = statistics(X, y)
    v, _ = nonnegative_qp(M, a)
    return v / v.sum()


@pytest.fixture(scope="module")
def samples():
    """Corners of a cube with a target that depends on two of three features."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 3)) < 0.5, -1.0, 1.0)
    return X, np.clip(X[:, 0] + 0.6 * X[:, 1] + 0.2 * rng.standard_normal(400), -2.0, 2.0)


@pytest.mark.parametrize("method", [align, alignf])
def test_weights_change_less_than_the_bound(method, samples):
    X, y = samples
    M, a, square = statistics(X, y)
    D, E = np.full(3, 4.0), 16.0
    if method is align:
        bound = theory.align_change(len(y), a, np.diag(M), square, D, E)
    else:
        bound = theory.alignf_change(len(y), a, M, D, E)
    assert bound < 1  # not the trivial one
    largest = 0.0
    for corner in np.ndindex(2, 2, 2):
        for target in (-2.0, 2.0):
            other_X, other_y = X.copy(), y.copy()
            other_X[0], other_y[0] = 2.0 * np.array(corner) - 1, target
            largest = max(largest, np.abs(method(other_X, other_y) - method(X, y)).sum())
    assert 0 < largest <= bound


def test_changes_do_not_depend_on_the_units_of_kernels_and_target(samples):
    X, y = samples
    M, a, square = statistics(X, y)
    D = np.full(3, 4.0)
    # Another unit of all kernels, as other units of single kernels are other weights.
    found = [
        (
            theory.align_change(400, s * t * a, s**2 * np.diag(M), t**2 * square, s * D, t * 16.0),
            theory.alignf_change(400, s * t * a, s**2 * M, s * D, t * 16.0),
        )
        for s, t in ((1.0, 1.0), (1e-6, 1.0), (1.0, 1e6))
    ]
    assert found[0] == pytest.approx(found[1]) and found[0] == pytest.approx(found[2])


def test_changes_decrease_as_one_over_the_number_of_samples(samples):
    M, a, square = statistics(*samples)
    for function in (
        lambda m: theory.align_change(m, a, np.diag(M), square, np.full(3, 4.0), 16.0),
        lambda m: theory.alignf_change(m, a, M, np.full(3, 4.0), 16.0),
    ):
        assert function(10**7) / function(10**8) == pytest.approx(10, rel=0.01)


def test_duplicate_kernels_leave_the_weights_of_alignf_undetermined():
    M = np.ones((2, 2))
    assert theory.alignf_change(10**6, [0.5, 0.5], M, [4.0, 4.0], 4.0) == 2.0


def test_proposition_21_and_lemma_20_of_2012(rng):
    for _ in range(100):
        B, C = rng.standard_normal((2, 4, 6))
        M, other_M = B @ B.T, C @ C.T
        a, other_a = rng.standard_normal((2, 4))
        v, w = nonnegative_qp(M, a)[0], nonnegative_qp(other_M, other_a)[0]
        d = w - v
        assert d @ M @ d <= (other_a - a - (other_M - M) @ w) @ d + 1e-9
        assert d @ other_M @ d <= (other_a - a - (other_M - M) @ v) @ d + 1e-9
        if v.any() and w.any():
            norms = np.linalg.norm(v), np.linalg.norm(w)
            change = d / norms[1] - (d @ (v + w)) * v / (norms[0] * norms[1] * sum(norms))
            assert np.allclose(w / norms[1] - v / norms[0], change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.align_change(10, [1.0], [1.0, 2.0], 1.0, [1.0], 1.0), "a list of length 1"),
        (lambda: theory.align_change(10, [-1.0], [1.0], 1.0, [1.0], 1.0), "from 0 to"),
        (lambda: theory.align_change(10, [], [], 1.0, [], 1.0), "one number for each kernel"),
        (lambda: theory.alignf_change(10, [1.0], np.eye(2), [1.0], 1.0), r"shape \(1, 1\)"),
        (lambda: theory.alignf_change(10, [1.0], np.eye(1), [0.0], 1.0), "constant"),
    ],
)
def test_invalid_argument_raises_input_error(call, message):
    with pytest.raises(lk.InputError, match=message):
        call()

"""Checks of base kernels, and kernels without a compiled formula."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import BaseKernels
from learnkernels.gram.tiles.compiled import evaluate
from learnkernels.kernels import Custom, Gaussian, Linear, Precomputed


def test_indefinite_kernel_raises_input_error(rng):
    X = rng.standard_normal((20, 2))
    with pytest.raises(lk.InputError, match="not positive semi-definite"):
        BaseKernels.of([Custom(lambda A, B: -(A @ B.T))], X)
    with pytest.raises(lk.InputError, match="'sigmoid' is not positive"):
        lk.KernelClassifier(kernels=["linear", "sigmoid"], method="alignf", C=1.0).fit(
            4 * X, X[:, 0] > 0
        )


def test_asymmetric_kernel_raises_input_error(rng):
    X = rng.standard_normal((20, 2))
    with pytest.raises(lk.InputError, match="not symmetric"):
        BaseKernels.of([Custom(lambda A, B: A @ B.T + A[:, :1])], X)


def test_one_asymmetric_entry_of_a_precomputed_stack_raises_input_error(rng):
    X = rng.standard_normal((400, 2))
    stack = np.stack([X @ X.T, X @ X.T], axis=-1)
    stack[1, 399, 1] += 1.0
    with pytest.raises(lk.InputError, match=r"precomputed\[1\]' is not symmetric"):
        BaseKernels.of([Precomputed(0), Precomputed(1)], stack)


def test_wrong_shape_or_nan_from_a_function_raises_input_error(rng):
    X = rng.standard_normal((10, 2))
    with pytest.raises(lk.InputError, match="must return shape"):
        BaseKernels.of([Custom(lambda A, B: A)], X)
    with pytest.raises(lk.InputError, match="NaN or infinite"):
        BaseKernels.of([Custom(lambda A, B: np.full((len(A), len(B)), np.nan))], X)


def test_overflowing_distances_raise_input_error():
    with pytest.raises(lk.InputError, match="overflow"):
        BaseKernels.of([Gaussian(1.0)], np.array([[1e200], [-1e200]]))


def test_function_is_called_once_on_the_training_samples(rng):
    calls = []

    def counted(A, B):
        calls.append(len(A))
        return A @ B.T

    X = rng.standard_normal((300, 2))
    lk.KernelClassifier(kernels=[counted, "linear"], C=[1, 10], method="alignf").fit(X, X[:, 0] > 0)
    assert calls == [300]


def test_kernels_beyond_free_memory_are_evaluated_in_every_pass_with_a_warning(rng, monkeypatch):
    X, y = rng.standard_normal((300, 2)), rng.standard_normal(300)
    stored = lk.alignment_statistics("rbf", X, y)
    monkeypatch.setattr("learnkernels.gram.kernels.available_memory", lambda: 1e5)
    with pytest.warns(UserWarning, match="evaluated again in every pass"):
        streamed = lk.alignment_statistics("rbf", X, y)
    assert np.allclose(stored.M, streamed.M)


def values(tiles):
    """Return the Gram matrices of tile kernels, shape (n_kernels, n, n), up to their units."""
    n = tiles.shape[0]
    return evaluate(tiles.tile(slice(0, n), slice(0, n)), n, n)


def test_keep_returns_kernels_with_the_same_values(rng):
    X = rng.standard_normal((15, 3))
    kernels = [Gaussian(0.5), Custom(lambda A, B: A @ B.T), Linear(), Gaussian(0.25)]
    (tiles,) = BaseKernels.of(kernels, X).parts
    mask = np.array([True, True, False, False])[tiles.index]
    assert np.allclose(values(tiles.keep(mask)), values(tiles)[mask])
    rest = tiles.keep(~mask)
    assert [rest.names[k] for k in np.argsort(rest.index)] == ["linear", "gaussian(2^-2)"]


def test_names_of_repeated_kernels_are_numbered(rng):
    base = BaseKernels.of([Linear(), Linear(), Gaussian(1.0)], rng.standard_normal((5, 2)))
    assert base.names == ["linear #1", "linear #2", "gaussian(2^0)"]


def test_invalid_backend_raises_input_error():
    with pytest.raises(lk.InputError, match="backend"):
        lk.KernelRegressor(
            backend="cluster", kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ).fit(np.eye(4), np.arange(4.0))
    with pytest.raises(lk.InputError, match="at least 1"):
        lk.Threads(0)


def test_error_in_a_kernel_function_is_passed_on_unchanged(rng):
    def fails_late(A, B):
        raise RuntimeError("broken kernel")

    with pytest.raises(RuntimeError, match="broken kernel"):
        lk.alignment_statistics([fails_late], rng.standard_normal((600, 2)), np.arange(600.0))

"""Checks of kernels that promise nothing, and how banks are cut and joined."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.gram import Bank, tile_bank
from learnkernels.kernels import Custom, Gaussian, Linear, Precomputed


def test_clearly_indefinite_kernels_are_refused(rng):
    X = rng.standard_normal((20, 2))
    with pytest.raises(lk.InputError, match="not positive semi-definite"):
        Bank.of([Custom(lambda A, B: -(A @ B.T))], X)
    with pytest.raises(lk.InputError, match="'sigmoid' is not positive"):
        lk.KernelClassifier(kernels=["linear", "sigmoid"]).fit(4 * X, X[:, 0] > 0)


def test_asymmetric_kernels_are_refused(rng):
    X = rng.standard_normal((20, 2))
    with pytest.raises(lk.InputError, match="not symmetric"):
        Bank.of([Custom(lambda A, B: A @ B.T + A[:, :1])], X)


def test_one_wrong_entry_of_a_large_stack_is_found(rng):
    X = rng.standard_normal((400, 2))
    stack = np.stack([X @ X.T, X @ X.T], axis=-1)
    stack[1, 399, 1] += 1.0
    with pytest.raises(lk.InputError, match=r"precomputed\[1\]' is not symmetric"):
        Bank.of([Precomputed(0), Precomputed(1)], stack)


def test_wrong_shapes_and_values_from_a_function_are_refused(rng):
    X = rng.standard_normal((10, 2))
    with pytest.raises(lk.InputError, match="must return shape"):
        Bank.of([Custom(lambda A, B: A)], X)
    with pytest.raises(lk.InputError, match="NaN or infinite"):
        Bank.of([Custom(lambda A, B: np.full((len(A), len(B)), np.nan))], X)


def test_overflowing_distances_are_refused():
    with pytest.raises(lk.InputError, match="overflow"):
        Bank.of([Gaussian(1.0)], np.array([[1e200], [-1e200]]))


def test_a_function_is_called_once_for_the_training_samples(rng):
    calls = []

    def counted(A, B):
        calls.append(len(A))
        return A @ B.T

    X = rng.standard_normal((300, 2))
    lk.KernelClassifier(kernels=[counted, "linear"], C=[1, 10]).fit(X, X[:, 0] > 0)
    assert calls == [300]


def test_kernels_too_large_to_keep_are_streamed_with_a_word(rng, monkeypatch):
    X, y = rng.standard_normal((300, 2)), rng.standard_normal(300)
    kept = lk.alignment_statistics("rbf", X, y)
    monkeypatch.setattr(tile_bank, "available_memory", lambda: 1e5)
    with pytest.warns(UserWarning, match="evaluated anew in every pass"):
        streamed = lk.alignment_statistics("rbf", X, y)
    assert np.allclose(kept.M, streamed.M)


def test_keeping_some_kernels_keeps_their_values(rng):
    X = rng.standard_normal((15, 3))
    kernels = [Gaussian(0.5), Custom(lambda A, B: A @ B.T), Linear(), Gaussian(0.25)]
    bank = Bank.of(kernels, X).tiled
    mask = np.array([True, True, False, False])
    assert np.allclose(bank.keep(mask).values(), bank.values()[mask])
    assert bank.keep(~mask).names == ["linear", "gaussian(2^-2)"]


def test_names_of_repeated_kernels_are_told_apart(rng):
    bank = Bank.of([Linear(), Linear(), Gaussian(1.0)], rng.standard_normal((5, 2)))
    assert bank.names == ["linear #1", "linear #2", "gaussian(2^0)"]


def test_a_backend_must_have_map():
    with pytest.raises(lk.InputError, match="backend"):
        lk.KernelRegressor(backend="cluster").fit(np.eye(4), np.arange(4.0))
    with pytest.raises(lk.InputError, match="at least 1"):
        lk.Threads(0)


def test_an_error_in_a_task_reaches_the_user_and_ends_the_pool(rng):
    def fails_late(A, B):
        raise RuntimeError("broken kernel")

    with pytest.raises(RuntimeError, match="broken kernel"):
        lk.alignment_statistics([fails_late], rng.standard_normal((600, 2)), np.arange(600.0))

"""The budget is kept: what a fit allocates at its peak, or a refusal before that."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.weights import METHODS

N = 1400
GRAM = 8 * N * N
# Tiles of two threads, statistics, samples and what Python itself takes, however large N is.
BESIDE = 10e6
KERNELS = lk.gaussians([0.03, 0.1, 0.3])
SEVERAL = [0.1, 1.0]
CASES = [
    *((name, task, 1.0) for name, method in METHODS.items() for task in method().tasks),
    ("alignf", "classification", SEVERAL),
    ("alignf", "regression", SEVERAL),
    ("l1-krr", "regression", SEVERAL),
    ("conv", "classification", SEVERAL),
]


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4))
    target = X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(N)
    for room in (None, 1e3):  # what is compiled and imported once is not the fit's
        lk.KernelRegressor(KERNELS, max_memory=room).fit(X[:50], target[:50])
    lk.KernelClassifier(KERNELS).fit(X[:50], target[:50] > 0)
    return X, target


@pytest.mark.parametrize(("name", "task", "value"), CASES)
def test_a_fit_keeps_to_its_budget(name, task, value, problem):
    X, target = problem
    method = METHODS[name]()
    if name == "ufo":
        method.max_iter = 2
    for grams in (0.9, 1.5, 2.5, 3.5, 4.5):
        room = {"max_memory": grams * GRAM, "backend": lk.Threads(2)}
        if task == "classification":
            refused, peak = peak_of(
                lk.KernelClassifier(KERNELS, method, C=value, **room), X, target > 0
            )
        else:
            refused, peak = peak_of(
                lk.KernelRegressor(KERNELS, method, alpha=value, **room), X, target
            )
        assert peak <= grams * GRAM + BESIDE, f"{peak / GRAM:.2f} of {grams} Gram matrices"
        if not refused:
            break
    assert not refused or name == "align-linear"  # whose kernel is none here


def test_components_keep_to_the_budget(problem):
    X, y = problem
    m = 600
    matrix = 8 * m * m
    for matrices in (2, 20):
        model = lk.KernelRegressor(KERNELS, n_components=m, max_memory=matrices * matrix)
        refused, peak = peak_of(model, X, y)
        assert peak <= matrices * matrix + BESIDE
        assert ("use fewer components" in refused) == (matrices == 2)


def peak_of(model, X, y) -> tuple[str, int]:
    """The sentence of a refusal, or nothing, and the bytes that were held at once."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ridge for the SVM, gaps: not the point here
            model.fit(X, y)
        return "", tracemalloc.get_traced_memory()[1]
    except lk.InputError as error:
        return str(error), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_grams_of_functions_count(problem):
    """They are kept only where the budget has room, and a warning says so."""
    X, y = problem

    def own(A, B):
        return A @ B.T

    model = lk.KernelRegressor([own, "linear"], max_memory=1.5 * GRAM).fit(X, y)
    with pytest.warns(lk.MemoryWarning, match="evaluated anew in every pass"):
        without = lk.KernelRegressor([own, "linear"], max_memory=0.9 * GRAM).fit(X, y)
    assert np.allclose(model.predict(X), without.predict(X), atol=1e-5)


def test_a_refusal_says_how_many_bytes_and_what_to_do(problem):
    X, y = problem
    model = lk.KernelClassifier(KERNELS, "ufo", max_memory=3 * GRAM)
    said = r"4 Gram matrices of 1400 samples, 62.7 MB, and 47 MB may be used; use a method by"
    with pytest.raises(lk.InputError, match=said):
        model.fit(X, y > 0)

"""Peak memory of a fit stays below `max_memory`, or the fit raises; free memory has no effect."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit

import learnkernels as lk
from learnkernels.execution import memory
from learnkernels.methods import METHODS

N = 1000
GRAM = 8 * N * N
# Bytes that do not grow with N^2: tiles of two threads, statistics, samples, Python objects.
OVERHEAD = 5e6
KERNELS = lk.gaussians([0.03, 0.1, 0.3])
SEVERAL = [0.1, 1.0]
FOLDS = PredefinedSplit(np.arange(N) % 5 > 0)
CASES = [
    *((name, task, 1.0) for name, method in METHODS.items() for task in method().tasks),
    ("alignf", "classification", SEVERAL),
    ("alignf", "regression", SEVERAL),
    ("l1-krr", "regression", SEVERAL),
    ("conv", "classification", SEVERAL),
]


def samples(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    return X, X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(n)


@pytest.fixture(scope="module")
def problem():
    X, target = samples(N)
    for max_memory in (None, 1e3):  # compile and import before measuring
        lk.KernelRegressor(KERNELS, max_memory=max_memory, method="alignf", alpha=1.0).fit(
            X[:50], target[:50]
        )
    lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X[:50], target[:50] > 0)
    return X, target


@pytest.mark.parametrize(("name", "task", "value"), CASES)
def test_peak_memory_of_fit_stays_below_max_memory(name, task, value, problem):
    X, target = problem
    method = METHODS[name]()
    if name == "ufo":
        method.max_iter = 2
    for grams in (0.9, 1.5, 2.5, 3.5, 4.5):
        # Two folds, the first with most samples, have the peak of more folds.
        options = {"max_memory": grams * GRAM, "backend": lk.Threads(2)}
        options |= {"cv": FOLDS} if value is SEVERAL else {}
        if task == "classification":
            refused, peak = peak_of(
                lk.KernelClassifier(KERNELS, method, C=value, **options), X, target > 0
            )
        else:
            refused, peak = peak_of(
                lk.KernelRegressor(KERNELS, method, alpha=value, **options), X, target
            )
        assert peak <= grams * GRAM + OVERHEAD, f"{peak / GRAM:.2f} of {grams} Gram matrices"
        if not refused:
            break
    assert not refused or name == "align-linear"  # whose combination is indefinite here


def test_peak_memory_of_svm_without_the_gram_matrix_stays_below_max_memory(problem):
    n = 1400  # fewer need the Gram matrix
    X, target = samples(n)
    for C in (1.0, SEVERAL):
        model = lk.KernelClassifier(
            KERNELS, "alignf", C=C, max_memory=0.9 * 8 * n * n, backend=lk.Threads(2), cv=2
        )
        refused, peak = peak_of(model, X, target > 0)
        assert not refused and peak <= 0.9 * 8 * n * n + OVERHEAD


def test_peak_memory_of_landmarks_stays_below_max_memory(problem):
    X, y = problem
    m = 400
    matrix = 8 * m * m
    for matrices in (2, 20):
        model = lk.KernelRegressor(
            KERNELS, n_components=m, max_memory=matrices * matrix, method="alignf", alpha=1.0
        )
        refused, peak = peak_of(model, X, y)
        assert peak <= matrices * matrix + OVERHEAD
        assert ("use fewer components" in refused) == (matrices == 2)


def peak_of(model, X, y) -> tuple[str, int]:
    """Return the error message, or an empty string, and the peak of allocated bytes."""
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of memory and convergence
            model.fit(X, y)
        return "", tracemalloc.get_traced_memory()[1]
    except lk.InputError as error:
        return str(error), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_grams_of_user_functions_count_against_max_memory(problem):
    """They are stored if they fit into memory; otherwise they are recomputed with a warning."""
    X, y = problem[0][:300], problem[1][:300]
    gram = 8 * 300 * 300

    def own(A, B):
        return A @ B.T

    model = lk.KernelRegressor(
        [own, "linear"], max_memory=1.5 * gram, method="alignf", alpha=1.0
    ).fit(X, y)
    with pytest.warns(lk.MemoryWarning, match="evaluated again in every pass"):
        without = lk.KernelRegressor(
            [own, "linear"], max_memory=0.9 * gram, method="alignf", alpha=1.0
        ).fit(X, y)
    assert np.allclose(model.predict(X), without.predict(X), atol=1e-5)


def test_memory_error_states_bytes_needed_and_allowed(problem):
    X, y = problem
    model = lk.KernelClassifier(KERNELS, "ufo", max_memory=3 * GRAM, C=1.0)
    message = r"4 Gram matrices of 1000 samples, 32 MB.*max_memory=24 MB"
    with pytest.raises(lk.InputError, match=message):
        model.fit(X, y > 0)


@pytest.mark.parametrize(
    "estimator",
    [
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
    ],
)
def test_model_does_not_depend_on_free_memory(estimator, classes, monkeypatch):
    """A fit with little free memory gives the same model, or raises."""
    X, y = classes[0], np.where(classes[1] == "yes", 1.0, -1.0)
    expected = clone(estimator).fit(X, y)
    monkeypatch.setattr(memory, "available_memory", lambda: 1.0)
    found = clone(estimator).fit(X, y)
    assert found.solver_ == expected.solver_ != "conjugate gradients"
    assert np.array_equal(found.weights_, expected.weights_)
    assert np.array_equal(found.predict(X), expected.predict(X))


def test_large_gram_without_free_memory_raises_instead_of_another_machine(rng, monkeypatch):
    X = rng.standard_normal((2100, 2))
    monkeypatch.setattr(memory, "available_memory", lambda: 1e7)
    with pytest.raises(lk.InputError, match=r"2100 samples would take 35.3 MB and 10 MB are free"):
        lk.KernelClassifier("gaussians", method="alignf", C=1.0).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("kind", [lk.KernelClassifier, lk.KernelRegressor])
def test_alignment_predictor_with_fewer_components_than_samples_raises(kind, classes):
    X, y = classes
    model = kind(machine="alignment", n_components=5)
    with pytest.raises(lk.InputError, match="n_components=5"):
        model.fit(X, np.unique(y, return_inverse=True)[1])


def test_svm_beyond_max_memory_raises_before_the_pass(classes, monkeypatch):
    monkeypatch.setattr("learnkernels.estimators.base.prepare", None)  # not reached
    with pytest.raises(lk.InputError, match="max_memory"):
        lk.KernelClassifier(
            max_memory=1000.0, kernels=["gaussians", "linear"], method="alignf", C=1.0
        ).fit(*classes)

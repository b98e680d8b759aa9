"""Time of a fit with ten kernels, compared with scikit-learn with one Gaussian."""

from __future__ import annotations

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds


def run(quick: bool = False) -> None:
    n = 500 if quick else 5000
    repeats = 1 if quick else 5
    kernels = lk.gaussians(gaussian_gammas())
    problems = [("separable with noise", problem(n)), ("half the labels random", noisy(n))]
    for what, (X, y) in problems[: 1 if quick else None]:
        for C in (1.0, 10.0):
            against(
                f"alignf and SVM, {what}, n={n}, C={C:g}",
                lk.KernelClassifier(kernels, "alignf", C=C, machine="svm"),
                SVC(kernel="precomputed", C=C),
                X,
                y,
                repeats,
            )
    X, y = problem(n)
    ridge = KernelRidge(kernel="precomputed")
    one_alpha = lk.KernelRegressor(kernels, "alignf", alpha=1.0)
    against(f"alignf and ridge, n={n}, one alpha", one_alpha, ridge, X, y, repeats)
    default = lk.KernelRegressor(kernels)
    against(f"default method, alpha learned, n={n}", default, ridge, X, y, min(repeats, 2))


def against(what, ours, one, X, y, repeats):
    """Fit both in turn and print the ratio of the best times."""
    ours.fit(X[:200], y[:200])  # compile
    pairs = [
        (
            seconds(lambda: ours.fit(X, y), 1),
            seconds(lambda: one.fit(rbf_kernel(X, gamma=1 / 20), y), 1),
        )
        for _ in range(repeats)
    ]
    ten, single = np.min(pairs, axis=0)
    ratio = ten / single
    print(f"{what}: ten kernels {ten:.3f} s, scikit-learn with one {single:.3f} s: {ratio:.2f}x")


def noisy(n):
    X, y = problem(n)
    flips = np.random.default_rng(1).random(n) < 0.5
    return X, np.where(flips, np.random.default_rng(2).choice([-1.0, 1.0], n), y)

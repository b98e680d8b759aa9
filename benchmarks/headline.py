"""The headline ratios: our CPU time divided by that of an alternative, measured in one run.

Every model is given its method and its regularisation, so that the same work is measured for every
revision of the library. `benchmarks.compare_revisions` runs this for two revisions.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import scipy.linalg
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds
from benchmarks.rank_one import random_counts
from benchmarks.statistics import dense_reference


def run(quick: bool = False) -> None:
    for name, ratio in headline(quick).items():
        print(f"{name}: {ratio:.3f}")


def headline(quick: bool = False) -> dict[str, float]:
    """Return the ratio of CPU times for each kind of work; lower is better."""
    n, repeats = (300, 1) if quick else (2000, 3)
    X, y = problem(n)
    gammas = gaussian_gammas()
    kernels = lk.gaussians(gammas)
    classifier = lk.KernelClassifier(kernels, "alignf", C=1.0, machine="svm")
    regressor = lk.KernelRegressor(kernels, "alignf", alpha=1.0)
    l1 = lk.KernelClassifier(kernels, lk.methods.L1SVM(tol=1e-3), C=10.0)
    uniform = lk.KernelLearner(kernels, "unif").fit_transform(X, y)
    svc, ridge = SVC(kernel="precomputed"), KernelRidge(kernel="precomputed")
    hard = SVC(kernel="precomputed", C=10.0)
    counts, rating, _ = random_counts(2 * n, n)
    features = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0)
    K = (counts @ counts.T).toarray() + np.eye(n)
    pairs = {
        "alignment statistics of ten Gaussians / dense NumPy": (
            lambda: lk.alignment_statistics(kernels, X, y),
            lambda: dense_reference(gammas, X, y),
        ),
        "alignf and SVM, ten Gaussians / SVC with one": (
            lambda: classifier.fit(X, y),
            lambda: svc.fit(rbf_kernel(X, gamma=1 / 20), y),
        ),
        "alignf and ridge, ten Gaussians / KernelRidge with one": (
            lambda: regressor.fit(X, y),
            lambda: ridge.fit(rbf_kernel(X, gamma=1 / 20), y),
        ),
        "l1-svm, ten Gaussians, gap 1e-3 / one SVC fit": (
            lambda: l1.fit(X, y),
            lambda: hard.fit(uniform, y),
        ),
        "align, one kernel for each feature / X'X and one ridge solve": (
            lambda: features.fit(counts, rating),
            lambda: (counts.T @ counts, scipy.linalg.solve(K, rating, assume_a="pos")),
        ),
    }
    for ours, _ in pairs.values():
        ours()  # compile
    clock = time.process_time
    return {
        name: seconds(ours, repeats, clock) / seconds(theirs, repeats, clock)
        for name, (ours, theirs) in pairs.items()
    }


if __name__ == "__main__":
    json.dump(headline("--quick" in sys.argv), sys.stdout)

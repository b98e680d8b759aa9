"""Compile the library's Numba functions into the disk cache, with a few small fits.

Numba's cache is not safe if two processes add signatures of one function at the same time: one may
overwrite the code of the other. With an empty cache, run this before several processes fit.
"""

from __future__ import annotations

import warnings

import numpy as np
from numba import config
from scipy import sparse

import learnkernels as lk
from learnkernels.methods import METHODS

KERNELS = [lk.gaussians(), lk.laplacians(), lk.polynomials(), lk.linear(), lk.per_feature()]


def main() -> None:
    """Fit every method, every kernel family and every table format."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 3)) * (rng.random((20, 3)) < 0.8)
    y = X[:, 0] + X[:, 1] ** 2 > 0.5
    sequences = ["".join(row) for row in rng.choice(list("ACGT"), (20, 8))]
    for method in METHODS:
        lk.KernelClassifier(
            method=method, machine="ridge", kernels=["gaussians", "linear"], C=1.0
        ).fit(X, y)
    lk.KernelClassifier(lk.learned_metric(), "unif", C=1.0).fit(X, y)
    if not config.DISABLE_JIT:  # `make coverage` runs this as Python, too slow for many samples
        many = rng.standard_normal((620, 2))
        landmarks = lk.methods.LeaveOneOut(max_samples=610, n_components=10)
        lk.KernelRegressor([lk.table(), lk.per_feature()], landmarks).fit(many, many[:, 0])
    for fitted in (X, sparse.csr_array(X)):
        for kernels in (None, KERNELS):
            model = lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(fitted, y)
            for new in (X, sparse.csr_array(X)):
                model.predict(new)
    for kernels in (lk.spectrum(2), lk.weighted_degree(2), lk.weighted_degree(2, shift=1)):
        lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(sequences, y).predict(sequences)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main()

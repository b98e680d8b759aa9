"""Evidence for tests of weight methods, and the dense base Grams behind it."""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels.estimators.classifier import alignment_targets, signed_targets
from learnkernels.estimators.learning import Stage
from learnkernels.gram import Threads
from learnkernels.machines import SVM, Ridge


class Capture(lk.methods.Uniform):
    """A method that only keeps what it is given."""

    def learn(self, evidence):
        self.evidence = evidence
        return super().learn(evidence)


def evidence_of(kernels, X, y, task="classification", value=1.0, **options):
    """What a method would be given in a fit of these data."""
    if task == "classification":
        classes, codes = np.unique(y, return_inverse=True)
        target, Y = alignment_targets(codes, len(classes)), signed_targets(codes, len(classes))
        machine = SVM()
    else:
        Y = np.asarray(y, dtype=float).reshape(len(y), -1)
        target, machine = Y, Ridge()
    settings = {
        "normalize": "trace",
        "center": True,
        "sample_weight": np.ones(len(y)),
        "backend": Threads(1),
    }
    stage = Stage.of(kernels, X, target, Y, task=task, **(settings | options))
    capture = Capture()
    stage.learn(capture, machine, value)
    return capture.evidence


def grams(evidence):
    """The base Grams, shape (n_kernels, n, n), and a factor L of each, K = LL'."""
    K = evidence.oracle.stack()
    factors = []
    for matrix in K:
        eigenvalues, Q = np.linalg.eigh(matrix)
        factors.append(Q * np.sqrt(np.maximum(eigenvalues, 0.0)))
    return K, factors

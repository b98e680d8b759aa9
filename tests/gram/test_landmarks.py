"""Features in the span of landmarks."""

import numpy as np
from scipy import linalg

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import Landmarks
from tests.methods.problems import problem_of


def test_features_project_the_kernel_on_the_span_of_the_landmarks(rng):
    X = rng.standard_normal((40, 3))
    problem = problem_of(lk.gaussians([0.3]), X, X[:, 0], "regression")
    kernel = problem.kernels.kernel(np.ones(1))
    K = kernel.gram(Threads(2))
    index = np.arange(0, 40, 4)
    landmarks = Landmarks.of(kernel, index, Threads(2))
    Psi = landmarks.features(slice(0, 40))
    Psi = Psi - Psi[index].mean(axis=0)
    H = np.eye(10) - 0.1
    expected = H @ K[np.ix_(index, index)] @ H
    assert np.allclose(Psi[index] @ Psi[index].T, expected, atol=1e-8)
    rest = K - (K[:, index] @ H) @ linalg.pinv(expected) @ (K[:, index] @ H).T
    assert np.linalg.eigvalsh(rest).min() > -1e-8  # K minus a projection of K is semi-definite

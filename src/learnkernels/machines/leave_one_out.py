"""Leave-one-out residuals of ridge, shared by the strategies that have a closed form.

With B = W^1/2 K W^1/2 + alpha I, r = W^1/2 1, and u_i the entries of ``B^-1 W^1/2 (y - mean)``,

    G_ii = (B^-1)_ii - (B^-1 r)_i^2 / (r'B^-1 r)        (the second term for the intercept)
    y_i - f_-i(x_i) = u_i / (G_ii w_i^1/2)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from learnkernels.gram import GramMatrix, recentered
from learnkernels.machines.base import TrainingProblem

# Samples that are left out, each alone; of more samples, random ones.
MOST = 2000


class System(Protocol):
    """A factorised B."""

    def solve(self, v: np.ndarray) -> np.ndarray:
        """Return B^-1 v for v of shape (n_samples, n_vectors)."""

    def inverse_diagonal(self, samples: np.ndarray) -> np.ndarray:
        """Return the entries of the diagonal of B^-1 of some samples."""


def left_out_outputs(problem: TrainingProblem, system: System, coef: np.ndarray) -> np.ndarray:
    """Return the output for each sample of ridge that was trained without it.

    Parameters
    ----------
    problem : TrainingProblem
    system : System
    coef : ndarray of shape (n_samples, n_outputs)
        The solution.

    Returns
    -------
    ndarray of shape (n_samples, n_outputs)
        NaN for samples that are not among the MOST that are left out.
    """
    root = np.sqrt(problem.weights)
    chosen = some_samples(np.arange(len(problem.Y)))
    G = system.inverse_diagonal(chosen)
    if problem.center:
        b = system.solve(root[:, None])[:, 0]
        G = G - b[chosen] ** 2 / (b @ root)
    G = np.maximum(G, np.finfo(float).tiny)
    found = np.full(problem.Y.shape, np.nan)
    found[chosen] = problem.Y[chosen] - coef[chosen] / (G * problem.weights[chosen])[:, None]
    return found


def dense_subproblem(problem: TrainingProblem, most: int) -> TrainingProblem:
    """Return the problem on at most `most` samples, chosen at random, with their Gram matrix.

    For leave-one-out errors that choose the regularisation: a part of the samples suffices.
    """
    chosen = some_samples(np.arange(len(problem.Y)), most)
    K, w = problem.kernel.take(chosen).gram(problem.backend), problem.weights[chosen]
    K = recentered(K, w) if problem.center else K
    return replace(
        problem, kernel=GramMatrix(K), Y=problem.Y[chosen], weights=w, n_components=None, known={}
    )


def landmark_subproblem(problem: TrainingProblem, most: int, landmarks: int) -> TrainingProblem:
    """Return the problem on some samples, random ones if there are more than `most`.

    It has at most `landmarks` landmarks, and at least as many other samples.
    """
    chosen = some_samples(np.arange(len(problem.Y)), most)
    m = max(1, min(problem.n_components or len(chosen), landmarks, len(chosen) // 2))
    return replace(
        problem, kernel=problem.kernel.take(chosen), Y=problem.Y[chosen],
        weights=problem.weights[chosen], n_components=m, known={},
    )  # fmt: skip


def some_samples(samples: np.ndarray, most: int = MOST) -> np.ndarray:
    """Return `most` random samples if there are more, in the same order."""
    if len(samples) <= most:
        return samples
    return samples[np.sort(np.random.RandomState(0).choice(len(samples), most, replace=False))]


def squared_errors(residuals: np.ndarray, complement: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted mean squared leave-one-out residual over samples and outputs.

    Parameters
    ----------
    residuals : ndarray of shape (n_samples, n_outputs)
        ``w^1/2 (y - f)`` of the fit to all samples.
    complement : ndarray of shape (n_samples,)
        ``1 - H_ii`` with the hat matrix H.
    weights : ndarray of shape (n_samples,)
    """
    left_out = residuals / np.maximum(complement, np.finfo(float).tiny)[:, None]
    return float(np.sum(left_out**2) / (weights.sum() * residuals.shape[1]))

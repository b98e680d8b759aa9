"""Sparse weights where every kernel is of rank one: by the interior-point method."""

from __future__ import annotations

import numpy as np

from learnkernels.gram import Oracle
from learnkernels.progress import Say, silent
from learnkernels.solvers import (
    Certificate,
    RankOne,
    hinge_loss,
    interior_weights,
    minimise_sparse,
)
from learnkernels.weights.ridge_task import RidgeTask, ridge_bound
from learnkernels.weights.svm_task import SVMTask, svm_bound

__all__ = ["rank_one", "rank_one_ridge_weights", "rank_one_svm_weights"]

# Parts of the tolerance to which the program is solved, and the SVM that proves its value.
SHARPER, PROOF = 0.01, 0.1
# Kernels up to which the general method is tried where the program fails.
MOST = 2000


def rank_one(oracle: Oracle) -> RankOne | None:
    """The kernels as columns x_k, or None if one of them is not of rank one."""
    held = oracle.factored
    if oracle.tiled is not None or held is None or held.n_columns != held.n_kernels:
        return None
    factors = held.centered if oracle.center else held.factors(False)
    root = np.sqrt(oracle.factors)
    seats = [held.positions[factor.owner] for factor in factors]

    def times(u):
        parts = zip(factors, seats, strict=True)
        return np.sum([factor.times((root * u)[seat]) for factor, seat in parts], axis=0)

    def transposed(c):
        out = np.empty(len(root))
        for factor, seat in zip(factors, seats, strict=True):
            out[seat] = root[seat] * factor.transposed_times(c)
        return out

    return RankOne(oracle.gram, times, transposed)


def rank_one_svm_weights(
    task: SVMTask, kernels: RankOne, tol: float, max_iter: int, say: Say = silent
) -> tuple[np.ndarray, Certificate]:
    """Weights of sum one for one output, and their certificate."""
    y = task.Y[:, 0]
    box = np.where(y > 0, 0.0, -task.C), np.where(y > 0, task.C, 0.0)
    end = interior_weights(kernels, y, np.zeros(len(y)), box, 1.0, SHARPER * tol, max_iter, say)
    beta = np.clip(end.c, *box)[:, None]
    bound = svm_bound(task.Y, beta, kernels.transposed(beta[:, 0]) ** 2, task.allowed)
    # The path's own primal point proves the weights, unless rounding has ended it early. Zeros for
    # what is on its way to zero, as many as do not cost too much: at a large C they can.
    for given in end.denser():
        used = given.mu > 0
        norm = float((given.w[used] ** 2 / given.mu[used]).sum())
        value = hinge_loss(y, task.C, kernels.times(given.w)) + norm / 2
        found = Certificate.of(value, min(bound, value), end.steps, tol, end.gaps)
        if found.gap <= tol:
            return given.mu, found
    mu = end.sparse().mu
    point = task.evaluate_from(mu, beta)
    while point.value - point.estimate > PROOF * tol * point.value and task.sharpen():
        point = task.evaluate(mu, point)
    found = Certificate.of(point.value, min(bound, point.value), end.steps, tol, end.gaps)
    return mended(task, mu, found, 1.0, tol, max_iter, say)


def rank_one_ridge_weights(
    task: RidgeTask, kernels: RankOne, radius: float, tol: float, max_iter: int, say: Say = silent
) -> tuple[np.ndarray, Certificate]:
    """Weights of bounded sum for one output, and their certificate."""
    w = task.root[:, 0] ** 2
    y = task.Y[:, 0]
    end = interior_weights(kernels, y, task.alpha / w, None, radius, SHARPER * tol, max_iter, say)
    q = kernels.transposed(end.c) ** 2
    bound = ridge_bound(task.inner(end.c[:, None]), q, task.allowed)
    mu = end.sparse().mu
    point = task.evaluate(mu)
    best = min(max(bound, point.bound), point.value)
    found = Certificate.of(point.value, best, end.steps, tol, end.gaps)
    return mended(task, mu, found, radius, tol, max_iter, say)


def mended(task, mu, certificate: Certificate, radius: float, tol: float, max_iter: int, say: Say):
    """The weights, or those of the general method where the program ended early and that is better.

    Rounding can end it: a tiny regularisation, kernels of very different scales.
    """
    if certificate.gap <= tol or len(mu) > MOST:
        return mu, certificate
    other, proof = minimise_sparse(task, len(mu), radius, tol, max_iter, say)
    return (other, proof) if proof.gap < certificate.gap else (mu, certificate)

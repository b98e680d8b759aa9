"""`PerTarget`: weights and alpha of every target, from candidates that all targets share.

One eigendecomposition ``W^1/2 K_c W^1/2 = Q diag(lam) Q'`` of each candidate c gives the error of
generalised cross-validation of all targets and all alphas:

    E_ct(alpha) = sum_i s_i^2 (Q'W^1/2 y_t)_i^2 / n / (1 - df / n)^2
    s_i = alpha / (lam_i + alpha),  df = sum_i (1 - s_i), and 1 for the intercept

The model of target t is the average of the candidates, each with its best alpha, with the shares
``p_ct ~ E_ct^(-n / 8)``: the likelihood of Gaussian errors, of a quarter of the samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, cycle
from math import comb
from typing import Any

import numpy as np

from learnkernels.checks import random_generator
from learnkernels.gram import weighted
from learnkernels.machines.base import TrainingProblem, decomposed, gram_bytes, not_definite
from learnkernels.methods.base import LearnedWeights, TargetModels, WeightMethod, WeightProblem
from learnkernels.methods.candidates import Candidate, Selection
from learnkernels.solvers import Certificate

# Candidates have weights in thirds, up to this number of them; for more kernels some are random.
MAX_CANDIDATES = 60
PARTS = 3
# Alphas to choose from, relative to the mean eigenvalue of a candidate.
ALPHAS = 10.0 ** np.arange(-4, 5, 0.5)
# Shares relative to the largest that are rounded to zero, to save time.
SMALLEST_SHARE = 0.01
# Gram matrices held for an eigendecomposition besides those of kernels and candidates.
WORK = 4
STATUS, CRITERION = "average of candidates, not optimised", "generalised cross-validation"
# Kernels that the name of a candidate lists.
LISTED = 4


@dataclass(frozen=True)
class Decomposed:
    """Ridge with the kernel of one candidate, for all targets.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_samples,)
    Q : ndarray of shape (n_samples, n_samples)
        Eigenvectors.
    projected : ndarray of shape (n_samples, n_targets)
        ``Q'W^1/2 y``.
    alpha, errors : ndarray of shape (n_targets,)
        Best alpha of each target, and its error.
    """

    eigenvalues: np.ndarray
    Q: np.ndarray
    projected: np.ndarray
    alpha: np.ndarray
    errors: np.ndarray

    @classmethod
    def of(
        cls, K: np.ndarray, targets: np.ndarray, alphas: np.ndarray | None, center: bool
    ) -> Decomposed:
        """Decompose a weighted Gram matrix, which is overwritten, and choose the alphas.

        Parameters
        ----------
        K : ndarray of shape (n_samples, n_samples)
        targets : ndarray of shape (n_samples, n_targets)
            ``W^1/2 y``.
        alphas : ndarray of shape (n_alphas,) or None
            None is `ALPHAS`.
        center : bool
            Whether there is an intercept.
        """
        n = len(K)
        if alphas is None:
            alphas = ALPHAS * float(np.trace(K)) / n
        eigenvalues, Q = decomposed(K)
        if eigenvalues[0] + alphas.min() <= 0:
            raise not_definite(float(alphas.min()))
        projected = Q.T @ targets
        shrink = alphas[:, None] / (eigenvalues + alphas[:, None])  # (n_alphas, n_samples)
        left = shrink.mean(axis=1) - center / n  # 1 - df / n
        left = np.maximum(left, np.finfo(float).eps)
        errors = shrink**2 @ projected**2 / n / left[:, None] ** 2  # (n_alphas, n_targets)
        best = errors.argmin(axis=0)
        return cls(eigenvalues, Q, projected, alphas[best], errors.min(axis=0))

    def solution(self, targets: np.ndarray) -> np.ndarray:
        """Return ``(W^1/2 K W^1/2 + alpha I)^-1 W^1/2 y`` of some targets."""
        scaled = self.projected[:, targets] / (self.eigenvalues[:, None] + self.alpha[targets])
        return np.asarray(self.Q @ scaled)


class PerTarget(WeightMethod):
    """Average candidates for every target by generalised cross-validation.

    Not among the methods that a user names: ``KernelRegressor(weights="per_target")`` uses it.

    Parameters
    ----------
    alphas : sequence of float or None, default=None
        Values to choose from; None is a grid around the mean eigenvalue.
    random_state : int, RandomState or None, default=0
        Draws candidates if there are more than six kernels.
    """

    name = "per_target"
    reads = ("Grams",)
    tasks = ("regression",)
    machine = "ridge"
    learns_alpha = True
    handles_undefined = True

    def __init__(self, alphas: Any = None, random_state: Any = 0) -> None:
        self.alphas = alphas
        self.random_state = random_state

    def grams(self, n_kernels: int) -> int:
        """Return how many Gram matrices are held at once: kernels, candidates and work space."""
        return n_kernels + n_candidates(n_kernels) + WORK

    def memory(self, n_kernels: int, n_samples: int, n_targets: int) -> float:
        """Return the bytes of these matrices, of the projected targets and of the coefficients."""
        arrays = n_kernels + n_candidates(n_kernels)
        return gram_bytes(n_samples, self.grams(n_kernels)) + 8.0 * arrays * n_samples * n_targets

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Return the mean weights over the targets, and the models of all targets."""
        kernels = problem.kernels
        training = TrainingProblem(
            None, problem.Y, problem.sample_weight, kernels.center, kernels.backend
        )
        targets = np.sqrt(training.weights)[:, None] * (training.Y - training.means)
        alphas = None if self.alphas is None else np.asarray(self.alphas, dtype=float)
        candidates = candidate_weights(kernels.n_kernels, self.random_state)
        grams = kernels.stack()  # (n_kernels, n_samples, n_samples)
        found = []
        for mu in candidates:
            K = weighted(np.tensordot(mu, grams, axes=1), training.weights)
            found.append(Decomposed.of(K, targets, alphas, kernels.center))
        errors = np.array([one.errors for one in found])  # (n_candidates, n_targets)
        p = shares(errors, len(targets))
        values = np.array([one.alpha for one in found])
        alpha = np.take_along_axis(values, errors.argmin(axis=0)[None], axis=0)[0]
        models = TargetModels(p.T @ candidates, alpha, averaged(candidates, found, p, training))
        certificate = Certificate.of((p * errors).sum(axis=0).mean(), 0.0, 0, 0.0, CRITERION)
        return LearnedWeights(
            models.weights.mean(axis=0),
            replace(certificate, status=STATUS),
            selection=selection(candidates, errors, p, targets, kernels.names),
            targets=models,
        )


def n_candidates(p: int) -> int:
    """Return the number of candidates for p kernels."""
    in_thirds = comb(p + PARTS - 1, PARTS)
    return min(in_thirds + (p not in (1, PARTS)), MAX_CANDIDATES)


def candidate_weights(p: int, random_state: Any) -> np.ndarray:
    """Return weights of p kernels that sum to one, shape (n_candidates, p).

    Equal weights first, then all weights in thirds. If these are too many, single kernels follow
    (at most half of all candidates), then random weights.
    """
    uniform = np.full((1, p), 1 / p)
    if comb(p + PARTS - 1, PARTS) < MAX_CANDIDATES:
        chosen = combinations_with_replacement(range(p), PARTS)
        thirds = np.array([np.bincount(one, minlength=p) / PARTS for one in chosen])
        new = ~np.isclose(thirds, uniform).all(axis=1)
        return np.vstack([uniform, thirds[new]])
    singles = np.eye(p) if p <= MAX_CANDIDATES // 2 else np.empty((0, p))
    random, drawn = random_generator(random_state), np.zeros((MAX_CANDIDATES - 1 - len(singles), p))
    for mu, size in zip(drawn, cycle((PARTS, p // 2, p)), strict=False):
        mu[random.permutation(p)[:size]] = random.exponential(size=size)
    return np.vstack([uniform, singles, drawn / drawn.sum(axis=1, keepdims=True)])


def shares(errors: np.ndarray, n: int) -> np.ndarray:
    """Return the share of each candidate in the model of each target; columns sum to one.

    Parameters
    ----------
    errors : ndarray of shape (n_candidates, n_targets)
    n : int
        Number of samples.
    """
    lowest = errors.min(axis=0)
    ratio = np.divide(errors, lowest, out=np.ones_like(errors), where=lowest > 0)
    p = ratio ** (-n / 8)
    p[p < SMALLEST_SHARE] = 0.0
    return np.asarray(p / p.sum(axis=0))


def averaged(
    candidates: np.ndarray, found: list[Decomposed], p: np.ndarray, training: TrainingProblem
) -> np.ndarray:
    """Return ``coef_k = sum_c p_c mu_ck coef_c``, shape (n_kernels, n_samples, n_targets)."""
    coef = np.zeros((candidates.shape[1], *training.Y.shape))
    for mu, one, share in zip(candidates, found, p, strict=True):
        targets = np.flatnonzero(share)
        if len(targets):
            own = training.coef(one.solution(targets)) * share[targets]
            for k in np.flatnonzero(mu):
                coef[k][:, targets] += mu[k] * own
    return coef


def selection(
    candidates: np.ndarray, errors: np.ndarray, p: np.ndarray, targets: np.ndarray,
    names: Sequence[str],
) -> Selection:  # fmt: skip
    """Return the candidates in the order of their mean shares, with relative errors.

    Parameters
    ----------
    candidates : ndarray of shape (n_candidates, n_kernels)
    errors, p : ndarray of shape (n_candidates, n_targets)
        Errors and shares.
    targets : ndarray of shape (n_samples, n_targets)
        Centered targets.
    names : sequence of str
        Of the kernels.
    """
    variance = np.mean(targets**2, axis=0)
    known = variance > 0
    relative = errors[:, known] / variance[known] if known.any() else errors
    share = p.mean(axis=1)
    rows = [
        Candidate.of(
            candidate_name(candidates[c], names), relative[c],
            f"mean share {share[c]:.1%}" if share[c] > 0 else "",
        )
        for c in np.argsort(share, kind="stable")
    ]  # fmt: skip
    return Selection(tuple(rows), "relative GCV error")


def candidate_name(mu: np.ndarray, names: Sequence[str]) -> str:
    """Return a text of the largest weights of a candidate."""
    used = np.argsort(-mu, kind="stable")[: np.count_nonzero(mu)]
    terms = [f"{mu[k]:.2g} {names[k]}" for k in used[:LISTED]]
    more = [f"{len(used) - LISTED} more"] if len(used) > LISTED else []
    return " + ".join(terms + more)

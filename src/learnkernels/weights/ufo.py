"""`ufo`: multi-class MKL by stochastic subgradients (Orabona and Jie 2011)."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnkernels.checks import random_generator
from learnkernels.errors import UndefinedAlignmentWarning
from learnkernels.solvers import Certificate
from learnkernels.telling import warn
from learnkernels.weights.base import (
    WeightMethod,
    class_codes,
    require,
    require_stop,
    sum_to_one,
)

__all__ = ["UFO"]

# Epochs over which the best objective must still fall.
PATIENCE = 5


class UFO(WeightMethod):
    """Learn weights with the multi-class hinge loss, natively for many classes; stochastic.

    Minimises ``lam/2 |w|^2_{2,p} + beta |w|_{2,1} + (mean hinge loss)`` with
    ``p = 2 log F / (2 log F - 1)`` for F kernels (2 for F below 3, and then equal weights where
    ``beta`` is zero). The Gram matrices of all kernels are held.

    Parameters
    ----------
    lam : float or None, default=None
        Weight of the squared norm. None takes ``1 / (C n)``.
    beta : float, default=0.0
        Weight of the sparse norm, not negative: larger drops more kernels.
    tol : float, default=1e-3
        Relative fall of the objective over five epochs at which to stop.
    max_iter : int, default=200
        Most epochs.
    random_state : int, RandomState or None, default=0
        Order of the samples.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(method="ufo").fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    name = "ufo"
    reads = ("Grams",)
    tasks = ("classification",)
    machine = "svm"

    def __init__(self, lam=None, beta=0.0, tol=1e-3, max_iter=200, random_state=0):
        self.lam = lam
        self.beta = beta
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def grams(self, n_kernels):
        return n_kernels + 1

    def learn(self, evidence):
        if self.lam is not None:
            require(self, "lam", self.lam, 0)
        require(self, "beta", self.beta, 0, strict=False)
        require_stop(self)
        lam = 1 / (evidence.C * evidence.weights.sum()) if self.lam is None else self.lam
        codes = class_codes(evidence.Y)
        run = Run(evidence.oracle.stack(), codes, evidence.weights, lam, self.beta)
        rng = random_generator(self.random_state)
        chances = evidence.weights / evidence.weights.sum()
        best = (np.inf, np.ones(evidence.oracle.n_kernels))
        history: list[float] = []
        progress = np.inf
        while len(history) < self.max_iter and progress > self.tol:
            for i in rng.choice(len(codes), len(codes), p=chances):
                run.step(i)
            value = run.objective()
            if value < best[0]:
                best = (value, run.factors())
            history.append(value)
            evidence.say(f"epoch {len(history)}, objective {value:.4g}")
            if len(history) > PATIENCE and best[0] > 0:
                progress = (min(history[:-PATIENCE]) - best[0]) / best[0]
            elif best[0] == 0:
                progress = 0.0
        if progress > self.tol:
            warn(
                f"ufo: the objective still fell by {progress:.1e} in the last {PATIENCE} of "
                f"{len(history)} epochs, above tol={self.tol:g}; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        value, factors = best
        if not factors.any():
            warn(
                f"ufo: beta={self.beta:g} leaves no kernel; uniform weights are used, lower beta.",
                UndefinedAlignmentWarning,
                stacklevel=2,
            )
            factors = np.ones_like(factors)
        certificate = Certificate(
            value, 0.0, 1.0 if value else 0.0, len(history), "stochastic",
            history=tuple(history), last_step=float(progress),
        )  # fmt: skip
        return sum_to_one(factors), certificate


class Run:
    """The state of the stochastic iteration.

    theta_j accumulates minus the subgradients: theta_j = sum_i sum_y a_iy phi_j(x_i) (x) e_y. It is
    held by its scores on the training samples, ``scores[j, i, y] = sum_l a_ly K_j(l, i)``.
    """

    def __init__(self, K: np.ndarray, codes, weights, lam: float, beta: float):
        self.K = K  # (F, n, n)
        self.codes = codes
        self.weights = weights / weights.sum()
        self.lam = lam
        self.beta = beta
        F, n, _ = K.shape
        self.scores = np.zeros((F, n, codes.max() + 1))
        self.squares = np.zeros(F)  # |theta_j|^2
        self.q = max(2 * np.log(F), 2.0)
        self.t = 0

    def factors(self) -> np.ndarray:
        """w_j / theta_j = v_j (v_j / |v|_q)^(q-2) / (lam t |theta_j|), shape (F,).

        The minimiser of ``-<theta, w> / t + lam/2 |w|^2_{2,p} + beta |w|_{2,1}``; a further factor
        q, as printed in the paper, would belong to lam / q.
        """
        sizes = np.sqrt(self.squares)
        v = np.maximum(sizes - self.beta * self.t, 0.0)
        norm = np.linalg.norm(v, self.q)
        if norm == 0:  # also before the first step
            return np.zeros_like(v)
        ratio = np.divide(v, sizes, out=np.zeros_like(v), where=sizes > 0)
        return ratio * (v / norm) ** (self.q - 2) / (self.lam * self.t)

    def step(self, i: int) -> None:
        """One subgradient of the hinge loss at sample i."""
        true = self.codes[i]
        own = self.scores[:, i]  # (F, classes)
        margins = self.factors() @ own
        margins[true] -= 1
        wrong = int(np.argmax(np.where(np.arange(len(margins)) == true, -np.inf, margins)))
        self.t += 1
        if margins[wrong] <= margins[true]:
            return
        self.squares += 2 * (own[:, true] - own[:, wrong]) + 2 * self.K[:, i, i]
        np.maximum(self.squares, 0.0, out=self.squares)
        self.scores[:, :, true] += self.K[:, i]
        self.scores[:, :, wrong] -= self.K[:, i]

    def objective(self) -> float:
        """The regularised mean loss of the current weights."""
        factors = self.factors()
        sizes = factors * np.sqrt(self.squares)  # |w_j|
        p = self.q / (self.q - 1)
        decision = np.einsum("j,jny->ny", factors, self.scores)
        rows = np.arange(len(decision))
        true = decision[rows, self.codes].copy()
        decision += 1.0
        decision[rows, self.codes] -= 1.0
        hinge = np.maximum(decision.max(axis=1) - true, 0.0)
        norm = np.linalg.norm(sizes, p)
        return float(self.lam / 2 * norm**2 + self.beta * sizes.sum() + self.weights @ hinge)

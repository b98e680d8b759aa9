"""`ufo`: multi-class MKL by stochastic subgradients (Orabona and Jie 2011)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.checks import random_generator
from learnkernels.errors import UndefinedAlignmentWarning
from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    class_codes,
    require,
    require_stop,
)
from learnkernels.solvers import Iterate, iterate

# Epochs over which the lowest objective must decrease.
PATIENCE = 5


class UFO(WeightMethod):
    """Learn weights with the multi-class hinge loss, natively for many classes; stochastic.

    Minimises ``alpha/2 |w|^2_{2,p} + beta |w|_{2,1} + (mean hinge loss)`` with
    ``p = 2 log F / (2 log F - 1)`` for F kernels (2 for F below 3, and then equal weights where
    ``beta`` is zero). The Gram matrices of all kernels are held.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the squared norm. None takes ``1 / (C n)``.
    beta : float, default=0.0
        Weight of the sparse norm, not negative: larger drops more kernels.
    tol : float, default=1e-3
        Relative decrease of the objective over five epochs at which to stop.
    max_iter : int, default=200
        Largest number of epochs.
    random_state : int, RandomState or None, default=0
        Order of the samples.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(method="ufo", C=1).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    name = "ufo"
    reads = ("Grams",)
    tasks = ("classification",)
    machine = "svm"

    def __init__(
        self,
        alpha: float | None = None,
        beta: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 200,
        random_state: Any = 0,
    ):
        self.alpha = alpha
        self.beta = beta
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def grams(self, n_kernels: int) -> int:
        """Count the Gram matrices of all kernels, and one for work."""
        return n_kernels + 1

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Run epochs of stochastic subgradient steps."""
        if self.alpha is not None:
            require(self, "alpha", 0)
        require(self, "beta", 0, strict=False)
        require_stop(self)
        w, codes = problem.sample_weight, class_codes(problem.Y)
        alpha = 1 / (problem.C * w.sum()) if self.alpha is None else self.alpha
        run = Subgradients(problem.kernels.stack(), codes, w, alpha, self.beta)
        rng = random_generator(self.random_state)

        def epoch(now: Epoch) -> Epoch:
            for i in rng.choice(len(codes), len(codes), p=w / w.sum()):
                run.step(i)
            value = run.objective()
            factors = run.factors() if value < now.best[-1] else now.factors
            return Epoch(factors, (*now.best, min(value, now.best[-1])), value=value)

        end, found = iterate(
            Epoch(np.ones(problem.kernels.n_kernels), (np.inf,), value=np.inf),
            epoch,
            tol=self.tol,
            max_iter=self.max_iter,
            criterion="multi-class hinge loss",
            measure="decrease of the objective",
        )
        if end.gap > self.tol:
            warn(
                f"ufo did not converge: the objective decreased by {end.gap:.1e} in the last "
                f"{PATIENCE} of {end.iterations} epochs (tol={self.tol:g}). Raise max_iter or tol.",
                ConvergenceWarning,
            )
        factors, value = end.factors, end.best[-1]
        if not factors.any():
            warn(
                f"ufo: beta={self.beta:g} leaves no kernel; uniform weights are used. Lower beta.",
                UndefinedAlignmentWarning,
            )
            factors = np.ones_like(factors)
        certificate = replace(
            found,
            primal=value,
            dual=0.0,
            gap=1.0 if value else 0.0,
            status="stochastic",
            history=found.history[1:],
            gaps=(),
            last_step=float(end.gap),
        )
        return LearnedWeights(factors / factors.sum(), certificate)


@dataclass(frozen=True)
class Epoch(Iterate):
    """The weights of lowest objective so far; `value` is the objective after the last epoch."""

    factors: np.ndarray  # (n_kernels,)
    best: tuple[float, ...]  # lowest objective after each epoch

    @property
    def gap(self) -> float:
        """Relative decrease of the lowest objective over the last epochs."""
        if self.best[-1] == 0:
            return 0.0
        if len(self.best) <= PATIENCE + 1:
            return np.inf
        return (self.best[-1 - PATIENCE] - self.best[-1]) / self.best[-1]


class Subgradients:
    """The state of the stochastic iteration.

    theta_j accumulates minus the subgradients: theta_j = sum_i sum_y a_iy phi_j(x_i) (x) e_y. It is
    held by its scores on the training samples, ``scores[j, i, y] = sum_l a_ly K_j(l, i)``.
    """

    def __init__(
        self, K: np.ndarray, codes: np.ndarray, weights: np.ndarray, alpha: float, beta: float
    ):
        self.K = K  # (F, n, n)
        self.codes = codes
        self.weights = weights / weights.sum()
        self.alpha = alpha
        self.beta = beta
        F, n, _ = K.shape
        self.scores = np.zeros((F, n, codes.max() + 1))
        self.squares = np.zeros(F)  # |theta_j|^2
        self.q = max(2 * np.log(F), 2.0)
        self.t = 0

    def factors(self) -> np.ndarray:
        """Compute w_j / theta_j = v_j (v_j / |v|_q)^(q-2) / (alpha t |theta_j|), shape (F,).

        The minimiser of ``-<theta, w> / t + alpha/2 |w|^2_{2,p} + beta |w|_{2,1}``; a further
        factor q, as printed in the paper, would belong to alpha / q.
        """
        sizes = np.sqrt(self.squares)
        v = np.maximum(sizes - self.beta * self.t, 0.0)
        norm = np.linalg.norm(v, self.q)
        if norm == 0:  # also before the first step
            return np.zeros_like(v)
        ratio = np.divide(v, sizes, out=np.zeros_like(v), where=sizes > 0)
        return ratio * (v / norm) ** (self.q - 2) / (self.alpha * self.t)

    def step(self, i: int) -> None:
        """Take a subgradient step of the hinge loss at sample i."""
        true = self.codes[i]
        own = self.scores[:, i]  # (F, classes)
        margins = self.factors() @ own
        least, margins[true] = margins[true] - 1, -np.inf
        wrong = int(np.argmax(margins))
        self.t += 1
        if margins[wrong] <= least:
            return
        self.squares += 2 * (own[:, true] - own[:, wrong]) + 2 * self.K[:, i, i]
        np.maximum(self.squares, 0.0, out=self.squares)
        self.scores[:, :, true] += self.K[:, i]
        self.scores[:, :, wrong] -= self.K[:, i]

    def objective(self) -> float:
        """Compute the regularised mean loss of the current weights."""
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
        return float(self.alpha / 2 * norm**2 + self.beta * sizes.sum() + self.weights @ hinge)

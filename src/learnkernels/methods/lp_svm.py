"""`lp-svm`, `l2-svm`: weights of bounded p-norm that minimise the SVM objective."""

from __future__ import annotations

from dataclasses import replace

from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import SVMObjective, learn_bounded_weights, norm_ball

# Part of the tolerance to which sparse weights are polished.
POLISH = 0.01


class LpSVM(WeightMethod):
    """Learn weights and an SVM together, with weights of bounded p-norm.

    Parameters
    ----------
    p : float, default=2.0
        The norm, at least 1. With 1 weights are sparse, with larger p they become equal.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=200
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method=lk.methods.LpSVM(p=1.5), C=1).fit(scale(X), y)
    >>> float((model.weights_**1.5).sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "lp-svm"
    reads = ("Grams",)
    tasks = ("classification",)
    machine = "svm"

    def __init__(self, p: float = 2.0, tol: float = 1e-4, max_iter: int = 200):
        self.p = p
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the SVM objective over the ball of the p-norm."""
        # min_mu max_coef 1'coef - (coef*y)'K_mu(coef*y) / 2, 0 <= coef <= C, coef'y = 0,
        # mu >= 0, |mu|_p <= 1; several classes: the sum over one-against-rest problems.
        require(self, "p", 1, strict=False, high=1000)
        require_stop(self)
        # The gap determines sparse weights poorly: polish them as far as rounding allows.
        polish = POLISH if self.p == 1 else 1.0
        mu, certificate = learn_bounded_weights(
            SVMObjective.of(problem, norm_ball(self.p)),
            tol=polish * self.tol,
            max_iter=self.max_iter,
        )
        if certificate.gap <= self.tol:
            certificate = replace(certificate, status="optimal")
        warn_unless_converged(self, certificate)
        return LearnedWeights(mu, certificate)

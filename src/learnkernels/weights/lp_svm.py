"""`l1-svm`, `l2-svm`, `lp-svm`: weights of bounded norm that make the SVM's objective smallest."""

from __future__ import annotations

from learnkernels.solvers import warn_if_open
from learnkernels.weights.base import WeightMethod, require, require_stop
from learnkernels.weights.svm_weights import learn_svm_weights

__all__ = ["L1SVM", "LpSVM"]


class LpSVM(WeightMethod):
    """Learn weights and an SVM at once, with weights of bounded p-norm.

    Parameters
    ----------
    p : float, default=2.0
        The norm, at least 1. With 1 weights are sparse, with larger p they become equal.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=200
        Most iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method=lk.methods.LpSVM(p=1.5)).fit(scale(X), y)
    >>> float((model.weights_**1.5).sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "lp-svm"
    reads = ("Grams",)
    tasks = ("classification",)
    machine = "svm"

    def __init__(self, p=2.0, tol=1e-4, max_iter=200):
        self.p = p
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, evidence):
        # min_mu max_coef 1'coef - (coef*y)'K_mu(coef*y) / 2, 0 <= coef <= C, coef'y = 0,
        # mu >= 0, |mu|_p <= 1; several classes: the sum over one-against-rest problems.
        require(self, "p", self.p, 1, strict=False, high=1000)
        require_stop(self)
        C = evidence.C * evidence.weights
        mu, certificate = learn_svm_weights(
            evidence.oracle, evidence.Y, C, self.p, self.tol, self.max_iter, say=evidence.say
        )
        warn_if_open(certificate, self.tol, self)
        return mu, certificate


class L1SVM(LpSVM):
    """Learn weights and an SVM at once, with weights of bounded sum: sparse.

    Parameters
    ----------
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=200
        Most iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method="l1-svm").fit(scale(X), y)
    >>> float(model.weights_.sum().round(6)), model.certificate_.gap <= 1e-4
    (1.0, True)
    """

    name = "l1-svm"
    p = 1.0

    def __init__(self, tol=1e-4, max_iter=200):
        self.tol = tol
        self.max_iter = max_iter

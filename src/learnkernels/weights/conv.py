"""`conv`: kernels divided by the tail sums of their eigenvalues, then MKL with the SVM (2013)."""

from __future__ import annotations

import numpy as np

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.gram import Oracle, available_cores
from learnkernels.solvers import warn_if_open
from learnkernels.weights.base import WeightMethod, require, require_stop
from learnkernels.weights.svm_weights import learn_svm_weights

__all__ = ["Conv", "kernel_tails", "require_theta"]


class Conv(WeightMethod):
    """Learn weights and an SVM at once, where kernels pay for the tails of their spectra.

    A kernel with few large eigenvalues and a light tail is cheap: its local Rademacher complexity
    is low.

    Parameters
    ----------
    theta : int, default=1
        Eigenvalues that are free; the sum of all others is what a kernel costs.
    p : float, default=1.0
        The norm that bounds the weighted costs, at least 1.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=200
        Most iterations.

    Attributes
    ----------
    tail_sums_ : ndarray of shape (n_kernels,)
        Cost of each kernel; NaN for a constant one. After `fit`, of the estimator's method.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method=lk.methods.Conv(theta=2)).fit(scale(X), y)
    >>> float((model.weights_ * model.tail_sums_).sum().round(6))
    1.0
    """

    name = "conv"
    reads = ("Grams",)
    tasks = ("classification",)
    machine = "svm"

    def __init__(self, theta=1, p=1.0, tol=1e-4, max_iter=200):
        self.theta = theta
        self.p = p
        self.tol = tol
        self.max_iter = max_iter

    def grams(self, n_kernels):
        # The spectra of several kernels at once, and work space.
        return 1 + max(2, min(n_kernels, available_cores()))

    def learn(self, evidence):
        require_theta(self)
        require(self, "p", self.p, 1, strict=False, high=1000)
        require_stop(self)
        # mu_k = nu_k / t_k, where nu solves lp-svm with the kernels K_k / t_k,
        # t_k = tr(K_k) - (sum of the theta largest eigenvalues of K_k)
        tails = kernel_tails(evidence.oracle, self.theta)
        nu, certificate = learn_svm_weights(
            evidence.oracle.scaled(1 / tails), evidence.Y, evidence.C * evidence.weights, self.p,
            self.tol, self.max_iter, say=evidence.say,
        )  # fmt: skip
        warn_if_open(certificate, self.tol, self)
        self.tail_sums_ = np.full(len(evidence.kept), np.nan)
        self.tail_sums_[evidence.kept] = tails
        return nu / tails, certificate


def require_theta(method) -> None:
    """Raise unless theta is a whole number, not negative."""
    require_whole(type(method).__name__, "theta", method.theta, 0)


def kernel_tails(oracle: Oracle, theta: int) -> np.ndarray:
    """Tail sum of every kernel, shape (n_kernels,); an error names a kernel that has none."""
    tails, traces = oracle.tail_sums(int(theta)), oracle.traces
    empty = np.flatnonzero(tails <= 1e-10 * traces)
    if len(empty):
        raise InputError(
            f"kernel {oracle.names[empty[0]]!r} has rank at most theta={theta}: its tail sum is "
            "zero, so its weight would be free and the problem unbounded; use a smaller theta "
            "(theta=0 for kernels of rank one) or leave the kernel out."
        )
    return tails

"""`conv`: weights bounded by the tail sums of the kernels' eigenvalues (2013)."""

from __future__ import annotations

import numpy as np

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.execution import available_cores
from learnkernels.gram import CenteredKernels
from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import learn_bounded_weights, norm_ball, task_loss


class Conv(WeightMethod):
    """Learn weights and the machine together, with weights bounded by the tail sums of the spectra.

    The machine is the SVM for classes and ridge for real targets. A kernel with few large
    eigenvalues and a light tail may have a large weight: its local Rademacher complexity is low. A
    fitted estimator has the tail sums as ``tail_sums_``.

    Parameters
    ----------
    theta : int, default=1
        Number of largest eigenvalues that a tail sum leaves out.
    p : float, default=1.0
        The norm that bounds the products of weights and tail sums, at least 1.
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
    >>> model = lk.KernelClassifier(method=lk.methods.Conv(theta=2), C=1).fit(scale(X), y)
    >>> float((model.weights_ * model.tail_sums_).sum().round(6))
    1.0
    """

    name = "conv"
    reads = ("Grams",)
    machine = "svm"

    def __init__(self, theta: int = 1, p: float = 1.0, tol: float = 1e-4, max_iter: int = 200):
        self.theta = theta
        self.p = p
        self.tol = tol
        self.max_iter = max_iter

    def grams(self, n_kernels: int) -> int:
        """Count the Gram matrices of several kernels at once, for their spectra, and work space."""
        return 1 + max(2, min(n_kernels, available_cores()))

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the objective of the machine with the scaled kernels."""
        require_whole(type(self).__name__, "theta", self.theta, 0)
        require(self, "p", 1, strict=False, high=1000)
        require_stop(self)
        # mu_k = nu_k / t_k, where nu minimises the objective with the kernels K_k / t_k over
        # nu >= 0, |nu|_p <= 1; t_k = tr(K_k) - (sum of the theta largest eigenvalues of K_k)
        tails = kernel_tails(problem.kernels, self.theta)
        nu, certificate = learn_bounded_weights(
            task_loss(problem).over(problem.kernels.scaled(1 / tails), norm_ball(self.p)),
            tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip
        warn_unless_converged(self, certificate)
        return LearnedWeights(nu / tails, certificate, tail_sums=tails)


def kernel_tails(kernels: CenteredKernels, theta: int) -> np.ndarray:
    """Compute the tail sum of every kernel, shape (n_kernels,); raise if one is zero."""
    tails, traces = kernels.tail_sums(int(theta)), kernels.traces
    empty = np.flatnonzero(tails <= 1e-10 * traces)
    if len(empty):
        raise InputError(
            f"kernel {kernels.names[empty[0]]!r} has rank at most theta={theta}: its tail sum is "
            "zero, so its weight would be unbounded; use a smaller theta "
            "(theta=0 for kernels of rank one) or leave the kernel out."
        )
    return tails

"""`dc`: the tail sum of the combined kernel bounded, by difference-of-convex steps (2013)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnkernels.gram import Oracle, largest_eigenpairs, single_threaded_blas
from learnkernels.solvers import Certificate, warn_if_open
from learnkernels.weights.base import require
from learnkernels.weights.conv import Conv, kernel_tails, require_theta
from learnkernels.weights.svm_task import SVMTask, learn_svm_weights

__all__ = ["DC"]


class DC(Conv):
    """Learn weights and an SVM at once, where the learned kernel pays for its spectrum's tail.

    Not convex: each step makes the constraint linear at the last weights, which are feasible for
    the next step too, so the objective never rises. Starts from the solution of `Conv`.

    Parameters
    ----------
    theta : int, default=1
        Eigenvalues of the learned kernel that are free.
    p : float, default=1.0
        The norm that bounds the weighted costs, at least 1.
    tol : float, default=1e-4
        A further step could not lower the objective by more than this part of it.
    max_iter : int, default=200
        Most steps.

    Attributes
    ----------
    tail_sums_ : ndarray of shape (n_kernels,)
        Cost of each kernel at the solution; NaN for a constant one.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method=lk.methods.DC(theta=2)).fit(scale(X), y)
    >>> model.certificate_.violation <= 1e-6
    True
    """

    name = "dc"

    def learn(self, evidence):
        require_theta(self)
        require(self, "p", self.p, 1, strict=False)
        require(self, "tol", self.tol, 0)
        oracle, C = evidence.oracle, evidence.C * evidence.weights

        def convex_step(costs, start, tol):
            """Minimise over |(mu_k costs_k)_k|_p <= 1; the kernels are divided by their costs."""
            nu, _, certificate = learn_svm_weights(
                oracle.scaled(1 / costs), evidence.Y, C, self.p, tol, 200,
                None if start is None else start * costs,
            )  # fmt: skip
            return nu / costs, certificate

        mu, certificate = convex_step(kernel_tails(oracle, self.theta), None, self.tol)
        history: list[float] = []
        step = 0.0
        for _ in range(self.max_iter):
            # Tail sums are concave and positively homogeneous in mu, so their linearisation at mu
            # is <v, .>, v_k = sum_{j > theta} u_j'K_k u_j with the eigenvectors u_j of K_mu, and
            # scaling to the bound can only lower the SVM's objective.
            v = self._costs(oracle, mu)
            mu = mu / np.linalg.norm(mu * v, self.p)
            following, certificate = convex_step(v, mu, 0.1 * self.tol)
            if not history:
                history.append(SVMTask(oracle, evidence.Y, C).evaluate(mu, None).value)
            if certificate.primal > history[-1]:
                break
            step = float(np.abs(following - mu).max() / np.abs(mu).max())
            mu = following
            history.append(certificate.primal)
            if history[-2] - history[-1] <= self.tol * abs(history[-1]):
                break
        v = self._costs(oracle, mu)
        # The dual bound of the last convex step: no further step could go below it.
        bound = min(certificate.dual, history[-1])
        certificate = replace(
            Certificate.of(history[-1], bound, len(history) - 1, self.tol),
            history=tuple(history),
            violation=max(float(np.linalg.norm(mu * v, self.p)) - 1.0, 0.0),
            last_step=step,
        )
        warn_if_open(certificate, self.tol, self.name)
        self.tail_sums_ = np.full(len(evidence.kept), np.nan)
        self.tail_sums_[evidence.kept] = v
        return mu, certificate

    def _costs(self, oracle: Oracle, mu: np.ndarray) -> np.ndarray:
        """v_k = tr(K_k) - sum_{j <= theta} u_j'K_k u_j, not below rounding, shape (n_kernels,)."""
        if self.theta == 0:
            return oracle.traces
        K = oracle.gram(mu)
        with single_threaded_blas():
            _, U = largest_eigenpairs(K, int(self.theta))
        return np.maximum(oracle.traces - oracle.forms(U), 1e-12 * oracle.traces)

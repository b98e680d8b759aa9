"""`dc`: the tail sum of the combined kernel bounded, by difference-of-convex steps (2013)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnkernels.gram import Oracle, largest_eigenpairs, single_threaded_blas
from learnkernels.solvers import Certificate, warn_if_open
from learnkernels.weights.base import require, require_stop
from learnkernels.weights.conv import Conv, kernel_tails, require_theta
from learnkernels.weights.svm_task import SVMTask
from learnkernels.weights.svm_weights import learn_svm_weights

__all__ = ["DC"]


class DC(Conv):
    """Learn weights and an SVM at once, where the learned kernel pays for its spectrum's tail.

    Not convex: each step makes the constraint linear at the last weights and goes to the minimum,
    or part of the way where ``p > 1`` demands it, so the objective never rises. Starts from the
    solution of `Conv`. The certificate's dual value is that of the problem made linear at the
    solution: no further step could go below it.

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
        require(self, "p", self.p, 1, strict=False, high=1000)
        require_stop(self)
        oracle, C = evidence.oracle, evidence.C * evidence.weights

        def convex_step(costs, start, tol):
            """Minimise over |(mu_k costs_k)_k|_p <= 1; the kernels are divided by their costs."""
            nu, certificate = learn_svm_weights(
                oracle.scaled(1 / costs), evidence.Y, C, self.p, tol, 200,
                None if start is None else start * costs, evidence.say,
            )  # fmt: skip
            return nu / costs, certificate

        task = SVMTask(oracle, evidence.Y, C)
        task.tol = 1e-5
        mu, _ = convex_step(kernel_tails(oracle, self.theta), None, self.tol)
        mu, v = self._feasible(oracle, mu)
        point = task.evaluate(mu, None)
        history = [point.estimate]
        step, status = 0.0, "not converged"
        for _ in range(self.max_iter):
            # Tail sums are concave and positively homogeneous in mu, so their linearisation at mu
            # is <v, .>, v_k = sum_{j > theta} u_j'K_k u_j with the eigenvectors u_j of K_mu.
            target, proof = convex_step(v, mu, 0.1 * self.tol)
            if history[-1] - proof.dual <= self.tol * abs(history[-1]):
                status = "optimal"  # a further step could not go lower by more
                break
            for part in (1.0, 0.5, 0.25, 0.125):
                trial, trial_v = self._feasible(oracle, mu + part * (target - mu))
                following = task.evaluate(trial, point)
                if following.estimate < history[-1]:
                    break
            else:
                break  # p > 1 only: no feasible point on the way is better
            step = float(np.abs(trial - mu).max() / np.abs(mu).max())
            mu, v, point = trial, trial_v, following
            history.append(point.estimate)
        # The estimates above are those of the SVM's dual; the certificate takes the primal value.
        while point.value - point.estimate > 0.1 * self.tol * point.value and task.sharpen():
            point = task.evaluate(mu, point)
        taken = len(history) - 1
        found = Certificate.of(point.value, min(proof.dual, point.value), taken, 1.2 * self.tol)
        certificate = replace(
            found,
            status=status if found.status == "optimal" else found.status,
            history=tuple(history),
            violation=max(float(np.linalg.norm(mu * v, self.p)) - 1.0, 0.0),
            last_step=step,
        )
        warn_if_open(certificate, 1.2 * self.tol, self)  # the inner solve's part included
        self.tail_sums_ = np.full(len(evidence.kept), np.nan)
        self.tail_sums_[evidence.kept] = v
        return mu, certificate

    def _feasible(self, oracle: Oracle, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights scaled to the bound, and their costs.

        Costs do not depend on the scale of mu, and a larger kernel only lowers the objective.
        """
        v = self._costs(oracle, mu)
        return mu / np.linalg.norm(mu * v, self.p), v

    def _costs(self, oracle: Oracle, mu: np.ndarray) -> np.ndarray:
        """v_k = tr(K_k) - sum_{j <= theta} u_j'K_k u_j, not below rounding, shape (n_kernels,).

        Of W^1/2 K_k W^1/2 where samples have weights.
        """
        if self.theta == 0:
            return oracle.traces
        K = oracle.weighted_gram(mu)
        with single_threaded_blas():
            _, U = largest_eigenpairs(K, int(self.theta))
        root = np.sqrt(oracle.weights)[:, None]
        return np.maximum(oracle.traces - oracle.forms(root * U), 1e-12 * oracle.traces)

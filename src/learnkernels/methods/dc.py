"""`dc`: bounded tail sum of the combined kernel, by difference-of-convex steps (2013)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.checks import require_whole
from learnkernels.execution import single_threaded_blas
from learnkernels.gram import CenteredKernels, largest_eigenpairs
from learnkernels.methods.base import (
    LearnedWeights,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.conv import Conv, kernel_tails
from learnkernels.methods.objectives import learn_bounded_weights, norm_ball, task_loss
from learnkernels.solvers import Certificate, Iterate, Point, iterate


class DC(Conv):
    """Learn weights and the machine together, with the tail sum of the learned kernel bounded.

    The machine is the SVM for classes and ridge for real targets. The problem is not convex: each
    step linearises the constraint at the last weights and moves to the minimum, or part of the way
    where ``p > 1`` demands it, so the objective never increases. Starts from the solution of
    `Conv`. The certificate's dual value is that of the problem linearised at the solution: no
    further step could go below it. A fitted estimator has the linearised tail sums as
    ``tail_sums_``.

    Parameters
    ----------
    theta : int, default=1
        Number of largest eigenvalues of the learned kernel that its tail sum leaves out.
    p : float, default=1.0
        The norm that bounds the products of weights and tail sums, at least 1.
    tol : float, default=1e-4
        Stop if a further step cannot lower the objective by more than this part of it.
    max_iter : int, default=200
        Largest number of steps.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier(method=lk.methods.DC(theta=2), C=1).fit(scale(X), y)
    >>> model.certificate_.violation <= 1e-6
    True
    """

    name = "dc"

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise linearised problems until a further step lowers the objective by too little."""
        require_whole(type(self).__name__, "theta", self.theta, 0)
        require(self, "p", 1, strict=False, high=1000)
        require_stop(self)
        kernels, objective = problem.kernels, task_loss(problem, tol=1e-5)

        def minimise_linear(
            costs: np.ndarray, start: np.ndarray | None, tol: float
        ) -> tuple[np.ndarray, float]:
            """Minimise over |(mu_k costs_k)_k|_p <= 1; return the weights and the dual value."""
            nu, certificate = learn_bounded_weights(
                objective.over(kernels.scaled(1 / costs), norm_ball(self.p)),
                tol=tol, max_iter=200, start=None if start is None else start * costs,
            )  # fmt: skip
            return nu / costs, certificate.dual

        def linearised(point: Point, costs: np.ndarray, change: float) -> Linearised:
            target, dual = minimise_linear(costs, point.mu, 0.1 * self.tol)
            return Linearised(point, costs, target, dual, change, value=point.estimate)

        def step(now: Linearised) -> Linearised | None:
            mu = now.point.mu
            for part in (1.0, 0.5, 0.25, 0.125):
                trial, costs = self._feasible(kernels, mu + part * (now.target - mu))
                point = objective.evaluate(trial, now.point)
                if point.estimate < now.value:
                    change = float(np.abs(trial - mu).max() / np.abs(mu).max())
                    return linearised(point, costs, change)
            return None  # p > 1 only: no feasible point on the way is better

        convex, _ = minimise_linear(kernel_tails(kernels, self.theta), None, self.tol)
        mu, costs = self._feasible(kernels, convex)
        end, found = iterate(
            linearised(objective.evaluate(mu, None), costs, 0.0),
            step,
            tol=self.tol,
            max_iter=self.max_iter,
            criterion=f"{objective.criterion}, local",
        )
        # The estimates above are dual values of an SVM; the certificate takes the primal value.
        mu, point = end.point.mu, end.point
        while point.value - point.estimate > 0.1 * self.tol * point.value and objective.sharpen():
            point = objective.evaluate(mu, point)
        dual = min(end.dual, point.value)
        # The error of the inner solver is part of the gap.
        final = Certificate.of(point.value, dual, found.iterations, 1.2 * self.tol)
        certificate = replace(
            found,
            primal=final.primal,
            dual=final.dual,
            gap=final.gap,
            status=found.status if final.status == "optimal" else final.status,
            violation=max(float(np.linalg.norm(mu * end.costs, self.p)) - 1.0, 0.0),
            last_step=end.change,
        )
        warn_unless_converged(self, certificate)
        return LearnedWeights(mu, certificate, tail_sums=end.costs)

    def _feasible(self, kernels: CenteredKernels, mu: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scale the weights to the bound; return them and their costs.

        Costs do not depend on the scale of mu, and a larger kernel only lowers the objective.
        """
        costs = self._costs(kernels, mu)
        return mu / np.linalg.norm(mu * costs, self.p), costs

    def _costs(self, kernels: CenteredKernels, mu: np.ndarray) -> np.ndarray:
        """Compute v_k = tr(K_k) - sum_{j <= theta} u_j'K_k u_j, shape (n_kernels,).

        Tail sums are concave and positively homogeneous in mu, so their linearisation at mu is
        <v, .>, with the eigenvectors u_j of K_mu; of W^1/2 K_k W^1/2 where samples have weights.
        """
        traces = kernels.traces
        if self.theta == 0:
            return traces
        K = kernels.weighted_gram(mu)
        with single_threaded_blas():
            _, U = largest_eigenpairs(K, int(self.theta))
        root = np.sqrt(kernels.weights)[:, None]
        return np.maximum(traces - kernels.forms(root * U), 1e-12 * traces)


@dataclass(frozen=True)
class Linearised(Iterate):
    """Weights, and the minimum of the problem linearised there.

    Attributes
    ----------
    point : Point
        The objective at the weights.
    costs : ndarray of shape (n_kernels,)
        The linearised constraint: ``|(mu_k costs_k)_k|_p <= 1``.
    target : ndarray of shape (n_kernels,)
        Minimiser of the linearised problem.
    dual : float
        Its dual value, below which no further step can go.
    change : float
        Relative size of the step to these weights.
    """

    point: Point
    costs: np.ndarray
    target: np.ndarray
    dual: float
    change: float

    @property
    def gap(self) -> float:
        """Largest relative decrease of a further step."""
        return (self.value - self.dual) / max(abs(self.value), np.finfo(float).tiny)

"""`l1-krr`: weights of bounded sum that minimise the ridge objective."""

from __future__ import annotations

from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require,
    require_stop,
    warn_unless_converged,
)
from learnkernels.methods.objectives import RidgeObjective, learn_bounded_weights
from learnkernels.solvers import Simplex


class L1Ridge(WeightMethod):
    """Learn weights and ridge regression together, with weights of bounded sum: sparse.

    Parameters
    ----------
    radius : float, default=1.0
        Bound on the sum of the weights.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=100
        Largest number of iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method=lk.methods.L1Ridge(radius=2.0), alpha=1).fit(X, y)
    >>> float(model.weights_.sum().round(6)), model.certificate_.gap <= 1e-4
    (2.0, True)
    """

    name = "l1-krr"
    reads = ("Grams",)
    machine = "ridge"

    def __init__(self, radius: float = 1.0, tol: float = 1e-4, max_iter: int = 100):
        self.radius = radius
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the ridge objective over the simplex."""
        require(self, "radius", 0)
        require_stop(self)
        # min_mu sum_t y_t'(K_mu + alpha I)^-1 y_t, mu >= 0, sum(mu) <= radius
        mu, certificate = learn_bounded_weights(
            RidgeObjective.of(problem, Simplex(self.radius)), tol=self.tol, max_iter=self.max_iter
        )
        warn_unless_converged(self, certificate)
        return LearnedWeights(mu, certificate)

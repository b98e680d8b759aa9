"""`l1-krr`: weights of bounded sum that make ridge regression's objective smallest."""

from __future__ import annotations

from learnkernels.solvers import Simplex, minimise_sparse, warn_if_open
from learnkernels.weights.base import WeightMethod, require, require_stop
from learnkernels.weights.rank_one import rank_one, rank_one_ridge_weights
from learnkernels.weights.ridge_task import RidgeTask, ridge_targets

__all__ = ["L1Ridge"]


# Samples beyond which a Gram matrix is not formed if there are fewer kernels of rank one.
TALL = 4000


class L1Ridge(WeightMethod):
    """Learn weights and ridge regression at once, with weights of bounded sum: sparse.

    Parameters
    ----------
    radius : float, default=1.0
        Bound on the sum of the weights.
    tol : float, default=1e-4
        Relative gap at which to stop.
    max_iter : int, default=100
        Most iterations.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method=lk.methods.L1Ridge(radius=2.0)).fit(X, y)
    >>> float(model.weights_.sum().round(6)), model.certificate_.gap <= 1e-4
    (2.0, True)
    """

    name = "l1-krr"
    reads = ("Grams",)
    machine = "ridge"

    def __init__(self, radius=1.0, tol=1e-4, max_iter=100):
        self.radius = radius
        self.tol = tol
        self.max_iter = max_iter

    def learn(self, evidence):
        require(self, "radius", self.radius, 0)
        require_stop(self)
        # min_mu sum_t y_t'(K_mu + alpha I)^-1 y_t, mu >= 0, sum(mu) <= radius
        task = RidgeTask(
            evidence.oracle, ridge_targets(evidence), evidence.weights, evidence.alpha,
            Simplex(self.radius),
        )  # fmt: skip
        n, outputs = task.Y.shape
        thin = n > TALL and 2 * evidence.oracle.n_kernels < n  # no n x n matrix is wanted
        kernels = rank_one(evidence.oracle) if outputs == 1 and not thin else None
        if kernels is not None:
            mu, certificate = rank_one_ridge_weights(
                task, kernels, self.radius, self.tol, self.max_iter, evidence.say
            )
        else:
            mu, certificate = minimise_sparse(
                task, evidence.oracle.n_kernels, self.radius, self.tol, self.max_iter, evidence.say
            )
        warn_if_open(certificate, self.tol, self)
        return mu, certificate

"""A yardstick for a fitted regressor: the theoretical limit of its kernels and training points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.checks import is_whole, random_generator
from learnkernels.errors import InputError
from learnkernels.estimators.refit import refit
from learnkernels.plurals import count_text
from learnkernels.theory import (
    generalization_error,
    single_kernel_regressor,
    squared_norm,
    theoretical_limit,
)

# Samples that stand for the domain of the functions.
MAX_SAMPLES = 300
# Ridge that makes Gram matrices definite, relative to their mean diagonal.
STABILISER = 1e-8


@dataclass(frozen=True)
class LimitErrors:
    """Relative squared errors of learning the fitted function again from fewer points.

    Attributes
    ----------
    limit : float
        Of the best function with a coefficient for each kernel and point (2017, E_min): no learner
        with these kernels and points has a smaller one.
    regressor : float
        Of the regressor with the learned kernel (2017, E_est).
    n_points : int
        Number of points.
    """

    limit: float
    regressor: float
    n_points: int

    def __str__(self) -> str:
        return (
            f"{self.n_points} points: relative error {self.regressor:.3g} with the learned kernel, "
            f"{self.limit:.3g} at the theoretical limit"
        )


def limit_errors(
    model: Any, X: Any, y: Any, n_points: int | None = None, random_state: Any = 0
) -> LimitErrors:
    """Compare a fitted regressor with the theoretical limit of its kernels (2017, theorem 3).

    The fitted function is taken as the target, and is learned again from its values at some of the
    training samples: once by the regressor of the learned kernel, and once by the best function
    that has separate coefficients for every kernel and point, which only the target's norm can
    determine. If both errors are about the same, more samples help, and another way to combine the
    same kernels does not. If the limit is much smaller, it may.

    Errors are squared distances in the Hilbert space of the learned kernel, relative to the
    squared norm of the fitted function, and at most 300 training samples stand for its domain.

    Parameters
    ----------
    model : KernelRegressor
        Fitted to one target, with non-negative weights.
    X, y
        The training data.
    n_points : int or None, default=None
        Number of points to learn from; None is half of the most that the limit allows (the number
        of samples divided by the number of kernels with a weight).
    random_state : int, RandomState or None, default=0
        Chooses the points.

    Returns
    -------
    LimitErrors

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(lk.gaussians([1.0, 10.0]), "unif", alpha=1.0).fit(X, y)
    >>> found = lk.inspection.limit_errors(model, X, y)
    >>> bool(found.limit <= found.regressor)
    True
    """
    again = refit(model, X, y)
    mu = model.weights_
    if again.prepared.task != "regression" or again.prepared.Y.shape[1] > 1 or (mu < 0).any():
        raise InputError(
            "the model has classes, several targets or negative weights; limit_errors needs a "
            "KernelRegressor with one target and non-negative weights. Fit one, for example with "
            'method="alignf".'
        )
    if model.alpha_ is None:
        raise InputError(
            f'machine={model.machine!r} has no alpha for limit_errors; fit with machine="ridge".'
        )
    random = random_generator(random_state)
    n, used = len(again.prepared.Y), np.flatnonzero(mu)
    some = np.sort(random.permutation(n)[:MAX_SAMPLES])
    most = len(some) // max(len(used), 1)
    points = max(most // 2, 1) if n_points is None else n_points
    if not (is_whole(points) and 1 <= points <= most):
        raise InputError(
            f"n_points={n_points!r}; for {count_text(len(some), 'sample')} and "
            f"{count_text(len(used), 'kernel')} with a weight it must be a whole number from 1 to "
            f"{most}."
        )
    part = again.prepared if len(some) == n else again.prepared.take(some)
    centered = part.centered()
    kernels = [on_samples(mu[k] * centered.gram_of(int(k))) for k in used]
    domain = np.arange(len(some), dtype=float)[:, None]
    values = part.Y[:, 0] - part.Y.mean() * part.center
    target = single_kernel_regressor(kernels, domain, values, float(model.alpha_))
    chosen = domain[random.permutation(len(some))[:points]]
    limit = theoretical_limit(target, chosen, domain)
    learned = single_kernel_regressor(kernels, chosen, target(chosen), STABILISER)
    size = squared_norm(target)
    return LimitErrors(
        max(generalization_error(target, limit, domain), 0.0) / size,
        max(generalization_error(target, learned), 0.0) / size,
        int(points),
    )


def on_samples(G: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a Gram matrix as a kernel of the positions of samples."""
    G = G + STABILISER * np.trace(G) / len(G) * np.eye(len(G))
    return lambda X, Z: G[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))]

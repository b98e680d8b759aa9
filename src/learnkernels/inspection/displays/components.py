"""A fit in one dimension, and what every kernel contributes to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.estimators import refit
from learnkernels.estimators.search import regularization_name
from learnkernels.inspection.displays.style import (
    COLOURS,
    GREY,
    INK,
    axes_for,
    label_of,
    legend_beside,
    tidy,
)
from learnkernels.machines import Ridge, TrainingProblem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 5
POINTS = 300


class ComponentsDisplay:
    """The regression function and its parts, ``f = b + sum_k mu_k sum_i coef_i K_k(x_i, .)``.

    Parameters
    ----------
    grid : array-like of shape (n_points,)
        Where the functions are known.
    components : dict of str to array-like of shape (n_points,)
        What each kernel contributes.
    intercept : float
    X, y : array-like of shape (n_samples,)
        Training samples.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import ComponentsDisplay
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.2 * np.sin(8 * X[:, 0])
    >>> model = lk.KernelRegressor(lk.gaussians([0.1, 10.0]), alpha=0.01).fit(X, y)
    >>> display = ComponentsDisplay.from_estimator(model, X, y)
    >>> bool(np.allclose(display.fit, model.predict(display.grid[:, None])))
    True
    """

    def __init__(
        self,
        grid: ArrayLike,
        components: Mapping[str, ArrayLike],
        intercept: float,
        X: ArrayLike,
        y: ArrayLike,
    ):
        self.grid = np.asarray(grid, dtype=float)
        self.components = {name: np.asarray(values) for name, values in components.items()}
        self.intercept = float(intercept)
        self.X = np.ravel(X)
        self.y = np.ravel(y)

    @property
    def fit(self) -> np.ndarray:
        """The whole function on the grid."""
        return self.intercept + np.sum(list(self.components.values()), axis=0)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None
    ) -> ComponentsDisplay:
        """Draw the fit of an estimator to one feature.

        Parameters
        ----------
        estimator : KernelRegressor
            Fitted to one feature and one target.
        X, y
            The training data, which a model does not keep.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        check_is_fitted(estimator)
        samples = np.asarray(X, dtype=float)
        if not hasattr(estimator, "alpha_") or samples.ndim != 2 or samples.shape[1] != 1:
            raise InputError(
                f"found {type(estimator).__name__} and X of shape {samples.shape}; "
                "ComponentsDisplay needs a KernelRegressor and X of shape (n_samples, 1). Fit one "
                "on a single column."
            )
        again = refit(estimator, X, y)
        kernels, Y = again.kernels, again.prepared.Y
        problem = TrainingProblem(
            kernels.kernel(estimator.weights_), Y, kernels.weights, estimator.center,
            kernels.backend, bool((estimator.weights_ < 0).any()), again.prepared.max_memory,
            again.prepared.n_components, again.prepared.random_state,
        )  # fmt: skip
        machine = Ridge() if again.machine is None else again.machine
        value = getattr(estimator, f"{regularization_name(estimator)}_")
        (trained,) = machine.strategy(problem).train(problem, [value])
        grid = np.linspace(samples.min(), samples.max(), POINTS)
        components = {
            str(estimator.kernel_names_[k]): kernels.kernel(weight * kernels.unit(k)).products(
                grid[:, None], trained.coef, kernels.backend
            )[:, 0]
            for k, weight in enumerate(estimator.weights_)
            if weight != 0
        }
        return cls(grid, components, trained.intercept[0], samples, y).plot(ax)

    def plot(self, ax: Axes | None = None) -> ComponentsDisplay:
        """Draw; the largest components by name, the others together.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (8.0, 4.2))
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.X, self.y, ".", color=GREY, ms=4, label="data")
        self.ax_.plot(self.grid, self.fit, color=INK, lw=2.2, label="learned function")
        order = sorted(self.components, key=lambda name: -np.ptp(self.components[name]))
        parts = {name: self.components[name] for name in order[:MOST]}
        if order[MOST:]:
            rest = np.sum([self.components[name] for name in order[MOST:]], axis=0)
            parts[f"{len(order) - MOST} more"] = rest
        for number, (name, values) in enumerate(parts.items(), start=1):
            self.ax_.plot(
                self.grid, values, "--", color=COLOURS[number], lw=1.3, label=label_of(name)
            )
        self.ax_.set_xlabel("input")
        self.ax_.set_ylabel("target, and what kernels contribute")
        legend_beside(self.ax_)
        tidy(self.ax_)
        return self

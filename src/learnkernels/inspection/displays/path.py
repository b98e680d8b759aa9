"""How the weights change with the regularisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from learnkernels.errors import InputError
from learnkernels.estimators import shared_weights
from learnkernels.estimators.search import regularization_name
from learnkernels.inspection.displays.style import (
    COLOURS,
    GREY,
    MARKERS,
    axes_for,
    label_of,
    legend_beside,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 6


class WeightPathDisplay:
    """Weights for every value of C or alpha.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Of the regularisation.
    weights : array-like of shape (n_values, n_kernels)
        Learned with each.
    names : sequence of str
        Of the kernels.
    parameter : str, default="C"
        What the values are.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import WeightPathDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), method="l1-svm", C=1).fit(X, y)
    >>> WeightPathDisplay.from_estimator(model, X, y, values=[0.1, 1.0]).weights.shape
    (2, 2)
    """

    def __init__(
        self, values: ArrayLike, weights: ArrayLike, names: Sequence[str], parameter: str = "C"
    ):
        self.values = np.asarray(values, dtype=float)
        self.weights = np.asarray(weights, dtype=float)
        self.names = list(names)
        self.parameter = parameter

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        values: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> WeightPathDisplay:
        """Fit again with every value, and draw.

        Parameters
        ----------
        estimator : KernelClassifier or KernelRegressor
            Fitted, with a method that learns weights together with the machine.
        X, y
            The training data.
        values : sequence of float or None, default=None
            Values of C or alpha; None takes seven powers of ten.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        shared_weights(estimator)  # raises if every target has its own
        parameter = regularization_name(estimator)
        if not hasattr(estimator, parameter):
            raise InputError(
                f"{type(estimator).__name__} has no regularisation; use KernelClassifier or "
                "KernelRegressor."
            )
        values = 10.0 ** np.arange(-3, 4) if values is None else np.asarray(values, dtype=float)
        found = [
            clone(estimator).set_params(**{parameter: float(value)}).fit(X, y).weights_
            for value in values
        ]
        return cls(values, found, estimator.kernel_names_, parameter).plot(ax)

    def plot(self, ax: Axes | None = None) -> WeightPathDisplay:
        """Draw; the heaviest kernels have colours and names, the others are grey.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (7.2, 4.0))
        self.figure_ = self.ax_.figure
        total = np.abs(self.weights).sum(axis=1, keepdims=True)
        shares = self.weights / np.where(total > 0, total, 1.0)
        order = np.argsort(-np.abs(shares).max(axis=0), kind="stable")
        for k in order[NAMED:]:
            self.ax_.plot(self.values, shares[:, k], color=GREY, lw=0.6, alpha=0.6)
        for number, k in enumerate(order[:NAMED]):
            self.ax_.plot(
                self.values, shares[:, k], MARKERS[number] + "-", color=COLOURS[number], ms=4,
                label=label_of(self.names[k]),
            )  # fmt: skip
        self.ax_.set_xscale("log")
        self.ax_.set_xlabel(self.parameter)
        self.ax_.set_ylabel("share of the weights")
        legend_beside(self.ax_)
        tidy(self.ax_)
        return self

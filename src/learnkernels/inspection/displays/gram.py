"""The learned Gram matrix, samples in order of class or target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.estimators import refit
from learnkernels.inspection.displays.style import INK, axes_for, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 1000


class GramDisplay:
    """The learned Gram matrix as a picture: classes should be blocks.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        The Gram matrix.
    y : array-like of shape (n_samples,)
        Labels or targets, by which the samples are ordered.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import GramDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> GramDisplay.from_estimator(lk.KernelClassifier().fit(X, y), X, y).K.shape
    (150, 150)
    """

    def __init__(self, K: ArrayLike, y: ArrayLike):
        self.K = np.asarray(K, dtype=float)
        self.y = np.asarray(y)
        if self.K.ndim != 2 or self.K.shape != (len(self.y), len(self.y)):
            raise InputError(
                f"found a Gram matrix of shape {self.K.shape} and {len(self.y)} targets; expected "
                "a square matrix with as many rows as targets. Pass both of the same samples."
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None
    ) -> GramDisplay:
        """Draw the learned kernel on the training data.

        Parameters
        ----------
        estimator : KernelClassifier, KernelRegressor or KernelLearner
            Fitted.
        X, y
            The training data, which a model does not keep.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        check_is_fitted(estimator)
        kernels = refit(estimator, X, y).kernels
        return cls(kernels.gram(estimator.weights_), y).plot(ax)

    def plot(self, ax: Axes | None = None) -> GramDisplay:
        """Draw; of very many samples, some at even spacing.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (5.6, 4.8))
        self.figure_ = self.ax_.figure
        order = np.argsort(self.y, kind="stable")
        if len(order) > MOST:
            order = order[np.linspace(0, len(order) - 1, MOST).round().astype(int)]
        shown, y = self.K[np.ix_(order, order)], self.y[order]
        largest = np.quantile(np.abs(shown), 0.99) or 1.0
        image = self.ax_.imshow(
            shown, cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest"
        )
        self.figure_.colorbar(image, ax=self.ax_, label="similarity", shrink=0.8)
        self._mark(y)
        return self

    def _mark(self, y: np.ndarray) -> None:
        """Lines between classes and their names, or the ends of the target."""
        classes, starts, counts = np.unique(y, return_index=True, return_counts=True)
        few = len(classes) <= 20 and (y.dtype.kind != "f" or len(classes) <= 5)
        if few:
            for border in starts[1:]:
                self.ax_.axhline(border - 0.5, color=INK, lw=0.6)
                self.ax_.axvline(border - 0.5, color=INK, lw=0.6)
            names = [label_of(name) for name in classes]
            self.ax_.set_yticks(starts + (counts - 1) / 2, names)
            self.ax_.set_xticks([])
            self.ax_.set_xlabel("samples, by class")
        else:
            self.ax_.set_xticks([])
            self.ax_.set_yticks([0, len(y) - 1], [f"{y[0]:.3g}", f"{y[-1]:.3g}"])
            self.ax_.set_xlabel("samples, by target")

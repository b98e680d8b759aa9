"""Which kernels and views have weight, and what each would be worth alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from learnkernels.errors import InputError
from learnkernels.estimators import shared_weights
from learnkernels.inspection.displays.style import BLUE, GREY, INK, axes_for, label_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 30
ROW = 0.24
BAR = 0.7


class WeightsDisplay:
    """Weights as bars, the heaviest on top.

    Parameters
    ----------
    names : sequence of str
        Of the kernels or views.
    weights : array-like of shape (n_names,)
        What was learned.
    title : str, default="learned weights"
        Above the picture.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import WeightsDisplay
    >>> from sklearn.datasets import load_iris
    >>> model = lk.KernelClassifier().fit(*load_iris(return_X_y=True))
    >>> display = WeightsDisplay.from_estimator(model)
    >>> float(display.weights.sum().round(6))
    1.0
    """

    def __init__(self, names: Sequence[str], weights: ArrayLike, title: str = "learned weights"):
        self.names = list(names)
        self.weights = np.asarray(weights, dtype=float)
        self.title = title

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, by: str = "kernel", ax: Axes | None = None
    ) -> WeightsDisplay:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : KernelClassifier, KernelRegressor or KernelLearner
            Fitted.
        by : {"kernel", "view"}, default="kernel"
            Every kernel, or the sum over the kernels of each view.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        weights = shared_weights(estimator)
        if by == "kernel":
            return cls(estimator.kernel_names_, weights).plot(ax)
        if by == "view":
            views = estimator.view_weights_
            return cls(list(views), list(views.values()), "weights of the views").plot(ax)
        raise InputError(f"by={by!r}; expected 'kernel' or 'view'.")

    def plot(self, ax: Axes | None = None) -> WeightsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        shown, rest = heaviest(self.weights)
        self.ax_ = axes_for(ax, (6.4, 1.2 + ROW * (len(shown) + 1)))
        self.figure_ = self.ax_.figure
        place = np.arange(len(shown))
        self.ax_.barh(place, self.weights[shown], BAR, color=BLUE)
        label_rows(self.ax_, [self.names[k] for k in shown], rest, self.weights)
        self.ax_.axvline(0, color=INK, lw=0.8)
        self.ax_.set_xlabel("weight")
        self.ax_.set_title(self.title, loc="left")
        tidy(self.ax_)
        return self


class AlignmentDisplay:
    """The alignment of each base kernel with the target, beside its weight.

    A kernel that is aligned and has no weight says nothing that a heavier one does not say.

    Parameters
    ----------
    names : sequence of str
        Of the kernels.
    weights : array-like of shape (n_kernels,)
        What was learned.
    alignments : array-like of shape (n_kernels,)
        Centered alignment of each kernel alone.
    alignment : float
        Of the learned kernel.

    Attributes
    ----------
    ax_ : ndarray of two matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import AlignmentDisplay
    >>> from sklearn.datasets import load_iris
    >>> model = lk.KernelClassifier(method="alignf", C=1).fit(*load_iris(return_X_y=True))
    >>> display = AlignmentDisplay.from_estimator(model)
    >>> bool(display.alignment >= display.alignments.max())
    True
    """

    def __init__(
        self, names: Sequence[str], weights: ArrayLike, alignments: ArrayLike, alignment: float
    ):
        self.names = list(names)
        self.weights = np.asarray(weights, dtype=float)
        self.alignments = np.asarray(alignments, dtype=float)
        self.alignment = float(alignment)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: tuple[Axes, Axes] | None = None
    ) -> AlignmentDisplay:
        """Draw the kernels of a fitted estimator.

        Parameters
        ----------
        estimator : KernelClassifier, KernelRegressor or KernelLearner
            Fitted.
        ax : pair of matplotlib Axes or None, default=None
            Where to draw weights and alignments; None makes a figure.
        """
        return cls(
            estimator.kernel_names_,
            shared_weights(estimator),
            estimator.kernel_alignments_,
            estimator.alignment_,
        ).plot(ax)

    def plot(self, ax: tuple[Axes, Axes] | None = None) -> AlignmentDisplay:
        """Draw.

        Parameters
        ----------
        ax : pair of matplotlib Axes or None, default=None
            Where to draw weights and alignments; None makes a figure.
        """
        shown, rest = heaviest(self.weights, self.alignments)
        if ax is None:
            left = axes_for(None, (8.5, 1.2 + ROW * (len(shown) + 1)))
            figure = left.figure
            left.remove()
            ax = figure.subplots(1, 2, sharey=True, width_ratios=[1, 1])
        self.ax_ = np.asarray(ax)
        self.figure_ = self.ax_[0].figure
        place = np.arange(len(shown))
        self.ax_[0].barh(place, self.weights[shown], BAR, color=BLUE)
        self.ax_[1].barh(place, self.alignments[shown], BAR, color=GREY)
        self.ax_[1].axvline(self.alignment, color=BLUE, lw=1.6)
        self.ax_[1].set_title(
            f"line: learned kernel, {self.alignment:.3f}", loc="right", color=BLUE, fontsize=10
        )
        label_rows(self.ax_[0], [self.names[k] for k in shown], rest, self.weights)
        self.ax_[0].set_xlabel("weight")
        self.ax_[1].set_xlabel("alignment with the target, alone")
        for one in self.ax_:
            tidy(one)
        return self


def heaviest(weights: np.ndarray, then: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Kernels to show, the heaviest first, and those left out; of equal weight, the aligned."""
    second = np.zeros(len(weights)) if then is None else -np.nan_to_num(then)
    order = np.lexsort((second, -np.abs(weights)))
    return order[:MOST], order[MOST:]


def label_rows(ax: Axes, names: list[str], rest: np.ndarray, weights: np.ndarray) -> None:
    """Names at the bars, and below them what was left out."""
    labels = [label_of(name) for name in names]
    if len(rest):
        share = np.abs(weights[rest]).sum()
        labels.append(f"{len(rest)} more, {share:.3g} together")
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.locator_params(axis="x", nbins=6)  # long names leave little room for numbers

"""Does the alignment of a kernel go with its accuracy? Figure 2 of the 2012 paper, on your data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.estimators import refit
from learnkernels.inspection.displays.style import BLUE, GREY, axes_for, label_of, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Part of the picture's height that a name needs.
ROOM = 0.06


class AlignmentAccuracyDisplay:
    """Every base kernel as a point: its alignment, and its accuracy alone.

    Parameters
    ----------
    names : sequence of str
        Of the kernels.
    alignments : array-like of shape (n_kernels,)
        With the target.
    scores : array-like of shape (n_kernels,)
        Of each kernel alone.
    measure : str, default="accuracy"
        What the scores are.

    Attributes
    ----------
    correlation_ : float
        Of alignments and scores.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import AlignmentAccuracyDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(lk.gaussians([0.01, 1.0, 100.0]), "alignf", C=1).fit(X, y)
    >>> AlignmentAccuracyDisplay.from_estimator(model, X, y).correlation_ > 0.5
    True
    """

    def __init__(
        self,
        names: Sequence[str],
        alignments: ArrayLike,
        scores: ArrayLike,
        measure: str = "accuracy",
    ):
        self.names = list(names)
        self.alignments = np.asarray(alignments, dtype=float)
        self.scores = np.asarray(scores, dtype=float)
        self.measure = measure
        flat = min(np.ptp(self.alignments), np.ptp(self.scores)) == 0
        self.correlation_ = (
            np.nan if flat else float(np.corrcoef(self.alignments, self.scores)[0, 1])
        )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, cv: Any = 5, ax: Axes | None = None
    ) -> AlignmentAccuracyDisplay:
        """Cross-validate each base kernel alone, and draw.

        Parameters
        ----------
        estimator : KernelClassifier or KernelRegressor
            Fitted.
        X, y
            The training data.
        cv : int or splitter, default=5
            Folds.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "predict"):
            raise InputError(
                f"{type(estimator).__name__} does not predict; use KernelClassifier or "
                "KernelRegressor."
            )
        kernels = refit(estimator, X, y).kernels
        alone = clone(estimator).set_params(kernels="precomputed", method="unif", missing="error")
        scores = [
            cross_val_score(alone, kernels.gram_of(k)[:, :, None], y, cv=cv).mean()
            for k in range(kernels.n_kernels)
        ]
        measure = "accuracy" if is_classifier(estimator) else "R²"
        return cls(estimator.kernel_names_, estimator.kernel_alignments_, scores, measure).plot(ax)

    def plot(self, ax: Axes | None = None) -> AlignmentAccuracyDisplay:
        """Draw; points that stand apart have names.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (6.0, 4.2))
        self.figure_ = self.ax_.figure
        self.ax_.plot(self.scores, self.alignments, "o", color=BLUE, alpha=0.8)
        for k in apart(self.scores, self.alignments):
            self.ax_.annotate(
                label_of(self.names[k]), (self.scores[k], self.alignments[k]), (5, 3),
                textcoords="offset points", fontsize=8, color=GREY,
            )  # fmt: skip
        self.ax_.set_xlabel(f"{self.measure} of the kernel alone")
        self.ax_.set_ylabel("alignment with the target")
        self.ax_.set_title(f"correlation {self.correlation_:.2f}", loc="left")
        self.ax_.margins(x=0.15)
        tidy(self.ax_)
        return self


def apart(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Points whose names run neither into each other nor over a point, the outermost first."""
    height = (y - y.min()) / (np.ptp(y) or 1.0)
    width = (x - x.min()) / (np.ptp(x) or 1.0)
    chosen: list[int] = []
    for k in np.argsort(-np.abs(height - np.median(height)), kind="stable").tolist():
        near = np.abs(height - height[k]) < ROOM
        right = width - width[k]
        covered = near & (right > 0) & (right < 6 * ROOM)
        named = near[chosen] & (np.abs(right[chosen]) < 6 * ROOM)
        if not (covered.any() or named.any()):
            chosen.append(k)
    return chosen

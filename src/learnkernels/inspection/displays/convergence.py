"""How the proof of optimality came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.inspection.displays.style import BLUE, GREY, axes_for, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST = 1e-16


class ConvergenceDisplay:
    """The relative duality gap after each step of learning the weights.

    Parameters
    ----------
    gaps : array-like of shape (n_steps + 1,)
        Relative gaps, the first before any step.
    tol : float or None, default=None
        Where the solver was to stop.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import ConvergenceDisplay
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="l2-krr", alpha=1).fit(X, y)
    >>> display = ConvergenceDisplay.from_estimator(model)
    >>> bool(display.gaps[-1] <= 1e-4 < display.gaps[0])
    True
    """

    def __init__(self, gaps: ArrayLike, tol: float | None = None):
        self.gaps = np.asarray(gaps, dtype=float)
        self.tol = tol

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> ConvergenceDisplay:
        """Draw the way to the certificate of a fitted estimator.

        Parameters
        ----------
        estimator : KernelClassifier, KernelRegressor or KernelLearner
            Fitted, with an iterative method.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        check_is_fitted(estimator)
        certificate = estimator.certificate_
        if len(certificate.gaps) == 0:
            raise InputError(
                f"method {estimator.method!r} records no duality gaps ({certificate.status}); "
                "use an iterative method: 'l1-krr', 'l2-krr', 'l1-svm', 'lp-svm' or 'conv'."
            )
        return cls(certificate.gaps, getattr(estimator.method, "tol", 1e-4)).plot(ax)

    def plot(self, ax: Axes | None = None) -> ConvergenceDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (6.0, 3.8))
        self.figure_ = self.ax_.figure
        self.ax_.semilogy(np.maximum(self.gaps, SMALLEST), "o-", color=BLUE, ms=4)
        if self.tol is not None:
            self.ax_.axhline(self.tol, color=GREY, ls=":", label="tolerance")
            self.ax_.legend(frameon=False)
        self.ax_.locator_params(axis="x", integer=True)
        self.ax_.set_xlabel("steps")
        self.ax_.set_ylabel("relative gap between objective and bound")
        tidy(self.ax_)
        return self

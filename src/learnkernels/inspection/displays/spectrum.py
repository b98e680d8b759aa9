"""How the eigenvalues of kernels fall, and what is left of them after the largest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from learnkernels.estimators import refit
from learnkernels.inspection.displays.style import (
    COLOURS,
    INK,
    axes_for,
    label_of,
    legend_beside,
    tidy,
)
from learnkernels.theory import tail_sums

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 6
CUTS = 30


class SpectrumDisplay:
    """Tail sums of the spectra of the heaviest kernels and of the learned one.

    The tail sum at theta is the sum of all eigenvalues but the theta largest, here as a share of
    the trace: what `conv` and `dc` make a kernel pay.

    Parameters
    ----------
    eigenvalues : dict of str to array-like
        Of each kernel.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.inspection import SpectrumDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(lk.gaussians([0.1, 1.0])).fit(X, y)
    >>> list(SpectrumDisplay.from_estimator(model, X, y).eigenvalues)
    ['learned kernel', 'gaussian(2^0)', 'gaussian(0.1)']
    """

    def __init__(self, eigenvalues: Mapping[str, ArrayLike]):
        self.eigenvalues = {name: np.asarray(values) for name, values in eigenvalues.items()}

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None
    ) -> SpectrumDisplay:
        """Draw the spectra on the training data.

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
        mu = estimator.weights_
        found = {"learned kernel": spectrum(kernels.gram(mu))}
        for k in np.argsort(-np.abs(mu), kind="stable")[:MOST]:
            found[str(estimator.kernel_names_[k])] = spectrum(kernels.gram_of(int(k)))
        return cls(found).plot(ax)

    def plot(self, ax: Axes | None = None) -> SpectrumDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        self.ax_ = axes_for(ax, (7.2, 4.0))
        self.figure_ = self.ax_.figure
        for number, (name, values) in enumerate(self.eigenvalues.items()):
            tails = tail_sums(values)
            shares = tails[: CUTS + 1] / tails[0]
            style = {"lw": 2.4, "color": INK} if number == 0 else {"lw": 1.4}
            colour = COLOURS[number % len(COLOURS)]
            self.ax_.plot(shares, **{"color": colour} | style, label=label_of(name))
        self.ax_.set_xlabel("theta, number of largest eigenvalues left out")
        self.ax_.set_ylabel("rest, as a share of the trace")
        self.ax_.set_ylim(0, 1.02)
        legend_beside(self.ax_)
        tidy(self.ax_)
        return self


def spectrum(K: np.ndarray) -> np.ndarray:
    return np.maximum(np.linalg.eigvalsh(K), 0.0)

"""
Decompose a fit into trend and season
=====================================

A function learned with several kernels is a sum of functions, one for each kernel. For data with
one feature they can be plotted.
"""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels.inspection import ComponentsDisplay

# %%
# The target is the sum of a slow trend, a season with period 0.7, and noise. The samples between 4
# and 5.5 are used for testing.

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 8, 200))[:, None]


def trend(x):
    return np.sin(0.8 * x)


def season(x):
    return 0.6 * np.sin(2 * np.pi * x / 0.7) + 0.3 * np.cos(4 * np.pi * x / 0.7)


y = trend(X[:, 0]) + season(X[:, 0]) + 0.2 * rng.standard_normal(200)
gap = (X[:, 0] > 4) & (X[:, 0] < 5.5)
X_train, X_test, y_train, y_test = X[~gap], X[gap], y[~gap], y[gap]

# %%
# A wide Gaussian can represent the trend, and a periodic kernel the season. We assume that the
# period is unknown, pass kernels of several periods, and learn their weights. Any function of two
# arrays of samples can be a kernel; its ``__name__`` is the name in plots.


def periodic(period: float):
    def kernel(X, Z):
        return np.exp(-2 * np.sin(np.pi * (X - Z.T) / period) ** 2)

    kernel.__name__ = f"period {period:g}"
    return kernel


smooth, wiggly = (
    lk.gaussians([0.1]),
    [periodic(p) for p in (0.5, 0.6, 0.7, 0.8, 0.9)],
)
alphas = [0.01, 0.1, 1.0, 10.0]
model = lk.KernelRegressor([smooth, *wiggly], alpha=alphas).fit(X_train, y_train)
for name, weight in zip(model.kernel_names_, model.weights_, strict=True):
    print(f"{name:14} {weight:.3f}")

# %%
# Of the periodic kernels, only the one with the true period has a large weight. Up to a constant,
# the dashed lines sum to the black one: the Gaussian represents the trend and the periodic kernel
# the season.

display = ComponentsDisplay.from_estimator(model, X_train, y_train)

# %%
# The periodic kernel continues the season through the gap. Narrow Gaussians can fit a season where
# there are training samples, but they do not continue it:

others = lk.KernelRegressor(lk.gaussians(2.0 ** np.arange(-4, 6)), alpha=alphas)
others.fit(X_train, y_train)
scores = {
    "trend and season": (
        model.score(X_train, y_train),
        model.score(X_test, y_test),
    ),
    "Gaussians alone": (
        others.score(X_train, y_train),
        others.score(X_test, y_test),
    ),
}
for name, (seen, unseen) in scores.items():
    print(f"{name:18} R² {seen:5.2f} in training, {unseen:5.2f} in the gap")

"""
A smooth part and a wiggly part
===============================

A function learned with several kernels is a sum of functions, one a kernel. In one dimension they
can be drawn: what each kernel contributes to the fit.
"""

from __future__ import annotations

import numpy as np

import learnkernels as lk
from learnkernels.inspection import ComponentsDisplay

# %%
# A slow trend and a season that repeats itself every 0.7, with noise. The samples between 4 and 5.5
# are kept for testing.

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
# The trend is for a wide Gaussian. For the season there are periodic kernels, but the period is
# unknown: give several, and let the weights say. Any function of two blocks of rows can be a
# kernel; its ``__name__`` is what pictures call it.


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
# Of the periods only the right one has a weight worth mention. The dashed lines add up to the black
# one, but for a constant: the Gaussian has taken the trend and the periodic kernel the season.

display = ComponentsDisplay.from_estimator(model, X_train, y_train)

# %%
# The season goes on through the gap. Gaussians can follow a season where they see it, if some of
# them are narrow enough, but they do not know that it repeats itself:

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

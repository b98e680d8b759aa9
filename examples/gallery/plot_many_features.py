"""
Five hundred kernels, ten of them useful
========================================

``lk.per_feature()`` makes a kernel of every column. The weights then say which columns matter, and
learning them is a way to select features.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay
from learnkernels.inspection.displays.style import BLUE, GREY, tidy

# %%
# The target depends on ten of 500 columns, with coefficients between 0.5 and 1.5 in size. There are
# 300 samples to learn from, fewer than columns.

rng = np.random.default_rng(0)
X = rng.standard_normal((500, 500))
useful = np.sort(rng.choice(500, 10, replace=False))
y = X[:, useful] @ (rng.choice([-1, 1], 10) * np.linspace(0.5, 1.5, 10))
y += rng.standard_normal(500)
X_train, X_test, y_train, y_test = X[:300], X[300:], y[:300], y[300:]

# %%
# ``alpha`` is chosen by ``GridSearchCV``, which learns the weights of all four methods anew in
# every fold.

models, rows = {}, {}
for method in ("unif", "align", "alignf", "l1-krr"):
    model = lk.KernelRegressor(lk.per_feature(), method=method)
    search = GridSearchCV(model, {"alpha": [0.1, 1, 3, 10, 30]}).fit(
        X_train, y_train
    )
    models[method] = search.best_estimator_
    weights = search.best_estimator_.weights_
    heaviest = np.argsort(-weights)[:10]
    rows[method] = {
        "R² on test data": search.score(X_test, y_test),
        "columns with weight": (weights > 0).sum(),
        "useful ones among the heaviest ten": np.isin(heaviest, useful).sum(),
        "their share of the weights": weights[useful].sum() / weights.sum(),
    }
table = pd.DataFrame.from_dict(rows, orient="index")
table.round(2)

# %%
# With equal weights the noise wins (all are equally heavy, and the first ten columns count as the
# heaviest). ``align`` weighs every column by its own alignment and keeps all of them. ``alignf``
# and ``l1-krr`` are sparse; ``l1-krr``, which learns weights and ridge regression at once, finds
# all ten.
#
# Five hundred bars are too many. Weights by position show both what was found and what was not; a
# cross marks a column that is useful.

figure, axes = plt.subplots(
    3, 1, figsize=(7.2, 5.4), sharex=True, layout="constrained"
)
for ax, method in zip(axes, ("align", "alignf", "l1-krr"), strict=True):
    shares = models[method].weights_ / models[method].weights_.sum()
    ax.vlines(np.arange(500), 0, shares, color=GREY, lw=1)
    ax.vlines(useful, 0, shares[useful], color=BLUE, lw=2)
    ax.plot(useful, shares[useful], "X", color=BLUE, ms=6, label="useful column")
    ax.set_ylabel("share of weight")
    ax.set_title(method, loc="left")
    tidy(ax)
axes[0].legend(frameon=False)
axes[-1].set_xlabel("column")

# %%
# :class:`~learnkernels.inspection.WeightsDisplay` draws the thirty heaviest by name, and sums up
# the rest.

WeightsDisplay.from_estimator(models["l1-krr"])

"""
Feature selection with one kernel per feature
=============================================

``lk.per_feature()`` defines one kernel for every column. The learned weights show which columns are
relevant, so learning them selects features.
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
# The target depends on ten of 500 columns, with coefficients whose absolute values are between 0.5
# and 1.5. There are 300 training samples, fewer than columns.

rng = np.random.default_rng(0)
X = rng.standard_normal((500, 500))
useful = np.sort(rng.choice(500, 10, replace=False))
y = X[:, useful] @ (rng.choice([-1, 1], 10) * np.linspace(0.5, 1.5, 10))
y += rng.standard_normal(500)
X_train, X_test, y_train, y_test = X[:300], X[300:], y[:300], y[300:]

# %%
# ``alpha`` is chosen by ``GridSearchCV``, which learns the weights again in every fold.

models, rows = {}, {}
for method in ("unif", "align", "alignf", "l1-krr"):
    model = lk.KernelRegressor(lk.per_feature(), method=method)
    search = GridSearchCV(model, {"alpha": [1, 3, 10]}, cv=3).fit(X_train, y_train)
    models[method] = search.best_estimator_
    weights = search.best_estimator_.weights_
    heaviest = np.argsort(-weights)[:10]
    rows[method] = {
        "R² on test data": search.score(X_test, y_test),
        "non-zero weights": (weights > 0).sum(),
        "relevant columns among the ten largest": np.isin(heaviest, useful).sum(),
        "relative weight of relevant columns": weights[useful].sum()
        / weights.sum(),
    }
table = pd.DataFrame.from_dict(rows, orient="index")
table.round(2)

# %%
# With equal weights the error is high, because 490 columns are noise. (The table counts the first
# ten columns as those with the largest weights.) ``align`` weights every column by its own
# alignment, and hardly any weight is zero. The weights of ``alignf`` and ``l1-krr`` are sparse.
# ``l1-krr``, which learns weights and ridge regression together, finds all ten relevant columns.
#
# The next figure shows the weights by the position of the column; a cross marks a relevant column.

figure, axes = plt.subplots(
    3, 1, figsize=(7.2, 5.4), sharex=True, layout="constrained"
)
for ax, method in zip(axes, ("align", "alignf", "l1-krr"), strict=True):
    shares = models[method].weights_ / models[method].weights_.sum()
    ax.vlines(np.arange(500), 0, shares, color=GREY, lw=1)
    ax.vlines(useful, 0, shares[useful], color=BLUE, lw=2)
    ax.plot(useful, shares[useful], "X", color=BLUE, ms=6, label="relevant column")
    ax.set_ylabel("relative weight")
    ax.set_title(method, loc="left")
    tidy(ax)
axes[0].legend(frameon=False)
axes[-1].set_xlabel("column")

# %%
# :class:`~learnkernels.inspection.WeightsDisplay` shows the thirty largest weights with the names
# of their kernels, and the sum of the others.

WeightsDisplay.from_estimator(models["l1-krr"])

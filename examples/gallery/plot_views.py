"""
Several views, one of them noise
================================

A table often contains data of several sources, such as two assays, a questionnaire or a sensor.
Each source is a *view*: a set of columns with its own kernels. The learned weights show how much
each view contributes. In this example one of three views is noise.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay
from learnkernels.inspection.displays.style import ORANGE

# %%
# The samples are images of digits with eight by eight pixels. The upper half is one view, the lower
# half another, and the third view has 32 columns of random numbers.

X, y = load_digits(return_X_y=True)
noise = np.random.default_rng(0).standard_normal((len(X), 32))
names = [f"{view}:{k}" for view in ("upper", "lower", "noise") for k in range(32)]
table = pd.DataFrame(np.hstack([X / 16, noise]), columns=names)
train, test, y_train, y_test = train_test_split(
    table, y, train_size=300, stratify=y, random_state=0
)

figure, axes = plt.subplots(1, 5, figsize=(7.2, 2.6), layout="constrained")
for ax, row in zip(axes, table.to_numpy(), strict=False):
    ax.imshow(row.reshape(12, 8), cmap="Greys", vmin=0, vmax=1)
    ax.hlines([3.5, 7.5], -0.5, 7.5, color=ORANGE, lw=1.5)
    ax.set_xticks([])
    ax.set_yticks([1.5, 5.5, 9.5], ["upper", "lower", "noise"])
    ax.label_outer()

# %%
# ``lk.on`` selects columns by a prefix of their names, and gives them kernels of their own.

views = [
    lk.on(f"{name}:", ["gaussians", "linear"])
    for name in ("upper", "lower", "noise")
]
options = {"C": [0.1, 1, 10, 100]}
models = {
    method: lk.KernelClassifier(views, method=method, **options).fit(train, y_train)
    for method in ("unif", "align", "alignf")
}
errors = {method: 1 - model.score(test, y_test) for method, model in models.items()}
pd.Series(errors, name="test error").to_frame().round(3)

# %%
# ``align`` gives the noise a small weight, ``alignf`` a weight of nearly zero:

figure, axes = plt.subplots(
    1, 3, figsize=(9.0, 2.2), sharex=True, layout="constrained"
)
for ax, (method, model) in zip(axes, models.items(), strict=True):
    WeightsDisplay(
        list(model.view_weights_), list(model.view_weights_.values()), method
    ).plot(ax)

# %%
# Missing views
# -------------
#
# With ``missing="neutral"`` one model can predict samples with a missing view. Such a sample is
# predicted by a machine that is trained on the views that it has, which share the weight of the
# missing view. The columns of the view may be absent from the new table. Here with the default
# method:

model = lk.KernelClassifier(views, missing="neutral").fit(train, y_train)
without = test.drop(columns=[name for name in names if name.startswith("lower:")])
alone = lk.KernelClassifier(views[:1]).fit(train, y_train)
missing = {
    "both halves": 1 - model.score(test, y_test),
    "lower half missing": 1 - model.score(without, y_test),
    "model of the upper half only": 1 - alone.score(test, y_test),
}
pd.Series(missing, name="test error").to_frame().round(3)

# %%
# The halves complete each other, so that a missing half costs accuracy. It costs no more than it
# costs a model that was trained without that half. See
# :doc:`views <../sources>`.

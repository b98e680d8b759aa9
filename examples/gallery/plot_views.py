"""
Views, one of them noise
========================

A table often joins several sources: two assays, a questionnaire, a sensor. Each is a *view*, some
columns with kernels of their own, and the learned weights say how much each view contributes. Here
one view is noise, and the model does not know which.
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
# Pictures of digits, eight by eight pixels. The upper half is one view, the lower half another, and
# a third one has 32 columns of random numbers.

X, y = load_digits(return_X_y=True)
noise = np.random.default_rng(0).standard_normal((len(X), 32))
names = [f"{view}:{k}" for view in ("upper", "lower", "noise") for k in range(32)]
table = pd.DataFrame(np.hstack([X / 16, noise]), columns=names)
train, test, y_train, y_test = train_test_split(
    table, y, train_size=600, stratify=y, random_state=0
)

figure, axes = plt.subplots(1, 5, figsize=(7.2, 2.6), layout="constrained")
for ax, row in zip(axes, table.to_numpy(), strict=False):
    ax.imshow(row.reshape(12, 8), cmap="Greys", vmin=0, vmax=1)
    ax.hlines([3.5, 7.5], -0.5, 7.5, color=ORANGE, lw=1.5)
    ax.set_xticks([])
    ax.set_yticks([1.5, 5.5, 9.5], ["upper", "lower", "noise"])
    ax.label_outer()

# %%
# ``lk.on`` chooses columns by the beginning of their names. Without kernels of its own a view gets
# the default ones, ten Gaussians and the linear kernel.

views = [lk.on("upper:"), lk.on("lower:"), lk.on("noise:")]
options = {"C": [0.1, 1, 10, 100], "missing": "neutral"}
models = {
    method: lk.KernelClassifier(views, method=method, **options).fit(train, y_train)
    for method in ("unif", "align", "alignf")
}
errors = {method: 1 - model.score(test, y_test) for method, model in models.items()}
pd.Series(errors, name="test error").to_frame().round(3)

# %%
# ``align`` lowers the weight of the noise, ``alignf`` takes it away:

figure, axes = plt.subplots(
    1, 3, figsize=(9.0, 2.2), sharex=True, layout="constrained"
)
for ax, (method, model) in zip(axes, models.items(), strict=True):
    WeightsDisplay(
        list(model.view_weights_), list(model.view_weights_.values()), method
    ).plot(ax)

# %%
# Samples that a view has not seen
# --------------------------------
#
# With ``missing="neutral"`` one model serves samples that lack a view. Such a sample stands at the
# view's mean in feature space: the view neither pulls nor pushes it. A new table may lack the
# columns altogether.

model = models["alignf"]
without = test.drop(columns=[name for name in names if name.startswith("lower:")])
alone = lk.KernelClassifier(views[:1], C=options["C"]).fit(train, y_train)
missing = {
    "both halves seen": 1 - model.score(test, y_test),
    "lower half missing": 1 - model.score(without, y_test),
    "a model of the upper half alone": 1 - alone.score(test, y_test),
}
pd.Series(missing, name="test error").to_frame().round(3)

# %%
# A model that learned to rely on a view misses it. Where it is known beforehand what will be
# absent, train without it; ``"neutral"`` is for the one model that has to serve all samples. More
# on :doc:`tables, texts, sequences and views <../sources>`.

"""
Stimuli and voxels: weights of each target
==========================================

An *encoding model* predicts the response of every voxel of the brain from features of a stimulus.
The features come from several models of the stimulus, such as its contours, its motion and its
meaning, and each voxel may depend on a different one. With ``weights="per_target"`` every voxel
has its own weights, and `score_by_view` shows which features predict it.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import r2_score

import learnkernels as lk

# %%
# The data are simulated: 300 stimuli for training and 200 new ones, three views of 80 features
# each, which are correlated between views, and 240 voxels. Three quarters of the voxels depend on
# one or two views, a quarter on all three equally. The noise differs from voxel to voxel.

rng = np.random.default_rng(0)
n, n_train, d = 500, 300, 80
names = ["contours", "motion", "meaning"]
proportions = {
    "contours": (1, 0, 0),
    "motion": (0, 1, 0),
    "meaning": (0, 0, 1),
    "contours and motion": (0.5, 0.5, 0),
    "all equally": (1 / 3, 1 / 3, 1 / 3),
}
counts = [45, 45, 45, 45, 60]
kinds = np.repeat(list(proportions), counts)  # (n_voxels,)
share = np.array([proportions[kind] for kind in kinds]).T  # (n_views, n_voxels)

common = rng.standard_normal((n, 20))
views = []
for _ in names:
    mixed = 0.3 * common @ rng.standard_normal((20, d))
    views.append(mixed + rng.standard_normal((n, d)))
signal = sum(
    np.sqrt(part) * (view @ rng.standard_normal((d, len(kinds)))) / np.sqrt(d)
    for part, view in zip(share, views, strict=True)
)
Y = signal + rng.uniform(0.5, 3, len(kinds)) * rng.standard_normal(signal.shape)
X = np.hstack(views)
X_train, X_test, Y_train, Y_test = (
    X[:n_train],
    X[n_train:],
    Y[:n_train],
    Y[n_train:],
)

# %%
# One linear kernel for each view. The three models differ in the weights: equal, learned for all
# voxels together, and learned for each voxel.

kernels = [
    lk.on(slice(k * d, (k + 1) * d), lk.linear(), name=name)
    for k, name in enumerate(names)
]
models = {
    "uniform": lk.KernelRegressor(kernels, method="unif"),
    "shared": lk.KernelRegressor(kernels),
    "per voxel": lk.KernelRegressor(kernels, weights="per_target"),
}
scores = pd.DataFrame({"voxels that depend on": kinds})
for name, model in models.items():
    outputs = model.fit(X_train, Y_train).predict(X_test)
    scores[name] = r2_score(Y_test, outputs, multioutput="raw_values")
table = scores.groupby("voxels that depend on", sort=False).mean()
table.loc["all voxels"] = scores[list(models)].mean()
table.round(3)  # mean R²

# %%
# What predicts a voxel?
# ----------------------
#
# The R² of a voxel is the sum of the scores of the views. Each row of the picture is a voxel.

by_view = models["per voxel"].score_by_view(X_test, Y_test)
parts = np.array([by_view[name] for name in names])  # (n_views, n_voxels)
figure, ax = plt.subplots(figsize=(4.8, 4.2), layout="constrained")
image = ax.imshow(
    parts.T, aspect="auto", cmap="Blues", vmin=0, interpolation="none"
)
ax.set_xticks(range(len(names)), names)
ends = np.cumsum(counts)
ax.set_yticks(ends - np.array(counts) / 2, list(proportions))
ax.hlines(ends[:-1] - 0.5, -0.5, len(names) - 0.5, color="black", lw=0.8)
figure.colorbar(image, label="part of R²")

# %%
# The view with the highest score is the right one for most voxels that depend on a single view:

single = np.isin(kinds, names)
found = np.array(names)[parts.argmax(axis=0)]
print(
    f"right view for {100 * np.mean(found[single] == kinds[single]):.0f} % of them"
)

# %%
# How much did learning the kernel help?
# --------------------------------------

gain = table["per voxel"] - table["uniform"]
for kind, difference in gain.items():
    print(f"{kind}: R² {difference:+.3f} compared with uniform weights")

# %%
# Weights of each voxel help where voxels depend on one view. They help little where voxels depend
# on all views equally, and part of that is the ``alpha`` of each voxel. Weights that all voxels
# share do not help: on average over the voxels, no view matters more than the others.

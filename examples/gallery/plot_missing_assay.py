"""
Cancer subtypes with a missing assay
====================================

The subtype of a breast tumour is to be predicted from three assays: micro-RNA, messenger RNA and
proteins. Some tumours come from a hospital that does not measure proteins. Do they need a second
model, and what does the missing assay cost?
"""

from __future__ import annotations

import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay

SPLITS = 1 if "LEARNKERNELS_QUICK" in os.environ else 5  # a short run
ASSAYS = ["mirna", "mrna", "protein"]

# %%
# The data are those of the R package mixOmics, from The Cancer Genome Atlas: 150 tumours with all
# assays and 70 further ones without proteins. The beginning of a column name is its assay. Where
# the files are not available, the page simulates such data.


def simulated(n=220, n_columns=40):
    rng = np.random.default_rng(0)
    subtype = rng.choice(["Basal", "Her2", "LumA"], n, p=[0.3, 0.2, 0.5])
    centers = pd.DataFrame(
        rng.standard_normal((3, 3 * n_columns)), ["Basal", "Her2", "LumA"]
    )
    noise = np.repeat([3.0, 2.0, 2.5], n_columns) * rng.standard_normal(
        (n, 3 * n_columns)
    )
    names = [f"{assay}:{j}" for assay in ASSAYS for j in range(n_columns)]
    table = pd.DataFrame(centers.loc[subtype].to_numpy() + noise, columns=names)
    return table.assign(target=subtype)


try:
    tumours = lk.datasets.load("breast_tcga_train")
    new = lk.datasets.load("breast_tcga_test")
except lk.InputError:
    tumours, new = simulated()[:150], simulated()[150:]
    new = new.drop(columns=[name for name in new if name.startswith("protein:")])
y, y_new = tumours.pop("target"), new.pop("target")
print(y.value_counts().to_dict(), "and", len(new), "tumours without proteins")

# %%
# One model for all tumours
# -------------------------
#
# Every assay is a view with kernels of its own. ``missing="neutral"`` allows samples that lack a
# view, in training and in prediction. The table of the new tumours has no protein columns at all.


def model(assays=ASSAYS, method="auto"):
    views = [lk.on(f"{assay}:", name=assay) for assay in assays]
    return lk.KernelClassifier(views, method, missing="neutral")


learned = model().fit(tumours, y)
print(f"accuracy on the new tumours: {learned.score(new, y_new):.3f}")

# %%
# A tumour without proteins is predicted by ridge on the two other assays. These keep their weights,
# and share that of the proteins in proportion to their alignment with the subtypes:


def by_assay(weights):
    return [weights[learned.kernel_views_ == assay].sum() for assay in ASSAYS]


figure, axes = plt.subplots(
    1, 2, figsize=(7.2, 1.8), sharex=True, layout="constrained"
)
for ax, (title, weights) in zip(
    axes,
    {
        "all assays": learned.weights_,
        "without proteins": learned.weights_without("protein"),
    }.items(),
    strict=True,
):
    WeightsDisplay(ASSAYS, by_assay(weights), title).plot(ax)

# %%
# What a missing assay costs
# --------------------------
#
# In random splits of the 150 tumours, each assay is removed from the test part. There are two other
# ways to predict such tumours: a model that was trained without the assay, and the model of all
# assays with the mean of the training part in every cell that is missing.


def without(table, assay):
    return table.drop(columns=[name for name in table if name.startswith(assay)])


def accuracies(seed):
    train, test, y_train, y_test = train_test_split(
        tumours, y, test_size=1 / 3, stratify=y, random_state=seed
    )
    full, uniform = (
        model(method=method).fit(train, y_train) for method in ("auto", "unif")
    )
    complete = {
        "complete": full.score(test, y_test),
        "complete, uniform weights": uniform.score(test, y_test),
    }
    for assay in ASSAYS:
        gap = without(test, assay)
        filled = gap.reindex(columns=train.columns).fillna(train.mean())
        alone = model([other for other in ASSAYS if other != assay])
        yield {
            "missing": assay,
            "one model": full.score(gap, y_test),
            "trained without it": alone.fit(train, y_train).score(gap, y_test),
            "cells filled by means": full.score(filled, y_test),
            "uniform weights": uniform.score(gap, y_test),
            **complete,
        }


rows = pd.DataFrame([row for seed in range(SPLITS) for row in accuracies(seed)])
table = rows.groupby("missing").mean()
ways = ["one model", "trained without it", "cells filled by means"]
table[ways].round(3)

# %%
figure, ax = plt.subplots(figsize=(7.2, 2.2), layout="constrained")
for marker, name in zip("osx", ways, strict=True):
    ax.plot(table[name], table.index, marker, ms=8, label=name, fillstyle="none")
complete = table["complete"].mean()
ax.axvline(complete, color="grey", lw=1, ls=":", label="no assay missing")
ax.set(xlabel="accuracy", ylabel="missing assay", ylim=(-0.5, 2.5))
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)

# %%
# How much did learning the kernel help?
# --------------------------------------

gains = {
    "learned weights, complete": table["complete"]
    - table["complete, uniform weights"],
    "learned weights, an assay missing": table["one model"]
    - table["uniform weights"],
    "ridge on the other assays": table["one model"]
    - table["cells filled by means"],
}
for name, gain in gains.items():
    print(f"{name}: accuracy {gain.mean():+.3f}")

# %%
# On these tumours, learning the weights does not help: uniform weights are as accurate, with all
# assays and without one. What helps is ridge on the assays that a tumour has. Without messenger
# RNA, the model that gets means in place of its cells errs for a third of the tumours; the one
# model is as accurate as one that was trained for such tumours. See
# :doc:`views <../sources>` for data on which weights matter more.

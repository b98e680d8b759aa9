"""
Time series: global alignment
=============================

Two time series can have the same shape at different times. The *global alignment kernel* compares
them after stretching, summed over all alignments. Its width has to be chosen, or learned.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from tslearn.datasets import CachedDatasets
from tslearn.metrics import cdist_gak, sigma_gak

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay

# %%
# Trace, which tslearn contains: simulated failures of instruments in a nuclear power plant, of four
# kinds. The page takes every third of the 275 time points.

first, y_first, second, y_second = CachedDatasets().load_dataset("Trace")
X = np.concatenate([first, second])[:, ::3, 0]  # (n_series, n_times)
y = np.concatenate([y_first, y_second])
figure, axes = plt.subplots(
    1, 4, figsize=(9.6, 2.2), sharey=True, layout="constrained"
)
for ax, kind in zip(axes, np.unique(y), strict=True):
    ax.plot(X[y == kind][:8].T, lw=0.8, alpha=0.7)
    ax.set(title=f"kind {kind}", xlabel="time")

# %%
# Kernels of several widths, with alignment (by tslearn) and without (Gaussians of the values). A
# function such as ``functools.partial(cdist_gak, sigma=4.0)`` can be given as a kernel. This page
# computes the Gram matrices once, because it trains many models.

width = sigma_gak(X, random_state=0)
grams = {}
for part in (0.1, 0.3, 1.0):
    grams[f"alignment, width {part * width:.2g}"] = cdist_gak(X, sigma=part * width)
distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
for part in (0.1, 1.0):
    gamma = part / np.median(distances)
    grams[f"values, gamma {gamma:.2g}"] = np.exp(-gamma * distances)
stack = np.stack(list(grams.values()), axis=-1)  # (n_series, n_series, n_kernels)

# %%
# Accuracy after training on 32 series, and on 64, with 10 random splits each:


def accuracy(stack, method, size):
    splits = StratifiedShuffleSplit(10, train_size=size, random_state=0)
    model = lk.KernelClassifier("precomputed", method)
    return cross_val_score(model, stack, y, cv=splits).mean()


scores = {}
for size in (32, 64):
    found = {
        name: accuracy(stack[:, :, [k]], "unif", size)
        for k, name in enumerate(grams)
    }
    found["all, uniform weights"] = accuracy(stack, "unif", size)
    found["all, learned weights"] = accuracy(stack, "auto", size)
    scores[f"{size} training series"] = found
scores = pd.DataFrame(scores)
scores.round(3)

# %%
# The weights
# -----------

model = lk.KernelClassifier("precomputed").fit(stack, y)
figure, ax = plt.subplots(figsize=(5.6, 2.4), layout="constrained")
WeightsDisplay(list(grams), list(model.weights_)).plot(ax)

# %%
# How much did learning the kernel help?
# --------------------------------------

gain = scores.loc["all, learned weights"] - scores.loc["all, uniform weights"]
for size, difference in gain.items():
    print(f"{size}: accuracy {difference:+.3f} compared with uniform weights")

# %%
# Learning helps, most of all with few training series: the kernels without alignment get no weight.
# A single alignment kernel of the best width, which is known only after the comparison, is as
# accurate with 64 series and less accurate with 32.

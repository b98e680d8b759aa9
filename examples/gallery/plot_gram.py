"""
Plot the learned Gram matrix
============================

A kernel is suitable for classification if samples of one class are similar to each other and not to
other samples. If the samples are sorted by class, its Gram matrix then has blocks on the diagonal.
Learned weights make the blocks clearer, which alignment measures.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import GramDisplay, WeightsDisplay

# %%
# The data set has 178 wines of three classes with 13 measurements each. Every measurement is a view
# with three Gaussians of different widths.

wine = load_wine()
X, y = scale(wine.data), wine.target
kernels = [
    lk.on([column], lk.gaussians([0.1, 1.0, 10.0]), name=name)
    for column, name in enumerate(wine.feature_names)
]
models = {
    "uniform weights": lk.KernelClassifier(kernels, method="unif").fit(X, y),
    "learned weights": lk.KernelClassifier(kernels, method="alignf").fit(X, y),
}

# %%
# Both Gram matrices are centered. Red pairs are more similar than the average pair, blue pairs
# less.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    GramDisplay.from_estimator(model, X, y, ax=ax)
    ax.set_title(f"{name}, alignment {model.alignment_:.2f}", loc="left")
    ax.set_ylabel("class of wine")

# %%
# ``alignf`` gives weight to a few measurements. A measurement with weight zero has little
# information on the class, or the same information as the others:

WeightsDisplay.from_estimator(models["learned weights"], by="view")

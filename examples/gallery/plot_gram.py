"""
The learned kernel as a picture
===============================

A kernel is good for classification where samples of one class are similar to each other and not to
the rest: with the samples in order of their class, its Gram matrix shows blocks on the diagonal.
Learning the weights makes the blocks clearer, and alignment measures by how much.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import GramDisplay, WeightsDisplay

# %%
# Three kinds of wine, 178 bottles, 13 measurements. Every measurement is a view with three
# Gaussians, a wide one, a middle one and a narrow one.

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
# Both Grams are of centered kernels: red is more similar than the average pair, blue is less.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    GramDisplay.from_estimator(model, X, y, ax=ax)
    ax.set_title(f"{name}, alignment {model.alignment_:.2f}", loc="left")
    ax.set_ylabel("kind of wine")

# %%
# ``alignf`` relies on a few measurements. Those without weight say little about the kind of wine,
# or nothing that the others do not say:

WeightsDisplay.from_estimator(models["learned weights"], by="view")

"""
Drug response: pairs of drugs and cell lines
============================================

How strongly does a cancer cell line respond to a drug? A sample is a *pair*, and each of its
objects has several descriptions: fingerprints of the drug; expression, methylation, copy numbers
and mutations of the cell line. Which descriptions matter, and how good are predictions for drugs
that were never tested?
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import learnkernels as lk
from learnkernels.inspection import WeightsDisplay
from learnkernels.model_selection import PairFold

# %%
# The data are those of pairwiseMKL (Cichonska et al., 2018): 10 kernels of drugs, 12 of cell lines,
# and the response of every cell line to every drug. The page takes every second drug and cell line.
# Where the file is not available, it simulates such data, in which few of the kernels matter.


def simulated():
    rng = np.random.default_rng(0)
    Z = {side: rng.standard_normal((4, 40, 2)) for side in ("drug", "cell")}
    grams = [
        {
            f"{side} {k}": np.exp(-((z[:, None] - z) ** 2).sum(axis=2) / 4)
            for k, z in enumerate(own)
        }
        for side, own in Z.items()
    ]
    response = np.sin(Z["drug"][0]) @ Z["cell"][0].T + Z["cell"][1][:, 0]
    return *grams, response + 0.5 * rng.standard_normal(response.shape)


try:
    data = lk.datasets.drug_response()
    drugs, cells = (
        {name: K[::2, ::2] for name, K in side.items()}
        for side in (data.left, data.right)
    )
    response = data.y.reshape(124, 124)[::2, ::2]
except lk.InputError:
    drugs, cells, response = simulated()

X = np.argwhere(
    np.isfinite(response)
)  # (n_pairs, 2): row of the drug, row of the cell line
y = response[tuple(X.T)]
print(len(drugs), "x", len(cells), "kernels,", len(y), "pairs")

# %%
# ``lk.pairs`` makes a kernel for every product of a drug kernel and a cell line kernel. No Gram
# matrix of the pairs is formed: statistics and predictions are sums over drugs and cell lines.

kernels = lk.pairs(drugs, cells)

# %%
# What is new in the test data?
# -----------------------------
#
# A random quarter of the pairs is easy: other pairs have the same drug and the same cell line. A
# new drug is harder, and a new drug in a new cell line harder still. ``PairFold`` makes such folds.
# The same setting chooses everything inside `fit`: the method and ``alpha``.


def held_out_rmse(setting, method):
    train, test = next(iter(PairFold(4, setting, random_state=1).split(X)))
    model = lk.KernelRegressor(kernels, method, cv=PairFold(2, setting))
    model.fit(X[train], y[train])
    return np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2)), model


settings = {
    "pair": "new pair",
    "left": "new drug",
    "right": "new cell line",
    "both": "both new",
}
errors, models = {}, {}
for setting, name in settings.items():
    uniform, _ = held_out_rmse(setting, "unif")
    learned, models[setting] = held_out_rmse(setting, "auto")
    errors[name] = {"uniform weights": uniform, "learned weights": learned}
table = pd.DataFrame(errors).T
table["standard deviation of y"] = y.std()
table.round(3)

# %%
# Which kernels have weight
# -------------------------
#
# ``selection_`` is the table of the methods that were compared, here with folds of new pairs:

print(models["pair"].selection_)

# %%
# The weights of the products with most weight, if pairs are new and if drugs are:

figure, axes = plt.subplots(1, 2, figsize=(9.6, 2.6), layout="constrained")
for ax, setting in zip(axes, ("pair", "left"), strict=True):
    model = models[setting]
    top = np.argsort(-model.weights_)[:6]
    WeightsDisplay(
        list(model.kernel_names_[top]), list(model.weights_[top]), settings[setting]
    ).plot(ax)

# %%
# Predictions of known and of new drugs
# -------------------------------------

figure, axes = plt.subplots(
    1, 2, figsize=(7.2, 3.4), sharex=True, sharey=True, layout="constrained"
)
for ax, setting in zip(axes, ("pair", "left"), strict=True):
    _, test = next(iter(PairFold(4, setting, random_state=1).split(X)))
    ax.scatter(y[test], models[setting].predict(X[test]), s=4, alpha=0.4)
    ax.set(title=settings[setting], xlabel="measured response", box_aspect=1)
axes[0].set_ylabel("predicted response")

# %%
# How much did learning the kernel help?
# --------------------------------------

gain = 1 - table["learned weights"] / table["uniform weights"]
for name, part in gain.items():
    print(f"{name}: RMSE {100 * part:.1f} % lower than with uniform weights")

# %%
# On the drug responses, learning helps a little for new pairs (about 2 %) and not at all for new
# drugs or new cell lines, where ``auto`` keeps weights close to uniform. What is new in the test
# data matters far more than the weights. A few of the 120 products predict new pairs as well as all
# of them do, which is of use where descriptions are expensive.

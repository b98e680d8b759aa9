"""Draw the picture of the README: errors on the papers' data sets, and one learned kernel.

Needs the genuine data sets (LEARNKERNELS_DATA). Run: python examples/picture.py docs/picture.png
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import learnkernels as lk
from learnkernels.inspect import compare

SETS = {
    "ionosphere": ("ionosphere", -3, 3, "regression"),
    "kin8nm": ("kinematics", -3, 3, "regression"),
    "splice_binary_train": ("splice", -9, -3, "classification"),
    "german_numeric": ("german", -4, 3, "classification"),
    "spambase": ("spambase", -12, -7, "classification"),
}
MEASURES = {"regression": "RMSE", "classification": "error rate"}
BLUE, GREY, INK = "#0072b2", "#b8bec6", "#22272e"


def data(name):
    """Features and target, prepared as in the paper."""
    table = pd.read_csv(Path(os.environ["LEARNKERNELS_DATA"], f"{name}.csv.gz"))
    X, y = table.drop(columns="target").to_numpy(float), table["target"].to_numpy()
    if name == "ionosphere":
        y = np.where(y == "g", 1.0, -1.0)
    if name == "german_numeric":
        X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    chosen = np.random.default_rng(0).permutation(len(y))[:1000]
    return X[chosen], y[chosen]


def main(path):
    """Compare, then draw."""
    errors, shown = [], None
    for name, (_, low, high, task) in SETS.items():
        kernels = lk.gaussians(2.0 ** np.arange(low, high + 1))
        found = compare(*data(name), ["unif", "alignf"], kernels=kernels, task=task)
        errors.append([(row.error_mean, row.error_std / np.sqrt(5)) for row in found.methods])
        if name == "kin8nm":
            shown = (np.arange(low, high + 1), found.methods[1].weights_mean)
    errors = np.array(errors)  # (set, method, mean or standard error)

    plt.rcParams |= {"font.size": 10, "axes.edgecolor": INK, "text.color": INK}
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 3.4), width_ratios=[1.7, 1], layout="constrained"
    )
    place = np.arange(len(SETS))
    for m, (label, colour) in enumerate([("uniform weights", GREY), ("alignf", BLUE)]):
        left.bar(
            place + (m - 0.5) * 0.38, errors[:, m, 0], 0.36, yerr=errors[:, m, 1], label=label,
            color=colour, error_kw={"ecolor": INK, "elinewidth": 1},
        )  # fmt: skip
    left.set_xticks(place, [f"{title}\n({MEASURES[task]})" for title, _, _, task in SETS.values()])
    left.set_ylabel("test error (± standard error)")
    left.set_title("Learned weights against equal weights", loc="left")
    left.legend(frameon=False)
    powers, weights = shown
    right.bar(powers, weights, 0.7, color=BLUE)
    right.set_xticks(powers, [f"$2^{{{power}}}$" for power in powers])
    right.set_xlabel("gamma of the Gaussian")
    right.set_ylabel("weight")
    right.set_title("What was learned on kinematics", loc="left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1])

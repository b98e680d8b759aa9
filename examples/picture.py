"""Draw the picture of the README: errors on the papers' data sets, and one learned kernel.

Needs the genuine data sets (LEARNKERNELS_DATA). Run: python examples/picture.py docs/picture.png
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

from learnkernels.inspection import compare
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, sample

MEASURES = {"regression": "RMSE", "classification": "error rate"}
BLUE, GREY, INK = "#0072b2", "#b8bec6", "#22272e"


def main(path):
    """Compare, then draw."""
    errors, shown = [], None
    for name, problem in PROBLEMS.items():
        X, y = sample(name, seed=0, repetition=0)
        found = compare(X, y, ["unif", "alignf"], kernels=problem.kernels, task=problem.task)
        errors.append([(row.error_mean, row.error_std / np.sqrt(5)) for row in found.methods])
        if name == "kinematics":
            shown = (np.log2(problem.gammas), found.methods[1].weights_mean)
    errors = np.array(errors)  # (set, method, mean or standard error)

    plt.rcParams |= {"font.size": 10, "axes.edgecolor": INK, "text.color": INK}
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 3.4), width_ratios=[1.7, 1], layout="constrained"
    )
    place = np.arange(len(PROBLEMS))
    for m, (label, colour) in enumerate([("uniform weights", GREY), ("alignf", BLUE)]):
        left.bar(
            place + (m - 0.5) * 0.38, errors[:, m, 0], 0.36, yerr=errors[:, m, 1], label=label,
            color=colour, error_kw={"ecolor": INK, "elinewidth": 1},
        )  # fmt: skip
    names = [f"{name}\n({MEASURES[problem.task]})" for name, problem in PROBLEMS.items()]
    left.set_xticks(place, names)
    left.set_ylabel("test error (± standard error)")
    left.set_title("Learned weights against equal weights", loc="left")
    left.legend(frameon=False)
    powers, weights = shown
    right.bar(powers, weights, 0.7, color=BLUE)
    right.set_xticks(powers, [f"$2^{{{power:.0f}}}$" for power in powers])
    right.set_xlabel("gamma of the Gaussian")
    right.set_ylabel("weight")
    right.set_title("What was learned on kinematics", loc="left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1])

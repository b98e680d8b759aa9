"""Draw the picture of the README: errors on the papers' data sets, and one learned kernel.

The errors are those of docs/results/2012-table2.json. The weights need the genuine data sets
(LEARNKERNELS_DATA). Run: python examples/picture.py docs/picture.png
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import learnkernels as lk
from learnkernels.reproductions.alignment_2012.problems import PROBLEMS, sample

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "2012-table2.json"
MEASURES = {"regression": "RMSE", "classification": "error rate"}
BLUE, GREY, INK = "#0072b2", "#b8bec6", "#22272e"


def main(path):
    """Read the errors, learn the weights, then draw."""
    errors = json.loads(RESULTS.read_text())["tables"][0]["values"]
    kinematics = PROBLEMS["kinematics"]
    X, y = sample("kinematics", random_state=0, repetition=0)
    model = lk.KernelRegressor(kinematics.kernels, "alignf", alpha=1.0).fit(X, y)

    plt.rcParams |= {"font.size": 10, "axes.edgecolor": INK, "text.color": INK}
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9.5, 3.4), width_ratios=[1.7, 1], layout="constrained"
    )
    place = np.arange(len(PROBLEMS))
    for m, (method, label, colour) in enumerate(
        [("unif", "uniform weights", GREY), ("alignf", "alignf", BLUE)]
    ):
        found = [errors[method][name] for name in PROBLEMS]
        left.bar(
            place + (m - 0.5) * 0.38, [one["ours"] for one in found], 0.36, label=label,
            yerr=[one["spread"] for one in found], color=colour,
            error_kw={"ecolor": INK, "elinewidth": 1},
        )  # fmt: skip
    names = [f"{name}\n({MEASURES[problem.task]})" for name, problem in PROBLEMS.items()]
    left.set_xticks(place, names)
    left.set_ylabel("test error (± standard deviation)")
    left.set_title("Learned weights against equal weights", loc="left")
    left.legend(frameon=False)
    powers = np.log2(kinematics.gammas)
    right.bar(powers, model.weights_, 0.7, color=BLUE)
    right.set_xticks(powers, [f"$2^{{{power:.0f}}}$" for power in powers])
    right.set_xlabel("gamma of the Gaussian")
    right.set_ylabel("weight")
    right.set_title("What was learned on kinematics", loc="left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1])

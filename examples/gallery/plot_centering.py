"""
Why alignment is centered
=========================

Figure 1 of Cortes, Mohri and Rostamizadeh (2012). A part ``alpha`` of the points is at (-1, 0) and
has the label -1, the others are at (1, 0) and have the label 1. The kernel ``<x, z> + 1`` separates
the classes perfectly, whatever the class sizes, so its alignment with the labels should be 1.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import learnkernels as lk

n = 200
parts = np.linspace(0.05, 0.95, 19)


def alignments(alpha: float) -> tuple[float, float]:
    """Return the alignment without and with centering."""
    y = np.where(np.arange(n) < alpha * n, -1.0, 1.0)
    X = np.column_stack([y, np.zeros(n)])
    K, target = X @ X.T + 1, np.outer(y, y)
    return (
        float(lk.alignment(K, target, centered=False)),
        float(lk.alignment(K, target)),
    )


older, centered = np.array([alignments(alpha) for alpha in parts]).T

# %%
# Without centering the alignment is ``sqrt(alpha^2 + (1 - alpha)^2)``: it measures the class sizes.
# Centered alignment is 1 for all of them.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
left.scatter([-1, 1], [0, 0], s=[160, 240], c=["tab:red", "tab:blue"])
left.annotate("part alpha, label -1", (-1, 0), (-1.35, 0.25))
left.annotate("part 1 - alpha, label 1", (1, 0), (0.3, 0.25))
left.set(xlim=(-1.6, 1.9), ylim=(-0.6, 0.6), xlabel="$x_1$", ylabel="$x_2$")
right.plot(parts, older, "k-", label="not centered")
right.plot(parts, centered, "b:", label="centered")
right.set(xlabel="alpha", ylabel="alignment", ylim=(0.6, 1.05))
right.legend(frameon=False)

# %%
# A constant that is added to a kernel changes no prediction of a machine with an intercept. It
# changes the alignment without centering, towards that of a constant kernel:

y = np.where(np.arange(n) < 0.3 * n, -1.0, 1.0)
target = np.outer(y, y)
table = pd.DataFrame(
    {
        name: {
            c: lk.alignment(np.outer(y, y) + c, target, centered=flag)
            for c in (0, 1, 10)
        }
        for name, flag in [("not centered", False), ("centered", True)]
    }
)
table.index.name = "constant"
table.round(3)

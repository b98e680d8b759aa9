"""
The cut-off of the tail sum
===========================

Figure 1 of Cortes, Kloft and Mohri (2013). The local Rademacher complexity of the unit ball of a
kernel is at most the square root of ``2 / n`` times the shaded area below, for any cut-off
``theta``:

``theta * r + sum of the eigenvalues after the theta largest``
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import learnkernels as lk

eigenvalues = np.arange(1, 21) ** -1.2
r = 0.18
# ``tails[theta]`` is the sum of all eigenvalues but the theta largest.
tails = lk.theory.tail_sums(eigenvalues)
areas = r * np.arange(len(tails)) + tails

# %%
# The area is smallest if ``theta`` counts the eigenvalues above ``r``. Then it is the sum of
# ``min(r, eigenvalue)``. With a smaller cut-off large eigenvalues count in full, with a larger one
# small eigenvalues count as ``r``.

best = int(np.argmin(areas))
smallest = np.minimum(r, eigenvalues).sum()
figure, axes = plt.subplots(
    1, 3, figsize=(10, 3), sharey=True, layout="constrained"
)
titles = ("too small", "appropriate", "too large")
for ax, theta, title in zip(axes, (1, best, 12), titles, strict=True):
    heights = np.where(np.arange(20) < theta, r, eigenvalues)
    ax.bar(np.arange(1, 21), heights, width=1.0, color="0.8", edgecolor="0.7")
    ax.step(
        np.arange(0.5, 21), [*eigenvalues, eigenvalues[-1]], where="post", color="k"
    )
    ax.axhline(r, color="tab:red", ls="--", lw=1)
    ax.set(title=f"theta = {theta}, {title}: area {areas[theta]:.2f}", xlabel="j")
axes[0].set_ylabel("eigenvalue; r dashed")

# %%
# The methods ``conv`` and ``dc`` bound the tail sum at a cut-off that the user chooses, as ``r`` is
# not known (:doc:`eigenvalues and the methods conv and dc <plot_spectrum>`).

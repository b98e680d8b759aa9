"""
Two kernels with coefficients of their own, against their sum
=============================================================

A regressor may give each of two kernels its own coefficients at every training point, or use their
sum with one coefficient a point. The first model is larger. You see here, after Tanaka and Imai
(2017), that with the usual squared norm it is no better: both learn the same function (theorem 4,
and theorem 5 with noise), and both miss the best function that the larger model holds, its
theoretical limit (theorem 3). The sum does the same for less work.

Run: python examples/two_kernels_against_their_sum.py [picture.png]
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnkernels.kernels import Gaussian
from learnkernels.theory.regressors import (
    KernelFunction,
    generalization_error,
    multiple_kernel_regressor,
    single_kernel_regressor,
    squared_norm,
    theoretical_limit,
)

# %%
# The paper's setting: two Gaussian densities, and a dense set Z that covers where the functions
# live. All errors are squared distances in the Hilbert space of the sum kernel.


def density(sigma):
    """Gaussian kernel scaled to a density, eq. (73)."""
    kernel = Gaussian(gamma=1 / (2 * sigma**2))
    return lambda X, Z: kernel(X, Z) / (np.sqrt(2 * np.pi) * sigma)


kernels = [density(1.0), density(2.0)]
Z = 0.05 * np.arange(-200, 201)[:, None]

# %%
# A target with 20 random centres, five training points, and what is learned from them: without
# noise by interpolation, with noise (0.1) by regularisation (0.01).


def draw(seed):
    """The target, the training points, and the functions by name."""
    rng = np.random.default_rng(seed)
    target = KernelFunction(kernels, rng.standard_normal((20, 1)), rng.standard_normal(20))
    X = rng.standard_normal((5, 1))
    values = {"clean": target(X)}
    values["noisy"] = values["clean"] + 0.1 * rng.standard_normal(5)
    functions = {
        "TL": theoretical_limit(target, X, Z),
        "MKR": multiple_kernel_regressor(kernels, X, values["clean"], Z),
        "SKR": single_kernel_regressor(kernels, X, values["clean"]),
        "MKR_REG": multiple_kernel_regressor(kernels, X, values["noisy"], Z, regularization=0.01),
        "SKR_REG": single_kernel_regressor(kernels, X, values["noisy"], regularization=0.01),
    }
    return target, X, values, functions


# %%
# Table 1 for ten draws. TL is the theoretical limit, MKR the regressor with coefficients for each
# kernel, SKR that of the sum kernel, _REG the same with noise and regularisation.

draws = {seed: draw(seed) for seed in range(10)}
rows, differences = {}, {}
for seed, (target, _, _, functions) in draws.items():
    errors = {name: generalization_error(target, g, Z) for name, g in functions.items()}
    rows[seed] = {"|f|^2": squared_norm(target)} | errors
    curves = {name: g(Z) for name, g in functions.items()}
    differences[seed] = {
        "noise-free": np.abs(curves["MKR"] - curves["SKR"]).max(),
        "regularised": np.abs(curves["MKR_REG"] - curves["SKR_REG"]).max(),
    }
table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("draw")
differences = pd.DataFrame.from_dict(differences, orient="index").rename_axis("draw")
paper = pd.Series({"|f|^2": 3.0284, "TL": 0.0220, "MKR": 0.6709, "SKR": 0.6708}, name="paper")

print("Generalization errors")
print(pd.concat([table, paper.to_frame().T]).to_string(float_format="{:.4f}".format, na_rep=""))
print("\nLargest difference between MKR and SKR on Z")
print(differences.to_string(float_format="{:.0e}".format))

# %%
# The paper had one draw of its own and does not print it, so its line can be compared only in kind:
# the limit is far below what is learned, and MKR and SKR agree. Its MKR and SKR differ in the
# fourth digit, and so would ours if the stabiliser gamma (whose value the paper does not print)
# were added to all of Z and Z lacked the training points, as there. ``learnkernels.theory`` counts
# the training points to Z and keeps them free of gamma, and the two agree to rounding. For the
# noisy case the paper prints no errors.

factors = table["SKR"] / table["TL"]
print(
    f"""
What is learned has {factors.min():.0f} to {factors.max():.0f} times the error of the limit, \
in the paper {paper["SKR"] / paper["TL"]:.0f} times.
The paper's line is a random draw that it does not print: compare it in kind, not in digits.
Its MKR and SKR differ by 0.0001, as ours would if all of Z were stabilised and Z lacked the
training points; here these belong to Z and are free of gamma, which leaves only rounding."""
)

# %%
# Figures 2 and 3, for the draw whose errors have shares of |f|^2 most like the paper's. MKR is a
# broad band, for SKR lies exactly on it.

shares = np.log(table[["TL", "SKR"]].div(table["|f|^2"], axis=0))
chosen = (shares - np.log(paper[["TL", "SKR"]] / paper["|f|^2"])).pow(2).sum(axis=1).idxmin()
target, X, values, functions = draws[chosen]

INK, BLUE, ORANGE, VERMILLION = "#22272e", "#0072b2", "#f0b849", "#b34700"
x = np.linspace(-8, 8, 401)[:, None]

plt.rcParams |= {"font.size": 10, "axes.edgecolor": INK, "text.color": INK}
figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, layout="constrained")
for axes, data, suffix, title in zip(
    panels,
    ["clean", "noisy"],
    ["", "_REG"],
    ["Figure 2: noise-free values, interpolated", "Figure 3: noisy values, regularised"],
    strict=True,
):
    several, one = functions["MKR" + suffix], functions["SKR" + suffix]
    axes.plot(x, several(x), color=ORANGE, lw=6, label="MKR: coefficients for each kernel")
    axes.plot(x, one(x), color=VERMILLION, lw=1.6, ls="--", label="SKR: sum kernel")
    axes.plot(x, target(x), color=INK, lw=1.6, label="true function")
    axes.plot(x, functions["TL"](x), color=BLUE, lw=1.8, ls=":", label="theoretical limit")
    axes.plot(X, values[data], "o", color=INK, mfc="white", ms=6, zorder=3, label="training data")
    axes.set_title(title, loc="left")
    axes.set_xlabel("input x")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("value of the function")
handles, labels = panels[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)

path = sys.argv[1] if len(sys.argv) > 1 else "two_kernels_against_their_sum.png"
figure.savefig(path, dpi=130)
print(f"\nFigures 2 and 3 for draw {chosen}: {path}")

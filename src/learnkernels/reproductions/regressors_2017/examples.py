"""Section 4: without noise (table 1, figure 2) and with noise (figure 3).

The target has 20 random centres, and there are five training points. The paper reports one random
draw; here there are several, because the numbers depend on the draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.kernels import Gaussian
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Panel,
    Piece,
    Protocol,
    ResultTable,
    Series,
    Value,
    generator,
    paper_numbers,
)
from learnkernels.theory import (
    KernelFunction,
    generalization_error,
    multiple_kernel_regressor,
    single_kernel_regressor,
    squared_norm,
    theoretical_limit,
)

NOISE, LAMBDA = 0.1, 0.01
NORM = "squared norm of the target"
# Dense set that covers the support of the functions, eq. (71).
Z = 0.05 * np.arange(-200, 201)[:, None]
SHOWN = np.linspace(-8, 8, 161)[:, None]
FIGURES = {"figure 2": ("", "without noise"), "figure 3": ("_REG", "with noise, regularised")}


class Density:
    """Gaussian kernel scaled to a density, eq. (73)."""

    def __init__(self, sigma: float):
        self.kernel = Gaussian(gamma=1 / (2 * sigma**2))
        self.scale = 1 / (np.sqrt(2 * np.pi) * sigma)

    def __call__(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.asarray(self.scale * self.kernel(X, Z))


def plan(quick: bool) -> list[dict[str, Any]]:
    return [{"draw": draw} for draw in range(3 if quick else 20)]


def run(draw: int, random_state: int) -> dict[str, Any]:
    """Draw a target, learn it, and return errors, differences and curves."""
    kernels = [Density(1.0), Density(2.0)]
    rng = generator(random_state, draw)
    target = KernelFunction(kernels, rng.standard_normal((20, 1)), rng.standard_normal(20))
    X = rng.standard_normal((5, 1))
    clean = target(X)
    noisy = clean + NOISE * rng.standard_normal(5)
    functions = {
        "TL": theoretical_limit(target, X, Z),
        "MKR": multiple_kernel_regressor(kernels, X, clean, Z),
        "SKR": single_kernel_regressor(kernels, X, clean),
        "MKR_REG": multiple_kernel_regressor(kernels, X, noisy, Z, regularization=LAMBDA),
        "SKR_REG": single_kernel_regressor(kernels, X, noisy, regularization=LAMBDA),
    }
    on_Z = {name: function(Z) for name, function in functions.items()}
    return {
        "errors": {
            name: float(generalization_error(target, function, Z))
            for name, function in functions.items()
        },
        NORM: float(squared_norm(target)),
        "differences": {
            suffix: float(np.abs(on_Z["MKR" + suffix] - on_Z["SKR" + suffix]).max())
            for suffix, _ in FIGURES.values()
        },
        "curves": {
            name: np.ravel(function(SHOWN)).tolist()
            for name, function in (functions | {"true function": target}).items()
        },
        "points": {"x": X.ravel().tolist(), "": clean.tolist(), "_REG": noisy.tolist()},
    }


PROTOCOL = Protocol("examples_2017", plan, run, lambda parameters: None)


def section_4(pieces: list[Piece]) -> Outcome:
    """Return the table, claims and figures of section 4."""
    paper = paper_numbers(__package__, "table 1")
    found = [piece.result for piece in pieces]
    chosen = most_like(found, paper)
    names = [name for name in paper if name != NORM]
    rows = {
        f"draw {piece.parameters['draw']}" + (" (drawn)" if piece.result is chosen else ""): {
            NORM: Value(piece.result[NORM], None, paper[NORM] if piece.result is chosen else None)
        }
        | {
            name: Value(
                piece.result["errors"][name], None, paper[name] if piece.result is chosen else None
            )
            for name in names
        }
        for piece in pieces
    }
    apart = [max(result["differences"].values()) for result in found]
    factors = [
        min(result["errors"][name] for name in ("MKR", "SKR")) / result["errors"]["TL"]
        for result in found
    ]
    claims = [
        Claim(
            "MKR and SKR are the same function, without and with noise (theorems 4 and 5)",
            max(apart) < 1e-6,
            f"largest difference {max(apart):.0e}",
        ),
        Claim(
            "neither attains the theoretical limit (theorem 3)",
            min(factors) > 1,
            f"their error is {min(factors):.0f} to {max(factors):.0f} times that of the limit, "
            f"in the paper {paper['SKR'] / paper['TL']:.0f} times",
        ),
    ]  # fmt: skip
    panels = [panel_of(chosen, name, *kind) for name, kind in FIGURES.items()]
    title = "Generalization errors; the paper's draw is not printed, and stands beside the one most"
    return Outcome([ResultTable(f"{title} like it", "draw", rows, digits=4)], claims, panels)


def most_like(found: list[dict[str, Any]], paper: dict[str, Any]) -> dict[str, Any]:
    """Return the draw whose errors relative to the target's squared norm match the paper best."""

    def distance(result: dict[str, Any]) -> float:
        ratios = [
            result["errors"][name] / result[NORM] * paper[NORM] / paper[name]
            for name in ("TL", "SKR")
        ]
        return float(sum(np.log(ratios) ** 2))

    return min(found, key=distance)


def panel_of(result: dict[str, Any], name: str, suffix: str, title: str) -> Panel:
    x = SHOWN.ravel().tolist()
    curves = result["curves"]
    lines = [
        Series("MKR: coefficients for each kernel", x, curves["MKR" + suffix], "band"),
        Series("SKR: sum kernel", x, curves["SKR" + suffix], "curve"),
        Series("theoretical limit", x, curves["TL"], "curve"),
        Series("true function", x, curves["true function"], "curve"),
        Series("training data", result["points"]["x"], result["points"][suffix], "points"),
    ]
    return Panel(f"{name}: {title}", "input x", "value of the function", lines)

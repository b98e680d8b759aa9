"""Section 5.1: a Gaussian, a linear and a quadratic kernel on four UCI data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels import datasets
from learnkernels.kernels import Gaussian, Linear, Polynomial
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Piece,
    Protocol,
    ResultTable,
    Value,
    integer_seed,
    interval,
    paper_numbers,
)

DATA = {
    "breast": "breast_cancer_wisconsin",
    "ionosphere": "ionosphere",
    "sonar": "sonar",
    "heart": "heart_statlog",
}
METHODS = {"best kernel": "single", "unif": "unif", "l1": "l1-krr", "l2": "l2-krr"}
REPETITIONS = 30
# A fifth of the samples tests, the others train.
OVERLAP = 0.25
ALPHAS = 10.0 ** np.arange(-3, 3)
# Maximum number of training samples in quick mode.
QUICK_SIZE = 200


def plan(quick: bool) -> list[dict[str, Any]]:
    repetitions, options = (2, {"size": QUICK_SIZE, "step": 3}) if quick else (REPETITIONS, {})
    return [
        {"data": data, "repetition": repetition} | options
        for data in DATA
        for repetition in range(repetitions)
    ]


def run(
    data: str, repetition: int, random_state: int, size: int | None = None, step: int = 1
) -> dict[str, Any]:
    """Train ridge regression on labels -1 and 1 with 80 % of the samples and test on the rest.

    The regularisation is chosen by held-out error. `size` is the maximum number of training
    samples. Every `step`-th value of the regularisation is tried.
    """
    table = datasets.load(DATA[data]).dropna()
    y = np.where(table["target"] == table["target"].iloc[0], 1.0, -1.0)
    split = integer_seed(random_state, repetition)
    train, test, y_train, y_test = train_test_split(
        table.drop(columns="target").to_numpy(float), y, test_size=0.2, stratify=y,
        random_state=split,
    )  # fmt: skip
    train, y_train = train[:size], y_train[:size]
    scaler = StandardScaler().fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    d = train.shape[1]
    kernels = [Gaussian(1 / d), Linear(), Polynomial(degree=2, gamma=1 / d)]
    found = {}
    for name, method in METHODS.items():
        model = lk.KernelRegressor(kernels, method, alpha=ALPHAS[::step]).fit(train, y_train)
        outputs = model.predict(test)
        found[name] = {
            "misclassified": float(np.mean(np.sign(outputs) != y_test)),
            "RMSE": float(np.sqrt(np.mean((outputs - y_test) ** 2))),
            "weights": model.weights_.tolist(),
        }
    return found


PROTOCOL = Protocol(
    "three_kernels_2009", plan, run, lambda parameters: DATA[parameters["data"]], revision=2
)


def section_5_1(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of section 5.1."""
    paper = paper_numbers(__package__, "section 5.1")

    def grid(measure: str, theirs: dict[str, Any]) -> dict[str, dict[str, Value]]:
        values: dict[str, dict[str, Value]] = {}
        for method in METHODS:
            values[method] = {}
            for data in DATA:
                mine = [p for p in pieces if p.parameters["data"] == data]
                errors = [piece.result[method][measure] for piece in mine]
                values[method][data] = Value(
                    float(np.mean(errors)), float(np.std(errors, ddof=1)), theirs.get(data)
                )
        return values

    errors = grid("misclassified", paper)
    learned = [errors[method][data] for method in ("l1", "l2") for data in DATA]
    good = [v.ours <= v.paper + v.spread for v in learned if v.paper and v.spread]
    claims = [
        Claim(
            "learned kernels err at most a deviation more than in the paper, on every set",
            all(good),
        ),
        *(single_kernel_claim(pieces, method) for method in ("l1", "l2")),
    ]
    return Outcome(
        [
            ResultTable("Misclassification rate", "method", errors),
            ResultTable("RMSE against labels -1 and 1", "method", grid("RMSE", {})),
        ],
        claims,
    )


def single_kernel_claim(pieces: list[Piece], method: str) -> Claim:
    """Claim that a learned kernel is on no set significantly better or worse than the best one."""
    found = {}
    for data in DATA:
        mine = [p.result for p in pieces if p.parameters["data"] == data]
        ours, best = (
            np.array([r[name]["misclassified"] for r in mine]) for name in (method, "best kernel")
        )
        found[data] = interval(ours - best, OVERLAP)
    return Claim(
        f"{method} errs on no set significantly more or less than the best single kernel",
        all(difference.low <= 0 <= difference.high for difference in found.values()),
        f"{method} minus best kernel, with 95 % intervals: "
        + ", ".join(f"{data} {difference.shown()}" for data, difference in found.items()),
    )

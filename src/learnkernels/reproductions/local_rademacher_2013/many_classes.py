"""Section 5.2, table 1: multi-class problems that are available, and one more."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels import datasets
from learnkernels.kernels import Gaussian
from learnkernels.methods import L1SVM, UFO, Conv, LpSVM, Uniform
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Piece,
    Protocol,
    ResultTable,
    Value,
    integer_seed,
    paper_numbers,
)

VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")
FILES = {"protein": "protein_fold_factors", "mfeat": "mfeat"}
# Fraction of the samples used for training.
TRAINING = {"protein": 0.5, "mfeat": 0.05}
METHODS = ("unif", "MKL", "conv", "ufo")
THETAS = (1, 2, 4, 8, 16)
CS = (1.0, 10.0, 100.0)
SPLITS = 10
FOLDS = 3


def plan(quick: bool) -> list[dict[str, Any]]:
    sets = ["mfeat"] if quick else list(TRAINING)
    return [
        {"data": data, "split": split, "method": method, "share": share}
        for data in sets
        for split in range(1 if quick else SPLITS)
        for method in METHODS
        for share in [0.03 if quick else TRAINING[data]]
    ]


def run(data: str, split: int, method: str, share: float, random_state: int) -> dict[str, Any]:
    """Return the test accuracy; cross-validation on the training part chooses the parameters."""
    K, y = similarities(data)
    state = integer_seed(random_state, split)
    train, test = train_test_split(
        np.arange(len(y)), train_size=share, stratify=y, random_state=state
    )
    grid = list(product(candidates(method, len(train)), CS))
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=state).split(train, y[train]))
    scores = [
        np.mean([accuracy(choice, K, y, train[rest], train[part]) for rest, part in folds])
        for choice in grid
    ]
    best = grid[int(np.argmax(scores))]
    return {"accuracy": accuracy(best, K, y, train, test), "choice": f"{best[0][0]}, C={best[1]:g}"}


def candidates(method: str, size: int) -> list[tuple[str, Any, int]]:
    """Return labels, methods and scales of C; the papers report the better of l1 and l2."""
    return {
        "unif": [("unif", Uniform(), 1)],
        "MKL": [("l1", L1SVM(tol=1e-3), 1), ("l2", LpSVM(p=2.0, tol=1e-3), 1)],
        "conv": [
            (f"theta={theta}, l{p:.0f}", Conv(theta=theta, p=p, tol=1e-3), size)
            for theta in THETAS
            for p in (1.0, 2.0)
        ],
        "ufo": [("ufo", UFO(), 1)],
    }[method]


def accuracy(
    choice: Any, K: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> float:
    """Train with one choice of parameters and return the accuracy on other samples."""
    (_, method, scale), C = choice
    model = lk.KernelClassifier("precomputed", method, C=C * scale, center=False)
    model.fit(K[np.ix_(train, train)], y[train])
    return float(model.score(K[np.ix_(test, train)], y[test]))


@cache
def similarities(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return Gram matrices of all samples, shape (n, n, n_kernels), and classes, shape (n,)."""
    if data == "protein":
        table = datasets.load(FILES["protein"])
        blocks = [f"k{number:02d}" for number in range(1, 13)]
        factors = [table.filter(regex=f"^{block}").to_numpy(float) for block in blocks]
        return np.stack([A @ A.T for A in factors], axis=2), table["target"].to_numpy()
    table = datasets.load(FILES["mfeat"])
    views = [
        StandardScaler().fit_transform(table.filter(regex=f"^{view}_").to_numpy(float))
        for view in VIEWS
    ]
    return (
        np.stack([Gaussian(1 / X.shape[1])(X) for X in views], axis=2),
        table["target"].to_numpy(),
    )


PROTOCOL = Protocol(
    "many_classes_2013", plan, run, lambda parameters: FILES[parameters["data"]], revision=2
)


def table_1(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 1."""
    paper = paper_numbers(__package__, "table 1")
    sets = list(dict.fromkeys(piece.parameters["data"] for piece in pieces))
    values: dict[str, dict[str, Value]] = {data: {} for data in sets}
    for data, method in product(sets, METHODS):
        found = [
            piece.result["accuracy"]
            for piece in pieces
            if (piece.parameters["data"], piece.parameters["method"]) == (data, method)
        ]
        spread = float(np.std(found, ddof=1)) if len(found) > 1 else None
        theirs = paper.get(data, {}).get(method, (None, None))
        values[data][method] = Value(float(np.mean(found)), spread, *theirs)
    claims = [
        Claim(
            f"{data}: conv is more accurate than unif and MKL",
            all(found["conv"].ours > found[other].ours for other in ("unif", "MKL")),
            ", ".join(f"{method} {value.ours:.3f}" for method, value in found.items()),
        )
        for data, found in values.items()
    ]
    return Outcome([ResultTable("Accuracy", "data", values)], claims)

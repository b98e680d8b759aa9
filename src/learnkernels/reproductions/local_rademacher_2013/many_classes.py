"""Section 5.2, table 1: multi-class problems that are available, and two others."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler, normalize

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
    interval,
    paper_numbers,
)

VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")
FILES = {"protein": "protein_fold_factors", "mfeat": "mfeat", "multiloc": "multiloc"}
# Fraction of the samples used for training.
TRAINING = {"protein": 0.5, "mfeat": 0.05, "multiloc": 1 / 3}
# Test samples per training sample where training parts overlap much; see `experiment.interval`.
OVERLAP = {"protein": 1.0, "mfeat": 0.0, "multiloc": 2.0}
# Proteins of multiloc that are used, and the residues at either end that are a region.
N_PROTEINS = 1500
END = 60
METHODS = ("unif", "MKL", "conv", "ufo")
THETAS = (1, 2, 4, 8, 16)
CS = {"protein": (1.0, 10.0, 100.0), "mfeat": (1.0, 10.0, 100.0), "multiloc": (0.1, 1.0, 10.0)}
SPLITS = {"protein": 10, "mfeat": 10, "multiloc": 5}
FOLDS = 3


def plan(quick: bool) -> list[dict[str, Any]]:
    return splits(["mfeat"], 1, 0.24, step=8) if quick else splits(["protein", "mfeat"])


def plan_locations(quick: bool) -> list[dict[str, Any]]:
    return splits(["multiloc"], 1, 0.4, step=4) if quick else splits(["multiloc"])


def splits(
    sets: list[str], number: int | None = None, share: float | None = None, **options: int
) -> list[dict[str, Any]]:
    """Return the pieces of some data sets, with another number or training part if given."""
    return [
        {"data": data, "split": split, "method": method, "share": share or TRAINING[data]} | options
        for data in sets
        for split in range(number or SPLITS[data])
        for method in METHODS
    ]


def run(
    data: str, split: int, method: str, share: float, random_state: int, step: int = 1
) -> dict[str, Any]:
    """Return the test accuracy; cross-validation on the training part chooses the parameters.

    Every `step`-th sample is used, and every `step`-th choice of the parameters is tried.
    """
    K, y = similarities(data, step)
    state = integer_seed(random_state, split)
    train, test = train_test_split(
        np.arange(len(y)), train_size=share, stratify=y, random_state=state
    )
    grid = list(product(candidates(method, len(train)), CS[data]))[::step]
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
def similarities(data: str, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gram matrices and classes of every `step`-th sample.

    Returns
    -------
    K : ndarray of shape (n, n, n_kernels)
    y : ndarray of shape (n,)
    """
    if data == "protein":
        table = datasets.load(FILES["protein"])[::step]
        blocks = [f"k{number:02d}" for number in range(1, 13)]
        factors = [table.filter(regex=f"^{block}").to_numpy(float) for block in blocks]
        return np.stack([A @ A.T for A in factors], axis=2), table["target"].to_numpy()
    if data == "multiloc":
        table = datasets.load(FILES["multiloc"])
        table, _ = train_test_split(
            table, train_size=N_PROTEINS, stratify=table["target"], random_state=0
        )
        table = table[::step]
        counts = [words(text, k) for text in regions(table["sequence"]) for k in (1, 2)]
        return np.stack([(X @ X.T).toarray() for X in counts], axis=2), table["target"].to_numpy()
    table = datasets.load(FILES["mfeat"])[::step]
    views = [
        StandardScaler().fit_transform(table.filter(regex=f"^{view}_").to_numpy(float))
        for view in VIEWS
    ]
    return (
        np.stack([Gaussian(1 / X.shape[1])(X) for X in views], axis=2),
        table["target"].to_numpy(),
    )


def regions(sequences: pd.Series) -> list[pd.Series]:
    """Return the sequences, their first and their last residues."""
    return [sequences, sequences.str[:END], sequences.str[-END:]]


def words(sequences: pd.Series, k: int) -> Any:
    """Return counts of all words of k residues, each row of length one."""
    counter = CountVectorizer(analyzer="char", ngram_range=(k, k))
    return normalize(counter.fit_transform(sequences))


def needed(parameters: dict[str, Any]) -> str:
    return FILES[parameters["data"]]


PROTOCOL = Protocol("many_classes_2013", plan, run, needed, revision=2)
LOCATIONS = Protocol("locations_2013", plan_locations, run, needed)


def table_1(pieces: list[Piece]) -> Outcome:
    """Return tables and claims of table 1."""
    paper = paper_numbers(__package__, "table 1")
    sets = list(dict.fromkeys(piece.parameters["data"] for piece in pieces))
    found = {
        (data, method): np.array(
            [
                piece.result["accuracy"]
                for piece in pieces
                if (piece.parameters["data"], piece.parameters["method"]) == (data, method)
            ]
        )
        for data, method in product(sets, METHODS)
    }
    values: dict[str, dict[str, Value]] = {data: {} for data in sets}
    for (data, method), mine in found.items():
        spread = float(mine.std(ddof=1)) if len(mine) > 1 else None
        theirs = paper.get(data, {}).get(method, (None, None))
        values[data][method] = Value(float(mine.mean()), spread, *theirs)
    claims = []
    for data in sets:
        leads = {
            other: interval(found[data, "conv"] - found[data, other], OVERLAP[data])
            for other in ("unif", "MKL")
        }
        shown = ", ".join(f"than {other} {lead.shown()}" for other, lead in leads.items())
        claims.append(
            Claim(
                f"{data}: conv is more accurate than unif and MKL",
                all(lead.low > 0 for lead in leads.values()),
                f"higher by, with 95 % intervals: {shown}",
            )
        )
    return Outcome([ResultTable("Accuracy", "data", values)], claims)

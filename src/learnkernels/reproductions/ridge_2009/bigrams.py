"""Section 5.2, figure 1: rank-one kernels of an increasing number of frequent bigrams."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import KFold

import learnkernels as lk
from learnkernels import datasets
from learnkernels.methods import L1Ridge, L2Ridge, Uniform
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
    interval,
)

DOMAINS = ("kitchen", "dvd", "electronics")
SETS = ("reuters", *DOMAINS)
TRIALS = 10
# Halves of the reviews overlap; documents of Reuters are drawn from many, with one test set.
OVERLAP = {"reuters": 0.0} | dict.fromkeys(DOMAINS, 1.0)
COUNTS = (500, 1000, 2000, 4000)
METHODS = ("unif", "l1", "l2")
TRAINING = 2000
FOLDS = 3
# Regularisation relative to the mean diagonal of the uniform combination, and radii of l2 relative
# to the norm of the uniform weights.
LAMBDAS = (0.3, 1.0, 3.0, 10.0, 30.0)
RADII = (0.1, 0.3, 1.0)
# Counts, targets, training indices, test indices.
Samples = tuple[sparse.csr_array, np.ndarray, np.ndarray, np.ndarray]


def plan(quick: bool) -> list[dict[str, Any]]:
    if quick:
        return [
            {"data": data, "trial": 0, "bigrams": bigrams, "size": 150, "step": 4}
            for data, bigrams in product(("reuters", "kitchen"), COUNTS[:1])
        ]
    return [
        {"data": data, "trial": trial, "bigrams": bigrams, "size": TRAINING}
        for trial in range(TRIALS)
        for data in SETS
        for bigrams in COUNTS
    ]


def run(
    data: str, trial: int, bigrams: int, size: int, random_state: int, step: int = 1
) -> dict[str, Any]:
    """Compute the test errors of the three methods for one draw of the training samples.

    Every `step`-th value of the regularisation is tried, and every `step`-th document of Reuters is
    used.
    """
    rng = generator(random_state, trial)
    X, y, train, test = (
        reuters(rng, size, step) if data == "reuters" else sentiment(data, rng, size)
    )
    X = X[:, :bigrams]
    folds = KFold(FOLDS, shuffle=True, random_state=1000 * random_state + trial)
    splits = [(train[rest], train[part]) for rest, part in folds.split(train)]
    found = {}
    for name, methods in candidates(X.shape[1]).items():
        choices = list(product(methods, LAMBDAS[::step]))
        losses = [
            sum(mean_square(choice, X, y, rest, part) for rest, part in splits)
            for choice in choices
        ]
        best = choices[int(np.argmin(losses))]
        found[name] = {"RMSE": float(np.sqrt(mean_square(best, X, y, train, test)))}
    return found


def candidates(p: int) -> dict[str, list[Any]]:
    """Return the candidate methods of each name; cross-validation chooses one."""
    return {
        "unif": [Uniform()],
        "l1": [L1Ridge()],
        "l2": [Uniform(), *(L2Ridge(radius=share / np.sqrt(p), mu0=1 / p) for share in RADII)],
    }


def mean_square(choice: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Train on some samples and return the mean squared error on others.

    Kernels are not scaled. They are centered, so that the intercept is not penalised.
    """
    method, share = choice
    alpha = share * float(X[train].power(2).sum()) / len(train) / X.shape[1]
    model = lk.KernelRegressor(lk.per_feature(), method, alpha=alpha, normalize=None)
    model.fit(X[train], y[train])
    return float(np.mean((model.predict(X[test]) - y[test]) ** 2))


def reuters(rng: np.random.Generator, size: int, step: int) -> Samples:
    """Return counts, labels (acq or not), training and test indices of the ModApte split."""
    X, y, split = reuters_counts(step)
    train = rng.permutation(np.flatnonzero(split == "train"))[:size]
    return X, y, train, np.flatnonzero(split == "test")


@cache
def reuters_counts(step: int) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Count the bigrams that are most frequent in every `step`-th training document."""
    table = datasets.load("reuters21578_modapte")[::step]
    texts = table["title"].fillna("") + " " + table["body"].fillna("")
    split = table["split"].to_numpy()
    counts = CountVectorizer(ngram_range=(2, 2), min_df=5).fit_transform(texts)
    total = np.asarray(counts[split == "train"].sum(axis=0)).ravel()
    order = np.argsort(-total, kind="stable")[: max(COUNTS)]
    acq = table["topics"].map(lambda topics: "acq" in topics)
    return sparse.csr_array(counts[:, order].astype(float)), np.where(acq, 1.0, -1.0), split


def sentiment(data: str, rng: np.random.Generator, size: int) -> Samples:
    """Return counts, ratings, training and test indices; each half of the reviews is used once."""
    X, y = sentiment_counts(data)
    order = rng.permutation(len(y))
    half = len(y) // 2
    return X, y, order[:half][:size], order[half:]


@cache
def sentiment_counts(domain: str) -> tuple[sparse.csr_array, np.ndarray]:
    """Return bigram counts and ratings of a domain."""
    table = datasets.load(f"sentiment_ngrams_{domain}")
    return datasets.bigram_counts(table["ngrams"], max(COUNTS)), table["rating"].to_numpy(float)


def needed(parameters: dict[str, Any]) -> str:
    data = parameters["data"]
    return "reuters21578_modapte" if data == "reuters" else f"sentiment_ngrams_{data}"


PROTOCOL = Protocol("bigrams_2009", plan, run, needed)


def figure_1(pieces: list[Piece]) -> Outcome:
    """Return tables, claims and panels of figure 1."""
    sets = list(dict.fromkeys(piece.parameters["data"] for piece in pieces))
    counts = sorted({piece.parameters["bigrams"] for piece in pieces})
    grids, absolute, relative = [], [], []
    for data in sets:
        errors = {
            method: [errors_of(pieces, data, count, method) for count in counts]
            for method in METHODS
        }
        grids.append(
            ResultTable(
                f"{data}: RMSE against the number of bigrams", "method",
                {
                    method: {
                        str(count): Value(float(e.mean()), spread_of(e))
                        for count, e in zip(counts, found, strict=True)
                    }
                    for method, found in errors.items()
                },
            )
        )  # fmt: skip
        absolute.append(panel(data, counts, errors, "RMSE"))
        ratios = {
            method: [e / base for e, base in zip(found, errors["unif"], strict=True)]
            for method, found in errors.items()
        }
        relative.append(panel(data, counts, ratios, "RMSE / that of unif"))
    claims = [
        difference_claim(
            pieces, f"at {counts[-1]} bigrams l2 errs significantly less than unif on every set",
            ("l2", "unif"), sets, counts[-1],
        ),
        difference_claim(
            pieces, f"at {counts[-1]} bigrams unif errs significantly less than l1 on every set",
            ("unif", "l1"), sets, counts[-1],
        ),
    ]  # fmt: skip
    return Outcome(grids, claims, absolute + relative)


def difference_claim(
    pieces: list[Piece], text: str, methods: tuple[str, str], sets: list[str], count: int
) -> Claim:
    """Claim that the first method errs less than the second, by a test on each data set."""
    shown, lower = [], []
    for data in sets:
        mine, theirs = (errors_of(pieces, data, count, method) for method in methods)
        difference = interval(mine - theirs, OVERLAP[data])
        lower.append(difference.high < 0)
        part = difference.mean / (spread_of(theirs) or np.nan)
        shown.append(f"{data} {difference.shown(4)} or {part:+.2f} standard deviations")
    first, second = methods
    return Claim(
        text, all(lower), f"{first} minus {second}, with 95 % intervals: " + ", ".join(shown)
    )


def errors_of(pieces: list[Piece], data: str, count: int, method: str) -> np.ndarray:
    """Return the errors of all trials, shape (n_trials,)."""
    return np.array(
        [
            piece.result[method]["RMSE"]
            for piece in pieces
            if (piece.parameters["data"], piece.parameters["bigrams"]) == (data, count)
        ]
    )


def spread_of(errors: np.ndarray) -> float:
    """Return the standard deviation over trials, 0 for a single trial."""
    return float(errors.std(ddof=1)) if len(errors) > 1 else 0.0


def panel(data: str, counts: list[int], errors: dict[str, list[np.ndarray]], title: str) -> Panel:
    lines = [
        Series(
            method, counts, [float(e.mean()) for e in found],
            spread=[spread_of(e) for e in found],
        )
        for method, found in errors.items()
    ]  # fmt: skip
    return Panel(data, "bigrams", title, lines)

"""Pairs of drugs and cell lines: error and time in the four settings, and beside pairwiseMKL.

``python -m benchmarks pairs --record`` also writes the numbers that the documentation shows. The
data are those of pairwiseMKL, or simulated ones if the file is not available. Times are those of
the processor, so that other programs change them little; set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from scipy.spatial.distance import cdist

import learnkernels as lk
from benchmarks.measure import peak_extra_memory
from benchmarks.pairwise_mkl import PairwiseMKL, loop_seconds, response_features
from learnkernels.datasets import PairData, drug_response
from learnkernels.errors import InputError, UniformBetterWarning
from learnkernels.model_selection import PairFold

METHODS = ("unif", "alignf")
# Methods in the four settings; "auto" chooses among unif, align and alignf.
SETTING_METHODS = ("unif", "auto")
# Folds of each setting, outer and inner (as many as pairwiseMKL has); "both" has their square.
SPLITS = {"pair": 5, "left": 5, "right": 5, "both": 3}
INNER_SPLITS = 3
# Kernels whose weight is shown.
SHOWN = 5


def run(quick: bool = False) -> dict:
    found = measured(quick)
    scale(*((30, 20, 400, 4) if quick else (2000, 500, 1_000_000, 30)))
    return found


def measured(quick: bool) -> dict:
    """Return errors, times and weights."""
    data, origin = pair_data(quick)
    print(f"{origin}: {len(data.y)} pairs, {len(data.left)} x {len(data.right)} kernels")
    return {
        "data": origin,
        "pairs": len(data.y),
        "folds": published_folds(data, 1 if quick else 10),
        "settings": {
            setting: one_setting(data, setting, 1 if quick else None) for setting in SPLITS
        },
    }


def pair_data(quick: bool) -> tuple[PairData, str]:
    """Return the drug responses, or simulated ones in quick mode and where there is no file."""
    if not quick:
        try:
            return drug_response(), "drug response"
        except InputError as error:
            print(error)
    return simulated(*((12, 10) if quick else (24, 20)), 3, 2), "simulated"


def simulated(m: int, q: int, n_left: int, n_right: int, n_pairs: int | None = None) -> PairData:
    """Return pairs whose target is a function of some of the objects' features, plus noise."""
    rng = np.random.default_rng(0)
    sizes = {"drug": (m, n_left), "cell": (q, n_right)}
    tables = {side: rng.standard_normal((p, n, 3)) for side, (n, p) in sizes.items()}
    grams = [
        {f"{side} {k}": np.exp(-cdist(Z, Z, "sqeuclidean") / 6) for k, Z in enumerate(own)}
        for side, own in tables.items()
    ]
    X = np.argwhere(np.ones((m, q)))
    if n_pairs is not None:
        X = X[np.sort(rng.permutation(len(X))[:n_pairs])]
    a, b = tables["drug"][0][X[:, 0]], tables["cell"][0][X[:, 1]]
    y = np.sum(a * b, axis=1) + np.sin(a[:, 0]) + 0.5 * rng.standard_normal(len(X))
    return PairData(*grams, X, y, rng.permutation(len(X)) % 10)


def fitted(data: PairData, method: str, train: np.ndarray, cv: object = 5) -> lk.KernelRegressor:
    model = lk.KernelRegressor(lk.pairs(data.left, data.right), method, cv=cv)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UniformBetterWarning)
        return model.fit(data.X[train], data.y[train])


def scores(y: np.ndarray, predicted: np.ndarray) -> dict:
    constant = np.ptp(predicted) == 0
    return {
        "rmse": round(float(np.sqrt(np.mean((y - predicted) ** 2))), 5),
        "pearson": 0.0 if constant else round(float(np.corrcoef(y, predicted)[0, 1]), 5),
    }


def published_folds(data: PairData, n_folds: int) -> dict:
    """Return errors in the outer folds of the paper, of every method and of pairwiseMKL."""
    other = PairwiseMKL(np.array(list(data.left.values())), np.array(list(data.right.values())))
    shape = tuple(data.X.max(axis=0) + 1)
    y = np.zeros(shape)
    y[tuple(data.X.T)] = data.y
    M = other.inner_products()
    found: dict = {name: {"folds": [], "seconds": []} for name in (*METHODS, "pairwiseMKL")}
    for fold in range(n_folds):
        train = data.fold != fold
        for method in METHODS:
            start = time.process_time()
            model = fitted(data, method, train, INNER_SPLITS)
            found[method]["seconds"].append(round(time.process_time() - start, 4))
            result = scores(data.y[~train], model.predict(data.X[~train]))
            found[method]["folds"].append(result | {"alpha": float(f"{model.alpha_:.4g}")})
        mask = np.zeros(shape, dtype=bool)
        mask[tuple(data.X[train].T)] = True
        Psi = response_features(y, mask)
        a = other.alignments_at_once(Psi)
        if fold == 0:
            np.testing.assert_allclose(other.alignments(Psi), a, rtol=1e-8)
        F = other.fit_predict(y, mask, other.weights(M, a), grouped=fold > 0)
        result = scores(data.y[~train], F[tuple(data.X[~train].T)])
        found["pairwiseMKL"]["folds"].append(result | {"alpha": other.chosen})
        if fold == 0:
            found["pairwiseMKL"]["seconds"] = {
                name: round(value, 3) for name, value in other.seconds.items()
            }
            found["times"] = times(data, train, found, other, mask)
        print(f"fold {fold}: " + ", ".join(
            f"{name} {found[name]['folds'][-1]['rmse']:.4f}" for name in (*METHODS, "pairwiseMKL")
        ), flush=True)  # fmt: skip
    for name in (*METHODS, "pairwiseMKL"):
        print(f"{name}: " + ", ".join(
            f"{what} {np.mean([one[what] for one in found[name]['folds']]):.4f}"
            for what in ("rmse", "pearson")
        ))  # fmt: skip
    return found


def times(
    data: PairData, train: np.ndarray, found: dict, other: PairwiseMKL, mask: np.ndarray
) -> dict:
    """Return the processor times of one outer fold, and ratios."""
    kernels = lk.pairs(data.left, data.right)
    learner = lk.KernelLearner(kernels, "alignf", task="regression")
    X, y = data.X[train], data.y[train]
    start = time.process_time()
    learner._fit(X, y)
    weights = time.process_time() - start
    theirs = sum(other.seconds.values())
    one = loop_seconds(other.left[0], other.right[0], mask)
    loops = theirs - other.seconds["ridge"] + other.products * one
    result = {
        "weights": round(weights, 3),
        "pairwiseMKL": round(theirs, 2),
        "pairwiseMKL, loops over pairs": round(loops, 2),
        "products": other.products,
    }
    print(
        f"weights of {len(data.left) * len(data.right)} kernels, {len(y)} pairs: {weights:.2f} s; "
        f"pairwiseMKL: " + ", ".join(f"{k} {v:.2f} s" for k, v in other.seconds.items())
    )
    for method in METHODS:
        own = found[method]["seconds"][0]
        result[method] = own
        print(
            f"{method}, one outer fold: {own:.2f} s; pairwiseMKL {theirs / own:.0f}x that, with "
            f"loops over pairs {loops / own:.0f}x"
        )
    return result


def one_setting(data: PairData, setting: str, n_folds: int | None) -> dict:
    """Return errors of every method, of the means of the objects, and the mean weights."""
    outer = PairFold(SPLITS[setting], setting, random_state=1)
    inner = PairFold(INNER_SPLITS, setting)
    splits = list(outer.split(data.X))[:n_folds]
    found: dict = {name: {"folds": []} for name in ("means", *SETTING_METHODS)}
    weights = []
    for train, test in splits:
        predictions = {"means": means(data.X[train], data.y[train], data.X[test])}
        for method in SETTING_METHODS:
            model = fitted(data, method, train, inner)
            predictions[method] = model.predict(data.X[test])
        chosen = [one.name for one in model.selection_ if one.chosen]
        weights.append(model.weights_)
        for name, predicted in predictions.items():
            result = scores(data.y[test], predicted)
            found[name]["folds"].append(result)
        found["auto"]["folds"][-1] |= {"chosen": chosen[0]}
    mean = np.mean(weights, axis=0)
    top = np.argsort(-mean)[:SHOWN]
    found["weights"] = {str(model.kernel_names_[k]): round(float(mean[k]), 4) for k in top}
    print(f"{setting} ({len(splits)} folds): " + ", ".join(
        f"{name} {np.mean([one['rmse'] for one in found[name]['folds']]):.4f}"
        for name in ("means", *SETTING_METHODS)
    ) + f"; {found['weights']}", flush=True)  # fmt: skip
    return found


def means(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Predict by the mean of y plus the deviations of both objects, zero for new ones."""
    total, found = y.mean(), np.full(len(new), y.mean())
    for side in (0, 1):
        n = int(max(X[:, side].max(), new[:, side].max())) + 1
        count = np.bincount(X[:, side], minlength=n)
        sums = np.bincount(X[:, side], y - total, n)
        found += (sums / np.maximum(count, 1))[new[:, side]]
    return found


def scale(m: int, q: int, n: int, p: int) -> None:
    """Print processor time and memory of a fit with many objects and pairs, alpha given."""
    n_left = max(2, int(np.sqrt(p)))
    data = simulated(m, q, n_left, p // n_left, n)
    model = lk.KernelRegressor(lk.pairs(data.left, data.right), "alignf", alpha=1.0)
    start = time.process_time()
    memory = peak_extra_memory(lambda: model.fit(data.X, data.y))
    taken = time.process_time() - start
    print(
        f"{m} x {q} objects, {len(data.y)} pairs, {len(data.left) * len(data.right)} kernels, "
        f"alignf with alpha = 1: {taken:.0f} s, {memory / 1000:.2f} GB"
    )

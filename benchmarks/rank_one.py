"""Thousands of rank-one kernels: bigrams of real reviews, or similar random counts."""

from __future__ import annotations

import tracemalloc

import numpy as np
import scipy.linalg
from scipy import sparse

import learnkernels as lk
from benchmarks.measure import seconds
from learnkernels import datasets

DOMAIN = "kitchen"


def run(quick: bool = False) -> None:
    p, n = (500, 300) if quick else (4000, 2000)
    X, rating, label = bigrams(p, n)
    print(f"{X.shape[0]} texts, {X.shape[1]} kernels, {size(X) / 1e6:.1f} MB of sparse counts")
    against_ridge(X, rating, 1 if quick else 5)
    for name in ("align", "l2-krr"):
        memory(name, X, rating)
    for method in ("alignf", "l1-krr"):
        fitted(lk.KernelRegressor(lk.per_feature(), method, alpha=1.0), X, rating)
    conv = lk.methods.Conv(theta=0)
    for method, C in (("l1-svm", 1.0), (conv, float(n))):
        fitted(lk.KernelClassifier(lk.per_feature(), method, C=C), X, label)
    if not quick:
        many(20_000, ("align", "alignf", "l2-krr", "l1-krr"))
        many(50_000, ("align",))


def against_ridge(X, y, repeats: int) -> None:
    """Compare with one product X'X and one ridge solve of the same size."""
    n = X.shape[0]
    K = (X @ X.T).toarray()
    centered = y - y.mean()

    def solve():
        return scipy.linalg.solve(K + np.eye(n), centered, assume_a="pos")

    product, one = seconds(lambda: X.T @ X, repeats), seconds(solve, repeats)
    print(f"one X'X {product:.3f} s, one ridge solve {one:.3f} s")
    align = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0)
    l2 = lk.KernelRegressor(lk.per_feature(), "l2-krr", alpha=1.0)
    for model in (align, l2):
        model.fit(X, y)  # compile
    taken = seconds(lambda: align.fit(X, y), repeats)
    print(f"align {taken:.3f} s: {taken / (product + one):.2f}x of X'X and a solve (at most 2x)")
    taken = seconds(lambda: l2.fit(X, y), repeats)
    iterations = l2.certificate_.iterations
    print(
        f"l2-krr {taken:.3f} s, {iterations} iterations: {taken / one:.1f} ridge solves "
        "(at most 15)"
    )


def memory(method: str, X, y) -> None:
    """Print the peak memory beyond the data, and its bound: three times the data and a Gram."""
    tracemalloc.start()
    lk.KernelRegressor(lk.per_feature(), method, alpha=1.0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    bound = (3 * size(X) + 8 * X.shape[0] ** 2) / 1e6
    print(f"{method}: peak {peak:.1f} MB (at most {bound:.1f} MB)")


def fitted(model, X, y) -> None:
    taken = seconds(lambda: model.fit(X, y), 1)
    used = int((model.weights_ > 0).sum())
    print(f"{model.method}: {taken:.2f} s, {used} kernels used, {model.certificate_}")


def many(p: int, methods) -> None:
    X, rating, _ = bigrams(p, 2000)
    print(f"{X.shape[1]} kernels, {size(X) / 1e6:.1f} MB of sparse counts")
    for method in methods:
        fitted(lk.KernelRegressor(lk.per_feature(), method, alpha=1.0), X, rating)
    memory(methods[0], X, rating)


def size(X) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def bigrams(p: int, n: int):
    """Return counts of the p most frequent bigrams of n reviews, their ratings and labels."""
    name = f"sentiment_ngrams_{DOMAIN}"
    if datasets.availability(name) != "local":
        return random_counts(p, n)
    table = datasets.load(name)
    rows = table.iloc[np.linspace(0, len(table) - 1, n).round().astype(int)]
    X = datasets.bigram_counts(rows["ngrams"], p)
    return X, rows["rating"].to_numpy(float), rows["label"].to_numpy()


def random_counts(p: int, n: int):
    """Return random counts with the frequencies of words."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(30 / (10 + np.arange(p)), (n, p)).astype(float))
    score = X @ rng.standard_normal(p) + rng.standard_normal(n)
    return X, score, np.where(score > np.median(score), 1, -1)

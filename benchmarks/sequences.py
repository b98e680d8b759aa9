"""Sequence kernels: counting k-mers against scikit-learn, weighted degree against NumPy."""

from __future__ import annotations

from itertools import product

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.measure import seconds
from learnkernels import datasets
from learnkernels.gram import Threads
from learnkernels.gram.sequences import WeightedDegreeGroup
from learnkernels.gram.tiles import COLUMNS, ROWS, cut
from learnkernels.kernels.alphabets import DNA
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.linear import dots
from learnkernels.kernels.weighted_degree import WeightedDegree

LENGTH = 251


def run(quick: bool = False) -> None:
    n, repeats = (200, 1) if quick else (2000, 3)
    for kind, X in sequences(n).items():
        print(f"{kind}, n={len(X)}, {LENGTH} letters")
        spectrum(X, repeats)
        weighted_degree(X, repeats)


def sequences(n: int) -> dict[str, np.ndarray]:
    """Random DNA, and windows around genuine gene starts where they are at hand."""
    letters = np.random.default_rng(0).choice(list(DNA.letters), (n, LENGTH))
    found = {"random DNA": np.array(["".join(row) for row in letters], dtype=object)}
    if datasets.whereabouts("tss_arabidopsis_tata") == "at hand":
        table = datasets.load("tss_arabidopsis_tata")
        found["gene starts of Arabidopsis"] = table["sequence"].to_numpy(dtype=object)[:n]
    return found


def spectrum(X: np.ndarray, repeats: int, k: int = 6) -> None:
    """The Gram of the spectrum kernel: features, then a sparse product."""
    ours = Kmers(k, DNA)

    def theirs(X):
        counter = CountVectorizer(
            analyzer="char", ngram_range=(k, k), lowercase=False, dtype=np.float64
        )
        return counter.fit_transform(X)

    A, B = ours(X), theirs(X)  # compiles, too
    assert np.array_equal(dots(A, A), (B @ B.T).toarray())
    counting, their_counting = seconds(lambda: ours(X), 5), seconds(lambda: theirs(X), repeats)
    ratio = their_counting / counting
    print(
        f"  {k}-mers: CountVectorizer {their_counting:.3f} s, ours {counting:.4f} s: {ratio:.0f}x"
    )
    product_time = seconds(lambda: dots(A, A))
    their_product = seconds(lambda: (B @ B.T).toarray())
    times = [counting + product_time, their_counting + their_product]
    print(
        f"  spectrum Gram with the sparse product: CountVectorizer {times[1]:.3f} s, "
        f"ours {times[0]:.3f} s: {times[1] / times[0]:.1f}x"
    )


def weighted_degree(X: np.ndarray, repeats: int, degree: int = 20) -> None:
    """The whole Gram by tiles, on one thread and on all."""
    kernel = WeightedDegree(degree, 0, DNA, LENGTH)
    group = WeightedDegreeGroup((kernel,), np.arange(1))
    rows, columns = list(cut([0, len(X)], ROWS)), list(cut([0, len(X)], COLUMNS))
    tiles = list(product(rows, columns))

    def ours(threads: Threads) -> np.ndarray:
        samples, K = group.prepare(X), np.empty((len(X), len(X)))
        values = threads.map(lambda tile: group.values(samples, samples, *tile)[0], tiles, "tiles")
        for tile, block in zip(tiles, values, strict=True):
            K[tile] = block
        return K

    codes = kernel.codes(X)
    assert np.abs(ours(Threads(1)) - broadcast(codes, degree)).max() < 1e-10
    numpy_time = seconds(lambda: broadcast(codes, degree), 1)
    for threads in (Threads(1), Threads()):
        time_ours = seconds(lambda threads=threads: ours(threads), 2 + repeats)
        print(
            f"  weighted degree {degree}, {threads.n_threads or 'all'} threads: NumPy "
            f"{numpy_time:.2f} s, ours {time_ours:.3f} s: {numpy_time / time_ours:.0f}x"
        )


def broadcast(codes: np.ndarray, degree: int, rows: int = 4) -> np.ndarray:
    """NumPy on a few rows against all: positions first and small counters, its fastest way."""
    positions = np.ascontiguousarray(codes.T)  # (length, n)
    counter = np.min_scalar_type(len(positions))
    K = np.zeros((len(codes), len(codes)))
    for start in range(0, len(codes), rows):
        block = slice(start, start + rows)
        equal = positions[:, block, None] == positions[:, None]  # (length, rows, n)
        words = equal
        for k in range(1, degree + 1):
            beta = 2 * (degree - k + 1) / (degree * (degree + 1))
            K[block] += beta * words.sum(axis=0, dtype=counter)
            words = words[:-1] & equal[k:]
            if not words.any():
                break
    return K

"""Sequence kernels: k-mers compared with scikit-learn, weighted degree compared with NumPy."""

from __future__ import annotations

from itertools import product

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.measure import seconds
from learnkernels import datasets
from learnkernels.execution import Threads
from learnkernels.gram.tiles.passes import COLUMNS, ROWS, ranges
from learnkernels.gram.tiles.sequences import WeightedDegreeGroup
from learnkernels.kernels.alphabets import DNA
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.row_products import dots
from learnkernels.kernels.weighted_degree import WeightedDegree

LENGTH = 251


def run(quick: bool = False) -> None:
    n, repeats = (200, 1) if quick else (2000, 3)
    for kind, X in sequences(n).items():
        print(f"{kind}, n={len(X)}, {LENGTH} letters")
        spectrum(X, repeats)
        weighted_degree(X, repeats)


def sequences(n: int) -> dict[str, np.ndarray]:
    """Return random DNA, and windows around real gene starts if they are available."""
    letters = np.random.default_rng(0).choice(list(DNA.letters), (n, LENGTH))
    found = {"random DNA": np.array(["".join(row) for row in letters], dtype=object)}
    if datasets.availability("tss_arabidopsis_tata") == "local":
        table = datasets.load("tss_arabidopsis_tata")
        found["gene starts of Arabidopsis"] = table["sequence"].to_numpy(dtype=object)[:n]
    return found


def spectrum(X: np.ndarray, repeats: int, k: int = 6) -> None:
    """Compare the Gram of the spectrum kernel: features, then a sparse product."""
    ours = Kmers(k, DNA)

    def theirs(X):
        counter = CountVectorizer(
            analyzer="char", ngram_range=(k, k), lowercase=False, dtype=np.float64
        )
        return counter.fit_transform(X)

    A, B = ours(X), theirs(X)  # also compiles
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
    """Compare the Gram computed by tiles, with one thread and with all."""
    kernel = WeightedDegree(degree, 0, DNA, LENGTH)
    group = WeightedDegreeGroup((kernel,))
    borders = (0, len(X))
    tiles = list(product(ranges(borders, ROWS), ranges(borders, COLUMNS)))

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
    """Return the Gram by NumPy, a few rows at a time, positions first and with small counters."""
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

"""Accuracy of statistics and ridge against 50-digit arithmetic, compared with dense NumPy.

``python -m benchmarks precision --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist, pdist

import learnkernels as lk
from benchmarks import exact
from benchmarks.exact import alignment_of, centered, numbers

N, D = 24, 3
ALPHAS = tuple(10.0 ** np.arange(-8, 3, 2))
# Multiples of the inverse median distance: the widest kernel is 1 to six digits, the Gram of the
# narrowest is nearly the identity.
WIDTHS = (2.0**-20, 2.0**-5, 1.0, 2.0**4)
NUMERIC = ("gaussian", "laplacian", "polynomial", "linear", "per_feature", "low_rank")


class Family(NamedTuple):
    """Base kernels in three forms: of the library, in 50-digit arithmetic, and in plain NumPy."""

    kernels: Any
    exact: Sequence[exact.KernelOf]
    plain: Sequence[Callable[[Any, Any], np.ndarray]]


class Samples(NamedTuple):
    X: Any
    new: Any
    y: np.ndarray


def run(quick: bool = False) -> dict:
    """Return the largest relative errors of each kernel family on each kind of data."""
    n = 8 if quick else N
    kinds = dict(list(KINDS.items())[:2]) if quick else KINDS
    alphas = ALPHAS[::3] if quick else ALPHAS
    found: dict[str, dict] = {}
    for name, kind, kernels, samples in cases(kinds, n):
        row = one(kernels, samples, alphas)
        found.setdefault(name, {})[kind] = row
        show(name, kind, row)
    return {"n": n, "columns": D, "digits": exact.mp.dps, "alphas": alphas, "families": found}


def cases(kinds: dict[str, Callable], n: int):
    """Yield name of the family, kind of data, family and samples."""
    for name in NUMERIC:
        for kind, make in kinds.items():
            samples = numeric(make, n)
            yield name, kind, family(name, samples.X), samples
    for kind, make in kinds.items():
        samples, stacked = stack(numeric(make, n))
        yield "precomputed", kind, stacked, samples
    for name, kernels in SEQUENCES.items():
        yield name, "ordinary", kernels, sequences(n)


def show(name: str, kind: str, row: dict) -> None:
    text = ", ".join(
        f"{what} {error(ours)} ({error(theirs)})" for what, (ours, theirs) in row.items()
    )
    print(f"{name}, {kind}: {text}", flush=True)


def error(value: float | None) -> str:
    return "rejected" if value is None else f"{value:.0e}"


# The data.


def numeric(make: Callable, n: int) -> Samples:
    """Return training samples, new samples, and a smooth target."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((n + n // 2, D))
    y = np.sin(Z[:n, 0]) + Z[:n, 1] + 0.1 * rng.standard_normal(n)
    X = make(Z, rng)
    return Samples(X[:n], X[n:], y)


def with_outlier(Z, rng):
    Z[3] *= 1e6
    return Z


def near_duplicates(Z, rng):
    half = len(Z) // 3
    Z[half : 2 * half] = Z[:half] + 1e-8 * rng.standard_normal((half, D))
    return Z


def with_code(Z, rng):
    Z[::4, 1] = 999_999.0
    return Z


KINDS: dict[str, Callable] = {
    "ordinary": lambda Z, rng: Z,
    "an outlier of 1e6": with_outlier,
    "a mean of 1e3": lambda Z, rng: Z + 1e3,
    "a mean of 1e8": lambda Z, rng: Z + 1e8,
    "rows 1e-8 apart": near_duplicates,
    "a column with a code 999999": with_code,
    "of size 1e-150": lambda Z, rng: 1e-150 * Z,
    "of size 1e150": lambda Z, rng: 1e150 * Z,
    "float32": lambda Z, rng: Z.astype(np.float32),
    "Cauchy": lambda Z, rng: np.tan(np.pi * (rng.random(Z.shape) - 0.5)),
}


def sequences(n: int) -> Samples:
    rng = np.random.default_rng(0)
    X = np.array(["".join(row) for row in rng.choice(list("ACGT"), (n + n // 2, 30))], dtype=object)
    y = np.array([x.count("AC") - x.count("G") for x in X[:n]], dtype=float)
    return Samples(X[:n], X[n:], y + 0.1 * rng.standard_normal(n))


# The kernels.


def family(name: str, X: np.ndarray) -> Family:
    """Return some kernels of one family, with parameters on the scale of the data."""
    X = np.asarray(X, dtype=float)
    if name in ("gaussian", "laplacian"):
        metric = "sqeuclidean" if name == "gaussian" else "cityblock"
        gammas = np.array(WIDTHS) / float(np.median(pdist(X, metric)))
        kernels = lk.gaussians(gammas) if name == "gaussian" else lk.laplacians(gammas)
        definition = getattr(exact, name)
        return Family(
            kernels,
            [definition(gamma) for gamma in gammas],
            [lambda A, B, gamma=gamma: np.exp(-gamma * cdist(A, B, metric)) for gamma in gammas],
        )
    if name == "polynomial":
        gamma = 1 / float(np.median(pdist(X, "sqeuclidean")))
        degrees = (2, 3)
        return Family(
            lk.polynomials(degrees, gamma=gamma),
            [exact.polynomial(degree, gamma) for degree in degrees],
            [lambda A, B, q=degree: (gamma * (A @ B.T) + 1.0) ** q for degree in degrees],
        )
    if name == "linear":
        return Family(lk.linear(), [exact.linear], [lambda A, B: A @ B.T])
    blocks = [[0], [1], [2]] if name == "per_feature" else [[0, 1], [2]]
    return Family(
        lk.per_feature() if name == "per_feature" else lk.low_rank(blocks),
        [exact.columns(*block) for block in blocks],
        [lambda A, B, block=block: A[:, block] @ B[:, block].T for block in blocks],
    )


def stack(samples: Samples) -> tuple[Samples, Family]:
    """Return rounded Gram matrices of a Gaussian and the linear kernel as precomputed data."""
    X, new = (np.asarray(part, dtype=float) for part in samples[:2])
    plain = [family(name, X).plain[-1] for name in ("gaussian", "linear")]
    train, test = (np.stack([k(rows, X) for k in plain], axis=-1) for rows in (X, new))
    picked = [lambda A, B, at=at: A[:, :, at] for at in (0, 1)]
    kernels = Family("precomputed", [exact.given(0), exact.given(1)], picked)
    return Samples((train + train.transpose(1, 0, 2)) / 2, test, samples.y), kernels


def in_float(definition: exact.KernelOf):
    return lambda A, B: definition(A, B).astype(float)


SEQUENCES = {
    "spectrum": Family(
        [lk.spectrum(1), lk.spectrum(3)],
        [exact.spectrum(1), exact.spectrum(3)],
        [in_float(exact.spectrum(1)), in_float(exact.spectrum(3))],
    ),
    "weighted_degree": Family(
        [lk.weighted_degree(2), lk.weighted_degree(10)],
        [exact.weighted_degree(2), exact.weighted_degree(10)],
        [in_float(exact.weighted_degree(2)), in_float(exact.weighted_degree(10))],
    ),
}


# One measurement.


def one(kernels: Family, samples: Samples, alphas: Sequence[float]) -> dict:
    """Return the largest relative errors, ours and those of NumPy; None if data are rejected."""
    lifted = [part if part.dtype == object else numbers(part) for part in samples[:2]]
    X, new = (np.asarray(part) for part in lifted)
    y = numbers(samples.y)
    raw = [k(X, X) for k in kernels.exact]
    grams = [centered(K, K) for K in raw]
    truth = alignment_of(grams, y)
    ours = statistics(kernels, samples)
    with np.errstate(all="ignore"):
        theirs, dense_ridge = plain(kernels, samples)
    row = {
        what: [worst(getattr(ours, what, None), getattr(truth, what)), worst(there, value)]
        for what, value, there in zip(truth._fields, truth, theirs, strict=True)
    }
    p, n = len(raw), len(y)
    K = sum(G / (trace / n) for G, trace in zip(grams, truth.traces, strict=True)) / p
    cross = [centered(k(new, X), L) for k, L in zip(kernels.exact, raw, strict=True)]
    rows = sum(G / (trace / n) for G, trace in zip(cross, truth.traces, strict=True)) / p
    for alpha in alphas:
        wanted = rows @ exact.ridge(K, y, alpha)
        found = predictions(kernels, samples, alpha)
        with np.errstate(all="ignore"):
            dense = dense_ridge(alpha)
        row[f"ridge {alpha:.0e}"] = [in_norm(found, wanted), in_norm(dense, wanted)]
    return row


def statistics(kernels: Family, samples: Samples):
    """Return the statistics; None if the data are rejected or a kernel counts as constant."""
    try:
        found = lk.alignment_statistics(kernels.kernels, samples.X, samples.y, task="regression")
    except lk.InputError:
        return None
    return None if found.constant.any() else found


def predictions(kernels: Family, samples: Samples, alpha: float) -> np.ndarray | None:
    """Return predictions of ridge with uniform weights, minus the mean of y; None if rejected."""
    model = lk.KernelRegressor(kernels.kernels, "unif", alpha=alpha)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lk.ConstantKernelWarning)
        try:
            return model.fit(samples.X, samples.y).predict(samples.new) - samples.y.mean()
        except (lk.InputError, lk.ConstantKernelWarning):
            return None


def plain(kernels: Family, samples: Samples):
    """Return the statistics of dense matrices in double precision, and a function for ridge."""
    X, new = (p if p.dtype == object else p.astype(float) for p in samples[:2])
    y, n = samples.y, len(samples.y)
    raw = [k(X, X) for k in kernels.plain]
    grams = [centered(K, K) for K in raw]
    found = alignment_of(grams, y)
    scaled = [G / (trace / n) for G, trace in zip(grams, found.traces, strict=True)]
    cross = [centered(k(new, X), K) for k, K in zip(kernels.plain, raw, strict=True)]
    rows = [G / (trace / n) for G, trace in zip(cross, found.traces, strict=True)]

    def ridge(alpha: float):
        try:
            coef = np.linalg.solve(np.mean(scaled, axis=0) + alpha * np.eye(n), y - y.mean())
        except np.linalg.LinAlgError:
            return None
        return np.mean(rows, axis=0) @ coef

    return found, ridge


def worst(found, truth) -> float | None:
    """Return the largest relative error of an entry."""
    if found is None:
        return None
    with np.errstate(invalid="ignore"):
        return rounded(np.max(np.abs((numbers(found) - truth) / truth)))


def in_norm(found, truth) -> float | None:
    """Return the largest error, relative to the largest entry."""
    if found is None:
        return None
    with np.errstate(invalid="ignore"):
        return rounded(np.max(np.abs(numbers(found) - truth)) / np.max(np.abs(truth)))


def rounded(value) -> float:
    """Return two digits of an error, and 1 for larger errors and NaN."""
    return float(f"{min(float(value), 1.0):.1e}") if value == value else 1.0

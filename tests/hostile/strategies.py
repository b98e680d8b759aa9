"""Hypothesis strategies for data and parameters, from ordinary to absurd."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF

import learnkernels as lk
from learnkernels.methods import METHODS

# Most arguments are ordinary, so that the strange one is reached.
ORDINARY = st.floats(-4, 4, width=16)
EXTREME = st.sampled_from(
    [0.0, -0.0, 5e-324, 1e-300, 1e-150, 1e-12, 1.0, 1 + 1e-12, 1e8, 1e150, -1e150, 1e300, -1.7e308]
)
NOT_FINITE = st.sampled_from([np.nan, np.inf, -np.inf])
SAMPLES = st.integers(2, 12)
DTYPES = ["float32", "float16", "int8", "uint64", "bool", ">f8", "complex128", "object", "str"]
TEXTS = st.one_of(
    st.text("acgt", min_size=6, max_size=6),
    st.text("ab \n", max_size=9),
    st.text(max_size=5),
    st.sampled_from(["", "=1+1", "<b>", "\0", "\ud800", "nan", "a" * 300]),
)


@st.composite
def rows(draw, n=None, values=None):
    """Draw an array of shape (n_samples, n_features), normal or with elements of `values`."""
    n = draw(SAMPLES) if n is None else n
    d = draw(st.integers(1, 4))
    if values is not None:
        return draw(arrays.arrays(float, (n, d), elements=values))
    return np.random.default_rng(draw(st.integers(0, 99))).standard_normal((n, d))


TWINS = [
    lambda X: np.repeat(X[:1], len(X), axis=0),
    lambda X: np.hstack([X, X[:, :1]]),
    lambda X: np.vstack([X[:-1], X[:1] * (1 + 1e-13)]),
    lambda X: np.vstack([X[:-1], X[:1]]),
    lambda X: X * [[1.0]] + 1e8,
    np.round,
]


@st.composite
def dense(draw, n=None, strange=False):
    """Draw arrays of various values, types, shapes and memory layouts."""
    if not strange:
        return draw(rows(n))
    kind = draw(st.sampled_from(["chosen", "extreme", "scaled", "holes", "type", "form", "twins"]))
    holes = st.one_of(ORDINARY, NOT_FINITE)
    values = {"chosen": ORDINARY, "extreme": EXTREME, "holes": holes}.get(kind)
    X = draw(rows(n, values))
    if kind == "scaled":
        with np.errstate(all="ignore"):
            return X * draw(EXTREME)
    if kind == "type":
        return typed(X, draw(st.sampled_from(DTYPES)))
    if kind == "twins":
        return draw(st.sampled_from(TWINS))(X)
    if kind == "form":
        return draw(st.sampled_from(FORMS))(X)
    return X


def typed(X, dtype):
    with np.errstate(all="ignore"):
        return X.astype(dtype)


def read_only(X):
    X.flags.writeable = False
    return X


FORMS = [
    lambda X: X.tolist(),
    lambda X: [list(row)[: 1 + i % 2] for i, row in enumerate(X)],  # ragged
    lambda X: tuple(map(tuple, X)),
    np.asfortranarray,
    lambda X: np.repeat(X, 2, axis=1)[::-1, ::2],
    read_only,
    lambda X: X[:, 0],
    lambda X: X[None],
    lambda X: X[:, :0],
    lambda X: X[:0],
    lambda X: X[:1],
    lambda X: X[0, 0],
    lambda X: np.ma.masked_array(X, X > 2),
    lambda X: X.astype("datetime64[s]") if np.isfinite(X).all() else X,
    lambda X: [{"a": value} for value in X[:, 0]],
    lambda X: None,
    lambda X: object(),
    lambda X: {"a": X},
    lambda X: iter(X),
]


@st.composite
def sparse_rows(draw, n=None, strange=False):
    """Draw sparse matrices of every format, also unsorted or with duplicates and stored zeros."""
    X = draw(dense(n, strange).filter(is_numbers))
    X = np.where(draw(st.booleans()), X, X * (np.abs(X) > 1))
    container = draw(
        st.sampled_from(
            [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array,
             sparse.lil_array, sparse.dok_array, sparse.bsr_array, sparse.dia_array]
        )
    )  # fmt: skip
    found = container(X)
    if isinstance(found, (sparse.csr_array, sparse.csr_matrix)):
        found = draw(st.sampled_from(CSR_STATES))(found)
    return found


def is_numbers(X):
    return isinstance(X, np.ndarray) and X.dtype in (np.float32, float) and X.ndim == 2 and X.size


def unsorted(X):
    """Return a CSR matrix with descending column indices and one duplicate entry."""
    X = sparse.coo_array(X)
    order = np.lexsort((-X.coords[1], X.coords[0]))
    order = np.repeat(order, np.where(np.arange(len(order)) == 0, 2, 1))
    data, (row, column) = X.data[order], (X.coords[0][order], X.coords[1][order])
    data[:2] /= 2 if len(data) else 1
    pointers = np.searchsorted(row, np.arange(X.shape[0] + 1))
    return sparse.csr_array((data, column, pointers), shape=X.shape)


def stored_zeros(X):
    X = X.copy()
    X.data[::2] = 0
    return X


def wide_indices(X):
    wide = (X.data, X.indices.astype("int64"), X.indptr.astype("int64"))
    return type(X)(wide, shape=X.shape)


CSR_STATES = [lambda X: X, unsorted, stored_zeros, wide_indices]


@st.composite
def strings(draw, n=None, strange=False):
    """Draw lists of texts or sequences, also mixed with other types."""
    n = draw(SAMPLES) if n is None else n
    kind = draw(st.sampled_from(["texts", "mixed"] if strange else ["dna", "words"]))
    element = {
        "dna": st.text("acgt", min_size=5, max_size=5),
        "words": st.text("ab ", min_size=3, max_size=9).map(lambda t: "a " + t),
        "texts": TEXTS,
        "mixed": st.one_of(TEXTS, st.none(), st.just(np.nan), st.integers(), st.binary(max_size=3)),
    }[kind]
    found = draw(st.lists(element, min_size=n, max_size=n))
    return draw(st.sampled_from([list, tuple, lambda f: np.array(f, dtype=object), as_series]))(
        found
    )


def as_series(found):
    return pd.Series(found, dtype=object)


@st.composite
def frames(draw, n=None, strange=False):
    """Draw tables of pandas or polars with columns of many types."""
    n = draw(SAMPLES) if n is None else n
    kinds = list(COLUMNS) if strange else ["whole", "single", "yesno"]
    columns = ["number", *draw(st.lists(st.sampled_from(kinds), max_size=3, unique=True))]
    columns += ["text"] if draw(st.booleans()) else []
    table = pd.DataFrame({kind: draw(COLUMNS[kind](n)) for kind in dict.fromkeys(columns)})
    changes = ["twice", "names", "levels"] if strange else ["none", "polars", "index"]
    change = draw(st.sampled_from(["none", *changes]))
    if change == "polars" and not {"category", "mixed", "period"} & set(columns):
        return pl.from_pandas(table)
    if change == "index":
        table.index = pd.Index(["same"] * n)
    elif change == "twice":
        table = pd.concat([table, table], axis=1)
    elif change == "names":
        names = [None, 3, ("a", "b"), "", "=cmd", "<script>", "line\nbreak", 2.5]
        table.columns = pd.Index(names[: table.shape[1]], dtype=object)
    elif change == "levels":
        table.columns = pd.MultiIndex.from_product([["level"], table.columns])
    return table


def series(elements, dtype=None):
    def of(n):
        return st.lists(elements, min_size=n, max_size=n).map(lambda v: pd.Series(v, dtype=dtype))

    return of


COLUMNS = {
    "number": series(ORDINARY, "float64"),
    "single": series(ORDINARY, "float32"),
    "whole": series(st.integers(-5, 5)),
    "large": series(EXTREME, "float64"),
    "holes": series(st.one_of(ORDINARY, st.none()), "float64"),
    "nullable": series(st.one_of(st.integers(0, 3), st.none()), "Int64"),
    "yesno": series(st.booleans()),
    "text": series(st.text("acgt", min_size=4, max_size=4)),
    "words": series(TEXTS.filter(lambda t: "\ud800" not in t), "object"),
    "category": series(st.sampled_from("xyz"), "category"),
    "mixed": series(st.one_of(st.integers(0, 3), st.sampled_from("ab"), st.none()), "object"),
    "day": series(st.dates().map(pd.Timestamp)),
}


@st.composite
def stacks(draw, n=None, strange=False):
    """Draw precomputed Gram matrices of shape (n, n, p), also invalid ones."""
    n = draw(SAMPLES) if n is None else n
    p = draw(st.integers(1, 3))
    grams = []
    for _ in range(p):
        X = draw(rows(n))
        K = X @ X.T
        change = draw(st.sampled_from(["none", *GRAM_CHANGES])) if strange else "none"
        grams.append(GRAM_CHANGES[change](K) if change != "none" else K)
    stack = np.stack(grams, axis=-1)
    return draw(st.sampled_from([same, same, same, *STACK_SHAPES]))(stack) if strange else stack


def same(stack):
    return stack


STACK_SHAPES = [
    lambda stack: stack[:, :, 0],
    lambda stack: np.moveaxis(stack, -1, 0),
    lambda stack: stack[:-1],
    lambda stack: stack[:, :, :0],
    lambda stack: typed(stack, np.float32),
]


GRAM_CHANGES = {
    "asymmetric": lambda K: K + np.triu(np.ones_like(K)),
    "negative": lambda K: -K,
    "indefinite": lambda K: K - 3 * np.eye(len(K)),
    "zero": np.zeros_like,
    "constant": np.ones_like,
    "identity": lambda K: np.eye(len(K)),
    "tiny": lambda K: K * 1e-300,
    "small": lambda K: K * 1e-150,
    "large": lambda K: K * 1e150,
    "huge": lambda K: K * 1e300,
    "hole": lambda K: np.where(np.eye(len(K)), np.nan, K),
    "missing": lambda K: np.where(np.add.outer(*2 * (np.arange(len(K)) == 1,)), np.nan, K),
}


@st.composite
def targets(draw, n, task, strange=False):
    """Draw labels or numbers for n samples."""
    codes = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    codes[:2] = [0, 1]
    numbers = draw(st.lists(ORDINARY, min_size=n, max_size=n))
    usable = LABELS if task == "classification" else NUMBERS
    kind = draw(st.sampled_from([*LABELS, *NUMBERS, *NO_TARGETS] if strange else list(usable)))
    if kind in LABELS:
        return LABELS[kind](np.array(codes))
    if kind in NUMBERS:
        return NUMBERS[kind](np.array(numbers))
    return NO_TARGETS[kind](np.array(numbers))


LABELS = {
    "codes": lambda c: c,
    "two": lambda c: c % 2,
    "words": lambda c: np.array(["no", "yes", "<b>"])[c],
    "objects": lambda c: np.array(["no", "yes", "perhaps"], dtype=object)[c],
    "truth": lambda c: c > 0,
    "categories": lambda c: pd.Series(c, index=[7] * len(c)).map({0: "a", 1: "b", 2: "c"}),
    "column": lambda c: c[:, None],
    "all different": lambda c: np.arange(len(c)),
}
NUMBERS = {
    "numbers": lambda v: v,
    "single": lambda v: v.astype(np.float32),
    "millions": lambda v: v * 1e6,
    "shifted": lambda v: v + 1e12,
    "two targets": lambda v: np.stack([v, v[::-1]], axis=1),
    "constant": np.ones_like,
    "polars": lambda v: pl.Series(v),
}
NO_TARGETS = {
    "large": lambda v: v * 1e150,
    "small": lambda v: v * 1e-150,
    "tiny": lambda v: v * 1e-300,
    "huge": lambda v: v * 1e307,
    "hole": lambda v: np.where(np.arange(len(v)) == 0, np.nan, v),
    "infinite": lambda v: np.where(np.arange(len(v)) == 0, np.inf, v),
    "short": lambda v: v[:-1],
    "none": lambda v: None,
    "complex": lambda v: v * 1j,
    "mixed": lambda v: np.array([*v[:-1], "a"], dtype=object),
    "one class": lambda v: ["a"] * len(v),
    "empty": lambda v: [],
    "number": lambda v: 3.0,
    "absent": lambda v: np.array([None, *["a", "b"] * len(v)], dtype=object)[: len(v)],
}


def weights_of(n, strange=False):
    """Return a strategy for sample weights, or None."""
    if not strange:
        return st.none()
    ordinary = arrays.arrays(float, n, elements=st.sampled_from([0.5, 1.0, 1.0, 2.0, 0.0]))
    absurd = arrays.arrays(float, n, elements=st.one_of(EXTREME, NOT_FINITE))
    return st.one_of(ordinary, ordinary, absurd, st.just([1.0]))


NUMBER_KERNELS = st.sampled_from(
    [None, None, "gaussians", "laplacians", "polynomials", "linear", "per_feature", "rbf", "cosine",
     "chi2", lk.gaussians([1e-3, 1.0]), lk.gaussians([1e-300, 1e300]), lk.polynomials([2, 30]),
     lk.per_feature(), lk.low_rank(lk.gaussians(), 3), lk.low_rank("laplacians", 100), RBF(1.0),
     ["linear", "linear"], [lk.linear(), lk.gaussians([1.0])], lk.on([0]), lk.on([0, 5]),
     lk.on(slice(None), "linear")]
)  # fmt: skip
STRING_KERNELS = st.sampled_from(
    ["ngrams", lk.ngrams(1), lk.ngrams((1, 2), 5), lk.ngrams(2, analyzer="char"), lk.spectrum(1),
     lk.spectrum(3), lk.weighted_degree(2), lk.weighted_degree(3, 1), None, "linear",
     [lk.spectrum(2), lk.ngrams(1)], lk.spectrum(2, alphabet="acgt"),
     lk.low_rank(lk.spectrum(2), 2)]
)  # fmt: skip
TEXT = lk.on("text", [lk.spectrum(2), lk.weighted_degree(2)])
FRAME_KERNELS = st.sampled_from(
    [None, "linear", lk.per_feature(), lk.on(["number"]), lk.on(0), [lk.on([0]), TEXT], TEXT,
     [lk.on("number", "linear"), lk.on("text", lk.ngrams(1, analyzer="char"))], lk.on("numb"),
     [lk.on([0], name="same"), lk.on([0], lk.per_feature(), name="same")], lk.on(slice(None)),
     lk.on(["number", "missing"]), lk.ngrams(1), lk.low_rank(lk.on([0]), 2)]
)  # fmt: skip


def own_dots(A, B):
    """User-defined linear kernel that ignores overflow."""
    with np.errstate(all="ignore"):
        return A @ B.T


NO_KERNELS = st.sampled_from(
    [[], "nonsense", 3, "precomputed", ["precomputed", "linear"], object(), np.eye(2), {"a": 1},
     own_dots, lambda A, B: A, lambda A, B: own_dots(A, B) * np.nan, lambda A: A,
     ("linear", None), lk.on([]), "linear " * 9, b"linear"]
)  # fmt: skip


METHOD_NAMES = {
    task: st.sampled_from([name for name, method in METHODS.items() if task in method().tasks])
    for task in ("classification", "regression")
}
TWO_STAGES = st.sampled_from([name for name, method in METHODS.items() if not method().one_stage])
SETTINGS = {
    "C": st.sampled_from([1e-300, 1e-6, 0.1, 10, 1e8, [0.1, 1], [1, 1], (1.0,), 0, -1, np.nan, [],
                          "1", None, np.float32(2), True, [[1.0, 2.0]], 1e300]),
    "alpha": st.sampled_from([1e-300, 1e-12, 0.1, 1e8, [0.1, 1], 0, -1, np.inf, [], "1", None,
                              [1e-9, 1e9], 1e300]),
    "machine": st.sampled_from(["auto", "svm", "ridge", "alignment", "nonsense", None, 1]),
    "center": st.sampled_from([True, False, None, "no", 2]),
    "normalize": st.sampled_from(["trace", "frobenius", "cosine", None, "nonsense", 1, ["trace"]]),
    "backend": st.sampled_from([None, lk.Threads(1), lk.Threads(2), "nonsense", 2, object()]),
    "missing": st.sampled_from(["error", "neutral", "nonsense", None]),
    "max_memory": st.sampled_from([None, 1e9, 1, 300.0, 0, -1, np.nan, "1GB"]),
    "n_components": st.sampled_from([None, 1, 2, 5, 1000, 0, -1, 2.5, "all"]),
    "tol": st.sampled_from([1e-3, 1e-9, 10.0, 0, -1, np.nan, None, "small"]),
    "cv": st.sampled_from([2, 3, 5, 1, 0, -1, 1000, 2.5, None, "five"]),
    "random_state": st.sampled_from([0, 1, None, np.random.RandomState(0), -1, "seed", 2**40, 1.5]),
    "verbose": st.sampled_from([False, 0, None]),
}  # fmt: skip
METHOD_OBJECTS = st.sampled_from(
    ["nonsense", None, 3, lk.methods.Align, lk.methods.Align(q=1), lk.methods.Align(q=50.0),
     lk.methods.Align(q=1.001), lk.methods.Align(q="2"), lk.methods.LpSVM(p=1.0),
     lk.methods.LpSVM(p=0.5), lk.methods.LpSVM(p=100.0), lk.methods.L2Ridge(radius=0),
     lk.methods.L2Ridge(radius=1e-300), lk.methods.L2Ridge(radius=1e6),
     lk.methods.L1Ridge(radius=1e-12), lk.methods.L1Ridge(radius=np.nan),
     lk.methods.Conv(theta=0), lk.methods.Conv(theta=5), lk.methods.Conv(theta=10**9),
     lk.methods.Conv(theta=-1), lk.methods.DC(theta=1), lk.methods.DC(theta=2.5),
     lk.methods.AlignSingle(gamma1=0.0), lk.methods.AlignSingle(gamma2=1e12),
     lk.methods.UFO(beta=-1.0), lk.methods.BestSingle(max_kernels=1),
     lk.methods.BestSingle(max_kernels=0)]
)  # fmt: skip


@st.composite
def settings_of(draw, names, most=2):
    """Draw a few parameters of an estimator, ordinary or not."""
    chosen = draw(st.lists(st.sampled_from(names), max_size=most, unique=True))
    return {name: draw(SETTINGS[name]) for name in chosen}

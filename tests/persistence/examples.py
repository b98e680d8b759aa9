"""Models of every kind that a file can hold, and the form of the samples of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.model_selection import PairFold


def with_missing_rows(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[:5, :2] = np.nan
    return X


def mixed(X: np.ndarray) -> pd.DataFrame:
    """Return columns of numbers, categories, texts and sequences."""
    frame = pd.DataFrame(X[:, :3], columns=["b:x", "b:y", "z"])
    return frame.assign(
        kind=np.where(X[:, 3] > 0, "up", "down").astype(object),
        note=TABLES["texts"](X).astype(object),
        gene=TABLES["sequences"](X).astype(object),
    )


def objects(n: int, seed: int) -> np.ndarray:
    """Return features of some objects, (n, 2)."""
    return np.random.default_rng(seed).standard_normal((n, 2))


def gram(n: int, seed: int) -> np.ndarray:
    """Return a Gram matrix of some objects."""
    Z = objects(n, seed)
    return Z @ Z.T


LEFT = {"b": gram(8, 0), "a": gram(8, 1)}
TABLES: dict[str, Any] = {
    "pairs": lambda X: np.argwhere(np.ones((8, 8)))[: len(X)],
    "rows": lambda X: X,
    "single precision": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcde")),
    "texts": lambda X: np.array([" ".join("abcdefgh"[int(v) % 8] for v in 9 * row) for row in X]),
    "sequences": lambda X: np.array(["".join("acgt"[int(v) % 4] for v in 9 * row) for row in X]),
    "bits": lambda X: (np.tile(X, 40) > np.linspace(-1, 1, 40 * X.shape[1])).astype(float),
    "stack": lambda X: np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1),
    "missing": with_missing_rows,
    "mixed": mixed,
}
CALLS = ("transform", "predict", "decision_function", "predict_proba")
SOME = {"kernels": ["gaussians", "linear"], "method": "alignf"}
TABLE_MODEL = "table model"
MODELS: dict[str, tuple[Any, str]] = {
    "default classifier": (lk.KernelClassifier(), "rows"),
    "default regressor": (lk.KernelRegressor(), "frame"),
    "default learner": (lk.KernelLearner(), "rows"),
    "learned metric": (
        lk.KernelRegressor(lk.table() + lk.learned_metric(lk.gaussians(), 2), "loo"), "rows"),
    "linear map": (
        lk.KernelClassifier(lk.learned_metric(lk.gaussians(), full=True), "unif", C=1.0), "rows"),
    "list of C": (lk.KernelClassifier(**SOME, C=[1, 10], cv=KFold(3)), "rows"),
    "array of alpha": (lk.KernelRegressor(**SOME, alpha=np.array([1.0, 10.0])), "rows"),
    "weights of classes": (
        lk.KernelClassifier("linear", "unif", C=[1.0, 10.0], scoring="balanced_accuracy",
                            class_weight={0.0: 1.0, 1.0: 2.0, 2.0: 3.0}), "rows"),
    "three classes": (lk.KernelClassifier(**SOME, C=1.0), "rows"),
    "formulas": (
        lk.KernelClassifier(
            (lk.polynomials([1, 2.0]), "laplacians", lk.kernels.Gaussian(0.5)), "unif", C=1.0,
            center=False), "rows"),
    "wrapped kernels": (
        lk.KernelClassifier(["linear", "rbf", RBF(1.0)], "alignf", 1.0, normalize="cosine"),
        "rows"),
    "gaussian processes": (
        lk.KernelRegressor(
            [RBF([1.0, 2.0, 1.0, 1.0, 3.0]), ConstantKernel(2.0) * Matern() + WhiteKernel(0.1),
             lk.kernels.Metric("polynomial", {"degree": 2})], "unif", 1.0), "rows"),
    "pipeline": (
        make_pipeline(
            StandardScaler(), lk.KernelRegressor("gaussians", lk.methods.Align(q=3), 1.0)), "rows"),
    "learner": (lk.KernelLearner(**SOME), "rows"),
    "alignment predictor": (
        lk.KernelClassifier("gaussians", "align-single", C=1.0), "rows"),
    "many kernels": (lk.KernelClassifier("gaussians", "l1-svm", C=1.0), "rows"),
    "tail sums": (lk.KernelClassifier("gaussians", lk.methods.Conv(theta=2), C=1.0), "rows"),
    "a machine for each kernel": (lk.KernelRegressor("gaussians", "ensemble", 1.0), "rows"),
    "conjugate gradients": (lk.KernelRegressor(**SOME, max_memory=1e4, alpha=1.0), "rows"),
    "support vector regression": (
        lk.KernelRegressor(**SOME, machine="svr", C=[0.1, 1.0], epsilon=0), "rows"),
    "weights of each target": (
        lk.KernelRegressor([lk.on(["a", "b"], "gaussians"), lk.on("c", lk.per_feature())],
                           weights="per_target"), "frame"),
    "landmarks": (lk.KernelRegressor(**SOME, n_components=20, alpha=1.0), "rows"),
    "threads": (lk.KernelRegressor(**SOME, backend=lk.Threads(1), alpha=1.0), "rows"),
    "single precision": (lk.KernelClassifier(**SOME, C=1.0), "single precision"),
    "factors": (lk.KernelClassifier(lk.per_feature(), "alignf", 1.0), "rows"),
    "factors of a regression": (lk.KernelRegressor(lk.per_feature(), "alignf", 1.0), "rows"),
    "formulas and factors": (
        lk.KernelRegressor([lk.per_feature(), "gaussians"], "unif", 1.0, center=False), "sparse"),
    "sparse factors": (lk.KernelClassifier(lk.per_feature(), "alignf", 1.0), "sparse"),
    "learner of factors": (lk.KernelLearner(lk.per_feature(), "alignf"), "rows"),
    "learner of sparse factors": (lk.KernelLearner(lk.per_feature(), "alignf"), "sparse"),
    "landmark features": (
        lk.KernelRegressor(lk.low_rank(lk.gaussians(), 10), "alignf", 1.0), "rows"),
    "random features": (
        lk.KernelRegressor(lk.low_rank("laplacians", 5, approximation="random"), "unif", 1.0),
        "rows"),
    "features of words": (
        lk.KernelClassifier(lk.low_rank(lk.spectrum(2), 10), "unif", 1.0), "sequences"),
    "sparse": (lk.KernelClassifier(**SOME, C=1.0), "sparse"),
    "views": (
        lk.KernelClassifier([lk.on(["a", "b"], "gaussians"), lk.on("c", "linear")], "alignf", 1.0),
        "frame"),
    "sparse views": (
        lk.KernelClassifier([lk.on([0, 1], lk.per_feature()), lk.on([2, 3, 4], "gaussians")],
                            "unif", 1.0), "sparse"),
    "blocks": (
        lk.KernelRegressor(lk.low_rank([["a", "b"], slice("c", "d")]), "alignf", 1.0), "frame"),
    "missing views": (
        lk.KernelClassifier(
            [lk.on([0, 1], lk.gaussians([0.1, 0.2])), lk.on([2, 3, 4], ["linear", "rbf"])],
            "unif", 1.0, missing="neutral"), "missing"),
    "missing columns": (
        lk.KernelLearner([lk.on([0, 1], lk.per_feature()), lk.on(slice(2, 5), "linear")], "unif",
                         missing="neutral"), "missing"),
    "pairs": (
        lk.KernelClassifier(
            lk.pairs(LEFT, (objects(8, 2), lk.gaussians([0.1, 1.0]))), cv=PairFold(2, "left")),
        "pairs"),
    "kinds of pairs": (
        lk.KernelRegressor(
            lk.pairs(np.stack([gram(8, 0)], axis=-1), LEFT, "sum") + lk.pairs(LEFT, LEFT), "unif",
            1.0),
        "pairs"),
    "symmetric pairs": (
        lk.KernelRegressor(lk.pairs(LEFT, kind="symmetric"), "alignf", 1.0), "pairs"),
    "learner of pairs": (lk.KernelLearner(lk.pairs(LEFT, LEFT), "alignf"), "pairs"),
    "learner of symmetric pairs": (
        lk.KernelLearner(lk.pairs(LEFT, kind="symmetric"), "unif"), "pairs"),
    "stack": (lk.KernelClassifier("precomputed", "unif", C=1.0), "stack"),
    "missing in a stack": (
        lk.KernelClassifier("precomputed", "unif", C=1.0, missing="neutral"), "stack"),
    "texts": (lk.KernelClassifier(lk.ngrams(2, analyzer="char"), "alignf", 1.0), "texts"),
    "k-mers": (lk.KernelClassifier([lk.spectrum(2), lk.spectrum(3)], "alignf", 1.0), "sequences"),
    "sequences": (
        lk.KernelClassifier([lk.weighted_degree(3), lk.weighted_degree(2, 1)], "unif", 1.0),
        "sequences"),
    "bits": (lk.KernelClassifier([lk.tanimoto(), "linear"], "alignf", 1.0), "bits"),
    TABLE_MODEL: (
        lk.KernelClassifier(
            [lk.on("note", lk.ngrams(2, analyzer="char")),
             lk.on("gene", [lk.spectrum(2), lk.weighted_degree(3)]), lk.on("b:", "gaussians"),
             lk.on(lk.kernels.views.OtherColumns(("note", "gene"), ("b:",)), None, name="rest")],
            "unif", 1.0), "mixed"),
}  # fmt: skip


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Return 60 samples of three classes in five dimensions."""
    X = np.random.default_rng(0).standard_normal((60, 5))
    return X, (X[:, 0] * X[:, 1] > 0).astype(float) + (X[:, 2] > 1)


def fitted(name: str) -> tuple[Any, Any]:
    """Return a fitted model and its samples."""
    model, table = MODELS[name]
    values, y = problem()
    X = TABLES[table](values)
    return clone(model).fit(X, y), X


def outputs(model: Any, X: Any) -> dict[str, np.ndarray]:
    """Return everything that a model computes for samples."""
    last = model[-1] if hasattr(model, "steps") else model
    absent = set() if hasattr(last, "temperature_") else {"predict_proba"}
    names = [name for name in CALLS if name not in absent and hasattr(model, name)]
    found = {name: np.asarray(getattr(model, name)(X)) for name in names}
    if hasattr(last, "_posterior"):
        found["std"] = np.asarray(model.predict(X, return_std=True)[1])
        prepared = model[:-1].transform(X) if last is not model else X
        found["interval"] = last.predict_interval(prepared, 0.5)
    return found

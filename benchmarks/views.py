"""Several views of the same samples: the default against its views alone and other ways to combine.

Repeated splits of three sets of real data, complete, with missing views, with missing cells, and
with views of noise. Accuracy on the test part. Views and cells are missing at random in the
training and the test part; every sample keeps at least one view. The last part trains on complete
samples and predicts samples that lack one view, beside a model that was trained without it.

``python -m benchmarks views --record`` also writes the numbers that the documentation shows.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import learnkernels as lk

# Name, file, training samples, test samples and splits.
SETS = (
    ("breast_tcga", "breast_tcga_train.csv.gz", 100, 50, 10),
    ("mfeat", "mfeat.csv.gz", 200, 500, 3),
    ("pendigits", "pendigits_train.csv.gz", 200, 500, 3),
)
RATES = 0.25, 0.5
NOISE_VIEWS, NOISE_COLUMNS = 3, 50
GRID = [0.1, 1.0, 10.0, 100.0]


@dataclass(frozen=True)
class Split:
    """Training and test samples, and the names of the views: the beginnings of column names."""

    train: pd.DataFrame
    y: np.ndarray
    test: pd.DataFrame
    y_test: np.ndarray
    views: list[str]


def run(quick: bool = False) -> dict:
    """Return the accuracy on every split, for each data set, setting and model."""
    found: dict[str, Any] = {}
    start = time.process_time()
    for name, file, n_train, n_test, n_splits in SETS[:1] if quick else SETS:
        table = read(file)
        if table is None:
            print(f"{name}: not available, set LEARNKERNELS_DATA")
            continue
        if quick:
            table, n_train, n_test = table.drop(columns=left_out(table)), 40, 30
        rows = [
            of_split(split(table, n_train, n_test, seed), seed, quick)
            for seed in range(1 if quick else n_splits)
        ]
        found[name] = {
            "train": n_train, "test": n_test, "splits": len(rows),
            "views": views_of(table), "settings": joined([row[0] for row in rows]),
            "missing_view": joined([row[1] for row in rows]),
        }  # fmt: skip
        show(name, found[name])
    return {"cpu_seconds": round(time.process_time() - start), "sets": found}


def read(file: str) -> pd.DataFrame | None:
    """Return a table, None if it is not available."""
    folder = os.environ.get("LEARNKERNELS_DATA")
    return pd.read_csv(Path(folder, file)) if folder else None


def left_out(table: pd.DataFrame) -> list[str]:
    """Return the columns that quick mode does not use: it uses some of the first two views."""
    columns = [name for name in table if name != "target"]
    used = [name for name in columns if view_of(name) in views_of(table)[:2]][::40]
    return [name for name in columns if name not in used]


def views_of(table: pd.DataFrame) -> list[str]:
    """Return the views of a table: the parts of column names before ``:`` or ``_``."""
    return list(dict.fromkeys(view_of(name) for name in table if name != "target"))


def view_of(column: str) -> str:
    return re.split("[:_]", column)[0]


def split(table: pd.DataFrame, n_train: int, n_test: int, seed: int) -> Split:
    """Return a random split with the same part of every class."""
    X, y = table.drop(columns="target"), table["target"].to_numpy()
    train, test, y_train, y_test = train_test_split(
        X, y, train_size=n_train, test_size=n_test, stratify=y, random_state=seed
    )
    return Split(train, y_train, test, y_test, views_of(table))


def of_split(data: Split, seed: int, quick: bool) -> tuple[dict, dict]:
    """Return accuracies by setting and model, and those with one missing view."""
    rng = np.random.default_rng(seed)
    settings = {"complete": data}
    for rate in RATES[:1] if quick else RATES:
        settings[f"{rate:.0%} of views missing"] = changed(data, rng, rate, lacking_views)
        settings[f"{rate:.0%} of cells missing"] = changed(data, rng, rate, lacking_cells)
    settings["views of noise"] = with_noise(data, rng)
    found = {
        setting: {name: accuracy(make(one.views), one) for name, make in MODELS.items()}
        for setting, one in settings.items()
    }
    for view in data.views:
        found["complete"][f"view {view}"] = accuracy(learned([view]), data)
    return found, lacking_one_view(data)


def changed(data: Split, rng: np.random.Generator, rate: float, lacking: Callable) -> Split:
    """Return a split in which values are missing."""
    train, test = (lacking(X, data.views, rate, rng) for X in (data.train, data.test))
    return Split(train, data.y, test, data.y_test, data.views)


def lacking_views(
    X: pd.DataFrame, views: list[str], rate: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Return a table whose samples lack each view with a probability, and never all."""
    missing = rng.random((len(X), len(views))) < rate
    missing[np.arange(len(X)), rng.integers(len(views), size=len(X))] &= ~missing.all(axis=1)
    owner = np.array([views.index(view_of(name)) for name in X])
    return X.astype(float).mask(missing[:, owner])


def lacking_cells(
    X: pd.DataFrame, views: list[str], rate: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Return a table whose cells are missing with a probability."""
    return X.astype(float).mask(rng.random(X.shape) < rate)


def with_noise(data: Split, rng: np.random.Generator) -> Split:
    """Return a split with further views of random numbers."""
    views = [f"noise{k}" for k in range(1, NOISE_VIEWS + 1)]
    columns = [f"{view}_{j}" for view in views for j in range(NOISE_COLUMNS)]
    tables = [
        X.join(pd.DataFrame(rng.standard_normal((len(X), len(columns))), X.index, columns))
        for X in (data.train, data.test)
    ]
    return Split(tables[0], data.y, tables[1], data.y_test, data.views + views)


def lacking_one_view(data: Split) -> dict[str, dict[str, float]]:
    """Return the accuracy without each view, of the default and of a model trained without it."""
    model = learned(data.views).fit(data.train, data.y)
    found = {}
    for view in data.views:
        present = [one for one in data.views if one != view]
        test = data.test.loc[:, [view_of(name) != view for name in data.test]]
        found[view] = {
            "trained with it": float(np.mean(model.predict(test) == data.y_test)),
            "trained without it": accuracy(learned(present), data),
        }
    return found


def accuracy(model: Any, data: Split) -> float:
    """Fit a model and return its accuracy on the test part."""
    predicted = model.fit(data.train, data.y).predict(data.test)
    return float(np.mean(predicted == data.y_test))


def learned(views: list[str]) -> Any:
    """Return the default: one view of kernels for each part of the table."""
    return lk.KernelClassifier([lk.on(view) for view in views], missing="neutral")


def uniform(views: list[str]) -> Any:
    """Return uniform weights after cosine normalisation, as in mixKernel, and a linear kernel."""
    kernels = [lk.on(view, lk.linear()) for view in views]
    model = lk.KernelClassifier(kernels, "unif", C=GRID, normalize="cosine")
    return make_pipeline(*filled(), model)


def boosting(views: list[str]) -> Any:
    """Return boosting on all columns, which takes missing cells."""
    return HistGradientBoostingClassifier(random_state=0)


def support_vectors(views: list[str]) -> Any:
    """Return an SVM on all columns, with C by cross-validation."""
    return make_pipeline(*filled(), GridSearchCV(SVC(), {"C": GRID}, cv=3))


def stacking(views: list[str]) -> Any:
    """Return a logistic regression on held-out outputs of one SVM for each view."""
    each = [
        (view, make_pipeline(
            make_column_transformer((make_pipeline(*filled()), Columns(view))), SVC(C=10.0)))
        for view in views
    ]  # fmt: skip
    return StackingClassifier(each, LogisticRegression(max_iter=1000), cv=5)


@dataclass(frozen=True)
class Columns:
    """A selector of the columns of one view."""

    view: str

    def __call__(self, X: pd.DataFrame) -> list[str]:
        return [name for name in X if view_of(name) == self.view]


def filled() -> tuple[Any, Any]:
    """Return steps that standardise columns and fill missing cells with the mean, which is 0."""
    imputer = SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True)
    return StandardScaler().set_output(transform="pandas"), imputer.set_output(transform="pandas")


MODELS: dict[str, Callable[[list[str]], Any]] = {
    "auto": learned,
    "unif, cosine": uniform,
    "boosting": boosting,
    "SVM": support_vectors,
    "stacking": stacking,
}


def joined(rows: list[dict]) -> dict:
    """Return lists over the splits in place of numbers."""
    return {
        key: {name: [round(row[key][name], 4) for row in rows] for name in rows[0][key]}
        for key in rows[0]
    }


def show(name: str, found: dict) -> None:
    for part in ("settings", "missing_view"):
        for key, models in found[part].items():
            means = ", ".join(f"{model} {np.mean(one):.3f}" for model, one in models.items())
            print(f"{name}, {key}: {means}", flush=True)

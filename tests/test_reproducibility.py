"""The same call gives the same numbers for any number of threads and in any process."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.inspection import (
    AlignmentAccuracyDisplay,
    GramDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
    compare,
)
from learnkernels.methods import METHODS, as_method

SEQUENCES = np.array(
    ["".join(row) for row in np.random.default_rng(1).choice(list("ACGT"), (150, 30))],
    dtype=object,
)


def problem(task: str, n: int = 150):
    """Return three features and a smooth target, or its sign as labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    return X, (y if task == "regression" else np.where(y > 0, "high", "low"))


def model_of(method: str, task: str, **options):
    """Return an estimator with this method; signed weights need strongly regularised ridge."""
    found = as_method(method)
    if task == "regression":
        alpha = 100.0 if found.signed else "auto" if found.learns_alpha else 1.0
        return lk.KernelRegressor(method=method, alpha=alpha, **options)
    machine = {"C": "auto" if found.learns_alpha else 1.0}
    if found.signed:
        machine = {"machine": "ridge", "C": 0.01}
    return lk.KernelClassifier(method=method, **machine, **options)


def numbers(model, X) -> dict[str, np.ndarray]:
    """Return weights, alignment, gap and outputs of a fit."""
    outputs = getattr(model, "decision_function", model.predict)
    return {
        "weights": model.weights_,
        "alignment": np.array(model.alignment_),
        "gap": np.array(model.certificate_.gap),
        "outputs": outputs(X),
    }


def assert_close(found, expected, rtol=1e-12):
    for name, value in expected.items():
        size = np.abs(value).max()
        assert np.abs(found[name] - value).max() <= rtol * size, name


def assert_same(found, expected):
    for name, value in expected.items():
        assert np.array_equal(found[name], value), name


FITS = [
    (method, task)
    for method in METHODS
    for task in ("classification", "regression")
    if task in as_method(method).tasks
]
TWO = lk.gaussians([0.1, 1.0])
MIXED = [TWO, lk.per_feature()]
MODELS = {
    "tiles": lk.KernelClassifier(lk.gaussians([0.1, 1.0]), C=[0.1, 1.0], method="alignf"),
    "factors": lk.KernelRegressor(lk.per_feature(), alpha=[0.1, 1.0], method="alignf"),
    "both": lk.KernelClassifier(MIXED, C=[0.1, 1.0], method="alignf"),
    "low rank": lk.KernelRegressor(
        lk.low_rank(lk.gaussians([0.1, 1.0]), 20), method="alignf", alpha=1.0
    ),
    "functions": lk.KernelRegressor(
        [lambda A, B: (1 + A @ B.T) ** 2, "linear"], method="alignf", alpha=1.0
    ),
    "conjugate gradients": lk.KernelRegressor(
        max_memory=1e5, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ),
    "landmarks": lk.KernelRegressor(
        alpha=[0.1, 1.0], n_components=30, kernels=["gaussians", "linear"], method="alignf"
    ),
    "landmarks for classes": lk.KernelClassifier(MIXED, n_components=30, method="alignf", C=1.0),
    "learner": lk.KernelLearner(lk.gaussians([0.1, 1.0]), method="alignf"),
    "sequences": lk.KernelClassifier(
        [lk.spectrum(3), lk.weighted_degree(4)], method="alignf", C=1.0
    ),
}


def data_of(name: str):
    model = MODELS[name]
    X, y = problem("regression" if isinstance(model, lk.KernelRegressor) else "classification")
    return (SEQUENCES if name == "sequences" else X), y


def fitted_numbers(name: str, **options) -> dict[str, np.ndarray]:
    from sklearn.base import clone

    X, y = data_of(name)
    model = clone(MODELS[name]).set_params(**options)
    if name == "learner":
        gram = model.fit_transform(X, y)
        return {"weights": model.weights_, "gram": gram, "new": model.transform(X[:20])}
    return numbers(model.fit(X, y), X)


@pytest.mark.parametrize(("method", "task"), FITS)
def test_every_method_is_invariant_to_number_of_threads(method, task):
    X, y = problem(task)
    one, two = (
        numbers(model_of(method, task, kernels=TWO, backend=Threads(n)).fit(X, y), X)
        for n in (1, 2)
    )
    assert_close(two, one)


@pytest.mark.parametrize("name", MODELS)
def test_every_kernel_and_machine_is_invariant_to_number_of_threads(name):
    one, two = (fitted_numbers(name, backend=Threads(n)) for n in (1, 2))
    assert_close(two, one)


@pytest.mark.parametrize(("method", "task"), FITS)
def test_fit_repeats_to_the_bit_and_does_not_use_global_random_state(method, task):
    X, y = problem(task, 80)
    first = numbers(model_of(method, task, kernels=TWO).fit(X, y), X)
    np.random.seed(7)
    random.seed(7)
    with unused_global_random_state():
        again = numbers(model_of(method, task, kernels=TWO).fit(X, y), X)
    assert_same(again, first)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_and_machines_repeat_to_the_bit(name):
    first = fitted_numbers(name)
    np.random.seed(7)
    with unused_global_random_state():
        again = fitted_numbers(name)
    assert_same(again, first)


class unused_global_random_state:
    """Context in which the global generators of Python and NumPy must not be used."""

    def __enter__(self):
        self.before = self.states()

    def __exit__(self, *_):
        assert self.states() == self.before

    @staticmethod
    def states():
        kind, keys, *rest = np.random.get_state()
        return random.getstate(), kind, keys.tolist(), rest


def test_inspection_and_report_do_not_use_global_random_state():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    X, y = problem("classification", 40)
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), C=[0.1, 1.0], method="alignf").fit(X, y)
    results = []
    for seed in (1, 2):
        np.random.seed(seed)
        with unused_global_random_state():
            compared = compare(
                X, y, ["unif", "alignf"], kernels=TWO, cv=3, random_state=5
            ).to_dict()
            summary = lk.report(model, X, y, cv=2, draws=2).summary
            guarantees = model.guarantees(X, y).to_dict()
            WeightsDisplay.from_estimator(model)
            GramDisplay.from_estimator(model, X, y)
            SpectrumDisplay.from_estimator(model, X, y)
            AlignmentAccuracyDisplay.from_estimator(model, X, y, cv=2)
            WeightPathDisplay.from_estimator(model, X, y)
            plt.close("all")
        results.append(without_times([compared, summary, guarantees]))
    assert results[0] == results[1]


def without_times(content) -> str:
    """Return the content as JSON without durations and dates."""

    def kept(value):
        if isinstance(value, dict):
            return {k: kept(v) for k, v in value.items() if k not in ("fit_seconds", "date")}
        return [kept(v) for v in value] if isinstance(value, list | tuple) else value

    return json.dumps(kept(content), default=str, sort_keys=True)


def digest_of(names) -> str:
    content = hashlib.sha256()
    with threadpool_limits(1, "blas"):  # the last digits depend on the number of threads
        for name in names:
            for value in fitted_numbers(name).values():
                content.update(np.ascontiguousarray(value).tobytes())
    return content.hexdigest()


def test_another_process_computes_the_same_bits():
    code = "from tests.test_reproducibility import *; print(digest_of(MODELS))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "3"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest_of(MODELS)


SEEDED = [
    lk.KernelClassifier,
    lk.KernelRegressor,
    lk.alignment_statistics,
    lk.low_rank,
    lk.methods.UFO,
    lk.methods.BestSingle,
    lk.methods.Ensemble,
    lk.theory.bootstrap_alignment,
    lk.KernelClassifier.guarantees,
    compare,
    lk.report,
]


@pytest.mark.parametrize("function", SEEDED, ids=lambda function: function.__qualname__)
def test_random_state_defaults_to_zero(function):
    assert inspect.signature(function).parameters["random_state"].default == 0


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_diabetes])
def test_no_method_warns_on_ordinary_data(load):
    X, y = (values[::3] for values in load(return_X_y=True))
    task = "regression" if load is load_diabetes else "classification"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for true_of_conv_and_dc in (lk.UniformBetterWarning, lk.NeverPredictedWarning):
            warnings.simplefilter("ignore", true_of_conv_and_dc)
        for method in METHODS:
            if task in as_method(method).tasks:
                model_of(method, task).fit(scale(X), y)

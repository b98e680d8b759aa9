"""The same call gives the same numbers: on any number of threads, in any process, at any time."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import random
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

import learnkernels as lk
from learnkernels.gram import Threads
from learnkernels.inspect import (
    AlignmentAccuracyDisplay,
    GramDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
    compare,
)
from learnkernels.inspect.heard import listening
from learnkernels.telling import unheard, warn
from learnkernels.weights import METHODS, as_method

SEQUENCES = np.array(
    ["".join(row) for row in np.random.default_rng(1).choice(list("ACGT"), (150, 30))],
    dtype=object,
)


def problem(task: str, n: int = 150):
    """Three features and a target that is a curve, or its sign."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    return X, (y if task == "regression" else np.where(y > 0, "high", "low"))


def model_of(method: str, task: str, **options):
    """An estimator with this method; signed weights need a machine that takes them."""
    signed = as_method(method).signed
    if task == "regression":
        return lk.KernelRegressor(method=method, alpha=100.0 if signed else 1.0, **options)
    machine = {"machine": "ridge", "C": 0.01} if signed else {}
    return lk.KernelClassifier(method=method, **machine, **options)


def numbers(model, X) -> dict[str, np.ndarray]:
    """What a fit comes to."""
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
MIXED = [lk.gaussians([0.1, 1.0]), lk.per_feature()]
MODELS = {
    "tiles": lk.KernelClassifier(lk.gaussians([0.1, 1.0]), C=[0.1, 1.0]),
    "factors": lk.KernelRegressor(lk.per_feature(), alpha=[0.1, 1.0]),
    "both": lk.KernelClassifier(MIXED, C=[0.1, 1.0]),
    "low rank": lk.KernelRegressor(lk.low_rank(lk.gaussians([0.1, 1.0]), 20)),
    "functions": lk.KernelRegressor([lambda A, B: (1 + A @ B.T) ** 2, "linear"]),
    "conjugate gradients": lk.KernelRegressor(max_memory=1e5),
    "landmarks": lk.KernelRegressor(alpha=[0.1, 1.0], n_components=30),
    "landmarks for classes": lk.KernelClassifier(MIXED, n_components=30),
    "learner": lk.KernelLearner(lk.gaussians([0.1, 1.0])),
    "sequences": lk.KernelClassifier([lk.spectrum(3), lk.weighted_degree(4)]),
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
def test_the_number_of_threads_changes_no_method(method, task):
    X, y = problem(task)
    one, two = (numbers(model_of(method, task, backend=Threads(n)).fit(X, y), X) for n in (1, 2))
    assert_close(two, one)


@pytest.mark.parametrize("name", MODELS)
def test_the_number_of_threads_changes_no_kernel_and_no_machine(name):
    one, two = (fitted_numbers(name, backend=Threads(n)) for n in (1, 2))
    assert_close(two, one)


@pytest.mark.parametrize(("method", "task"), FITS)
def test_a_fit_repeats_to_the_bit_and_leaves_global_randomness_alone(method, task):
    X, y = problem(task)
    first = numbers(model_of(method, task).fit(X, y), X)
    np.random.seed(7)
    random.seed(7)
    with untouched():
        again = numbers(model_of(method, task).fit(X, y), X)
    assert_same(again, first)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_and_machines_repeat_to_the_bit(name):
    first = fitted_numbers(name)
    np.random.seed(7)
    with untouched():
        again = fitted_numbers(name)
    assert_same(again, first)


class untouched:
    """The global generators of Python and NumPy are not used inside."""

    def __enter__(self):
        self.before = self.states()

    def __exit__(self, *_):
        assert self.states() == self.before

    @staticmethod
    def states():
        kind, keys, *rest = np.random.get_state()
        return random.getstate(), kind, keys.tolist(), rest


def test_looking_at_a_model_uses_no_global_randomness():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    X, y = problem("classification", 60)
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), C=[0.1, 1.0]).fit(X, y)
    told = []
    for seed in (1, 2):
        np.random.seed(seed)
        with untouched():
            compared = compare(X, y, ["unif", "alignf"], folds=3, seed=5).to_dict()
            summary = lk.report(model, X, y, folds=3, draws=3).summary
            guarantees = model.guarantees(X, y).to_dict()
            WeightsDisplay.from_estimator(model)
            GramDisplay.from_estimator(model, X, y)
            SpectrumDisplay.from_estimator(model, X, y)
            AlignmentAccuracyDisplay.from_estimator(model, X, y, cv=3)
            WeightPathDisplay.from_estimator(model, X, y)
            plt.close("all")
        told.append(without_clocks([compared, summary, guarantees]))
    assert told[0] == told[1]


def without_clocks(content) -> str:
    """As text, without what depends on when it was made."""

    def kept(value):
        if isinstance(value, dict):
            return {k: kept(v) for k, v in value.items() if k not in ("fit_seconds", "date")}
        return [kept(v) for v in value] if isinstance(value, list | tuple) else value

    return json.dumps(kept(content), default=str, sort_keys=True)


def digest_of(names) -> str:
    content = hashlib.sha256()
    with threadpool_limits(1, "blas"):  # its last digits depend on their number
        for name in names:
            for value in fitted_numbers(name).values():
                content.update(np.ascontiguousarray(value).tobytes())
    return content.hexdigest()


def test_another_process_finds_the_same_bits():
    code = "from tests.test_reproducibility import *; print(digest_of(MODELS))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "3"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
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
]


@pytest.mark.parametrize("function", SEEDED, ids=lambda function: function.__qualname__)
def test_whatever_draws_has_a_seed_and_the_seed_is_fixed(function):
    assert inspect.signature(function).parameters["random_state"].default == 0


def test_comparisons_and_reports_have_a_seed():
    for function in (compare, lk.report):
        assert inspect.signature(function).parameters["seed"].default == 0


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_diabetes])
def test_ordinary_data_is_no_reason_for_a_warning(load):
    X, y = load(return_X_y=True)
    task = "regression" if load is load_diabetes else "classification"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in METHODS:
            if task in as_method(method).tasks:
                model_of(method, task).fit(scale(X), y)


def test_whoever_listens_changes_no_filter_and_hears_no_other_thread():
    """Two threads listen in turns; a third, which does not, is heard as usual."""
    before, meeting = list(warnings.filters), threading.Barrier(2, timeout=60)

    def listener(times):
        with listening() as heard:
            meeting.wait()
            for _ in range(times):
                warn("a fit", ConvergenceWarning)
            with unheard(ConvergenceWarning):
                warn("a fit that nobody counts", ConvergenceWarning)
            assert list(warnings.filters) == before
            meeting.wait()
        return heard.unproved

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(listener, 2), pool.submit(listener, 3)
        assert (first.result(), second.result()) == (2, 3)
    with pytest.raises(ConvergenceWarning, match="heard"):  # warnings are errors in these tests
        warn("heard", ConvergenceWarning)


def test_fits_on_threads_of_a_listener_are_counted():
    def task(item):
        warn("a fit", ConvergenceWarning)

    with listening() as heard:
        list(Threads(2).map(task, range(10), "fits"))
    assert heard.unproved == 10

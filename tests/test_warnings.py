"""Categories of errors and warnings, and the line of the user's code that warnings point at."""

from __future__ import annotations

import ast
import inspect
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels._warnings import counted_unconverged, suppressed, warn
from learnkernels.execution import Threads
from learnkernels.solvers import svm

HASTY = lk.KernelClassifier(
    method=lk.methods.L1SVM(max_iter=1, tol=1e-9), kernels=["gaussians", "linear"], C=1.0
)
CONSTANT = lk.KernelClassifier(
    [lambda A, B: np.ones((len(A), len(B))), "gaussians"], method="alignf", C=1.0
)
# Categories that the page "What you can rely on" lists.
CATEGORIES = {
    "ConstantKernelWarning",
    "ConvergenceWarning",
    "MemoryWarning",
    "NeverPredictedWarning",
    "UndefinedAlignmentWarning",
    "TableWarning",
    "UniformBetterWarning",
}
# Modules that also use UserWarning: the command line and the cache of compiled functions.
OTHER_WARNINGS = {"cli/data.py", "compiled_cache.py"}
MODELS = {
    "constant kernel": (lk.ConstantKernelWarning, CONSTANT),
    "method": (ConvergenceWarning, HASTY),
    "undefined alignment": (
        lk.UndefinedAlignmentWarning,
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
    ),
    "pipeline": (ConvergenceWarning, make_pipeline(StandardScaler(), HASTY)),
    "constant kernel in a pipeline": (
        lk.ConstantKernelWarning,
        make_pipeline(StandardScaler(), CONSTANT),
    ),
    "grid search": (ConvergenceWarning, GridSearchCV(HASTY, {"C": [1.0]}, cv=2)),
    "stored Grams": (
        lk.MemoryWarning,
        lk.KernelRegressor([lambda A, B: A @ B.T], max_memory=1e3, method="alignf", alpha=1.0),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_warning_of_a_fit_points_at_the_line_that_calls_fit(name, classes):
    category, model = MODELS[name]
    X, labels = classes
    y = np.ones(len(X)) if name == "undefined alignment" else (labels == "yes").astype(float)
    with pytest.warns(category) as found:
        line = inspect.currentframe().f_lineno + 1
        model.fit(X, y)
    assert {(one.filename, one.lineno) for one in found} == {(__file__, line)}


def test_warning_of_a_worker_thread_points_at_the_line_that_calls_fit(monkeypatch):
    """The machines of several classes are trained in threads."""
    solve = svm.solve_svm

    def hasty(*data, **options):
        return solve(*data, **options | {"max_iter": 1, "exact": False})

    monkeypatch.setattr(svm, "solve_svm", hasty)
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning) as found:
        line = inspect.currentframe().f_lineno + 1
        lk.KernelClassifier(n_jobs=2, kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
            X, y
        )
    assert {(one.filename, one.lineno) for one in found} == {(__file__, line)}


def test_warning_is_shown_once_for_each_line_by_the_default_filter():
    def twice():
        for _ in range(2):
            warn("a fit", UserWarning)

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        twice()
    assert len(found) == 1


def test_captured_warnings_are_per_thread_and_leave_filters_unchanged():
    """Two threads capture warnings at the same time; the main thread still raises its own."""
    before, barrier = list(warnings.filters), threading.Barrier(2, timeout=600)

    def count_warnings(times):
        with counted_unconverged() as found:
            barrier.wait()
            for _ in range(times):
                warn("a fit", ConvergenceWarning)
            with suppressed(ConvergenceWarning):
                warn("a suppressed warning", ConvergenceWarning)
            assert list(warnings.filters) == before
            barrier.wait()
        return found.count

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(count_warnings, 2), pool.submit(count_warnings, 3)
        assert (first.result(), second.result()) == (2, 3)
    with pytest.raises(ConvergenceWarning, match="uncaptured"):  # pytest turns warnings into errors
        warn("uncaptured", ConvergenceWarning)


def test_warnings_of_worker_threads_are_captured():
    def task(item):
        warn("a fit", ConvergenceWarning)

    with counted_unconverged() as found:
        list(Threads(2).map(task, range(10), "fits"))
    assert found.count == 10


def test_warnings_have_the_documented_categories():
    package = Path(lk.__file__).parent
    for path in package.rglob("*.py"):
        module = path.relative_to(package).as_posix()
        allowed = CATEGORIES | ({"UserWarning"} if module in OTHER_WARNINGS else set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "warn":
                assert ast.unparse(node.args[1]) in allowed, f"{module}:{node.lineno}"


def test_input_error_is_a_value_error_and_a_type_error_where_python_raises_one():
    assert issubclass(lk.InputError, ValueError)
    with pytest.raises(TypeError) as found:
        lk.load(3.5)
    assert isinstance(found.value, lk.InputError)

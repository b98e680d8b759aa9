"""`subsample="auto"`: as many rows as the weights need."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.estimators.large import precision, streaming
from learnkernels.methods import as_method


@pytest.fixture
def table(rng):
    X = rng.standard_normal((3000, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + rng.standard_normal(3000)


@pytest.fixture
def small(monkeypatch):
    """Let the rule begin with few rows."""
    monkeypatch.setattr(streaming, "AUTO_ROWS", 50)
    for module in (streaming, precision):
        monkeypatch.setattr(module, "PILOT", 300)


def model(method, **options):
    options = {"n_components": 20, "subsample": "auto", "alpha": 1.0} | options
    return lk.KernelRegressor(lk.gaussians([0.01, 0.1, 1.0, 10.0]), method, **options)


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
def test_rows_are_those_that_the_precision_needs(table, small, monkeypatch, caplog):
    sizes = []
    for wanted in (0.2, 0.1, 0.05):
        monkeypatch.setattr(precision, "PRECISION", wanted)
        found = model("alignf").fit(*table)
        sizes.append(len(found.subsample_) if hasattr(found, "subsample_") else 3000)
        assert "the standard error of the learned kernel is" in caplog.text
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    # The number is that of the error squared, unless it is a bound.
    if 70 < sizes[0] and sizes[1] < 3000:
        assert sizes[1] == pytest.approx(4 * sizes[0], rel=0.01)


def test_kernel_of_the_chosen_rows_is_as_precise_as_asked(table, small, monkeypatch):
    monkeypatch.setattr(precision, "PRECISION", 0.1)
    X, y = table
    kernels = lk.gaussians([0.01, 0.1, 1.0, 10.0])
    every = lk.alignment_statistics(kernels, X, y)
    few = model("alignf")
    rows = streaming.training_rows(few, X, y, None)
    size = streaming.automatic_size(few, rows, 70)
    weights = as_weights(every)
    distances = []
    for seed in range(8):
        chosen = np.random.default_rng(seed).choice(len(y), size, replace=False)
        other = as_weights(lk.alignment_statistics(kernels, X[chosen], y[chosen]))
        distances.append(distance(every.M, weights, other))
    assert np.sqrt(np.mean(np.square(distances))) < 0.2


def as_weights(statistics):
    """Return the weights of alignf, by its definition on the non-negative orthant."""
    from scipy.optimize import nnls

    values, vectors = np.linalg.eigh(statistics.M)
    root = np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    mu, _ = nnls((vectors * root).T, (vectors.T @ statistics.a) / root)
    return mu


def distance(M, mu, other):
    """Return the distance of two kernels of norm one."""
    mu, other = (v / np.sqrt(v @ M @ v) for v in (mu, other))
    return np.sqrt((mu - other) @ M @ (mu - other))


@pytest.mark.parametrize("method", ["auto", "loo"])
def test_methods_that_read_few_samples_take_the_least_rows(method, table, caplog, monkeypatch):
    monkeypatch.setattr(streaming, "AUTO_ROWS", 1000)
    found = model(method).fit(*table)
    assert len(found.subsample_) == 1020
    assert "learns weights from at most 800 rows" in caplog.text


def test_tables_not_larger_than_the_least_rows_are_used_whole(table):
    found = model("unif").fit(*table)
    assert not hasattr(found, "subsample_")


def test_classes_and_one_stage_methods_have_a_rule(table, small, monkeypatch):
    monkeypatch.setattr(precision, "MOST_GRAMS", 400)
    X, y = table
    kernels = lk.gaussians([0.1, 1.0])
    found = lk.KernelClassifier(
        kernels, "l2-krr", C=1.0, machine="ridge", n_components=20, subsample="auto"
    ).fit(X, np.where(y > 0, "yes", "no"))
    assert 70 <= len(found.subsample_) <= 400


def test_model_is_not_changed_by_the_rule(table):
    X, y = table
    few = model("alignf")
    before = dict(vars(few))
    precision.needed_rows(few, as_method("alignf"), (X[:300], y[:300], np.ones(300)))
    assert vars(few) == before


def test_constant_targets_take_the_least_rows(table, small):
    X, y = table
    few = model("alignf")
    assert precision.needed_rows(few, as_method("alignf"), (X, np.zeros(len(y)), None)) == 0


def test_rows_do_not_depend_on_an_earlier_fit(rng):
    X = rng.standard_normal((300, 4))
    y = X[:, 0] + 0.1 * rng.standard_normal(300)
    options = {"kernels": lk.gaussians([0.1, 1.0]), "method": "align", "n_components": 20}
    few, method = (X, y, np.ones(300)), lk.methods.Align()
    again = lk.KernelRegressor().fit(X, y).set_params(**options)
    new = lk.KernelRegressor(**options)
    assert precision.needed_rows(again, method, few) == precision.needed_rows(new, method, few)

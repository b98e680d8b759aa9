"""Kernels on columns that are mapped by gradients of a predictor."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.estimators.fitting import gradient_products
from learnkernels.execution import Threads
from learnkernels.kernels import resolve
from learnkernels.kernels.learned_metric import next_map


def two_of_ten(n=120, seed=0):
    """Return ten columns, and a target that depends on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 10)) * np.geomspace(1, 100, 10)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] / X[:, 1].std()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("iterations", [1, 3])
def test_metric_finds_the_columns_that_the_target_depends_on(iterations, full):
    X, y = two_of_ten()
    products = partial(gradient_products, task="regression", backend=Threads(1))
    family = lk.learned_metric(iterations=iterations, full=full)
    kernel, *_ = resolve(family, X, target=y[:, None], gradient_products=products)
    A = kernel.source.maps[1].A
    size = np.linalg.norm(A, axis=1) if full else A
    assert size[:2].min() > 5 * size[2:].max()


def test_metric_lowers_the_error_if_most_columns_are_noise():
    X, y = two_of_ten()
    metric, plain = (
        lk.KernelRegressor(family).fit(X[:80], y[:80])
        for family in (lk.learned_metric(), lk.table())
    )
    assert 1 - metric.score(X[80:], y[80:]) < 0.75 * (1 - plain.score(X[80:], y[80:]))


def test_family_names_its_kernels_and_joins_others():
    X, y = two_of_ten(40)
    model = lk.KernelRegressor(lk.table() + lk.learned_metric(), "unif", alpha=1.0).fit(X, y)
    names = model.kernel_names_.tolist()
    assert len(names) == 28 and not names[0].startswith("learned metric")
    assert all(name.startswith("learned metric: ") for name in names[14:])
    given = lk.learned_metric(lk.gaussians([0.1, 1.0]), iterations=2)
    assert len(lk.KernelRegressor(given, "unif", alpha=1.0).fit(X, y).weights_) == 2


def test_metric_of_several_outputs_and_of_classes_is_learned():
    X, y = two_of_ten(60)
    several = np.column_stack([y, X[:, 5] / X[:, 5].std()])
    assert lk.KernelRegressor(lk.learned_metric()).fit(X, several).score(X, several) > 0.5
    codes = np.digitize(y, [-0.5, 0.5])
    assert lk.KernelClassifier(lk.learned_metric()).fit(X, codes).score(X, codes) > 0.7


def test_samples_of_weight_zero_do_not_change_the_metric():
    X, y = two_of_ten(60)
    w = (np.arange(60) >= 10).astype(float)
    wild = X.copy()
    wild[:10] *= 7.0
    given = lk.learned_metric(lk.gaussians([0.1, 1.0]))
    weighted = lk.KernelRegressor(given, "unif", alpha=0.1).fit(wild, y, w)
    kept = lk.KernelRegressor(given, "unif", alpha=0.1).fit(X[10:], y[10:])
    assert np.allclose(weighted.predict(X), kept.predict(X), rtol=1e-6, atol=1e-8)


def test_next_map_is_the_root_of_the_gradient_products_of_unmapped_columns(rng):
    M = rng.standard_normal((4, 4))
    M = M @ M.T
    A = rng.uniform(0.5, 2.0, 4)
    expected = np.diag(A) @ M @ np.diag(A)
    root = next_map(A, M, full=True)
    assert np.allclose(root @ root * np.linalg.eigvalsh(expected).max(), expected)
    scale = next_map(A, M, full=False)
    assert np.allclose(scale**2, np.diag(expected) / np.diag(expected).max())


def test_constant_predictor_keeps_a_finite_map():
    assert np.array_equal(next_map(np.ones(3), np.zeros((3, 3)), full=False), np.zeros(3))


def test_sparse_columns_raise_input_error():
    X, y = two_of_ten(30)
    with pytest.raises(lk.InputError, match="dense columns"):
        lk.KernelRegressor(lk.learned_metric()).fit(sparse.csr_array(X), y)


def test_kernels_without_known_gradient_raise_input_error():
    X, y = two_of_ten(30)
    with pytest.raises(lk.InputError, match="whose gradient is not known"):
        lk.KernelRegressor(lk.learned_metric(lk.polynomials([2]))).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": "gaussians"}, "base='gaussians'"),
        ({"base": [lk.linear()]}, r"base=\["),
        ({"iterations": 0}, "iterations=0"),
        ({"iterations": 1.5}, r"iterations=1\.5"),
        ({"full": "yes"}, "full='yes'"),
    ],
)
def test_invalid_parameters_raise_input_error(options, message):
    with pytest.raises(lk.InputError, match=message):
        lk.learned_metric(**options)


def test_metric_without_a_target_raises_input_error():
    with pytest.raises(lk.InputError, match="needs the target"):
        resolve(lk.learned_metric(), two_of_ten(30)[0])

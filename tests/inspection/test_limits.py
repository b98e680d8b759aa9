"""The theoretical limit as a yardstick for a fitted regressor."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.inspection import limit_errors


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(120)


@pytest.mark.parametrize("method", ["unif", "alignf", "auto"])
@pytest.mark.parametrize("center", [True, False])
def test_limit_is_at_most_the_error_of_the_regressor(method, center, data):
    """Theorem 3 of 2017: E_min <= E_est."""
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0, 10.0]), method, 1.0, center=center)
    found = limit_errors(model.fit(*data), *data)
    assert 0 <= found.limit <= found.regressor + 1e-6 <= 1.1


def test_errors_of_one_kernel_are_equal(data):
    """With one kernel both functions are the same projection of the target."""
    model = lk.KernelRegressor(lk.gaussians([1.0]), "unif", 1.0).fit(*data)
    found = limit_errors(model, *data, n_points=30)
    assert found.limit == pytest.approx(found.regressor, abs=1e-4)


def test_more_points_lower_both_errors(data):
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "unif", 1.0).fit(*data)
    few, many = (limit_errors(model, *data, n_points=n) for n in (5, 50))
    assert many.limit < few.limit and many.regressor < few.regressor
    assert "50 points" in str(many)


def test_invalid_argument_raises_input_error(data):
    X, y = data
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "unif", 1.0).fit(X, y)
    with pytest.raises(lk.InputError, match="from 1 to 60"):
        limit_errors(model, X, y, n_points=100)
    classifier = lk.KernelClassifier(lk.gaussians([1.0]), "unif", 1.0).fit(X, y > 0)
    with pytest.raises(lk.InputError, match="KernelRegressor with one target"):
        limit_errors(classifier, X, y > 0)
    svr = lk.KernelRegressor(lk.gaussians([1.0]), "unif", machine="svr", C=1.0).fit(X, y)
    with pytest.raises(lk.InputError, match="machine='svr' has no alpha"):
        limit_errors(svr, X, y)

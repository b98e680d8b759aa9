"""Numerically difficult data: every fit is finite or raises an error that names the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.kernels import resolve
from tests import dense

METHODS = ("unif", "align", "alignf", "l1-krr", "l2-krr")
# theta=0, because the kernel of two samples has rank one.
SVM_METHODS = ("l1-svm", lk.methods.Conv(theta=0))
FAMILIES = {
    "gaussians": lk.gaussians(),
    "laplacians": lk.laplacians(),
    "linear": lk.linear(),
    "per_feature": lk.per_feature(),
    "default": None,
}
SCALES = (1e-300, 1e-160, 1e-150, 1e-80, 1e-75, 1e75, 1e80, 1e150, 1e160, 1e300)


def samples(n: int = 40, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n)


def fitted(X, y, kernels, methods=METHODS, strength=1.0):
    """Fit every method to both tasks and check that results are finite; allow early stopping."""
    labels = np.where(y > np.median(y), 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", lk.UndefinedAlignmentWarning)  # at rounding level
        for method in methods:
            model = lk.KernelRegressor(kernels, method, alpha=strength).fit(X, y)
            yield checked(model, model.predict(X))
        for method in (*methods, *SVM_METHODS):
            model = lk.KernelClassifier(kernels, method, C=1 / strength).fit(X, labels)
            yield checked(model, model.decision_function(X))


def checked(model, outputs):
    assert np.isfinite(model.weights_).all() and (model.weights_ >= 0).all()
    assert model.weights_.any() and np.isfinite(outputs).all()
    return model


@pytest.mark.parametrize("strength", [1e-8, 1.0])
def test_near_duplicate_rows_give_finite_fits(strength):
    X, y = samples(20)
    rng = np.random.default_rng(1)
    X = np.vstack([X, X + 1e-8 * rng.standard_normal(X.shape)])
    for _ in fitted(X, np.tile(y, 2), None, strength=strength):
        pass


@pytest.mark.parametrize("strength", [1e-8, 1.0])
def test_equal_rows_with_different_labels_give_finite_fits(strength):
    X, y = samples(20)
    for _ in fitted(np.vstack([X, X]), np.append(y, -y), None, strength=strength):
        pass


def test_nearly_equal_kernels_share_the_weight_of_one():
    X, y = samples()
    one = list(fitted(X, y, lk.gaussians([0.3, 3.0]), ("alignf", "l1-krr")))
    two = list(fitted(X, y, lk.gaussians([0.3, 0.3 * (1 + 1e-12), 3.0]), ("alignf", "l1-krr")))
    for first, second in zip(one, two, strict=True):
        w = second.weights_
        assert np.allclose([w[0] + w[1], w[2]], first.weights_, rtol=0.02, atol=1e-4 * w.max())


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_samples_give_finite_fits(n):
    X, y = samples(n)
    for _ in fitted(X, y, lk.gaussians([0.1, 1.0]), ("unif", "align", "alignf", "l1-krr")):
        pass


@pytest.mark.parametrize("kernels", [lk.gaussians(np.geomspace(1e-3, 1e2, 30)), lk.linear()])
def test_more_kernels_or_features_than_samples_give_finite_fits(kernels):
    X, y = samples(10, 50)
    for _ in fitted(X, y, kernels):
        pass


def test_per_feature_kernels_outnumbering_samples_give_finite_fits():
    X, y = samples(10, 50)
    for method in METHODS:
        checked(
            model := lk.KernelRegressor(lk.per_feature(), method, alpha=1.0).fit(X, y),
            model.predict(X),
        )


@pytest.mark.filterwarnings("ignore:The number of unique classes:UserWarning")
def test_thousand_classes_are_separated():
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 1000
    X = 5 * rng.standard_normal((1000, 5))[y] + 0.1 * rng.standard_normal((2000, 5))
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), "alignf", machine="ridge", C=10.0)
    assert model.fit(X, y).score(X[:200], y[:200]) > 0.99


def test_separable_classes_are_separated():
    X, y = samples()
    X[:, 0] += 100 * np.sign(y - np.median(y))
    labels = np.where(y > np.median(y), 1, -1)
    for model in fitted(X, y, None):
        if isinstance(model, lk.KernelClassifier):
            assert model.score(X, labels) == 1


def test_pure_noise_gives_alignment_between_zero_and_one():
    X, _ = samples()
    y = np.random.default_rng(3).standard_normal(len(X))
    for model in fitted(X, y, None):
        assert 0 <= model.alignment_ <= 1


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", FAMILIES)
def test_rescaled_data_give_the_same_model_or_name_the_scale(name, scale):
    X, y = samples()
    scale = 2.0 ** np.round(np.log2(scale))  # a power of two, so that scaling is exact
    kernels = FAMILIES[name]
    expected = lk.KernelRegressor(kernels, alpha=0.1, method="alignf").fit(X, y)
    try:
        model = lk.KernelRegressor(kernels, alpha=0.1, method="alignf").fit(scale * X, y)
    except lk.InputError as error:
        assert "scale" in str(error)
        # Squared distances, or squared inner products, must not overflow.
        products = name in ("linear", "per_feature", "default")
        reach = 76 if products else 153
        assert abs(np.log10(scale)) > reach
        return
    assert np.allclose(model.weights_, expected.weights_, rtol=1e-6, atol=1e-9)
    assert np.allclose(model.predict(scale * X), expected.predict(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e100, 1e300])
@pytest.mark.parametrize("name", ["gaussians", "per_feature"])
def test_targets_with_overflowing_squares_raise_input_error(name, scale):
    X, y = samples()
    y = y / np.abs(y).max()
    with pytest.raises(lk.InputError, match="y varies by"):
        lk.KernelRegressor(FAMILIES[name], method="alignf", alpha=1.0).fit(X, scale * y)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e300, 1e-300])
def test_constant_target_is_predicted_at_any_scale(value):
    X, _ = samples()
    with pytest.warns(lk.UndefinedAlignmentWarning):
        model = lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
            X, np.full(len(X), value)
        )
    assert np.allclose(model.predict(X), value, rtol=1e-12, atol=0)


@pytest.mark.parametrize("far", [1e3, 999_999.0, 1e9])
@pytest.mark.parametrize("step", [2, 4, 20])
def test_statistics_are_exact_with_a_distant_cluster(far, step):
    X, y = samples(60)
    X[::step, 1] = far  # such as a code for missing values
    gammas = (0.05, 0.5, 5.0)
    D = cdist(X, X, "sqeuclidean")
    a, M, traces = dense.statistics([np.expm1(-gamma * D) for gamma in gammas], y[:, None])
    for kernels in (lk.gaussians(gammas), [lk.linear(), lk.gaussians(gammas)]):
        found = lk.alignment_statistics(kernels, X, y, normalize=None)
        assert np.allclose(found.M[-3:, -3:], M, rtol=1e-9, atol=0)
        assert np.allclose(found.a[-3:], a, rtol=1e-9, atol=0)
        assert np.allclose(found.traces[-3:], traces, rtol=1e-9, atol=0)


def test_outlier_changes_default_bandwidths_little():
    X, _ = samples(60)
    before = [kernel.gamma for kernel in resolve(lk.gaussians(), X)]
    X[0] *= 1e6
    after = [kernel.gamma for kernel in resolve(lk.gaussians(), X)]
    assert np.allclose(after, before, rtol=0.1)

"""Fitted attributes of SVC, SVR and KernelRidge, compared with theirs on the same kernel."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, SVR

import learnkernels as lk

LINEAR = {
    "linear": lk.linear(),
    "features": lk.per_feature(),
    "both": lk.linear() + lk.per_feature(),
    "views": lk.on([0, 1], lk.linear()) + lk.on([2, 3, 4], lk.per_feature()),
}


@pytest.fixture
def shifted(rng):
    """Return samples whose means are not zero, and their classes."""
    X = rng.standard_normal((80, 5)) + np.array([1.0, 0.0, 5.0, -2.0, 0.0])
    return X, (X[:, 1] + X[:, 2] + 0.3 * rng.standard_normal(80) > 5).astype(int)


@pytest.mark.parametrize("repeated", [False, True])
def test_svm_attributes_equal_those_of_svc(shifted, repeated):
    X, y = shifted
    if repeated:  # equal samples are merged in training, and share a coefficient
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    ours = lk.KernelClassifier("linear", "unif", C=1.0, normalize=None, tol=1e-8).fit(X, y)
    theirs = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.n_iter_.shape == theirs.n_iter_.shape and (ours.n_iter_ > 0).all()
    assert ours.dual_coef_.shape == (1, len(ours.support_))
    assert np.allclose(ours.dual_coef_ @ X[ours.support_], ours.coef_)
    if not repeated:
        assert ours.support_.tolist() == sorted(theirs.support_)
        order = np.argsort(theirs.support_)
        assert np.allclose(ours.dual_coef_, theirs.dual_coef_[:, order], atol=1e-4)


@pytest.mark.parametrize("repeated", [False, True])
def test_svr_attributes_equal_those_of_svr(shifted, repeated):
    X, y = shifted[0], shifted[0][:, 1] ** 2 + shifted[0][:, 2]
    if repeated:
        X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    ours = lk.KernelRegressor(
        "linear", "unif", machine="svr", C=1.0, epsilon=0.2, normalize=None
    ).fit(X, y)
    theirs = SVR(kernel="linear", C=y.std(), epsilon=0.2 * y.std(), tol=1e-8).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_[0], atol=1e-4)
    assert np.allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert ours.dual_coef_.shape == (1, len(ours.support_))
    assert np.allclose(ours.dual_coef_[0] @ X[ours.support_], ours.coef_)
    if not repeated:
        assert ours.support_.tolist() == theirs.support_.tolist()
        assert np.allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)


@pytest.mark.parametrize("outputs", [1, 2])
def test_ridge_dual_coef_equals_that_of_kernel_ridge(shifted, outputs):
    X, Y = shifted[0], shifted[0][:, :outputs] ** 2
    Y, w = (Y[:, 0] if outputs == 1 else Y), np.arange(80) % 3.0
    ours = lk.KernelRegressor(
        lk.gaussians([0.3]), "unif", alpha=0.5, normalize=None, center=False
    ).fit(X, Y, w)
    theirs = KernelRidge(kernel="rbf", gamma=0.3, alpha=0.5).fit(X, Y, w)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape
    assert np.allclose(ours.dual_coef_, theirs.dual_coef_)
    assert ours.n_iter_ is None


@pytest.mark.parametrize("kernels", LINEAR)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_coef_and_intercept_give_the_predictions_of_linear_kernels(kernels, kind, shifted):
    X, y = shifted
    data = kind(X)
    if kind is pd.DataFrame:
        data.columns = list("abcde")
    model = lk.KernelRegressor(LINEAR[kernels], "unif", alpha=1.0).fit(data, y)
    assert model.coef_.shape == (5,)
    assert np.allclose(X @ model.coef_ + model.intercept_, model.predict(data), atol=1e-10)
    model = lk.KernelClassifier(LINEAR[kernels], "unif", C=1.0).fit(data, np.arange(80) % 3)
    assert model.coef_.shape == (3, 5)
    expected = model.decision_function(data)
    assert np.allclose(X @ model.coef_.T + model.intercept_, expected, atol=1e-10)


def test_coef_equals_that_of_linear_ridge_for_features_of_different_scale(shifted):
    X = shifted[0] * [0.01, 1.0, 100.0, 1.0, 1.0] + [0.0, 1e6, 0.0, 0.0, 0.0]
    y = X @ [100.0, 1.0, 0.01, 0.0, 2.0]
    ours = lk.KernelRegressor("linear", "unif", alpha=1e-3, normalize=None).fit(X, y)
    theirs = Ridge(alpha=1e-3).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
    assert np.allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)


def test_expansion_in_the_learned_gram_gives_the_outputs(shifted):
    X, y = shifted
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), "alignf", C=1.0).fit(X, y)
    learner = lk.KernelLearner(lk.gaussians([0.1, 1.0]), "alignf").fit(X, y)
    K = learner.transform(X[:7])[:, model.support_]
    expected = model.decision_function(X[:7])
    assert np.allclose((K @ model.dual_coef_.T + model.intercept_)[:, 0], expected)


@pytest.mark.parametrize(
    ("attribute", "options", "text"),
    [
        ("coef_", {"kernels": lk.gaussians([0.1])}, "all kernels with a weight are linear"),
        ("coef_", {"kernels": "linear", "normalize": "cosine"}, "all kernels with a weight"),
        ("support_", {"kernels": "linear", "machine": "ridge"}, "machine='svm'"),
        ("dual_coef_", {"kernels": lk.per_feature(), "method": "ensemble"}, "ensemble"),
    ],
)
def test_undefined_attributes_raise_attribute_error_with_reason(attribute, options, text, shifted):
    model = lk.KernelClassifier(**{"method": "unif", "C": 1.0} | options)
    assert not hasattr(model, attribute)
    model.fit(*shifted)
    assert not hasattr(model, attribute)
    with pytest.raises(AttributeError, match=text):
        getattr(model, attribute)

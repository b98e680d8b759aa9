"""scikit-learn's own checks, and the things people do with estimators."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import learnkernels as lk
from learnkernels.kernels import resolve


@parametrize_with_checks(
    [
        lk.KernelClassifier(),
        lk.KernelClassifier(machine="ridge", method="align"),
        lk.KernelRegressor(),
        lk.KernelLearner(),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_clone_and_pickle_keep_everything(classes):
    X, y = classes
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), lk.methods.Align(q=3), C=[1, 10])
    assert clone(model).get_params()["method__q"] == 3
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_grid_search_reaches_into_the_method(classes):
    X, y = classes
    search = GridSearchCV(
        lk.KernelClassifier(method=lk.methods.Align()), {"method__q": [1.5, 3.0], "C": [1, 10]}
    ).fit(X, y)
    assert set(search.best_params_) == {"method__q", "C"}


def test_precomputed_stacks_are_split_on_both_axes(classes):
    X, y = classes
    kernels = resolve(None, X)
    stack = np.stack([kernel(X) for kernel in kernels], axis=-1)
    given = cross_val_score(lk.KernelClassifier("precomputed"), stack, y, cv=4)
    computed = cross_val_score(lk.KernelClassifier(kernels), X, y, cv=4)
    assert np.array_equal(given, computed)
    search = GridSearchCV(lk.KernelClassifier("precomputed"), {"C": [0.1, 1.0]}, cv=3)
    assert search.fit(stack, y).predict(stack).shape == y.shape


def test_precomputed_regression_with_c_and_alpha_lists(curve):
    X, y = curve
    stack = np.stack([kernel(X) for kernel in resolve(None, X)], axis=-1)
    model = lk.KernelRegressor("precomputed", alpha=[0.1, 1.0]).fit(stack, y)
    same = lk.KernelRegressor(alpha=[0.1, 1.0]).fit(X, y)
    assert np.allclose(model.predict(stack[:7]), same.predict(X[:7]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_names_and_the_same_result(frame, classes):
    X, y = classes
    names = list("abcde")
    table = frame({name: X[:, k] for k, name in enumerate(names)})
    model = lk.KernelClassifier().fit(table, y)
    assert model.feature_names_in_.tolist() == names
    assert np.array_equal(model.predict(table), lk.KernelClassifier().fit(X, y).predict(X))


def test_columns_of_all_kinds_in_a_pipeline(classes):
    X, y = classes
    table = pd.DataFrame(X, columns=list("abcde"))
    table["kind"] = np.where(X[:, 0] > 0, "left", "right")
    columns = make_column_transformer(
        (StandardScaler(), list("abcde")), (OneHotEncoder(sparse_output=False), ["kind"])
    )
    model = make_pipeline(columns, lk.KernelClassifier(C=10)).fit(table, y)
    assert model.score(table, y) > 0.9


def test_learned_gram_feeds_any_estimator_with_precomputed_kernels(classes):
    X, y = classes
    ours = lk.KernelClassifier(C=3.0).fit(X, y)
    piped = make_pipeline(lk.KernelLearner(), SVC(kernel="precomputed", C=3.0)).fit(X, y)
    assert np.allclose(piped.decision_function(X), ours.decision_function(X), atol=5e-3)


def test_sparse_and_dense_may_meet(classes):
    X, y = classes
    X = X * (np.abs(X) > 0.5)
    dense_model = lk.KernelClassifier().fit(X, y)
    sparse_model = lk.KernelClassifier().fit(sparse.csr_matrix(X), y)
    for model in (dense_model, sparse_model):
        for data in (X, sparse.csr_array(X)):
            expected = dense_model.decision_function(X)
            assert np.allclose(model.decision_function(data), expected, atol=1e-6)

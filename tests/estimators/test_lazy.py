"""Predictions of Dask arrays and frames are lazy, and equal those of arrays in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import learnkernels as lk

da = pytest.importorskip("dask.array", reason="needs learnkernels[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")

N = 230
CLASSIFIER = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@pytest.fixture
def X(rng):
    return rng.standard_normal((N, 4))


@pytest.fixture
def frame(X):
    return pd.DataFrame(X, columns=list("abcd"), index=np.arange(0, 2 * N, 2))


def labels(X, n_classes):
    return np.array(["few", "some", "many"])[np.digitize(X[:, 0], [-0.5, 0.5][: n_classes - 1])]


def classifier(X, n_classes=3):
    model = lk.KernelClassifier(lk.gaussians([0.1, 0.5]), "unif", C=1.0, machine="ridge")
    return model.fit(X, labels(np.asarray(X), n_classes))


def regressor(X, n_targets=None):
    y = np.sin(np.asarray(X)[:, 0])
    y = y if n_targets is None else np.column_stack([y + k for k in range(n_targets)])
    return lk.KernelRegressor(lk.gaussians([0.1, 0.5]), "unif", alpha=0.1).fit(X, y)


def same(lazy, expected):
    """Return whether a lazy result has the type, columns and values that it claims to have."""
    values = np.asarray(lazy.compute())
    assert values.dtype == expected.dtype or expected.dtype.kind in "OU"
    assert values.shape == expected.shape
    equal = values == expected if expected.dtype.kind in "OU" else np.isclose(values, expected)
    return bool(equal.all())


@pytest.mark.parametrize("chunks", [(N, 4), (50, 4), (50, 3), (1, 4)])
def test_array_has_the_chunks_of_the_rows(chunks, X):
    model, lazy = regressor(X), da.from_array(X, chunks=chunks)
    found = model.predict(lazy)
    assert isinstance(found, da.Array) and found.chunks == (lazy.chunks[0],)
    assert found.dtype == float and isinstance(found._meta, np.ndarray)
    assert same(found, model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", CLASSIFIER)
def test_results_of_classifiers_are_those_of_arrays(method, n_classes, X):
    model, lazy = classifier(X, n_classes), da.from_array(X, chunks=(70, 4))
    expected = getattr(model, method)(X)
    found = getattr(model, method)(lazy)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert same(found, expected)


@pytest.mark.parametrize("n_targets", [None, 1, 3])
def test_uncertainty_of_regressors_is_that_of_arrays(n_targets, X):
    model, lazy = regressor(X, n_targets), da.from_array(X, chunks=(70, 4))
    for found, expected in zip(
        model.predict(lazy, return_std=True), model.predict(X, return_std=True), strict=True
    ):
        assert found.shape == expected.shape and same(found, expected)
    found = model.predict_interval(lazy, coverage=0.8)
    assert same(found, model.predict_interval(X, coverage=0.8))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", CLASSIFIER)
def test_frames_of_classifiers_have_the_index_and_the_labels(method, n_classes, frame):
    model, lazy = classifier(frame, n_classes), dd.from_pandas(frame, npartitions=3)
    found, expected = getattr(model, method)(lazy), getattr(model, method)(frame)
    computed = found.compute()
    assert found.divisions == lazy.divisions and computed.index.equals(frame.index)
    if expected.ndim == 1:
        assert computed.name == found.name == "prediction" and computed.dtype == found.dtype
    else:
        assert list(computed.columns) == list(found.columns) == model.classes_.tolist()
    assert same(found, expected)


def test_frames_of_regressors(frame):
    lazy = dd.from_pandas(frame, npartitions=3)
    one, two = regressor(frame), regressor(frame, 2)
    assert same(one.predict(lazy), one.predict(frame))
    assert list(two.predict(lazy).columns) == ["target 0", "target 1"]
    assert list(one.predict_interval(lazy).columns) == ["low", "high"]
    columns = ["target 0 low", "target 0 high", "target 1 low", "target 1 high"]
    found = two.predict_interval(lazy)
    assert list(found.columns) == columns
    assert np.allclose(found.compute(), two.predict_interval(frame).reshape(N, 4))


def test_nothing_is_computed_before_it_is_asked_for(X):
    read = []

    def block(values):
        read.append(len(values))
        return values

    lazy = da.from_array(X, chunks=(50, 4)).map_blocks(block, meta=np.empty((0, 4)))
    found = regressor(X).predict(lazy)
    assert not read
    assert found[:10].compute().shape == (10,)
    assert read == [50]  # only the chunk that is needed


def test_parquet_partitions_are_predicted(frame, tmp_path):
    model = regressor(frame)
    frame.assign(other=1.0).to_parquet(tmp_path / "t.parquet", row_group_size=40)
    lazy = dd.read_parquet(tmp_path / "t.parquet", split_row_groups=True)
    found = model.predict(lazy[list("abcd")])
    assert isinstance(found, dd.Series)
    assert np.allclose(found.compute(), model.predict(frame))


def test_chunks_of_unknown_lengths_and_without_rows(X):
    model, lazy = regressor(X), da.from_array(X, chunks=(50, 4))
    found = model.predict(lazy[lazy[:, 0] > 0.3])
    assert np.isnan(found.shape[0]) and same(found, model.predict(X[X[:, 0] > 0.3]))
    assert model.predict(lazy[lazy[:, 0] > 1e9]).compute().shape == (0,)


def test_scores_of_lazy_samples_are_those_of_arrays(X, frame):
    y, lazy = np.sin(X[:, 0]), da.from_array(X, chunks=(50, 4))
    model = regressor(X)
    assert model.score(lazy, da.from_array(y, chunks=50)) == pytest.approx(model.score(X, y))
    by_frame = classifier(frame)
    expected = by_frame.score(frame, labels(X, 3))
    assert by_frame.score(dd.from_pandas(frame, npartitions=3), labels(X, 3)) == expected


def test_model_on_workers_does_not_grow_with_the_training_samples(X):
    """Landmarks predict; neither the coefficients of all rows nor the posterior are sent."""
    from dask.delayed import Delayed

    from learnkernels.estimators.outputs.lazy import on_worker

    options = {"n_components": 20, "subsample": 60}
    model = lk.KernelRegressor(lk.gaussians([0.1]), "unif", alpha=0.1, **options)
    model.fit(X, X[:, 0])
    sent = on_worker(model, uncertainty=False)
    assert not {"_coefficients", "subsample_", "_posterior"} & set(vars(sent))
    assert sent.backend is None and sent.n_jobs == 1
    assert np.allclose(sent.predict(X), model.predict(X))
    assert hasattr(model, "_posterior") and not isinstance(sent, Delayed)


def test_unfitted_model_raises_at_once(X):
    lazy = da.from_array(X, chunks=(50, 4))
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(lk.KernelClassifier(), method)(lazy)
    with pytest.raises(NotFittedError):
        lk.KernelRegressor().predict(lazy)


def test_wrong_number_of_columns_and_objects_raise_at_once(X):
    model = regressor(X)
    with pytest.raises(lk.InputError, match=r"shape \(230, 3\); expected \(n_samples, 4\)"):
        model.predict(da.from_array(X[:, :3], chunks=50))
    with pytest.raises(lk.InputError, match=r"shape \(230,\)"):
        model.predict(da.from_array(X[:, 0], chunks=50))
    with pytest.raises(lk.InputError, match=r"type object; expected numbers.*astype\(float\)"):
        model.predict(da.from_array(X.astype(object), chunks=(50, 4)))


def test_errors_of_a_chunk_are_raised_when_it_is_computed(X):
    X = X.copy()
    model = regressor(X)
    X[100, 2] = np.nan
    found = model.predict(da.from_array(X, chunks=(50, 4)))
    with pytest.raises(lk.InputError, match="NaN"):
        found.compute()


def test_probabilities_of_an_unfitted_classifier_raise_not_fitted_error():
    with pytest.raises(NotFittedError):
        lk.KernelClassifier().predict_proba(da.ones((3, 4), chunks=2))


def test_dask_stacks_of_gram_matrices_are_read_into_memory(rng):
    X = rng.standard_normal((30, 3))
    K = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    model = lk.KernelRegressor("precomputed", "unif", alpha=1.0).fit(K, X[:, 0])
    assert np.allclose(model.predict(da.from_array(K[:5], chunks=-1)), model.predict(K[:5]))

"""Whole tables: numbers, categories, dates and missing cells."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.errors import TableWarning

N = 120


@pytest.fixture(scope="module")
def people():
    """Return a table, a real target that all its columns but one explain, and classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, N),
            "sex": rng.choice(["m", "f"], N),
            "city": rng.choice(["a", "b", None], N),
            "member": rng.random(N) < 0.4,
            "since": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 1500, N), "D"),
        }
    )
    season = np.cos(2 * np.pi * frame["since"].dt.month / 12)
    y = frame["age"] / 10 + 2 * (frame["sex"] == "m") - (frame["city"] == "a") + 2 * season
    frame.loc[::9, "age"] = np.nan
    frame["age"] = frame["age"].where(y < y.max(), np.nan)
    return frame, y.to_numpy(), np.where(y > y.median(), "high", "low")


def test_table_with_categories_dates_and_missing_cells_is_learned(people):
    X, y, classes = people
    assert cross_val_score(lk.KernelRegressor(), X, y, cv=3).mean() > 0.75
    assert cross_val_score(lk.KernelClassifier(lk.table()), X, classes, cv=3).mean() > 0.8
    model = lk.KernelRegressor().fit(X, y)
    assert model.n_features_in_ == 5 and list(model.feature_names_in_) == list(X.columns)


def test_polars_frame_gives_the_same_predictions_as_pandas(people):
    X, y, _ = people
    frame = pl.from_pandas(X)
    pandas, polars = (lk.KernelRegressor(method="alignf").fit(one, y) for one in (X, frame))
    assert np.array_equal(pandas.predict(X), polars.predict(frame))


def test_array_of_objects_gives_the_same_predictions_as_the_frame(people):
    X, y, _ = people
    frame, array = X[["age", "sex", "city"]], X[["age", "sex", "city"]].to_numpy(dtype=object)
    models = [lk.KernelRegressor(method="alignf").fit(one, y) for one in (frame, array)]
    assert np.allclose(models[0].predict(frame), models[1].predict(array))


def test_new_categories_and_missing_cells_are_accepted_in_prediction(people):
    X, y, _ = people
    model = lk.KernelRegressor(method="alignf").fit(X, y)
    new = X.head(4).assign(sex=["m", "x", None, "f"], since=pd.NaT)
    assert np.isfinite(model.predict(new)).all()
    empty = pd.DataFrame({name: X[name].astype(object).where(X[name].isna()) for name in X})
    assert np.isfinite(model.predict(empty)).all()


def test_missing_cell_has_the_mean_of_a_column_that_is_complete_in_training(people):
    _, y, _ = people
    X = np.random.default_rng(1).standard_normal((N, 2)) ** 3
    model = lk.KernelRegressor(lk.table(lk.linear()), "unif", alpha=1.0).fit(X, y)
    step = model._functions[0].combined.kernels.sources[0].maps[0]
    mean = step.center + step.neutral * step.scale
    assert len(step.indicators) == 0 and mean[0] != step.center[0]
    missing = np.array([[np.nan, 1.0]])
    assert np.isclose(model.predict(missing), model.predict([[mean[0], 1.0]])).all()


def test_indicator_distinguishes_samples_with_a_missing_cell():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 2))
    absent = rng.random(N) < 0.3
    X[absent, 0] = np.nan
    model = lk.KernelClassifier(method="alignf").fit(X, absent)
    assert model.score(X, absent) == 1
    assert lk.KernelClassifier(method="alignf").fit(pd.DataFrame(X), absent).score(X, absent) == 1


@pytest.mark.parametrize("change", ["rename", "reorder", "drop"])
def test_other_columns_in_prediction_raise_error(change, people):
    X, y, _ = people
    model = lk.KernelRegressor(method="alignf").fit(X, y)
    other = {
        "rename": X.rename(columns={"age": "years"}),
        "reorder": X[X.columns[::-1]],
        "drop": X.drop(columns="age"),
    }[change]
    with pytest.raises(lk.InputError, match="feature names"):
        model.predict(other)


def test_weights_of_samples_equal_repeated_rows_in_a_table(people):
    X, y, _ = people
    w = np.random.default_rng(1).integers(0, 3, N)
    weighted = lk.KernelRegressor(method="alignf", alpha=1.0).fit(X, y, w)
    rows = np.repeat(np.arange(N), w)
    repeated = lk.KernelRegressor(method="alignf", alpha=1.0).fit(X.iloc[rows], y[rows])
    assert np.allclose(weighted.predict(X), repeated.predict(X))


def test_order_of_rows_does_not_change_predictions(people):
    X, y, _ = people
    order = np.random.default_rng(2).permutation(N)
    first = lk.KernelRegressor().fit(X, y)
    second = lk.KernelRegressor().fit(X.iloc[order], y[order])
    assert np.allclose(first.predict(X), second.predict(X), rtol=1e-9)


def test_model_of_a_table_survives_save_and_load(people, tmp_path):
    X, _, classes = people
    for kernels in (None, lk.table(lk.gaussians() + lk.linear(), standardize=False)):
        model = lk.KernelClassifier(kernels, "alignf").fit(X, classes)
        lk.save(model, tmp_path / "model.lk")
        loaded = lk.load(tmp_path / "model.lk")
        assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


def test_views_take_categories_and_missing_cells(people):
    X, y, _ = people
    kernels = [lk.on(["age", "sex"], name="person"), lk.on(["city", "since"], name="place")]
    X = X.assign(city=np.where(X["city"].isna(), "c", X["city"]))
    model = lk.KernelRegressor(kernels, "alignf").fit(X, y)
    assert model.score(X, y) > 0.6 and set(model.view_weights_) == {"person", "place"}
    gone = X.assign(city=None, since=pd.NaT)
    with pytest.raises(lk.InputError, match="view 'place' has no values for 120 samples"):
        model.predict(gone)
    neutral = lk.KernelRegressor(kernels, "alignf", missing="neutral")
    gone = X.astype({"city": object})
    gone.loc[:9, ["city", "since"]] = None
    assert neutral.fit(gone, y).score(gone, y) > 0.5


def test_scaling_inside_a_view_keeps_a_missing_view(people):
    """A scaler in a pipeline would fill or refuse it; `table` standardises the samples it has."""
    _, y, _ = people
    X = np.random.default_rng(3).standard_normal((N, 4)) * [1, 100, 1, 100]
    X[:20, 2:] = np.nan
    views = [lk.on([0, 1], lk.table(lk.linear())), lk.on([2, 3], lk.table(lk.linear()))]
    model = lk.KernelRegressor(views, "alignf", missing="neutral").fit(X, y)
    scaled = make_pipeline(StandardScaler(), model).fit(X, y)
    assert np.allclose(scaled.predict(X), model.fit(X, y).predict(X))


def test_other_kernels_refuse_missing_cells_and_name_table(people):
    X, y, _ = people
    with pytest.raises(lk.InputError, match=r"Input X contains NaN.*lk\.table\(kernels\)"):
        lk.KernelRegressor(lk.gaussians()).fit(X[["age"]], y)
    with pytest.raises(lk.InputError, match="contain text where numbers"):
        lk.KernelRegressor(lk.gaussians()).fit(X.drop(columns="since"), y)
    assert not lk.KernelRegressor(lk.gaussians()).__sklearn_tags__().input_tags.allow_nan
    assert lk.KernelRegressor().__sklearn_tags__().input_tags.allow_nan


def test_column_of_dates_is_named_by_kernels_of_numbers():
    X = pd.DataFrame({"a": np.arange(9.0), "when": pd.date_range("2020-01-01", periods=9)})
    with pytest.raises(lk.InputError, match=r"columns \['when'\] contain dates"):
        lk.KernelRegressor(lk.gaussians()).fit(X, np.arange(9.0))


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (lk.gaussians(), r"cells of columns \['nested'\] contain several values"),
        (
            lk.on(["a", "nested"], "linear"),
            r"columns \['nested'\] of view .* contain several values",
        ),
        (lk.on("nested", lk.ngrams()), r"of view 'nested' .*; expected one number or text"),
    ],
)
def test_column_of_lists_is_named_by_kernels_of_numbers(kernels, message):
    X = pd.DataFrame({"a": np.arange(9.0), "nested": [[1], [2, 3], [4]] * 3})
    with pytest.raises(lk.InputError, match=message):
        lk.KernelRegressor(kernels).fit(X, np.arange(9.0))


def test_table_refuses_kernels_of_texts():
    for kernels in (lk.ngrams(), lk.on("x"), "linear", 3):
        with pytest.raises(lk.InputError, match=r"table\(\) got"):
            lk.table(kernels)


def test_row_numbers_and_copies_of_the_target_raise_warnings(people):
    X, y, classes = people
    model = lk.KernelRegressor(method="unif", alpha=1.0)
    with pytest.warns(TableWarning, match="'Unnamed: 0' numbers the rows, from 1 to 120"):
        model.fit(X.assign(**{"Unnamed: 0": np.arange(1, N + 1)}), y)
    with pytest.warns(TableWarning, match="column 'copy' determines the target"):
        model.fit(X.assign(copy=3 - 2 * y), y)
    with pytest.warns(TableWarning, match="column 'copy' determines the target"):
        copy = np.where(classes == "low", 1, 2)
        lk.KernelClassifier(method="unif", C=1.0).fit(X.assign(copy=copy), classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X.assign(copy=np.random.default_rng(0).permutation(N)), np.arange(N) ** 2)


@pytest.mark.parametrize("label", [None, 1.5])
def test_labels_of_several_types_beside_a_frame_raise_input_error(label):
    X = pd.DataFrame({"number": np.arange(10.0)})
    y = np.array([label, *["a", "b"] * 4, "a"], dtype=object)
    with pytest.raises(lk.InputError):
        lk.KernelClassifier().fit(X, y)


def test_infinite_column_beside_text_raises_an_error_without_other_warnings():
    X = pd.DataFrame({"word": list("ab") * 10, "x": np.r_[np.inf, np.arange(19.0)]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(lk.InputError, match=r"^X contains 1 infinite .* in row 0, column 'x'"):
            lk.KernelRegressor(method="unif", alpha=1.0).fit(X, np.arange(20) ** 2.0)

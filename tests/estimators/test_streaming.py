"""Fits with a subsample of the rows, and all rows read in parts."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import learnkernels as lk
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.large import streaming
from learnkernels.execution import Threads
from learnkernels.machines import LocalRowSums, StreamedRidge, StreamedSVM
from learnkernels.machines.landmark_ridge import LandmarkRidge

N = 1500


@pytest.fixture
def table(rng):
    X = rng.standard_normal((N, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(N)


def model(**options):
    return lk.KernelRegressor(lk.gaussians(), n_components=60, subsample=300, **options)


def squares(found, X, y):
    return float(np.mean((found.predict(X) - y) ** 2))


def test_all_rows_train_the_machine(table):
    X, y = table
    found = model().fit(X[:1000], y[:1000])
    rows = found.subsample_
    few = lk.KernelRegressor(lk.gaussians(), n_components=60).fit(X[rows], y[rows])
    assert len(rows) == 300 and found.solver_ == "landmarks"
    assert found.dual_coef_.shape == (1000,)
    assert set(np.flatnonzero(found.dual_coef_)) <= set(rows.tolist())
    assert squares(found, X[1000:], y[1000:]) < squares(few, X[1000:], y[1000:])


def test_sums_over_parts_are_those_of_all_samples(table, monkeypatch):
    X, y = table
    alone = model(method="unif", alpha=0.1)
    found = alone.fit(X, y)
    monkeypatch.setattr("learnkernels.machines.landmark_ridge.STREAMED", 7)
    again = model(method="unif", alpha=0.1).fit(X, y)
    assert np.allclose(found.predict(X), again.predict(X), rtol=0, atol=1e-8)


def test_predictor_minimises_the_squared_error_of_all_rows(table):
    """The solution is stationary: no function of the landmarks' span has a lower objective."""
    X, y = table
    w = np.linspace(0.5, 2, N)
    found = lk.KernelRegressor(
        lk.gaussians([0.3, 1.0]), "unif", alpha=0.3, normalize=None, n_components=60, subsample=300
    )
    found.fit(X, y, sample_weight=w)
    landmarks = X[np.flatnonzero(found.dual_coef_)]
    coef = found.dual_coef_[found.dual_coef_ != 0]
    residuals = w * (y - found.predict(X))
    rise = residuals @ combined(found, X, landmarks)
    gradient = rise - 0.3 * combined(found, landmarks, landmarks) @ coef
    assert abs(residuals.sum()) < 1e-6 * np.abs(residuals).sum()
    assert np.abs(gradient - gradient.mean()).max() < 1e-6 * np.abs(rise).max()


def combined(found, A, B):
    """Return the learned kernel before centering, by its definition."""
    squared = np.sum((A[:, None] - B) ** 2, axis=2)
    kernels = [np.exp(-gamma * squared) for gamma in (0.3, 1.0)]
    return sum(weight * K for weight, K in zip(found.weights_, kernels, strict=True))


KINDS = ["memmap", "dask array", "dask frame", "parquet", "sliced"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_on_disk_give_the_model_of_rows_in_memory(kind, table, tmp_path):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    source = on_disk(kind, frame, y, tmp_path)
    frame = frame if kind in ("parquet", "dask frame") else X
    expected = model().fit(frame, y)
    found = model().fit(source, y)
    assert np.array_equal(found.subsample_, expected.subsample_)
    assert np.allclose(found.weights_, expected.weights_)
    assert np.allclose(found.predict(source), expected.predict(frame), atol=1e-8)


class Sliced:
    """An array that only gives ranges of rows, as those of Zarr and HDF5."""

    def __init__(self, X):
        self.shape, self.ndim, self._X = X.shape, 2, X
        self.largest = 0

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        self.largest = max(self.largest, rows.stop - rows.start)
        return self._X[rows]


def on_disk(kind, frame, y, folder):
    X = frame.to_numpy()
    if kind == "memmap":
        np.save(folder / "X.npy", X)
        return np.load(folder / "X.npy", mmap_mode="r")
    if kind == "sliced":
        return Sliced(X)
    if kind == "parquet":
        frame.assign(y=y).to_parquet(folder / "t.parquet", row_group_size=170)
        return lk.open_parquet(folder / "t.parquet", target="y")[0]
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    if kind == "dask array":
        import dask.array

        return dask.array.from_array(X, chunks=(400, 3))
    import dask.dataframe

    return dask.dataframe.from_pandas(frame, npartitions=4)


def test_rows_are_read_in_parts(table, monkeypatch):
    monkeypatch.setattr("learnkernels.estimators.input.parts.ROWS", 1000)
    X, y = table
    source = Sliced(np.tile(X, (4, 1)))
    model(alpha=0.1).fit(source, np.tile(y, 4))
    assert source.largest <= 2048


def test_infinite_cell_of_rows_in_parts_is_named_by_its_row_of_X(table, monkeypatch):
    X, y = table
    found = model(method="unif", alpha=1.0).fit(X, y)
    monkeypatch.setattr("learnkernels.estimators.input.parts.ROWS", 500)
    X[1007, 2] = np.inf
    with pytest.raises(InputError, match=r"^X contains 1 .* in row 1007, column 2\)"):
        found.predict(Sliced(X))
    outside = np.setdiff1d(np.arange(N), found.subsample_)[-1]
    X[1007, 2], X[outside, 1] = 0.0, np.inf
    monkeypatch.setattr("learnkernels.machines.landmark_ridge.STREAMED", 100)
    with pytest.raises(InputError, match=rf"^X contains 1 .* in row {outside}, column 1\)"):
        model(method="unif", alpha=1.0).fit(X, y)


@pytest.mark.parametrize("kernels", [lk.gaussians(), lk.table(), lk.on([0, 1, 2], "linear")])
@pytest.mark.parametrize("subsample", [300, "auto"])
def test_infinite_cell_of_the_subsample_is_named_by_its_row_of_X(
    kernels, subsample, table, monkeypatch
):
    monkeypatch.setattr(streaming, "AUTO_ROWS", 300)
    X, y = table
    options = {"method": "unif", "alpha": 1.0, "n_components": 60, "subsample": subsample}
    row = lk.KernelRegressor(kernels, **options).fit(X, y).subsample_[20]
    X[row, 1] = np.inf
    with pytest.raises(InputError, match=rf"inf in row {row}, column "):
        lk.KernelRegressor(kernels, **options).fit(X, y)


@pytest.mark.parametrize("form", [np.asarray, list, pd.Series])
def test_column_without_rows_has_the_shape_of_X_in_the_error_of_a_subsample(form, table):
    X, y = table
    with pytest.raises(InputError, match=r"\(1500,\)"):
        model().fit(form(X[:, 0]), y)


def test_classes_probabilities_and_weights(rng):
    X = rng.standard_normal((2000, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    y[:7] = "rare"
    found = lk.KernelClassifier(n_components=50, subsample=200, class_weight="balanced").fit(X, y)
    assert list(found.classes_) == ["other", "rare", "same"]
    assert np.isin(y[found.subsample_], "rare").sum() >= 5
    assert found.predict_proba(X).shape == (2000, 3)
    assert found.score(X[7:], y[7:]) > 0.8


def test_categories_and_missing_cells_in_parquet(rng, tmp_path):
    frame = pd.DataFrame({"x": rng.standard_normal(3000), "kind": rng.choice(["a", "b"], 3000)})
    frame.loc[::50, "x"] = np.nan
    frame["y"] = np.where(frame["kind"] == "a", 2.0, 0.0) + frame["x"].fillna(0)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=500)
    X, y = lk.open_parquet(tmp_path / "t.parquet", target="y")
    found = lk.KernelRegressor(n_components=50, subsample=300).fit(X, y)
    assert found.score(frame.drop(columns="y"), y) > 0.95


def test_word_outside_of_the_subsample_is_not_called_an_identifier(table):
    X, y = table
    frame = pd.DataFrame({"a": X[:, 0], "size": [f"{value:.9f}" for value in X[:, 1]]})
    options = {"method": "unif", "alpha": 1.0, "subsample": 50, "n_components": 10}
    drawn = lk.KernelRegressor(**options).fit(frame[["a"]], y).subsample_
    frame.loc[np.setdiff1d(np.arange(N), drawn)[0], "size"] = "unknown"
    with pytest.warns(TableWarning, match=r"'size' is left out.*numbers written as text") as caught:
        lk.KernelRegressor(**options).fit(frame, y)
    assert len(caught) == 1


def test_nested_columns_of_parquet_are_left_out_with_a_warning(table, tmp_path):
    X, y = table
    few = pd.DataFrame(X[:100], columns=["a", "b", "c"])
    lists, structs = [[k % 2, 1] for k in range(100)], [{"p": k % 3} for k in range(100)]
    whole = few.assign(lists=lists, structs=structs, y=y[:100])
    whole.to_parquet(tmp_path / "rows.parquet")
    rows, y = lk.open_parquet(tmp_path / "rows.parquet", "y")
    options = {"method": "unif", "alpha": 1.0, "subsample": 50, "n_components": 10}
    with pytest.warns(TableWarning, match="is left out: its cells contain several") as caught:
        found = lk.KernelRegressor(**options).fit(rows, y)
    assert {str(one.message).split("'")[1] for one in caught} == {"lists", "structs"}
    plain = lk.KernelRegressor(**options).fit(few, y)
    assert np.allclose(found.predict(rows), plain.predict(few), rtol=0, atol=1e-9)


def test_uncertainty_covers_new_samples(table):
    X, y = table
    found = model().fit(X[:1000], y[:1000])
    mean, std = found.predict(X[1000:], return_std=True)
    inside = np.mean(np.abs(mean - y[1000:]) < 1.645 * std)
    assert 0.8 < inside < 0.97
    low, high = found.predict_interval(X[1000:]).T
    assert 0.8 < np.mean((low < y[1000:]) & (y[1000:] < high)) < 0.97


def test_save_and_load(table, tmp_path):
    X, y = table
    found = model().fit(X, y)
    lk.save(found, tmp_path / "m.lk")
    again = lk.load(tmp_path / "m.lk")
    assert again.subsample == 300
    assert np.array_equal(again.subsample_, found.subsample_)
    assert np.array_equal(again.predict(X), found.predict(X))


def test_subsample_of_all_rows_is_the_ordinary_fit(table):
    X, y = table
    found = model().fit(X[:200], y[:200])
    expected = lk.KernelRegressor(lk.gaussians(), n_components=60).fit(X[:200], y[:200])
    assert np.array_equal(found.predict(X), expected.predict(X))
    assert not hasattr(found, "subsample_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": None}, "needs n_components"),
        ({"subsample": 30}, "not more than n_components=60"),
        ({"subsample": "most"}, 'expected a number of rows, "auto" or None'),
        ({"subsample": 2.5}, "subsample"),
        ({"machine": "svr"}, 'pass machine="ridge"'),
        ({"weights": "per_target", "method": "loo"}, 'weights="per_target"'),
    ],
)
def test_settings_that_do_not_fit_together_raise(options, message, table):
    found = model().set_params(**options)
    with pytest.raises(InputError, match=message):
        found.fit(*table)
    assert not hasattr(found, "weights_")


@pytest.mark.parametrize("kind", KINDS)
def test_rows_on_disk_beyond_max_memory_raise_without_subsample(kind, table, tmp_path):
    X, y = table
    source = on_disk(kind, pd.DataFrame(X, columns=["a", "b", "c"]), y, tmp_path)
    with pytest.raises(InputError, match='pass subsample="auto" and n_components=1000'):
        lk.KernelRegressor(max_memory=1000.0).fit(source, y)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_on_disk_are_read_as_a_whole_without_subsample(kind, table, tmp_path):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    source = on_disk(kind, frame, y, tmp_path)
    options = {"kernels": lk.gaussians([0.3, 1.0]), "method": "alignf"}
    expected = lk.KernelLearner(**options).fit(X, y).weights_
    assert np.allclose(lk.KernelLearner(**options).fit(source, y).weights_, expected)
    found = lk.KernelRegressor(alpha=0.1, n_components=len(y), **options).fit(source, y)
    assert np.allclose(found.weights_, expected)
    compared = lk.compare(
        source, y, ["unif"], kernels=options["kernels"], task="regression", cv=3, grid=[0.1]
    )
    assert [row.method for row in compared.methods] == ["unif"]
    assert f"{len(y):,} samples" in str(lk.report(found, source, y, cv=0, draws=5))


def test_number_of_landmarks_that_is_not_smaller_is_logged(table, caplog):
    X, y = table[0][:40], table[1][:40]
    with caplog.at_level("INFO", logger="learnkernels"):
        found = lk.KernelRegressor(method="unif", alpha=0.1, n_components=40).fit(X, y)
    assert found.solver_ == "dense"
    assert "40 landmarks for 40 samples: all samples are used." in caplog.text


@pytest.mark.parametrize("rows", [3, [0, 1], slice(0, 9, 2)])
def test_parquet_table_is_read_by_ranges_only(rows, table, tmp_path):
    X, y = table
    source = on_disk("parquet", pd.DataFrame(X, columns=["a", "b", "c"]), y, tmp_path)
    with pytest.raises(InputError, match="is not a range of rows"):
        source[rows]


def test_parquet_table_from_a_folder_raises(tmp_path):
    with pytest.raises(InputError, match="cannot be read as a Parquet file"):
        lk.open_parquet(tmp_path, target="y")


class Interrupted(Sliced):
    """An array whose reading stops once, after some ranges."""

    ranges, stops = 0, True

    def __getitem__(self, rows):
        self.ranges += 1
        if self.stops and rows.start >= 9 * 128:
            self.stops = False
            raise KeyboardInterrupt
        return super().__getitem__(rows)


def test_interrupted_fit_continues_from_its_checkpoint(table, tmp_path, monkeypatch):
    monkeypatch.setattr("learnkernels.machines.landmark_ridge.STREAMED", 128)
    monkeypatch.setattr("learnkernels.execution.checkpoint.SECONDS", 0.0)
    X, y = table
    file = tmp_path / "sums.npz"
    source = Interrupted(X)
    found = model(alpha=0.1, checkpoint=file, n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        found.fit(source, y)
    assert file.exists() and not hasattr(found, "subsample_")
    source.ranges = 0
    found.fit(source, y)
    assert source.ranges <= 5  # the subsample is one range, and few are left
    assert not file.exists()
    assert np.allclose(found.predict(X), model(alpha=0.1).fit(X, y).predict(X), atol=1e-8)


@pytest.mark.parametrize("kind", ["memmap", "parquet"])
def test_checkpoint_is_refused_if_the_file_has_changed(kind, table, tmp_path, monkeypatch):
    monkeypatch.setattr("learnkernels.machines.landmark_ridge.STREAMED", 128)
    monkeypatch.setattr("learnkernels.execution.checkpoint.SECONDS", 0.0)
    X, y = table
    file = tmp_path / "rows"
    if kind == "memmap":
        np.save(file.with_suffix(".npy"), X)
        file = file.with_suffix(".npy")
    else:
        pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_parquet(file)

    def rows():
        opened = np.load(file, mmap_mode="r") if kind == "memmap" else None
        return (opened, y) if kind == "memmap" else lk.open_parquet(file, target="y")

    read, calls = streaming.read_validated, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return read(*arguments)

    monkeypatch.setattr(streaming, "read_validated", interrupted)
    found = model(alpha=0.1, checkpoint=tmp_path / "sums.npz", n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        found.fit(*rows())
    state = file.stat()
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000))
    with pytest.raises(InputError, match="belongs to another pass: other data"):
        found.fit(*rows())
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert np.isfinite(found.fit(*rows()).predict(rows()[0])).all()


def test_missing_targets_are_counted(table):
    X, y = table
    y[[7, 9]] = np.nan
    with pytest.raises(InputError, match=r"y is missing in 2 rows \(the first is row 7\)"):
        model().fit(X, y)


def test_missing_folder_of_the_checkpoint_raises_before_the_kernel_is_learned(table, monkeypatch):
    found = lk.KernelRegressor(n_components=20, subsample=50, checkpoint="absent/sums.npz")
    monkeypatch.setattr(lk.KernelRegressor, "_fit_in_memory", None)
    with pytest.raises(InputError, match=r"the folder 'absent' does not exist"):
        found.fit(*table)


@pytest.mark.parametrize("kind", ["text", "other arrays"])
def test_file_that_is_no_checkpoint_is_refused_before_the_kernel_is_learned(
    kind, table, tmp_path, monkeypatch
):
    file = tmp_path / "sums.npz"
    if kind == "text":
        file.write_text("a,b\n1,2\n")
    else:
        np.savez(file, weights=np.ones(3))
    before = file.read_bytes()
    monkeypatch.setattr(lk.KernelRegressor, "_fit_in_memory", None)
    with pytest.raises(InputError, match=r"sums.npz' is not a checkpoint.*choose another file"):
        model(checkpoint=file).fit(*table)
    assert file.read_bytes() == before


def test_checkpoint_without_subsample_raises(table):
    with pytest.raises(InputError, match=r"pass subsample=.auto., or leave checkpoint out"):
        lk.KernelRegressor(checkpoint="sums.npz").fit(*table)


def test_number_of_targets_must_match(table):
    X, y = table
    with pytest.raises(InputError, match="X has 1,500 rows and y has 1,400"):
        model().fit(X, y[:1400])


def test_landmarks_of_several_alphas_share_one_pass(table, monkeypatch):
    X, y = table
    calls = []
    solve = LandmarkRidge.solve
    monkeypatch.setattr(
        LandmarkRidge,
        "solve",
        lambda self, problem: calls.append(type(self)) or solve(self, problem),
    )
    model(alpha=[0.01, 0.1, 1.0]).fit(X, y)
    assert sum(kind.__name__ == "StreamedRidge" for kind in calls) == 1


def test_class_weights_count_for_all_rows(rng):
    X = rng.standard_normal((600, 3))
    y = (X[:, 0] + 2 * rng.standard_normal(600) > 2).astype(int)
    options = {"C": 1.0, "n_components": 20, "class_weight": {0: 1.0, 1: 50.0}}
    ordinary = lk.KernelClassifier("linear", "unif", machine="ridge", **options).fit(X, y)
    found = clone(ordinary).set_params(subsample=100).fit(X, y)
    assert abs(found.predict(X).mean() - ordinary.predict(X).mean()) < 0.05


@pytest.mark.parametrize("machine", ["svm", "ridge"])
def test_left_out_outputs_have_the_balanced_weights_of_all_rows(machine, rng, monkeypatch):
    """The subsample has five of nine rare rows, and other class weights than all rows."""
    X = rng.standard_normal((N, 3))
    score = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.5 * rng.standard_normal(N)
    y = (score >= np.sort(score)[-9]).astype(int)
    calls, train = [], streaming.train_on_all
    monkeypatch.setattr(
        streaming,
        "train_on_all",
        lambda *arguments: calls.append((arguments, train(*arguments))) or calls[-1][1],
    )
    options = {"C": 1.0, "class_weight": "balanced", "machine": machine, "subsample": 300}
    model = lk.KernelClassifier(lk.gaussians([0.3]), "unif", n_components=15, **options)
    model.fit(X, y)
    (((_, fitted, _rows), (predictor, _)),) = calls
    w = (N / (2 * np.bincount(y)))[y]
    index = model.subsample_[fitted.rows.samples]
    Y = np.where(y[:, None] == 1, 1.0, -1.0)
    strategy = {"svm": StreamedSVM, "ridge": StreamedRidge}[machine]
    problem = replace(fitted.learned.problem, posterior=False, left_out=False)
    for sample in np.flatnonzero((y[index] == 1) & np.isfinite(predictor.left_out[:, 0])):
        row = index[sample]
        without = LocalRowSums(X.__getitem__, Y, np.where(np.arange(N) == row, 0.0, w), Threads(1))
        problem.known.clear()
        (trained,) = strategy(without).train(problem, [0.5])
        expected = problem.kernel.cross_gram(X[[row]], Threads(1)) @ trained.coef
        expected += trained.intercept
        assert predictor.left_out[sample] == pytest.approx(expected[0], abs=1e-2)


def test_svm_is_optimal_for_the_squared_hinge_loss_of_all_rows(rng):
    X = rng.standard_normal((600, 3))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(600) > 0, 1, -1)
    found = lk.KernelClassifier(
        lk.gaussians([0.2, 1.0]), "unif", C=1.0, machine="svm", n_components=20, subsample=100
    ).fit(X, y)
    (certificate,) = found.machine_certificates_
    assert (found.machine_, found.solver_, certificate.status) == ("svm", "landmarks", "optimal")
    assert len(found.subsample_) < 120 and found.temperature_ > 0
    f = found.decision_function(X)
    slack = np.maximum(0, 1 - y * f)
    # Gradients by b and along theta are zero: sum slack y = 0, alpha |theta|^2 = sum slack y f.
    assert abs(slack @ y) < 1e-3 * slack.sum()
    assert certificate.primal == pytest.approx(slack @ slack + (slack * y) @ f, rel=1e-3)


def test_svm_of_several_classes_is_one_svm_for_each_class(rng):
    X = rng.standard_normal((600, 3))
    y = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(600), [-1, 1])
    options = {"C": 1.0, "machine": "svm", "n_components": 20, "subsample": 100}
    found = lk.KernelClassifier(lk.gaussians([0.2, 1.0]), "unif", **options).fit(X, y)
    certificates = found.machine_certificates_
    F, Y = found.decision_function(X), np.where(y[:, None] == np.arange(3), 1, -1)
    slack = np.maximum(0, 1 - Y * F)
    assert np.all(np.abs(np.sum(slack * Y, axis=0)) < 1e-3 * slack.sum(axis=0))
    assert [one.status for one in certificates] == ["optimal"] * 3
    objectives = np.sum(slack**2 + slack * Y * F, axis=0)
    assert [one.primal for one in certificates] == pytest.approx(objectives, rel=1e-3)
    assert found.predict_proba(X).shape == (600, 3) and found.score(X, y) > 0.7


def test_interrupted_svm_continues_from_its_checkpoint(rng, tmp_path, monkeypatch):
    monkeypatch.setattr("learnkernels.machines.landmark_ridge.STREAMED", 128)
    monkeypatch.setattr("learnkernels.execution.checkpoint.SECONDS", 0.0)
    X = rng.standard_normal((N, 3))
    y = np.digitize(np.sin(2 * X[:, 0]) + X[:, 1], [-1, 1])
    options = {"C": 1.0, "n_components": 30, "subsample": 200, "n_jobs": 1}
    file, source = tmp_path / "sums.npz", Interrupted(X)
    found = lk.KernelClassifier(lk.gaussians([0.5]), "unif", checkpoint=file, **options)
    with pytest.raises(KeyboardInterrupt, match="repeat the call to continue"):
        found.fit(source, y)
    assert file.exists() and not hasattr(found, "weights_")
    found.fit(source, y)
    assert found.machine_ == "svm" and not file.exists()
    expected = lk.KernelClassifier(lk.gaussians([0.5]), "unif", **options).fit(X, y)
    scores = expected.decision_function(X)
    assert np.allclose(found.decision_function(X), scores, atol=1e-2 * np.abs(scores).max())


def test_class_without_weight_is_left_out(rng):
    X, y = rng.standard_normal((400, 2)), rng.integers(0, 4, 400)
    found = lk.KernelClassifier("linear", n_components=10, subsample=60)
    found.fit(X, y, sample_weight=(y < 3).astype(float))
    assert list(found.classes_) == [0, 1, 2]


def test_error_in_the_pass_over_all_rows_leaves_no_model(table):
    X, y = table
    X = X.copy()
    found = model()
    outside = np.setdiff1d(np.arange(N), found.fit(X, y).subsample_)[0]
    X[outside, 0] = np.nan
    with pytest.raises(InputError, match="NaN"):
        found.fit(X, y)
    with pytest.raises(NotFittedError):
        found.predict(X[:2])


def test_subsample_of_few_different_rows_raises(rng):
    X = np.repeat(rng.standard_normal((15, 2)), 40, axis=0)
    with pytest.raises(InputError, match="15 different rows, not more than n_components=20"):
        lk.KernelRegressor(n_components=20, subsample=100).fit(X, X[:, 0])


def test_C_scores_of_the_subsample_are_forgotten(rng):
    X = rng.standard_normal((400, 2))
    found = lk.KernelClassifier(
        "linear", "unif", C=[0.1, 1.0], machine="ridge", n_components=10, subsample=60
    )
    assert not hasattr(found.fit(X, X[:, 0] > 0), "C_scores_")


def test_other_sparse_formats(table):
    X, y = table
    found = lk.KernelRegressor("linear", n_components=2, subsample=60)
    expected = clone(found).fit(X, y).predict(X[:5])
    for kind in (sparse.coo_matrix, sparse.csc_array, sparse.bsr_array):
        again = clone(found).fit(kind(X), y)
        assert np.allclose(again.predict(X[:5]), expected, atol=1e-6)


@pytest.mark.parametrize("options", [{"scoring": "r2"}, {"kernels": "precomputed"}])
def test_parameters_without_a_meaning_raise(options, table):
    with pytest.raises(InputError, match=r"leave (scoring or )?subsample out"):
        model().set_params(**options).fit(*table)


def test_labels_are_checked_before_the_subsample_is_drawn(rng):
    X = rng.standard_normal((300, 2))
    classifier = lk.KernelClassifier(n_components=10, subsample=60)
    with pytest.raises(InputError, match="KernelClassifier needs class labels"):
        classifier.fit(X, X[:, 0])
    with pytest.raises(InputError, match="labels are missing"):
        classifier.fit(X, np.array(["a", "b", None] * 100, dtype=object))


def test_parquet_table_without_rows_and_with_an_index(tmp_path):
    frame = pd.DataFrame({"a": range(10), "y": range(10)}, index=[f"r{k}" for k in range(10)])
    frame.index.name = "name"
    frame.to_parquet(tmp_path / "t.parquet")
    X, y = lk.open_parquet(tmp_path / "t.parquet", target="y")
    assert X.columns == ["a"] and X.shape == (10, 1) and y.tolist() == list(range(10))
    assert X[0:0].shape == (0, 1) and X[3:5]["a"].tolist() == [3, 4]
    with pytest.raises(InputError, match="has no column 'name'"):
        lk.open_parquet(tmp_path / "t.parquet", target="name")


def test_parquet_files_without_rows_columns_or_with_equal_names_raise(tmp_path):
    table = pd.DataFrame({"a": np.arange(3.0), "y": np.arange(3.0)})
    cases = {
        "has no rows": table.iloc[:0],
        "only columns of the target": table[["y"]],
    }
    for message, frame in cases.items():
        frame.to_parquet(tmp_path / "rows.parquet")
        with pytest.raises(InputError, match=message):
            lk.open_parquet(tmp_path / "rows.parquet", target="y")
    twice = pa.Table.from_arrays([pa.array([1.0, 2.0])] * 3, names=["c", "c", "y"])
    pq.write_table(twice, tmp_path / "rows.parquet")
    with pytest.raises(InputError, match=r"has several columns 'c'; rename them"):
        lk.open_parquet(tmp_path / "rows.parquet", target="y")
    with pytest.raises(InputError, match="target is empty"):
        lk.open_parquet(tmp_path / "rows.parquet", target=[])
    with pytest.raises(InputError, match=r"path=3; expected the path"):
        lk.open_parquet(3, target="y")


def test_parquet_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(lk.InputError, match=r"no file .*absent\.parquet"):
        lk.open_parquet(tmp_path / "absent.parquet", target="y")
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    with pytest.raises(lk.InputError, match=r"t\.csv.* Pass a Parquet file"):
        lk.open_parquet(tmp_path / "t.csv", target="y")

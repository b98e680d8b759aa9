"""The goals for many samples, and measurements that are read from a file."""

import json

import pytest
from benchmarks import cached, dask_chunks, earlier, large, scaling

import learnkernels as lk
from learnkernels.machines import conjugate_gradient_ridge


def test_complete_computes_only_what_a_file_lacks(tmp_path):
    file, calls = tmp_path / "found.json", []

    def measured(value):
        calls.append(value)
        return {"seconds": value}

    tasks = [("a", lambda: measured(1.0)), ("b", lambda: measured(2.0))]
    first = dict(cached.complete(tasks[:1], file))
    assert first["a"] == {"seconds": 1.0, "origin": "measured now"}
    both = dict(cached.complete(tasks, file))
    assert calls == [1.0, 2.0] and both["a"]["origin"].startswith("cached, 20")
    assert both["b"]["origin"] == "measured now"


def test_record_writes_numbers_with_their_origin(tmp_path):
    cached.record({"seconds": 1.5}, tmp_path / "found.json")
    written = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert written["seconds"] == 1.5 and written["versions"]["learnkernels"] == lk.__version__


def test_complete_without_a_file_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = dict(cached.complete([("a", lambda: {"seconds": 1.0})], None))
    assert found["a"]["seconds"] == 1.0 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("key", "found", "expected"),
    [
        (
            "SVM, n=5000",
            {"seconds": 3.0, "svc_seconds": 6.0, "megabytes": 100.0},
            ["0.50 (goal 0.60, reached", "0.10 (goal 2.00, reached"],
        ),
        ("SVM, n=100000", {"seconds": 9.0, "megabytes": 2500.0}, ["2.50 (goal 2.00, not reached"]),
        (
            "0.1.0, exact ridge",
            {"now": {"seconds": 3.0, "megabytes": 600.0}, "earlier": {"seconds": 4.0}},
            ["0.75 (goal 0.50, not reached", "0.60 (goal 1.00, reached"],
        ),
        ("pass, 20 columns", {"gaussians": 1.0, "table": 1.5}, ["1.50 (goal 2.00, reached"]),
    ],
)
def test_lines_compare_each_number_with_its_goal(key, found, expected):
    shown = list(large.lines(key, found | {"origin": "measured now"}))
    assert len(shown) == len(expected)
    for line, part in zip(shown, expected, strict=True):
        assert part in line and line.endswith("measured now)")


def test_lines_about_dask_compare_processes():
    times = ([4, 4, 4], [2, 4, 2], [3, 4, 1], [3, 4, 3])
    of_setting = dict(zip(dask_chunks.SETTINGS, times, strict=True))
    found = dict.fromkeys(dask_chunks.STEPS, of_setting)
    shown = list(large.lines("Dask", found | {"origin": "measured now"}))
    assert len(shown) == 3 * len(dask_chunks.STEPS)
    assert "2 processes / 1: 0.50" in shown[0] and "2 threads: 1.00" in shown[1]
    assert "busiest of 2 processes / 1 process: 0.50" in shown[2]


def test_every_goal_of_stored_results_is_shown(capsys, monkeypatch):
    stored = json.loads(large.LARGE_RESULTS.read_text(encoding="utf-8"))["entries"]
    tasks = [(key, pytest.fail) for key in stored]
    monkeypatch.setattr(large, "tasks", lambda quick: tasks)
    large.run()
    shown = capsys.readouterr().out
    assert shown.count("cached") >= len(stored)
    assert "10^6 rows, Parquet, memory in GB" in shown and "pol, n=13500" in shown


@pytest.mark.parametrize("name", earlier.MEASURED)
def test_measurements_that_are_compared_with_an_earlier_version_run(name, monkeypatch):
    monkeypatch.setattr(conjugate_gradient_ridge, "TOLERANCE", 1e-9)  # restored at the end
    if name == "exact ridge" and large.folder() is None:
        pytest.skip("no tables: set LEARNKERNELS_DATA to the folder with tables/")
    found = earlier.MEASURED[name](quick=True)
    assert found["seconds"] >= 0
    if name == "exact ridge":
        assert conjugate_gradient_ridge.TOLERANCE == 1e-6 and found["products"] > 0


def test_scaling_measures_in_a_process_of_its_own():
    assert scaling.alone(int) == 0


def test_committed_sizes_of_scaling_are_known():
    stored = json.loads(scaling.SCALING_RESULTS.read_text(encoding="utf-8"))["entries"]
    assert stored.keys() <= {
        f"n={n}, {name}" for name, sizes in scaling.SIZES.items() for n in sizes
    }

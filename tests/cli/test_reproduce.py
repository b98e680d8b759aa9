"""The command reproduce."""

import json

import pytest

import learnkernels as lk
from tests.cli.running import run


def test_reproduce_lists_runs_and_uses_cache(tmp_path, capsys):
    status, out, err = run(capsys, "reproduce")
    assert (status, err) == (0, "") and "2012-table2" in out
    arguments = ["reproduce", "2017-examples", "--quick", "--output", tmp_path]
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "")
    assert "second line: published number" in out and "yes  " in out and "NO " not in out
    kept = json.loads((tmp_path / "quick-0" / "2017-examples.json").read_text())
    assert kept["versions"]["learnkernels"] == lk.__version__
    assert (tmp_path / "quick-0" / "2017-examples.png").stat().st_size > 10_000
    files = sorted((tmp_path / "quick-0" / "pieces" / "examples_2017").iterdir())
    times = [file.stat().st_mtime_ns for file in files]
    status, again, err = run(capsys, *arguments, "--no-figures")
    assert (status, err) == (0, "") and "figure:" not in again
    assert [file.stat().st_mtime_ns for file in files] == times


def test_interrupted_reproduction_explains_how_to_continue(tmp_path, capsys, monkeypatch):
    from dataclasses import replace

    from learnkernels.reproductions import EXPERIMENTS

    experiment = EXPERIMENTS["2017-examples"]

    def stopped(draw, random_state):
        if draw == 1:
            raise KeyboardInterrupt
        return experiment.protocol.run(draw, random_state)

    protocol = replace(experiment.protocol, run=stopped)
    monkeypatch.setitem(EXPERIMENTS, "2017-examples", replace(experiment, protocol=protocol))
    status, out, err = run(capsys, "reproduce", "2017-examples", "--quick", "--output", tmp_path)
    assert status == 130 and out == ""
    assert "1 of 3 pieces of examples_2017 are done" in err and "to continue" in err


def test_all_runs_available_experiments_and_names_the_others(tmp_path, monkeypatch, capsys):
    from learnkernels.reproductions import EXPERIMENTS

    some = {name: EXPERIMENTS[name] for name in ("2013-figure2", "2017-examples")}
    monkeypatch.setattr("learnkernels.cli.reproduce.EXPERIMENTS", some)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    status, out, err = run(
        capsys, "reproduce", "all", "--quick", "--no-figures", "--fresh", "--output", tmp_path
    )
    assert status == 2 and "theorem 3" in out
    assert "could not be run: 2013-figure2." in err
    assert "tss_arabidopsis_tata cannot be downloaded" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "table-9"], "unknown experiment 'table-9'"),
        (["reproduce", "2017-examples", "--quick", "--n-jobs", "0"], "--n-jobs 0"),
        (["reproduce", "2013-figure2", "--quick"], "tss_arabidopsis_tata"),
        (["reproduce", "2017-examples", "--random-state", "-1"], "--random-state -1"),
    ],
)
def test_invalid_reproduction_is_one_line_error(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == ""
    assert message in err and err.count("\n") == 1

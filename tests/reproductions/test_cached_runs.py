"""Pieces run once, are cached, and do not depend on the number of processes."""

import json
import time
from dataclasses import replace

import pytest

import learnkernels as lk
from learnkernels.reproductions.cached_runs import run_pieces
from learnkernels.reproductions.experiment import Protocol


def square(number: int, random_state: int) -> dict:
    return {"square": number**2 + random_state, "at": time.time_ns()}


def failing(number: int, random_state: int) -> dict:
    if number == 3:
        raise KeyboardInterrupt
    return square(number, random_state)


def plan(quick: bool) -> list[dict]:
    return [{"number": number} for number in range(2 if quick else 6)]


def nothing(parameters: dict) -> None:
    """Need no data set."""


PROTOCOL = Protocol("squares", plan, square, nothing)


def results(folder, protocol=PROTOCOL, **options):
    options = {"quick": False, "random_state": 10, "folder": folder} | options
    return [piece.result for piece in run_pieces(protocol, **options)]


def test_pieces_are_ordered_and_cached_pieces_are_not_run_again(tmp_path):
    first = results(tmp_path)
    assert [result["square"] for result in first] == [10, 11, 14, 19, 26, 35]
    assert results(tmp_path) == first  # equal times: nothing was computed again
    assert results(tmp_path, fresh=True) != first


def test_interrupted_run_continues_with_the_remaining_pieces(tmp_path):
    with pytest.raises(KeyboardInterrupt, match="3 of 6 pieces of squares are done and cached in"):
        results(tmp_path, Protocol("squares", plan, failing, nothing))
    before = time.time_ns()
    found = results(tmp_path)
    assert [result["at"] < before for result in found] == [True] * 3 + [False] * 3


def test_results_do_not_depend_on_number_of_processes(tmp_path):
    alone = results(tmp_path / "one")
    both = results(tmp_path / "two", n_jobs=2)
    assert [r["square"] for r in alone] == [r["square"] for r in both]
    assert results(tmp_path / "two", n_jobs=2) == both


def test_piece_runs_again_after_change_of_version_or_damage(tmp_path, monkeypatch):
    first = results(tmp_path)
    assert [r["square"] for r in results(tmp_path, random_state=0)] == [0, 1, 4, 9, 16, 25]
    broken = sorted((tmp_path / "squares").glob("*random_state_10.json"))[2]
    broken.write_text(broken.read_text()[:20])
    again = results(tmp_path)
    assert sum(a != b for a, b in zip(first, again, strict=True)) == 1
    revised = results(tmp_path, replace(PROTOCOL, revision=2))
    assert all(a != b for a, b in zip(again, revised, strict=True))
    monkeypatch.setattr("learnkernels.reproductions.cached_runs.__version__", "99.0")
    later = results(tmp_path, replace(PROTOCOL, revision=2))
    assert all(a != b for a, b in zip(revised, later, strict=True))


def test_cache_files_contain_parameters_and_result(tmp_path):
    results(tmp_path, quick=True)
    files = sorted((tmp_path / "squares").iterdir())
    assert [file.name for file in files] == [
        "number_0-random_state_10.json",
        "number_1-random_state_10.json",
    ]
    kept = json.loads(files[1].read_text())
    assert kept["made by"]["parameters"] == {"number": 1, "random_state": 10}
    assert kept["result"]["square"] == 11


def test_unwritable_folder_raises_before_any_piece_runs(tmp_path):
    (tmp_path / "squares").write_text("a file")

    def never(number, random_state):
        raise AssertionError

    with pytest.raises(lk.InputError, match="cannot create the directory"):
        results(tmp_path, replace(PROTOCOL, run=never))


def test_all_missing_data_sets_are_named_before_any_piece_runs(tmp_path, monkeypatch):
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path))
    sets = ["promoters", "splice_junction"]
    needy = replace(PROTOCOL, needs=lambda parameters: sets[parameters["number"] % 2])
    with pytest.raises(lk.InputError, match=r"promoters cannot be.*splice_junction cannot be"):
        results(tmp_path, needy)

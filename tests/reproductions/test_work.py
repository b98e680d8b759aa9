"""Pieces: done once, kept at once, continued after a stop, the same however many at a time."""

import json
import time
from dataclasses import replace

import pytest

import learnkernels as lk
from learnkernels.reproductions.experiment import Protocol
from learnkernels.reproductions.work import do


def square(number: int, seed: int) -> dict:
    return {"square": number**2 + seed, "at": time.time_ns()}


def failing(number: int, seed: int) -> dict:
    if number == 3:
        raise KeyboardInterrupt
    return square(number, seed)


def plan(quick: bool) -> list[dict]:
    return [{"number": number} for number in range(2 if quick else 6)]


def nothing(parameters: dict) -> None:
    """No data is read."""


PROTOCOL = Protocol("squares", plan, square, nothing)


def results(folder, protocol=PROTOCOL, **options):
    options = {"quick": False, "seed": 10, "folder": folder} | options
    return [piece.result for piece in do(protocol, **options)]


def test_pieces_come_in_order_and_none_is_done_twice(tmp_path):
    first = results(tmp_path)
    assert [result["square"] for result in first] == [10, 11, 14, 19, 26, 35]
    assert results(tmp_path) == first  # the times too: nothing was computed again
    assert results(tmp_path, fresh=True) != first


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    with pytest.raises(KeyboardInterrupt, match="3 of 6 pieces of squares are done and kept in"):
        results(tmp_path, Protocol("squares", plan, failing, nothing))
    before = time.time_ns()
    found = results(tmp_path)
    assert [result["at"] < before for result in found] == [True] * 3 + [False] * 3


def test_processes_side_by_side_give_the_same(tmp_path):
    alone = results(tmp_path / "one")
    both = results(tmp_path / "two", jobs=2)
    assert [r["square"] for r in alone] == [r["square"] for r in both]
    assert results(tmp_path / "two", jobs=2) == both


def test_another_seed_or_version_or_a_broken_file_is_done_again(tmp_path, monkeypatch):
    first = results(tmp_path)
    assert [r["square"] for r in results(tmp_path, seed=0)] == [0, 1, 4, 9, 16, 25]
    broken = sorted((tmp_path / "squares").glob("*seed_10.json"))[2]
    broken.write_text(broken.read_text()[:20])
    again = results(tmp_path)
    assert sum(a != b for a, b in zip(first, again, strict=True)) == 1
    revised = results(tmp_path, replace(PROTOCOL, revision=2))
    assert all(a != b for a, b in zip(again, revised, strict=True))
    monkeypatch.setattr("learnkernels.reproductions.work.__version__", "99.0")
    later = results(tmp_path, replace(PROTOCOL, revision=2))
    assert all(a != b for a, b in zip(revised, later, strict=True))


def test_pieces_are_whole_files_with_their_parameters(tmp_path):
    results(tmp_path, quick=True)
    files = sorted((tmp_path / "squares").iterdir())
    assert [file.name for file in files] == ["number_0-seed_10.json", "number_1-seed_10.json"]
    kept = json.loads(files[1].read_text())
    assert kept["made by"]["parameters"] == {"number": 1, "seed": 10}
    assert kept["result"]["square"] == 11


def test_a_folder_that_cannot_be_written_is_said_before_any_work(tmp_path):
    (tmp_path / "squares").write_text("a file")

    def never(number, seed):
        raise AssertionError

    with pytest.raises(lk.InputError, match="cannot make the folder"):
        results(tmp_path, replace(PROTOCOL, run=never))


def test_all_missing_data_is_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path))
    sets = ["promoters", "splice_junction"]
    needy = replace(PROTOCOL, needs=lambda parameters: sets[parameters["number"] % 2])
    with pytest.raises(lk.InputError, match=r"promoters is not.*splice_junction is not"):
        results(tmp_path, needy)

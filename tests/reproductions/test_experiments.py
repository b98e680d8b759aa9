"""Every experiment runs, and the smallest find what they should."""

import json
from importlib.resources import files

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import datasets
from learnkernels.reproductions import EXPERIMENTS, outcome_of, reproduce
from learnkernels.reproductions.alignment_2012 import bigrams
from learnkernels.reproductions.alignment_2012.comparisons import agreement, beaten
from learnkernels.reproductions.experiment import Grid, Piece, Value, within_two_deviations
from learnkernels.reproductions.local_rademacher_2013.dinucleotides import (
    ENERGY,
    TWIST,
    profiles,
)
from learnkernels.reproductions.local_rademacher_2013.transcription_starts import best_choice

# What minutes are needed for is left to the command line; of table 3 one small piece is run below.
LONG = {"2012-table3", "2012-table5"}


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in LONG])
def test_the_short_run_of_every_experiment(name, genuine, tmp_path_factory):
    if name != "2017-examples":
        genuine("sonar")
    folder = tmp_path_factory.getbasetemp() / "reproductions"  # tables share pieces
    found = reproduce(name, quick=True, folder=folder)
    kept = json.loads((folder / "quick-0" / f"{name}.json").read_text())
    assert kept == found
    outcome = outcome_of(found)
    values = [v for grid in outcome.grids for row in grid.values.values() for v in row.values()]
    assert values and all(np.isfinite(value.ours) for value in values)
    assert (folder / "quick-0" / f"{name}.png").exists() == bool(outcome.panels)
    # What so few repetitions are enough for.
    sure = {"2017-examples": 2, "2009-section5.1": 2, "2012-table2": 1, "2012-figure3": 2}
    assert all(claim.holds for claim in outcome.claims[: sure.get(name, 0)]), outcome.claims


def test_rank_one_kernels_of_bigrams_on_one_fold_of_reviews(genuine):
    genuine("sonar")
    found = bigrams.run("regression", "kitchen", 0, 100, 0)
    assert {name: len(result["errors"]) for name, result in found.items()} == dict.fromkeys(
        bigrams.METHODS, 5
    )
    assert found["align"]["alignment"] > found["unif"]["alignment"]


def test_the_same_seed_gives_the_same_numbers_and_another_others(genuine, tmp_path):
    genuine("sonar")
    runs = [
        reproduce("2012-figure3", quick=True, seed=seed, folder=tmp_path / str(k), figures=False)
        for k, seed in enumerate([0, 0, 1])
    ]
    assert runs[0]["grids"] == runs[1]["grids"]
    assert runs[0]["grids"] != runs[2]["grids"]


def test_the_outcome_does_not_depend_on_the_number_of_processes(tmp_path):
    one = reproduce("2017-examples", quick=True, folder=tmp_path / "1", figures=False)
    two = reproduce("2017-examples", quick=True, folder=tmp_path / "2", jobs=2, figures=False)
    assert one == two


def test_papers_and_data_are_named_rightly():
    for experiment in EXPERIMENTS.values():
        package = experiment.conclude.__module__.rpartition(".")[0]
        for file in ("README.md", "paper.json"):
            assert (files(package) / file).is_file()
        for quick in (True, False):
            pieces = experiment.protocol.pieces(quick, 0)
            assert len({piece.key for piece in pieces}) == len(pieces) > 0
            needed = {experiment.protocol.needs(piece.parameters) for piece in pieces}
            assert needed <= {None, *datasets.DATASETS}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"name": "2012-table9"}, "2012-table2"),
        ({"name": "2017-examples", "jobs": 0}, "jobs=0"),
        ({"name": "2017-examples", "seed": -1}, "seed=-1"),
        ({"name": "2017-examples", "seed": 1.5}, "seed=1.5"),
    ],
)
def test_bad_use_is_a_sentence(options, says, tmp_path):
    with pytest.raises(lk.InputError, match=says):
        reproduce(**options, folder=tmp_path)


def pieces_of(errors):
    """Repetitions in which methods a and b had these errors in the folds."""
    return [
        Piece({}, {"a": {"errors": first}, "b": {"errors": second}}) for first, second in errors
    ]


def test_shares_of_significant_repetitions_by_hand():
    better, same = [0.30, 0.31, 0.33], [0.20, 0.20, 0.22]
    pieces = pieces_of([(better, same), (same, same)])
    assert beaten(pieces, "a", "b") == 0.5
    assert beaten(pieces, "b", "a") == 0.0
    grid = Grid("", "", {"a": {"b": Value(0.5, None, 1.0)}, "b": {"a": Value(0.0, None, 0.0)}})
    claim = agreement([grid])
    assert claim.holds and claim.detail == (
        "1 of the paper's 1; not significant as in the paper 1 of 1"
    )


def test_a_table_of_methods_against_methods_has_the_same_order_both_ways():
    value = Value(1.0)
    square = Grid("", "", {"a": {"b": value, "c": value}, "b": {"a": value}, "c": {}})
    assert square.columns == ["a", "b", "c"]
    assert Grid("", "", {"a": {"y": value, "x": value}}).columns == ["y", "x"]


def test_numbers_far_from_the_papers_are_named():
    near = Value(0.139, 0.01, 0.13, 0.005)
    far = Value(0.15, 0.01, 0.13, 0.005)
    assert within_two_deviations([Grid("", "", {"x": {"y": near}})]).holds
    claim = within_two_deviations([Grid("", "", {"x": {"y": near, "z": far}})])
    assert not claim.holds and "x z 0.150" in claim.detail and "x y" not in claim.detail


def test_the_choice_is_made_on_the_validation_part():
    trials = [
        {
            "first": {"validation": 0.9, "test": 0.5, "weights": [1.0]},
            "second": {"validation": 0.8, "test": 0.7, "weights": [0.0]},
        },
        {
            "first": {"validation": 0.9, "test": 0.7, "weights": [1.0]},
            "second": {"validation": 0.9, "test": 0.9, "weights": [0.0]},
        },
    ]
    found = best_choice(trials)
    assert found["choice"] == "first" and np.isclose(found["AUC"][0], 0.6)


def test_deviations_by_hand():
    assert np.isclose(Value(0.14, 0.01, 0.13, 0.005).deviations, 2)
    assert Value(0.14).deviations is None and Value(0.14, None, 0.13).deviations is None


@pytest.mark.parametrize("table", [TWIST, ENERGY])
def test_a_step_and_its_reverse_complement_have_the_same_property(table):
    partner = dict(zip("ACGT", "TGCA", strict=True))
    assert len(table) == 16
    assert all(value == table[partner[b] + partner[a]] for (a, b), value in table.items())


def test_profiles_by_hand():
    found = profiles(["AACN"], {"AA": 1.0, "AC": 3.0}, window=2)  # -1, 1 and unknown
    assert found.tolist() == [[0.0, 0.5]]

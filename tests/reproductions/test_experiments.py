"""Every experiment runs, and the short runs confirm the paper's main claims."""

import json
from importlib.resources import files

import numpy as np
import pytest

from learnkernels import datasets
from learnkernels.reproductions import EXPERIMENTS, outcome_of, reproduce
from learnkernels.reproductions.alignment_2012 import bigrams
from learnkernels.reproductions.alignment_2012.comparisons import agreement, fraction_better
from learnkernels.reproductions.experiment import Piece, ResultTable, Value
from learnkernels.reproductions.local_rademacher_2013.dinucleotides import (
    ENERGY,
    TWIST,
    profiles,
)
from learnkernels.reproductions.local_rademacher_2013.transcription_starts import best_choice

# These take minutes even in quick mode; a small piece of table 3 is run below.
LONG = {"2012-table3", "2012-table5"}


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in LONG])
def test_every_experiment_runs_in_quick_mode(name, genuine, tmp_path_factory):
    if name != "2017-examples":
        genuine("sonar")
    folder = tmp_path_factory.getbasetemp() / "reproductions"  # experiments share pieces
    found = reproduce(name, quick=True, folder=folder)
    kept = json.loads((folder / "quick-0" / f"{name}.json").read_text())
    assert kept == found
    outcome = outcome_of(found)
    values = [v for table in outcome.tables for row in table.values.values() for v in row.values()]
    assert values and all(np.isfinite(value.ours) for value in values)
    assert (folder / "quick-0" / f"{name}.png").exists() == bool(outcome.panels)
    # Number of claims that hold already with few repetitions.
    sure = {"2017-examples": 2, "2009-section5.1": 2, "2012-table2": 1, "2012-figure3": 2}
    assert all(claim.holds for claim in outcome.claims[: sure.get(name, 0)]), outcome.claims


def test_bigram_protocol_runs_on_small_sample(genuine):
    genuine("sonar")
    found = bigrams.run("regression", "kitchen", 0, 100, 0)
    assert {name: len(result["errors"]) for name, result in found.items()} == dict.fromkeys(
        bigrams.METHODS, 5
    )
    assert found["align"]["alignment"] > found["unif"]["alignment"]


def test_every_protocol_names_existing_files_and_data_sets():
    for experiment in EXPERIMENTS.values():
        package = experiment.conclude.__module__.rpartition(".")[0]
        for file in ("README.md", "paper.json"):
            assert (files(package) / file).is_file()
        for quick in (True, False):
            pieces = experiment.protocol.pieces(quick, 0)
            assert len({piece.key for piece in pieces}) == len(pieces) > 0
            needed = {experiment.protocol.needs(piece.parameters) for piece in pieces}
            assert needed <= {None, *datasets.DATASETS}


def pieces_of(errors):
    """Return repetitions with these errors of methods a and b in the folds."""
    return [
        Piece({}, {"a": {"errors": first}, "b": {"errors": second}}) for first, second in errors
    ]


def test_fraction_of_significant_repetitions_matches_hand_computation():
    better, same = [0.30, 0.31, 0.33], [0.20, 0.20, 0.22]
    pieces = pieces_of([(better, same), (same, same)])
    assert fraction_better(pieces, "a", "b") == 0.5
    assert fraction_better(pieces, "b", "a") == 0.0
    for share, found in ((0.5, 0), (0.6, 1)):  # one half is not most
        grid = ResultTable(
            "", "", {"a": {"b": Value(share, None, 1.0)}, "b": {"a": Value(0.0, None, 0.0)}}
        )
        claim = agreement([grid])
        assert claim.holds == bool(found) and claim.detail == (
            f"{found} of the paper's 1; not significant as in the paper 1 of 1"
        )


def test_best_choice_uses_validation_auc():
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


@pytest.mark.parametrize("table", [TWIST, ENERGY])
def test_reverse_complement_has_the_same_property(table):
    partner = dict(zip("ACGT", "TGCA", strict=True))
    assert len(table) == 16
    assert all(value == table[partner[b] + partner[a]] for (a, b), value in table.items())


def test_profiles_match_hand_computation():
    found = profiles(["AACN"], {"AA": 1.0, "AC": 3.0}, window=2)  # -1, 1 and unknown
    assert found.tolist() == [[0.0, 0.5]]

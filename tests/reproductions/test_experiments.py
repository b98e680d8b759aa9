"""Every experiment runs, and the short runs confirm the paper's main claims."""

import json
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels import datasets
from learnkernels.reproductions import EXPERIMENTS, outcome_of, reproduce
from learnkernels.reproductions.alignment_2012 import bigrams
from learnkernels.reproductions.alignment_2012.comparisons import (
    agreement,
    fraction_better,
    lower_everywhere,
)
from learnkernels.reproductions.experiment import Piece, ResultTable, Value
from learnkernels.reproductions.local_rademacher_2013 import many_classes
from learnkernels.reproductions.local_rademacher_2013.dinucleotides import (
    ENERGY,
    TWIST,
    profiles,
)
from learnkernels.reproductions.local_rademacher_2013.transcription_starts import (
    best_choice,
    lead_claim,
)
from learnkernels.reproductions.ridge_2009.full_protocol import interpolated_iteration

# These take minutes even in quick mode; a small piece of table 3 is run below.
LONG = {"2012-table3", "2012-table5", "2013-multiloc"}


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
    sure = {"2017-examples": 2, "2009-section5.1": 1}
    assert all(claim.holds for claim in outcome.claims[: sure.get(name, 0)]), outcome.claims


def test_bigram_protocol_runs_on_small_sample(genuine):
    genuine("sonar")
    found = bigrams.run("regression", "kitchen", 0, 200, 0, step=8)
    methods = [*bigrams.METHODS, bigrams.UNIFORM]
    assert {name: len(result["errors"]) for name, result in found.items()} == dict.fromkeys(
        methods, 5
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


@pytest.mark.parametrize(("share", "found"), [(0.5, 0), (0.6, 1)])
def test_half_of_the_repetitions_are_not_most_of_them(share, found):
    grid = ResultTable(
        "", "", {"a": {"b": Value(share, None, 1.0)}, "b": {"a": Value(share, None, 0.0)}}
    )
    assert agreement([grid]).detail == (
        f"{found} of the paper's 1; not significant as in the paper 0 of 1"
    )


def test_lower_error_needs_an_interval_and_not_a_sign():
    sure = pieces_of([([0.30, 0.31, 0.33], [0.20, 0.20, 0.22])])
    by_chance = pieces_of([([0.30, 0.21, 0.33], [0.20, 0.30, 0.22])])
    assert lower_everywhere("", {"x": sure}, "b", "a").holds
    claim = lower_everywhere("", {"x": sure, "y": by_chance}, "b", "a")
    assert not claim.holds and "y -0.040 [" in claim.detail
    assert lower_everywhere("", {"x": sure, "y": by_chance}, "b", "a", spared=1).holds


def test_interpolated_iteration_reaches_the_weights_of_l2_ridge():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 6)), rng.standard_normal(40)
    mu0 = np.full(6, 0.5)
    mu, coef = interpolated_iteration(sparse.csr_array(X), y, 2.0, 0.3, mu0, tol=1e-10)
    method = lk.methods.L2Ridge(radius=0.3, mu0=0.5, tol=1e-8)
    model = lk.KernelRegressor(
        lk.per_feature(), method, alpha=2.0, center=False, normalize=None
    ).fit(X, y)
    assert np.allclose(mu, model.weights_, atol=1e-4)
    assert np.allclose(X @ (mu * (X.T @ coef)), model.predict(X), atol=1e-4)


def test_protein_words_have_length_one_and_regions_are_ends():
    sequences = pd.Series(["MKVA" * 40, "GGST"])
    assert [text.str.len().tolist() for text in many_classes.regions(sequences)] == [
        [160, 4],
        [60, 4],
        [60, 4],
    ]
    X = many_classes.words(sequences, 2)
    assert X.shape == (2, 7) and np.allclose(np.diag((X @ X.T).toarray()), 1.0)


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
    assert found["choice"] == "first" and found["areas"].tolist() == [0.5, 0.7]
    assert found["weights"].tolist() == [[1.0], [1.0]]


def test_lead_of_an_auc_needs_an_interval_and_not_a_sign():
    areas = np.array([0.9, 0.91, 0.92])
    chosen = {name: {"areas": areas} for name in ("unif", "l1", "l2")}
    ahead = {name: {"areas": areas + np.array([0.01, 0.011, 0.012])} for name in ("conv", "dc")}
    assert lead_claim(100, chosen | ahead, 3).holds
    ahead["dc"] = {"areas": areas + np.array([0.02, -0.01, 0.001])}
    assert not lead_claim(100, chosen | ahead, 3).holds


@pytest.mark.parametrize("table", [TWIST, ENERGY])
def test_reverse_complement_has_the_same_property(table):
    partner = dict(zip("ACGT", "TGCA", strict=True))
    assert len(table) == 16
    assert all(value == table[partner[b] + partner[a]] for (a, b), value in table.items())


def test_profiles_match_hand_computation():
    found = profiles(["AACN"], {"AA": 1.0, "AC": 3.0}, window=2)  # -1, 1 and unknown
    assert found.tolist() == [[0.0, 0.5]]

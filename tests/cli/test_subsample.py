"""`fit` of a Parquet file that is read in parts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from tests.cli.running import run

OPTIONS = ("--target", "y", "--components", "40", "--subsample", "300")


@pytest.fixture
def path(rng, tmp_path):
    table = pd.DataFrame(rng.standard_normal((1200, 3)), columns=["a", "b", "id"])
    table["kind"] = rng.choice(["red", "green"], 1200)
    table["y"] = np.sin(table["a"]) + (table["kind"] == "red") + table["b"]
    table.to_parquet(tmp_path / "big.parquet", row_group_size=200)
    return tmp_path / "big.parquet"


def test_fit_reads_parts_and_predict_uses_the_model(capsys, path, tmp_path, monkeypatch):
    monkeypatch.setattr(pd, "read_parquet", None)  # the whole file is never read
    model = tmp_path / "m.lk"
    status, shown, _ = run(capsys, "fit", path, *OPTIONS, "--drop", "id", "--save", model)
    assert status == 0 and "regression of 'y' from 3 columns, 1,200 rows" in shown
    saved = lk.load(model)["model"]
    assert len(saved.subsample_) == 300 and list(saved.feature_names_in_) == ["a", "b", "kind"]
    out = tmp_path / "out.csv"
    assert run(capsys, "predict", model, path, "--output", out)[0] == 0
    predicted = pd.read_csv(out)
    assert np.corrcoef(predicted["prediction"], predicted["y"])[0, 1] > 0.99


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "y", "--subsample", "300"), "needs --components"),
        ((*OPTIONS[:4], "--subsample", "many"), "--subsample 'many' is not a number of rows"),
        (("--target", "z", *OPTIONS[2:]), "has no column 'z'"),
        ((*OPTIONS, "--drop", "unknown"), "unknown"),
        ((*OPTIONS[:4], "--checkpoint", "c.npz"), "pass a subsample, or leave --checkpoint out"),
    ],
)
def test_wrong_options_are_explained(options, message, path, capsys):
    status, _, shown = run(capsys, "fit", path, *options)
    assert status != 0 and message in shown


def test_rows_without_a_target_cannot_be_left_out(path, capsys):
    table = pd.read_parquet(path)
    table.loc[3, "y"] = np.nan
    table.to_parquet(path)
    status, _, shown = run(capsys, "fit", path, *OPTIONS)
    assert status != 0 and "missing in 1 row" in shown and "leave --subsample out" in shown

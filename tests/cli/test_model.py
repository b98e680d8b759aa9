"""Options of the estimators on the command line, and probabilities of predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import learnkernels as lk
from learnkernels.cli.main import main
from learnkernels.cli.model import bytes_of


@pytest.fixture
def iris(tmp_path):
    """Write a table of three classes; return its path."""
    path = tmp_path / "iris.csv"
    load_iris(as_frame=True).frame.iloc[::3].to_csv(path, index=False)
    return str(path)


def fitted(iris, tmp_path, *options):
    """Fit a model by the command line; return what was saved."""
    path = str(tmp_path / "model.lk")
    assert main(["fit", iris, "--target", "target", *options, "--save", path]) == 0
    return lk.load(path)["model"], path


def test_options_are_parameters_of_the_estimator(iris, tmp_path):
    model, _ = fitted(
        iris, tmp_path, "--method", "unif", "--machine", "svm", "--C", "0.1,1,10", "--scoring",
        "balanced_accuracy", "--class-weight", "balanced", "--max-memory", "1GB", "--n-jobs", "1",
    )  # fmt: skip
    found = model.get_params()
    assert found["C"] == [0.1, 1.0, 10.0] and found["machine"] == "svm"
    assert found["scoring"] == "balanced_accuracy" and found["class_weight"] == "balanced"
    assert found["max_memory"] == 1e9 and found["n_jobs"] == 1 and len(model.C_scores_) == 3


@pytest.mark.parametrize("machine", ["svr", "alignment"])
def test_machine_of_regression_is_used(iris, tmp_path, capsys, machine):
    given = ["--C", "0.1,1", "--epsilon", "0.2"] if machine == "svr" else []
    model, _ = fitted(
        iris, tmp_path, "--task", "regression", "--method", "unif", "--machine", machine, *given
    )
    assert model.solver_ == machine
    printed = capsys.readouterr().out
    if machine == "svr":
        assert model.epsilon == 0.2 and model.C == [0.1, 1.0]
        assert f"C = {model.C_:.4g}, chosen by held-out error" in printed
    else:
        assert "machine 'alignment' has no regularisation parameter" in printed


def test_predict_writes_probabilities_that_agree_with_predictions(iris, tmp_path):
    _, path = fitted(iris, tmp_path, "--method", "unif", "--C", "1")
    output = tmp_path / "out.csv"
    assert main(["predict", path, iris, "--proba", "--output", str(output)]) == 0
    table = pd.read_csv(output)
    P = table[[f"probability of {k}" for k in range(3)]].to_numpy()
    assert np.allclose(P.sum(axis=1), 1.0)
    assert np.array_equal(P.argmax(axis=1), table["prediction"])
    assert main(["predict", path, str(output), "--proba"]) == 2  # has the columns already


def test_predict_writes_standard_deviations_and_intervals_of_the_model(iris, tmp_path):
    model, path = fitted(iris, tmp_path, "--task", "regression", "--method", "unif", "--alpha", "1")
    output = tmp_path / "out.csv"
    call = ["predict", path, iris, "--std", "--interval", "0.8", "--output", str(output)]
    assert main(call) == 0
    table = pd.read_csv(output)
    inside = (table["lower"] <= table["target"]) & (table["target"] <= table["upper"])
    assert 0.75 < inside.mean() <= 0.95
    assert (table["std"] > 0).all() and model.solver_ == "dense"
    for option in (["--std"], ["--interval", "0.5"]):
        renamed = table.drop(columns="prediction")
        renamed.to_csv(output, index=False)
        assert main(["predict", path, str(output), *option]) == 2  # has the columns already


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--std"], "--std and --interval are for regression"),
        (["--interval", "0.9"], "pass --proba"),
    ],
)
def test_uncertainty_of_classes_is_refused_with_advice(options, message, iris, tmp_path, capsys):
    _, path = fitted(iris, tmp_path, "--method", "unif", "--C", "1")
    assert main(["predict", path, iris, *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("coverage", ["0", "1", "1.5", "nan", "90"])
def test_interval_with_an_impossible_coverage_is_refused(coverage, iris, tmp_path, capsys):
    _, path = fitted(iris, tmp_path, "--task", "regression", "--method", "unif", "--alpha", "1")
    assert main(["predict", path, iris, "--interval", coverage]) == 2
    assert "between 0 and 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "1"], "--alpha does not apply to classification; pass --C."),
        (["--C", "x"], "--C 'x' is not a number"),
        (["--max-memory", "much"], "--max-memory 'much' is not a positive size"),
        (["--task", "regression", "--class-weight", "balanced"], "--class-weight is for classes"),
        (["--task", "regression", "--machine", "svm"], "--machine svm is for classes"),
        (["--machine", "svr"], "--machine svr is for regression"),
        (["--task", "regression", "--epsilon", "1"], "--epsilon is for --machine svr"),
        (["--task", "regression", "--machine", "svr", "--alpha", "1"], "pass --C"),
    ],
)
def test_invalid_options_raise(options, message, iris, capsys):
    assert main(["fit", iris, "--target", "target", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("text", "expected"), [("2GiB", 2**31), ("1e9", 1e9), (None, None)])
def test_option_max_memory_takes_decimal_and_binary_units(text, expected):
    assert bytes_of(text) == expected

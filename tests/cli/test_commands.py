"""The commands fit, predict, report, compare and demo."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import learnkernels as lk
from learnkernels.cli import commands
from tests.cli.running import run

VIEWS = ["--text", "review", "--sequence", "site", "--view", "gene:", "--view", "scan:"]


@pytest.mark.parametrize("target", ["kind", "amount"])
def test_saved_model_predicts_training_table(target, table, capsys):
    model = table.with_name("model.lk")
    status, out, err = run(capsys, "fit", table, "--target", target, "--save", model)
    assert (status, err) == (0, "")
    assert "gaussian" in out and "learned together with the weights" in out
    status, out, err = run(capsys, "predict", model, table)
    assert (status, err) == (0, "")
    predictions = pd.read_csv(pd.io.common.StringIO(out))["prediction"]
    truth = pd.read_csv(table)[target]
    if target == "kind":
        assert (predictions == truth).mean() > 0.9
    else:
        assert np.corrcoef(predictions, truth)[0, 1] > 0.9


def test_predict_writes_output_file(table, capsys):
    model, output = table.with_name("model.lk"), table.with_name("out.csv")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    status, out, _ = run(capsys, "predict", model, table, "--output", output)
    assert (status, out) == (0, "")
    assert len(pd.read_csv(output)) == 90


def test_compare_prints_json(table, capsys):
    status, out, err = run(
        capsys, "compare", table, "--target", "kind", "--kernels", "gaussians:-3..1,linear",
        "--methods", "unif,alignf,align-linear", "--cv", "3", "--random-state", "1", "--json", "-",
    )  # fmt: skip
    assert status == 0, err
    found = json.loads(out)
    extra = {"baseline", "not_applicable", "unconverged"}
    assert set(found) == {"task", "n", "methods", "kernels"} | extra
    assert found["n"] == 90 and len(found["kernels"]) == 6
    shown = {row["method"] for row in found["methods"]}
    assert {"unif", "alignf"} <= shown
    assert shown | set(found["not_applicable"]) == {"unif", "alignf", "align-linear"}


def test_compare_marks_methods_that_do_not_apply(table, capsys):
    every = "unif,align,alignf,align-single,l1-krr,l2-krr,l1-svm,l2-svm,conv,single,ensemble"
    pd.read_csv(table).head(30).to_csv(table, index=False)
    status, out, err = run(
        capsys, "compare", table, "--target", "amount", "--methods", every, "--cv", "3",
        "--kernels", "gaussians:-2..-1",
    )  # fmt: skip
    assert status == 0
    assert out.count("not applicable") == 2
    assert "l1-svm" in err and "does not apply to regression" in err


def test_compare_all_uses_every_method_of_the_task(table, capsys):
    pd.read_csv(table).head(30).to_csv(table, index=False)
    status, out, _ = run(
        capsys, "compare", table, "--target", "amount", "--all", "--cv", "3", "--kernels",
        "gaussians:-2..-1", "--json", "-",
    )  # fmt: skip
    found = json.loads(out)
    names = {row["method"] for row in found["methods"]} | set(found["not_applicable"])
    assert status == 0 and {"unif", "ensemble", "l2-krr"} <= names and "l1-svm" not in names


def test_compare_prints_table_and_writes_json(table, capsys):
    path = table.with_name("out.json")
    pd.read_csv(table).head(30).to_csv(table, index=False)
    options = ("--target", "amount", "--kernels", "gaussians:-2..-1", "--json", path)
    status, out, err = run(capsys, "compare", table, *options)
    assert (status, err) == (0, "")
    assert "regression, 30 samples" in out and "± standard deviation over 5 test folds" in out
    assert [row["method"] for row in json.loads(path.read_text())["methods"]] == [
        *["unif", "align", "alignf", "single", "auto"]
    ]
    expected = {
        "method", "error_mean", "error_std", "alignment_mean", "alignment_std",
        "test_alignment_mean", "test_alignment_std", "errors",
        "weights_mean", "fit_seconds",
    }  # fmt: skip
    assert expected <= set(json.loads(path.read_text())["methods"][0])


def test_missing_cells_are_accepted_in_training_and_prediction(table, capsys):
    frame = pd.read_csv(table)
    frame.loc[:4, "b"] = np.nan
    frame.loc[7, "colour"] = None
    frame.to_csv(table, index=False)
    model = table.with_name("model.lk")
    for kernels in ([], ["--kernels", "linear"], ["--kernels", "linear", "--raw"]):
        status, _, err = run(capsys, "fit", table, "--target", "kind", *kernels, "--save", model)
        assert (status, err) == (0, "")
        frame.assign(a=np.nan).to_csv(table.with_name("new.csv"), index=False)
        assert run(capsys, "predict", model, table.with_name("new.csv"))[0] == 0


@pytest.mark.filterwarnings("always::UserWarning")
def test_warnings_about_columns_name_options_of_the_command_line(table, capsys):
    frame = pd.read_csv(table)
    frame["weight"] = [f"{value:.1f}" for value in frame["b"]]
    frame.loc[7, "weight"] = "unknown"
    frame["patient"] = [f"P{row}" for row in range(len(frame))]
    frame["Unnamed: 0"] = range(len(frame))
    frame["label"] = np.where(frame["kind"] == "good", 1, 0)
    frame.to_csv(table, index=False)
    arguments = ("fit", table, "--target", "kind", "--kernels", "linear")
    status, _, err = run(capsys, *arguments)
    assert status == 0
    number, label, weight, patient = err.splitlines()
    assert "column 'Unnamed: 0' numbers the rows, from 0 to 89. Leave it out with --drop" in number
    assert "column 'label' determines the target" in label and "--drop" in label
    assert "column 'weight'" in weight and "1 of 90 values is not a number: 'unknown'" in weight
    assert "column 'patient' is left out: its 90 values are all different" in patient
    assert "--text" in patient and "--sequence" in patient and "--date" in patient
    drops = [part for name in ("patient", "Unnamed: 0", "label") for part in ("--drop", name)]
    assert run(capsys, *arguments, *drops, "--drop", "weight")[2] == ""


def test_caption_explains_the_star_only_if_there_is_one(table, capsys):
    arguments = ("compare", table, "--target", "kind", "--kernels", "linear", "--methods", "unif")
    status, out, _ = run(capsys, *arguments)
    assert status == 0 and "t-test" not in out


def test_counts_of_one_are_singular(written, capsys):
    path = written("x,y\n" + "".join(f"{k * k},{k % 2}\n" for k in range(40)))
    status, out, _ = run(capsys, "fit", path, "--target", "y", "--kernels", "linear")
    assert status == 0 and "from 1 column, 40 rows" in out


def test_raw_numbers_are_not_standardised(table, capsys):
    texts = [
        run(capsys, "fit", table, "--target", "kind", "--kernels", "gaussians:-2..0", *flag)[1]
        for flag in ([], ["--raw"])
    ]
    assert texts[0] != texts[1]


def test_columns_missing_at_prediction_are_named(table, capsys):
    model = table.with_name("model.lk")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    pd.read_csv(table).drop(columns=["a", "colour"]).to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "a, colour" in err


def test_demo_writes_report_and_model(tmp_path, capsys, monkeypatch):
    X, y = load_digits(return_X_y=True, as_frame=True)
    some = X[::30].reset_index(drop=True), y[::30].reset_index(drop=True)
    monkeypatch.setattr(commands, "load_digits", lambda **options: some)
    status, out, _ = run(capsys, "demo", "--output", tmp_path / "demo")
    assert status == 0
    assert "alignf" in out and "learned kernel" in out and "slant" in out
    assert "Cross-validated RMSE" in out
    assert out.endswith(f"report: {tmp_path / 'demo' / 'report.html'}\n")
    assert "# Learned kernel" in (tmp_path / "demo" / "report.md").read_text()
    assert "Can I trust it?" in (tmp_path / "demo" / "report.html").read_text()
    assert isinstance(lk.load(tmp_path / "demo" / "model.lk"), dict)


def test_column_types_are_the_same_in_training_and_prediction(table, capsys):
    """Booleans, dates, nullable types, and categories that look like numbers in the new file."""
    frame = pd.read_csv(table)
    frame["flag"] = frame["a"] > 0
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(90) % 2, "D")
    frame["count"] = pd.array([1, 2, None] * 30, dtype="Int64")
    frame["maybe"] = pd.array([True, False, None] * 30, dtype="boolean")
    path, model = table.with_suffix(".parquet"), table.with_name("model.lk")
    frame.to_parquet(path)
    status, _, err = run(capsys, "fit", path, "--target", "kind", "--save", model)
    assert (status, err) == (0, "")
    frame["colour"] = 5
    frame.to_csv(table, index=False)
    status, out, err = run(capsys, "predict", model, table)
    assert (status, err) == (0, "") and out.count("\n") == 91
    frame["a"] = "many"
    frame.to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "column 'a' contains text" in err


def test_predict_refuses_table_with_prediction_column(table, capsys):
    model = table.with_name("model.lk")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    pd.read_csv(table).assign(prediction=1).to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "rename it" in err


def test_fit_and_predict_with_texts_sequences_and_views(sources, capsys):
    model = sources.with_name("model.lk")
    arguments = ["--target", "kind", *VIEWS, "--save", model]
    status, out, err = run(capsys, "fit", sources, *arguments)
    assert (status, err) == (0, "")
    for view in ("review", "site", "gene", "scan", "other columns"):
        assert view in out
    status, out, err = run(capsys, "predict", model, sources)
    assert (status, err) == (0, "")
    predictions = pd.read_csv(pd.io.common.StringIO(out))
    assert (predictions["prediction"] == predictions["kind"]).mean() > 0.95


def test_compare_with_views(sources, capsys):
    options = ("--target", "kind", *VIEWS, "--cv", "3", "--methods", "unif,alignf")
    status, out, _ = run(capsys, "compare", sources, *options)
    assert status == 0 and "alignf" in out


def test_missing_view_is_accepted_only_with_missing_neutral(sources, capsys):
    model = sources.with_name("model.lk")
    arguments = ["--target", "kind", "--view", "gene:", "--view", "scan:", "--text", "review"]
    arguments += ["--method", "unif", "--C", "1"]
    run(capsys, "fit", sources, *arguments, "--missing", "neutral", "--save", model)
    fewer = sources.with_name("fewer.csv")
    pd.read_csv(sources).drop(columns="scan:a").to_csv(fewer, index=False)
    status, out, err = run(capsys, "predict", model, fewer)
    assert (status, err) == (0, "") and "prediction" in out
    run(capsys, "fit", sources, *arguments, "--save", model)
    status, _, err = run(capsys, "predict", model, fewer)
    assert status == 2 and "does not have all columns" in err


def test_report_on_saved_model(table, tmp_path, capsys):
    model, page = tmp_path / "model.lk", tmp_path / "report.html"
    fit = ("fit", table, "--target", "kind", "--kernels", "gaussians:-2..0", "--save", model)
    run(capsys, *fit, "--method", "alignf", "--C", "1")
    status, out, err = run(capsys, "report", model, table, "--output", page, "--draws", "3")
    assert (status, err) == (0, "")
    assert out.startswith("Classification of kind, ") and out.endswith(f"report: {page}\n")
    assert len(out.splitlines()) == 6
    assert "Can I trust it?" in page.read_text(encoding="utf-8")


def test_invalid_report_is_one_line_error(table, tmp_path, capsys):
    model = tmp_path / "model.lk"
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    other = tmp_path / "other.csv"
    pd.read_csv(table).iloc[:40].to_csv(other, index=False)
    unlabelled = tmp_path / "unlabelled.csv"
    pd.read_csv(table).drop(columns="kind").to_csv(unlabelled, index=False)
    for arguments, message in (
        ((model, other), "not the data that the model was trained on"),
        ((model, unlabelled), "has no column 'kind', the target of the model"),
        ((model, tmp_path / "none.csv"), "there is no file"),
        ((table, table), "not a model"),
        ((model, table, "--output", tmp_path / "report.pdf"), "a report is .html, .md or .json"),
        ((model, table, "--cv", "1"), "--cv 1"),
    ):
        status, out, err = run(capsys, "report", *arguments)
        assert (status, out) == (2, "") and message in err and err.count("\n") == 1


def test_probabilities_that_the_model_lacks_are_refused_with_the_option_of_fit(table, capsys):
    model = table.with_name("model.lk")
    fit = ("fit", table, "--target", "kind", "--kernels", "gaussians:-2..-1", "--save", model)
    assert run(capsys, *fit, "--method", "ensemble", "--C", "1")[0] == 0
    status, _, err = run(capsys, "predict", model, table, "--proba")
    assert status == 2 and "such as --C 0.1,1,10" in err


def test_latin_1_is_read_with_encoding_and_named_in_the_error_without(table, capsys):
    path = table.with_name("latin.csv")
    text = table.read_text(encoding="utf-8").replace("kind", "größe", 1)
    path.write_bytes(text.encode("latin-1"))
    arguments = ("fit", path, "--target", "größe", "--kernels", "linear", "--method", "unif")
    status, _, err = run(capsys, *arguments)
    assert status == 2 and "--encoding latin-1" in err
    status, _, err = run(capsys, *arguments, "--encoding", "latin-1")
    assert status == 0, err
    assert run(capsys, *arguments, "--encoding", "utf-16")[0] == 2

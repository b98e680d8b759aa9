"""The command line as a stranger uses it."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.cli import main
from learnkernels.cli.kernels import parse_kernels


@pytest.fixture
def table(rng, tmp_path):
    """A table with numbers, a category and two kinds of target, as CSV."""
    X = rng.standard_normal((90, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "blue"], 90)
    frame["kind"] = np.where(X[:, 0] * X[:, 1] > 0, "good", "bad")
    frame["amount"] = X[:, 0] + 0.1 * rng.standard_normal(90)
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("target", ["kind", "amount"])
def test_fit_save_predict(target, table, capsys):
    model = table.with_name("model.skops")
    status, out, err = run(capsys, "fit", table, "--target", target, "--save", model)
    assert (status, err) == (0, "")
    assert "linear" in out and "optimal" in out
    status, out, err = run(capsys, "predict", model, table)
    assert (status, err) == (0, "")
    predictions = pd.read_csv(pd.io.common.StringIO(out))["prediction"]
    truth = pd.read_csv(table)[target]
    if target == "kind":
        assert (predictions == truth).mean() > 0.9
    else:
        assert np.corrcoef(predictions, truth)[0, 1] > 0.9


def test_parquet_and_gzip(table, capsys):
    frame = pd.read_csv(table)
    for path in (table.with_suffix(".parquet"), table.with_name("data.csv.gz")):
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
        status, out, _ = run(capsys, "fit", path, "--target", "kind")
        assert status == 0 and "90 rows" in out


def test_predictions_go_to_a_file(table, capsys):
    model, output = table.with_name("model.skops"), table.with_name("out.csv")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    status, out, _ = run(capsys, "predict", model, table, "--output", output)
    assert (status, out) == (0, "")
    assert len(pd.read_csv(output)) == 90


def test_compare_prints_json_for_programs(table, capsys):
    status, out, err = run(
        capsys, "compare", table, "--target", "kind", "--kernels", "gaussians:-3..1,linear",
        "--methods", "unif,alignf,align-linear", "--folds", "3", "--seed", "1", "--json", "-",
    )  # fmt: skip
    assert status == 0, err
    found = json.loads(out)
    extra = {"not_applicable", "unconverged"}
    assert set(found) == {"task", "n", "methods", "kernels"} | extra
    assert found["n"] == 90 and len(found["kernels"]) == 6
    shown = {row["method"] for row in found["methods"]}
    assert {"unif", "alignf"} <= shown
    assert shown | set(found["not_applicable"]) == {"unif", "alignf", "align-linear"}


def test_compare_knows_every_method_and_marks_what_does_not_apply(table, capsys):
    every = "unif,align,alignf,align-single,l1-krr,l2-krr,l1-svm,conv,single,ensemble"
    status, out, err = run(
        capsys, "compare", table, "--target", "amount", "--methods", every, "--folds", "3",
        "--kernels", "gaussians:-3..0",
    )  # fmt: skip
    assert status == 0
    assert out.count("not applicable") == 2
    assert "l1-svm" in err and "does not apply to regression" in err


def test_compare_prints_a_table_for_people(table, capsys):
    path = table.with_name("out.json")
    status, out, err = run(capsys, "compare", table, "--target", "amount", "--json", path)
    assert (status, err) == (0, "")
    assert "regression, 90 samples" in out and "t-test" in out
    expected = {
        "method", "error_mean", "error_std", "alignment_mean", "alignment_std",
        "test_alignment_mean", "test_alignment_std", "errors",
        "weights_mean", "fit_seconds",
    }  # fmt: skip
    assert expected <= set(json.loads(path.read_text())["methods"][0])


def test_missing_values_are_named_and_can_be_filled(table, capsys):
    frame = pd.read_csv(table)
    frame.loc[:4, "b"] = np.nan
    frame.loc[7, "colour"] = None
    frame.to_csv(table, index=False)
    status, _, err = run(capsys, "fit", table, "--target", "kind")
    assert status == 2 and "'b' (5), 'colour' (1)" in err and "--impute" in err
    model = table.with_name("model.skops")
    status, _, _ = run(capsys, "fit", table, "--target", "kind", "--impute", "--save", model)
    assert status == 0
    assert run(capsys, "predict", model, table)[0] == 0


def test_raw_numbers_are_left_alone(table, capsys):
    texts = [
        run(capsys, "fit", table, "--target", "kind", "--kernels", "gaussians:-2..0", *flag)[1]
        for flag in ([], ["--raw"])
    ]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fit", "nowhere.csv", "--target", "y"], "no file"),
        (["fit", "DATA", "--target", "price"], "no column 'price'"),
        (["fit", "DATA", "--target", "kind", "--task", "regression"], "holds text"),
        (["fit", "DATA", "--target", "kind", "--kernels", "gausians"], "unknown"),
        (["fit", "DATA", "--target", "kind", "--kernels", "gaussians:a..b"], "range"),
        (["fit", "DATA", "--target", "kind", "--kernels", "gaussians:3..1"], "smaller end first"),
        (["fit", "DATA", "--target", "kind", "--kernels", "linear:1..2"], "takes no range"),
        (["fit", "DATA", "--target", "kind", "--kernels", ","], "is empty"),
        (["fit", "DATA", "--target", "kind", "--method", "magic"], "expected one of"),
        (["fit", "DATA", "--target", "kind", "--save", "nowhere/model"], "cannot write"),
        (["compare", "DATA", "--target", "kind", "--folds", "2"], "from 3"),
        (["compare", "DATA", "--target", "kind", "--methods", ","], "at least one"),
        (["predict", "DATA", "DATA"], "damaged"),
        (["predict", "nowhere", "DATA"], "cannot read"),
    ],
)
def test_bad_use_is_one_line_and_status_2(arguments, says, table, capsys):
    arguments = [str(table) if argument == "DATA" else argument for argument in arguments]
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert says in err and err.startswith("learnkernels: ") and err.count("\n") == 1


def test_columns_missing_at_prediction_are_named(table, capsys):
    model = table.with_name("model.skops")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    pd.read_csv(table).drop(columns=["a", "colour"]).to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "a, colour" in err


@pytest.mark.parametrize("content", ["", "a,b\n", "y\n1\n2\n"])
def test_empty_files_are_sentences(content, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(content)
    status, _, err = run(capsys, "fit", path, "--target", "y")
    assert status == 2 and err.count("\n") == 1


def test_interruption_is_a_sentence(table, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("learnkernels.cli.commands.read_table", interrupted)
    assert main(["fit", str(table), "--target", "kind"]) == 130
    assert capsys.readouterr().err == "learnkernels: stopped.\n"


def test_demo_ends_with_a_report(tmp_path, capsys):
    status, out, _ = run(capsys, "demo", "--output", tmp_path / "demo")
    assert status == 0
    assert "alignf" in out and "learned kernel" in out
    assert "On samples it has not seen" in out
    assert out.endswith(f"report: {tmp_path / 'demo' / 'report.html'}\n")
    assert "# Learned kernel" in (tmp_path / "demo" / "report.md").read_text()
    assert "Can I trust it?" in (tmp_path / "demo" / "report.html").read_text()
    assert isinstance(lk.load(tmp_path / "demo" / "model.skops"), dict)


def test_ranges_of_kernels():
    gaussians, polynomials, name = parse_kernels("gaussians:-1..1, polynomials:2, chi2")
    assert gaussians.gammas == (0.5, 1.0, 2.0)
    assert polynomials.degrees == (2,) and name == "chi2"
    assert parse_kernels(None) is None


def test_module_and_broken_pipe(table):
    """``python -m learnkernels`` works, and a reader that goes away is no error."""
    shell = f"{sys.executable} -m learnkernels --version"
    done = subprocess.run(shell.split(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == lk.__version__
    command = f"{sys.executable} -m learnkernels fit {table} --target kind | head -n 1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [b"\x1f\x8bbroken", b"\xff\xfe\x00\x01", b"a,b\n\xe9,1\n"])
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.zip", "data.parquet"])
def test_damaged_files_are_sentences(content, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    status, _, err = run(capsys, "fit", path, "--target", "y")
    assert status == 2 and err.count("\n") == 1


def test_odd_columns_are_categories_or_numbers_in_training_and_prediction(table, capsys):
    """Booleans, dates, nullable types, and categories that look like numbers in the new file."""
    frame = pd.read_csv(table)
    frame["flag"] = frame["a"] > 0
    frame["day"] = pd.Timestamp("2020-01-01")
    frame["count"] = pd.array([1, None] * 45, dtype="Int64")
    frame["maybe"] = pd.array([True, None] * 45, dtype="boolean")
    path, model = table.with_suffix(".parquet"), table.with_name("model.skops")
    frame.to_parquet(path)
    status, _, err = run(capsys, "fit", path, "--target", "kind", "--impute", "--save", model)
    assert (status, err) == (0, "")
    frame["colour"] = 5
    frame.to_csv(table, index=False)
    status, out, err = run(capsys, "predict", model, table)
    assert (status, err) == (0, "") and out.count("\n") == 91
    frame["a"] = "many"
    frame.to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "column 'a' holds text" in err


def test_names_with_markup_and_integers(rng, tmp_path, capsys):
    path = tmp_path / "data.csv"
    frame = pd.DataFrame(rng.standard_normal((30, 2)), columns=["0", "y[/b]"])
    frame.to_csv(path, index=False)
    status, out, _ = run(capsys, "fit", path, "--target", "y[/b]", "--kernels", "linear")
    assert status == 0 and "y[/b]" in out
    (tmp_path / "twice.csv").write_text("a,a.1,y\n1,2,3\n")
    assert run(capsys, "fit", tmp_path, "--target", "y")[0] == 2


def test_existing_predictions_are_not_overwritten(table, capsys):
    model = table.with_name("model.skops")
    run(capsys, "fit", table, "--target", "kind", "--kernels", "linear", "--save", model)
    pd.read_csv(table).assign(prediction=1).to_csv(table, index=False)
    status, _, err = run(capsys, "predict", model, table)
    assert status == 2 and "rename it" in err


@pytest.fixture
def sources(rng, tmp_path):
    """A table with numbers of two views, a text, a sequence and a category, as CSV."""
    y = np.arange(90) % 2
    frame = pd.DataFrame(
        {
            "gene:a": rng.standard_normal(90) + y,
            "gene:b": rng.standard_normal(90),
            "scan:a": rng.standard_normal(90) - y,
            "review": ["very good indeed" if label else "rather bad indeed" for label in y],
            "site": ["ACGTACGT" if label else "TTTTACGA" for label in y],
            "colour": rng.choice(["red", "blue"], 90),
            "kind": np.where(y, "yes", "no"),
        }
    )
    path = tmp_path / "sources.csv"
    frame.to_csv(path, index=False)
    return path


VIEWS = ["--text", "review", "--sequence", "site", "--view", "gene:", "--view", "scan:"]


def test_texts_sequences_and_views(sources, capsys):
    model = sources.with_name("model.skops")
    arguments = ["--target", "kind", *VIEWS, "--save", model]
    status, out, err = run(capsys, "fit", sources, *arguments)
    assert (status, err) == (0, "")
    for view in ("review", "site", "gene", "scan", "other columns"):
        assert view in out
    status, out, err = run(capsys, "predict", model, sources)
    assert (status, err) == (0, "")
    predictions = pd.read_csv(pd.io.common.StringIO(out))
    assert (predictions["prediction"] == predictions["kind"]).mean() > 0.95


def test_methods_are_compared_with_views(sources, capsys):
    status, out, _ = run(capsys, "compare", sources, "--target", "kind", *VIEWS, "--folds", "3")
    assert status == 0 and "alignf" in out


def test_a_view_may_be_absent_if_neutral(sources, capsys):
    model = sources.with_name("model.skops")
    arguments = ["--target", "kind", "--view", "gene:", "--view", "scan:", "--text", "review"]
    run(capsys, "fit", sources, *arguments, "--missing", "neutral", "--save", model)
    fewer = sources.with_name("fewer.csv")
    pd.read_csv(sources).drop(columns="scan:a").to_csv(fewer, index=False)
    status, out, err = run(capsys, "predict", model, fewer)
    assert (status, err) == (0, "") and "prediction" in out
    run(capsys, "fit", sources, *arguments, "--save", model)
    status, _, err = run(capsys, "predict", model, fewer)
    assert status == 2 and "lacks columns" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--text", "zzz"], "no column 'zzz'"),
        (["--view", "zzz:"], "no column is called 'zzz:'"),
        (["--sequence", "gene:a"], "holds numbers"),
    ],
)
def test_views_that_are_not_there_are_said(arguments, message, sources, capsys):
    status, _, err = run(capsys, "fit", sources, "--target", "kind", *arguments)
    assert status == 2 and message in err and err.count("\n") == 1


def test_reproduce_lists_runs_and_continues(tmp_path, capsys):
    status, out, err = run(capsys, "reproduce")
    assert (status, err) == (0, "") and "2012-table2" in out
    arguments = ["reproduce", "2017-examples", "--quick", "--output", tmp_path]
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "")
    assert "second line: the paper" in out and "yes  " in out and "NO " not in out
    kept = json.loads((tmp_path / "quick-0" / "2017-examples.json").read_text())
    assert kept["versions"]["learnkernels"] == lk.__version__
    assert (tmp_path / "quick-0" / "2017-examples.png").stat().st_size > 10_000
    files = sorted((tmp_path / "quick-0" / "pieces" / "examples_2017").iterdir())
    times = [file.stat().st_mtime_ns for file in files]
    status, again, err = run(capsys, *arguments, "--no-figures")
    assert (status, err) == (0, "") and "figure:" not in again
    assert [file.stat().st_mtime_ns for file in files] == times


def test_a_stopped_reproduction_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    from dataclasses import replace

    from learnkernels.reproductions import EXPERIMENTS

    experiment = EXPERIMENTS["2017-examples"]

    def stopped(draw, seed):
        if draw == 1:
            raise KeyboardInterrupt
        return experiment.protocol.run(draw, seed)

    protocol = replace(experiment.protocol, run=stopped)
    monkeypatch.setitem(EXPERIMENTS, "2017-examples", replace(experiment, protocol=protocol))
    status, out, err = run(capsys, "reproduce", "2017-examples", "--quick", "--output", tmp_path)
    assert status == 130 and out == ""
    assert "1 of 3 pieces of examples_2017 are done" in err and "goes on from there" in err


def test_datasets_are_listed_and_found(genuine, capsys):
    genuine("sonar")
    status, out, err = run(capsys, "datasets", "list")
    assert (status, err) == (0, "") and "kin8nm" in out and "at hand" in out
    status, out, err = run(capsys, "datasets", "path", "sonar")
    assert (status, err) == (0, "") and out.strip().endswith("sonar.csv.gz")
    status, out, err = run(capsys, "datasets", "fetch", "sonar", "kin8nm")
    assert (status, err) == (0, "") and len(out.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["reproduce", "table-9"], "no experiment is called 'table-9'"),
        (["reproduce", "2017-examples", "--quick", "--jobs", "0"], "jobs=0"),
        (["reproduce", "2013-figure2", "--quick"], "tss_arabidopsis_tata"),
        (["reproduce", "2017-examples", "--seed", "-1"], "seed=-1"),
        (["datasets", "path", "irises"], "no data set is called 'irises'"),
        (["datasets", "fetch", "splice_junction"], "Put it as splice_junction.csv.gz"),
    ],
)
def test_reproduce_and_datasets_refuse_with_one_line(
    arguments, says, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == ""
    assert says in err and err.count("\n") == 1


def test_all_runs_what_it_can_and_names_the_rest(tmp_path, monkeypatch, capsys):
    from learnkernels.reproductions import EXPERIMENTS

    some = {name: EXPERIMENTS[name] for name in ("2013-figure2", "2017-examples")}
    monkeypatch.setattr("learnkernels.cli.reproduce.EXPERIMENTS", some)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    status, out, err = run(
        capsys, "reproduce", "all", "--quick", "--no-figures", "--fresh", "--output", tmp_path
    )
    assert status == 2 and "theorem 3" in out
    assert "not run: 2013-figure2;" in err and "tss_arabidopsis_tata is not at hand" in err


def test_a_saved_model_is_reported_with_its_data(table, tmp_path, capsys):
    model, page = tmp_path / "model.skops", tmp_path / "report.html"
    run(capsys, "fit", table, "--target", "kind", "--save", model)
    status, out, err = run(capsys, "report", model, table, "--output", page, "--draws", "3")
    assert (status, err) == (0, "")
    assert out.startswith("Predicts kind (") and out.endswith(f"report: {page}\n")
    assert len(out.splitlines()) == 6
    assert "Can I trust it?" in page.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_made_is_a_sentence(table, tmp_path, capsys):
    model = tmp_path / "model.skops"
    run(capsys, "fit", table, "--target", "kind", "--save", model)
    other = tmp_path / "other.csv"
    pd.read_csv(table).iloc[:40].to_csv(other, index=False)
    unlabelled = tmp_path / "unlabelled.csv"
    pd.read_csv(table).drop(columns="kind").to_csv(unlabelled, index=False)
    for arguments, said in (
        ((model, other), "not the data that the model was trained on"),
        ((model, unlabelled), "there is no column 'kind'"),
        ((model, tmp_path / "none.csv"), "there is no file"),
        ((table, table), "not a model"),
        ((model, table, "--output", tmp_path / "report.pdf"), "a report is .html, .md or .json"),
        ((model, table, "--folds", "1"), "folds=1"),
    ):
        status, out, err = run(capsys, "report", *arguments)
        assert (status, out) == (2, "") and said in err and err.count("\n") == 1

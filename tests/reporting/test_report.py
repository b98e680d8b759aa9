"""Summary and report of fitted models."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.methods import BestSingle
from learnkernels.reporting import summary
from learnkernels.reporting.formatting import weight_text
from learnkernels.reporting.html import score_plot
from learnkernels.reporting.statements import text_lines


def test_summary_is_plain_and_sorted_by_weight(views):
    found = summary(*views, draws=5)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    sizes = [kernel["share"] for kernel in found["kernels"]]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == pytest.approx(1)
    assert found["views"][0]["name"] == "<i>true</i>" and found["views"][0]["share"] > 0.8
    counts = {one["name"]: one["samples"] for one in found["task"]["classes"]}
    assert counts == views[2].value_counts().to_dict()


def test_every_format_contains_the_error(views, tmp_path):
    found = lk.report(*views, title="two views", draws=5)
    assert json.loads(found.to_json()) == found.summary
    error = found.summary["score"]["results"]["learned"]["mean"]
    for ending in ("html", "md", "json"):
        text = found.save(tmp_path / f"report.{ending}").read_text(encoding="utf-8")
        expected = str(error) if ending == "json" else f"{100 * error:.1f} %"
        assert expected in text.replace("\u00a0", " ")
    assert len(str(found).splitlines()) == 5
    assert found._repr_html_().startswith("<iframe srcdoc=")


def test_names_from_data_are_escaped(views):
    found = lk.report(*views, title="<script>alert(1)</script>", draws=2, cv=2)
    page = found.to_html()
    for tag in ("script", "b", "i", "u"):
        own = {"script": 1}.get(tag, 0)
        assert len(re.findall(rf"<{tag}>", page)) == own
    # A pipe in a name does not start a cell, and a backtick does not end the code.
    rows = [line for line in found.to_markdown().splitlines() if line.startswith("| `")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {4, 5, 6}


def test_html_loads_no_other_file_and_stays_small(many):
    model, X, y = many
    page = lk.report(model, X, y, draws=2, cv=2).to_html()
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", page)
    assert "http" not in page and "@import" not in page and "url(" not in page
    assert page.count("<tr") > 300 and len(page) < 500_000


def test_text_has_at_most_five_lines_for_every_method(classes, curve):
    X, y = (values[:60] for values in classes)
    kernels = lk.gaussians([0.1, 1.0])
    for method in ("unif", "alignf", "l1-svm", "dc", "ufo", "single", "ensemble"):
        model = lk.KernelClassifier(kernels, method, C=100.0).fit(X, y)
        lines = text_lines(summary(model, X, y, draws=2, cv=2))
        assert len(lines) == (4 if method == "unif" else 5)
        assert lines[1].startswith("Cross-validated error")
        assert all(line.endswith(".") for line in lines)
    X, y = curve
    learner = lk.KernelLearner(kernels, task="regression", method="alignf").fit(X, y)
    found = summary(learner, X, y, draws=2)
    assert found["score"] is None and text_lines(found)[0].startswith("Alignment: ")
    several = np.column_stack([y, -y])
    model = lk.KernelRegressor(kernels, alpha=[0.1, 1.0], method="alignf").fit(X, several)
    assert text_lines(summary(model, X, several, draws=2, cv=2))[0].startswith(
        "Regression, 2 targets: "
    )


def test_summary_accepts_one_column_of_labels(classes):
    X, y = classes
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(X, y)
    column = pd.DataFrame({"kind": y})
    found = summary(model, X, column, draws=0)
    assert found["score"] == summary(model, X, y, draws=0)["score"]
    assert found["task"]["target"] == "kind"


def test_task_is_that_of_the_estimator(classes, curve):
    X, y = classes
    kernels = lk.gaussians([0.1, 1.0])
    found = summary(lk.KernelLearner(kernels, method="alignf").fit(X, y), X, y, draws=0)
    assert text_lines(found)[0].startswith("Alignment with classes: ")
    X, y = curve
    found = summary(
        lk.KernelRegressor(kernels, method="alignf", alpha=1.0).fit(X.tolist(), y > 0),
        X.tolist(),
        y > 0,
        draws=0,
    )
    assert found["task"]["kind"] == "regression" and found["data"]["columns"] == 3


@pytest.mark.parametrize("method", ["dc", lk.methods.L1Ridge(radius=1000.0)])
def test_baselines_choose_their_regularisation(method, classes):
    """The weights of these methods sum to much less or more than one, which changes the best C."""
    X, y = classes
    C = 10.0 * len(y) if method == "dc" else 1e-4
    kernels = lk.gaussians([0.05, 0.2, 1.0])
    model = lk.KernelClassifier(kernels, method, C=C).fit(X, y)
    results = summary(model, X, y, draws=0)["score"]["results"]
    fair = lk.KernelClassifier(kernels, "unif", C=[0.1, 1.0, 10.0, 100.0], machine=model.machine)
    if method != "dc":
        fair.set_params(machine="ridge")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    error = 1 - cross_val_score(fair, X, y, cv=folds).mean()
    assert results["uniform weights"]["mean"] <= error + 0.1


def test_model_with_sample_weights_raises_without_them(classes):
    X, y = classes
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        X, y, sample_weight=np.full(len(y), 2.0)
    )
    with pytest.raises(lk.InputError, match=r"pass them to lk\.report"):
        lk.report(model, X, y)
    assert lk.report(model.fit(X, y, sample_weight=np.ones(len(y))), X, y, draws=0, cv=0)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_report_of_weights_zero_and_one_equals_that_of_the_samples_of_weight_one(
    task, classes, curve
):
    X, y = classes if task == "classification" else curve
    kind = lk.KernelClassifier if task == "classification" else lk.KernelRegressor
    name = "C" if task == "classification" else "alpha"
    w = np.where(np.arange(len(y)) < 10, 0.0, 1.0)
    scaler = StandardScaler(with_mean=False, with_std=False)
    model = make_pipeline(scaler, kind(lk.gaussians([0.1, 1.0]), "alignf", **{name: 1.0}))
    prefix = type(model[-1]).__name__.lower()
    model.fit(X, y, **{f"{prefix}__sample_weight": w})
    found = summary(model, X, y, sample_weight=w, draws=3, cv=3)
    plain = summary(model.fit(X[10:], y[10:]), X[10:], y[10:], draws=3, cv=3)
    errors = [one["score"]["results"]["learned"]["errors"] for one in (found, plain)]
    assert errors[0] == pytest.approx(errors[1])
    assert found["kernels"][0]["low"] == pytest.approx(plain["kernels"][0]["low"])


def test_parts_that_cannot_be_computed_have_a_reason(rng):
    X = rng.standard_normal((30, 2))
    y = np.array(["a"] * 14 + ["b"] * 14 + ["c"] * 2)
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), "single", C=1.0).fit(X, y)
    found = lk.report(model, X, y)
    assert "smallest with 1 sample" in found.summary["halves"]["reason"]
    assert "No error bars: " in found.to_html() and "No intervals: " in found.to_markdown()
    with pytest.warns(lk.UndefinedAlignmentWarning):
        constant = lk.KernelRegressor(
            kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ).fit(X, np.ones(30))
    with pytest.warns(lk.UndefinedAlignmentWarning):
        found = lk.report(constant, X, np.ones(30), draws=4)
    assert "target is constant" in found.summary["guarantees"]["reason"]
    for text in (found.to_html(), found.to_markdown()):
        assert "No guarantees: the target is constant" in text


def test_code_of_long_model_is_not_shortened(curve):
    X, y = curve
    model = make_pipeline(
        StandardScaler(with_std=False), lk.KernelRegressor(np.logspace, method="alignf", alpha=1.0)
    )
    model[-1].set_params(kernels=lk.gaussians(np.logspace(-3, 3, 60)))
    found = summary(model.fit(X, y), X, y, cv=0, draws=0)["model"]
    assert "..." not in found["code"]
    assert found["parameters"]["standardscaler__with_std"] == "False"


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"share": 0.0053, "low": 0.0047, "high": 0.0057}, "0.53 % (0.47 to 0.57 %)"),
        ({"share": 0.0096, "low": 0.006, "high": 0.1}, "1 % (1 to 10 %)"),
        ({"share": 0.513, "low": 0.1, "high": 0.9}, "51 % (10 to 90 %)"),
        ({"share": 0.021}, "2.1 %"),
    ],
)
def test_weight_and_interval_have_same_decimals(entry, text):
    assert weight_text(entry) == text


def test_zero_folds_and_draws_skip_parts(curve):
    X, y = curve
    model = lk.KernelRegressor(
        machine="alignment", kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(X, y)
    found = summary(model, X, y, cv=0, draws=0)
    assert found["score"] is None and "low" not in found["kernels"][0]
    page = lk.report(model, X, y, cv=0, draws=0).to_html()
    assert "Error bars" not in page and "Not cross-validated" in page


def test_summary_accepts_precomputed_stacks_and_searches(curve):
    X, y = curve
    stack = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    model = lk.KernelRegressor("precomputed", method="alignf", alpha=1.0).fit(stack, y)
    found = summary(model, stack, y, draws=2, cv=3)
    assert found["data"]["columns"] is None and found["score"]["results"]["learned"]["mean"] < 1
    search = GridSearchCV(
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
        {"method": ["unif", "alignf"]},
        cv=2,
    ).fit(X, y)
    assert summary(search, X, y, draws=0, cv=0)["model"]["method"] in ("unif", "alignf")


def test_class_with_one_sample_has_no_cross_validation(rng):
    X = rng.standard_normal((24, 3))
    y = np.array(["a"] * 20 + ["b"] * 4)
    y[:2] = "b"
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        X[:22], y[:22]
    )
    found = summary(model, X[:22], y[:22], draws=2)["score"]
    assert found["folds"] == 4 and "mean" in found["results"]["learned"]
    y[2:] = "a"
    y[1] = "a"
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(X, y)
    found = lk.report(model, X, y, draws=2)
    assert "the smallest with 1 sample" in found.summary["score"]["reason"]
    assert all("Cross-validation failed" in text for text in (str(found), found.to_html()))


def test_invalid_arguments_raise_input_error(curve, tmp_path):
    X, y = curve
    model = lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0).fit(
        X, y
    )
    with pytest.raises(lk.InputError, match="no report for Ridge: pass a fitted"):
        lk.report(Ridge().fit(X, y), X, y)
    with pytest.raises(lk.InputError, match="not the data that the model was trained on"):
        lk.report(model, X[:50], y[:50])
    with pytest.raises(lk.InputError, match="cv=1"):
        lk.report(model, X, y, cv=1)
    with pytest.raises(lk.InputError, match=r"a report is .html, .md or .json"):
        lk.report(model, X, y, cv=0, draws=0).save(tmp_path / "report.pdf")
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.report(model, X, y, cv=0, draws=0).save(tmp_path / "none" / "report.md")
    with pytest.raises(lk.InputError, match="max_kernels=0"):
        lk.KernelRegressor(
            method=BestSingle(max_kernels=0), kernels=["gaussians", "linear"], alpha=1.0
        ).fit(X, y)


def test_significantly_better_uniform_weights_are_recommended(classes):
    X, y = classes
    found = summary(
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(X, y),
        X,
        y,
        draws=0,
        cv=2,
    )
    result = found["score"]["results"]["uniform weights"]
    for low, high, verdict, start in (
        (
            0.01,
            0.03,
            "higher",
            "Uniform weights are significantly better here: error +2.0 percentage points",
        ),
        (-0.01, 0.05, "unclear", "No significant difference from uniform weights: error +2.0"),
        (-0.05, -0.01, "lower", "Significantly lower error than with uniform weights: error +2.0"),
        (0.0, 0.0, "unclear", "The error is the same as with uniform weights in every fold."),
    ):
        result |= {"difference": 0.02, "low": low, "high": high, "verdict": verdict}
        sentence = text_lines(found)[2]
        assert sentence.startswith(start)
        assert sentence.endswith('Use method="unif".') == (low > 0)


def test_class_that_is_never_predicted_is_named_in_every_format(rng):
    X = rng.standard_normal((80, 2))
    y = np.array(["common"] * 72 + ["rare"] * 8)
    with pytest.warns(lk.errors.NeverPredictedWarning):
        model = lk.KernelClassifier(lk.gaussians([0.1]), "unif", C=0.1).fit(X, y)
    found = lk.report(model, X, y, draws=0)
    assert found.summary["score"]["details"]["never_predicted"] == ["rare"]
    for text in (str(found), found.to_html(), found.to_markdown()):
        assert "is never predicted for held-out samples" in text
    assert "No better than a constant" in found.to_html()


def test_optimal_weights_are_not_the_headline_and_name_their_criterion(rng):
    X = rng.standard_normal((80, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(80)
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "alignf", alpha=1.0).fit(X, y)
    found = lk.report(model, X, y, draws=0)
    assert "optimal for the alignment with the target" in str(found)
    page = found.to_html()
    headlines = re.findall(r'<p class="big[^>]*>(.*?)</p>', page)
    assert len(headlines) == 3 and not any("ptimal" in one for one in headlines)
    assert "gaussian(0.1)</code>: k(x, z) = exp(-gamma |x - z|²) with gamma = 0.1" in page


def test_vacuous_bounds_are_folded_away(views):
    found = lk.report(*views, draws=0, cv=0)
    entries = found.summary["guarantees"]["entries"]
    vacuous = [entry["name"] for entry in entries if entry["vacuous"]]
    shown, folded = found.to_html().split("more that are vacuous or do not apply")
    assert vacuous
    for name in vacuous:
        assert f">{name}</td>" in folded and f">{name}</td>" not in shown


@pytest.mark.parametrize("n_classes", [2, 10, 20])
def test_page_of_many_classes_stays_small(n_classes, rng):
    y = np.arange(6 * n_classes) % n_classes
    X = np.column_stack([np.cos(y), np.sin(y)]) + 0.2 * rng.standard_normal((len(y), 2))
    model = lk.KernelClassifier(lk.gaussians([1.0, 10.0]), "unif", C=1.0).fit(X, y)
    page = lk.report(model, X, y, draws=0, cv=3).to_html()
    assert len(page) < 60_000
    assert ('<table class="matrix"' in page) == (n_classes <= 15)
    assert ("Most frequent confusions" in page) == (n_classes > 15)


@pytest.mark.parametrize(("noise", "drawn"), [(0.01, False), (3.0, True)])
def test_constant_prediction_is_drawn_unless_its_error_is_far_beyond_the_others(noise, drawn, rng):
    X = rng.standard_normal((60, 1))
    y = X[:, 0] + noise * rng.standard_normal(60)
    found = summary(lk.KernelRegressor("linear", "unif", alpha=1e-3).fit(X, y), X, y, draws=2)
    plot = score_plot(found)
    assert bool(plot["rows"][-1]["marks"]) == drawn
    assert any("is not drawn" in note for note in plot["notes"]) != drawn

"""From a fitted model to something to read."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

import learnkernels as lk
from learnkernels.methods import BestSingle
from learnkernels.reports import summary
from learnkernels.reports.words import in_words


def test_the_summary_is_plain_and_the_heaviest_kernel_first(views):
    found = summary(*views, draws=5)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    sizes = [kernel["share"] for kernel in found["kernels"]]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == pytest.approx(1)
    assert found["views"][0]["name"] == "<i>true</i>" and found["views"][0]["share"] > 0.8
    counts = {one["name"]: one["samples"] for one in found["task"]["classes"]}
    assert counts == views[2].value_counts().to_dict()


def test_a_report_says_the_same_in_every_form(views, tmp_path):
    found = lk.report(*views, title="two views", draws=5)
    assert json.loads(found.to_json()) == found.summary
    error = found.summary["score"]["rivals"]["learned"]["mean"]
    for ending in ("html", "md", "json"):
        text = found.save(tmp_path / f"report.{ending}").read_text(encoding="utf-8")
        said = str(error) if ending == "json" else f"{100 * error:.1f} %"
        assert said in text.replace("&nbsp;", " ")
    assert len(str(found).splitlines()) == 5
    assert found._repr_html_().startswith("<iframe srcdoc=")


def test_names_from_the_data_do_not_become_a_page_or_a_table(views):
    found = lk.report(*views, title="<script>alert(1)</script>", draws=2, folds=2)
    page = found.to_html()
    for tag in ("script", "b", "i", "u"):
        own = {"script": 1}.get(tag, 0)
        assert len(re.findall(rf"<{tag}>", page)) == own
    # A pipe in a name does not start a cell, nor a backtick end one.
    rows = [line for line in found.to_markdown().splitlines() if line.startswith("| `")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {4, 5}


def test_a_page_asks_for_nothing_and_stays_small(many):
    model, X, y = many
    page = lk.report(model, X, y, draws=2, folds=2).to_html()
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:)", page)
    assert "http" not in page and "@import" not in page and "url(" not in page
    assert page.count("<tr") > 300 and len(page) < 500_000


def test_five_lines_for_every_kind_of_model(classes, curve):
    X, y = classes
    kernels = lk.gaussians([0.1, 1.0])
    for method in ("unif", "alignf", "l1-svm", "dc", "ufo", "single", "ensemble"):
        model = lk.KernelClassifier(kernels, method, C=100.0).fit(X, y)
        lines = in_words(summary(model, X, y, draws=2, folds=2))
        assert len(lines) == (4 if method == "unif" else 5)
        assert all(line.endswith(".") for line in lines)
    X, y = curve
    learner = lk.KernelLearner(kernels, task="regression").fit(X, y)
    found = summary(learner, X, y, draws=2)
    assert found["score"] is None and in_words(found)[0].startswith("Follows a number")
    several = np.column_stack([y, -y])
    model = lk.KernelRegressor(kernels, alpha=[0.1, 1.0]).fit(X, several)
    assert in_words(summary(model, X, several, draws=2, folds=2))[0].startswith(
        "Predicts 2 numbers"
    )


def test_what_can_be_left_out_is(curve):
    X, y = curve
    model = lk.KernelRegressor(machine="alignment").fit(X, y)
    found = summary(model, X, y, folds=0, draws=0)
    assert found["score"] is None and "low" not in found["kernels"][0]
    page = lk.report(model, X, y, folds=0, draws=0).to_html()
    assert "Whiskers" not in page and "Not compared" in page


def test_precomputed_stacks_and_searches_can_be_reported(curve):
    X, y = curve
    stack = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    model = lk.KernelRegressor("precomputed").fit(stack, y)
    found = summary(model, stack, y, draws=2, folds=3)
    assert found["data"]["columns"] is None and found["score"]["rivals"]["learned"]["mean"] < 1
    search = GridSearchCV(lk.KernelRegressor(), {"method": ["unif", "alignf"]}, cv=2).fit(X, y)
    assert summary(search, X, y, draws=0, folds=0)["model"]["method"] in ("unif", "alignf")


def test_a_rival_that_cannot_be_trained_has_a_reason(rng):
    X = rng.standard_normal((24, 3))
    y = np.array(["a"] * 20 + ["b"] * 4)
    y[:2] = "b"
    model = lk.KernelClassifier().fit(X[:22], y[:22])
    found = summary(model, X[:22], y[:22], draws=2)["score"]
    assert found["folds"] == 4 and "mean" in found["rivals"]["learned"]
    y[2:] = "a"
    y[1] = "a"
    model = lk.KernelClassifier().fit(X, y)
    found = lk.report(model, X, y, draws=2)
    assert "only one sample" in found.summary["score"]["reason"]
    assert "No score" in str(found) and "No score" in found.to_html()


def test_errors_are_sentences(curve, tmp_path):
    X, y = curve
    model = lk.KernelRegressor().fit(X, y)
    with pytest.raises(lk.InputError, match="pipeline that ends with one; found Ridge"):
        lk.report(Ridge().fit(X, y), X, y)
    with pytest.raises(lk.InputError, match="not the data that the model was trained on"):
        lk.report(model, X[:50], y[:50])
    with pytest.raises(lk.InputError, match="folds=1"):
        lk.report(model, X, y, folds=1)
    with pytest.raises(lk.InputError, match=r"a report is .html, .md or .json"):
        lk.report(model, X, y, folds=0, draws=0).save(tmp_path / "report.pdf")
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.report(model, X, y, folds=0, draws=0).save(tmp_path / "none" / "report.md")
    with pytest.raises(lk.InputError, match="most=0"):
        lk.KernelRegressor(method=BestSingle(most=0)).fit(X, y)

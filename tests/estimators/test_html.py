"""Notebook representations of estimators and guarantees."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.estimators.outputs.html import guarantees_html


@pytest.mark.parametrize("kind", [lk.KernelClassifier, lk.KernelLearner])
def test_diagram_shows_learned_kernel_after_fit(kind, classes):
    model = kind(lk.gaussians([0.1, 1.0]))
    assert "Learned kernel" not in model._repr_html_()
    model.fit(*classes)
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert html.count(f"alignment {model.alignment_:.3f}") == 1
        assert all(name in html for name in model.kernel_names_[model.weights_ > 0])
        assert html.count("<table") == html.count("</table>")
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_diagram_of_pipeline_and_search_shows_learned_kernel(classes):
    model = make_pipeline(
        StandardScaler(), lk.KernelClassifier(lk.gaussians([0.1, 1.0]), method="alignf", C=1.0)
    )
    assert "Learned kernel" not in model._repr_html_()
    model.fit(*classes)
    search = GridSearchCV(model, {"kernelclassifier__C": [0.1, 1.0]}, cv=2).fit(*classes)
    for diagram, fitted in ((model, model[-1]), (search, search.best_estimator_[-1])):
        assert diagram._repr_html_().count(f"alignment {fitted.alignment_:.3f}") == 1


def test_learned_html_escapes_names_and_sums_small_weights(rng):
    X = pd.DataFrame(rng.standard_normal((60, 40)), columns=[f"<b>{j}" for j in range(40)])
    y = X.to_numpy()[:, :20].sum(axis=1)
    model = lk.KernelRegressor(lk.per_feature(), "align", alpha=1.0).fit(X, y)
    html = model._repr_html_()
    assert "&lt;b&gt;" in html and "<b>0" not in html
    rest = np.sort(model.weights_)[:-12].sum()
    assert f"28 more kernels have total weight {rest:.3g}." in html


def test_guarantees_html_contains_every_entry(curve):
    X, y = curve
    found = (
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0)
        .fit(X, y)
        .guarantees(X, y)
    )
    html = guarantees_html(found)
    assert "probability 0.95" in html
    assert all(f'<td class="term">{entry.name}</td>' in html for entry in found.entries)
    assert html.count(">vacuous<") == sum(entry.vacuous for entry in found.entries)

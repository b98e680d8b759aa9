"""What a notebook shows."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk


@pytest.mark.parametrize("kind", [lk.KernelClassifier, lk.KernelLearner])
def test_the_learned_kernel_is_shown_after_fit(kind, classes):
    model = kind(lk.gaussians([0.1, 1.0]))
    assert "alignment" not in model._repr_html_()
    model.fit(*classes)
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert f"alignment {model.alignment_:.3f}" in html
        assert all(name in html for name in model.kernel_names_[model.weights_ > 0])
        assert html.count("<table") == html.count("</table>")
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_names_are_escaped_and_many_kernels_are_summed_up(rng):
    import pandas as pd

    X = pd.DataFrame(rng.standard_normal((60, 40)), columns=[f"<b>{j}" for j in range(40)])
    y = X.to_numpy()[:, :20].sum(axis=1)
    model = lk.KernelRegressor(lk.per_feature(), "align").fit(X, y)
    html = model._repr_html_()
    assert "&lt;b&gt;" in html and "<b>0" not in html
    assert "28 more kernels have" in html
    rest = np.sort(model.weights_)[:-12].sum()
    assert f"{rest:.3g} together" in html


def test_a_pipeline_shows_its_diagram(classes):
    assert (
        "KernelClassifier" in make_pipeline(StandardScaler(), lk.KernelClassifier())._repr_html_()
    )

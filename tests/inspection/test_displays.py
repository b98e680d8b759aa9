"""Displays contain the numbers of the model and label them."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import learnkernels as lk
from learnkernels.inspection import (
    AlignmentAccuracyDisplay,
    AlignmentDisplay,
    ComponentsDisplay,
    ConvergenceDisplay,
    GramDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    WeightsDisplay,
)
from learnkernels.inspection.displays.style import shortened

KERNELS = lk.gaussians([0.01, 0.1, 1.0])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture
def model(classes):
    return lk.KernelClassifier(KERNELS, method="l1-svm", C=1.0).fit(*classes)


def drawn(display):
    """Render the figure and return the labels of all axes."""
    display.figure_.canvas.draw()
    axes = np.ravel(display.ax_)
    return [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes]


def test_weights_are_drawn_as_sorted_named_bars(model):
    display = WeightsDisplay.from_estimator(model)
    assert drawn(display) == [("weight", "")]
    lengths = [bar.get_width() for bar in display.ax_.patches]
    assert np.allclose(lengths, np.sort(model.weights_)[::-1])
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names[0] == model.kernel_names_[np.argmax(model.weights_)]


def test_weights_are_summed_by_view(rng):
    X = rng.standard_normal((60, 4))
    views = [lk.on([0, 1], KERNELS, name="left"), lk.on([2, 3], KERNELS, name="right")]
    model = lk.KernelClassifier(views, method="alignf", C=1.0).fit(X, X[:, 0] > 0)
    display = WeightsDisplay.from_estimator(model, by="view")
    assert dict(zip(display.names, display.weights, strict=True)) == model.view_weights_
    with pytest.raises(lk.InputError, match="by='group'"):
        WeightsDisplay.from_estimator(model, by="group")


@pytest.mark.parametrize("p", [3, 300])
def test_figure_height_is_limited_for_few_and_many_kernels(p, rng):
    weights = rng.dirichlet(np.ones(p))
    names = [f"a kernel with a rather long name, number {k}" for k in range(p)]
    for display in (
        WeightsDisplay(names, weights).plot(),
        AlignmentDisplay(names, weights, rng.random(p), 0.9).plot(),
    ):
        drawn(display)
        assert display.figure_.get_size_inches()[1] < 10
        labels = [text.get_text() for text in np.ravel(display.ax_)[0].get_yticklabels()]
        assert len(labels) == min(p, 31)
        assert (f"{p - 30} more" in labels[-1]) == (p > 30)


def test_alignments_are_drawn_beside_weights(model):
    display = AlignmentDisplay.from_estimator(model)
    assert drawn(display) == [("weight", ""), ("alignment with the target, alone", "")]
    assert np.array_equal(display.alignments, model.kernel_alignments_)
    left, right = ([bar.get_width() for bar in ax.patches] for ax in display.ax_)
    order = np.argsort(-model.weights_, kind="stable")
    assert left == pytest.approx(model.weights_[order])
    assert sorted(right) == pytest.approx(np.sort(model.kernel_alignments_))
    assert right[0] == pytest.approx(model.kernel_alignments_[order[0]])


def test_spectra_are_eigenvalues_of_centered_kernels(classes):
    X, y = classes
    model = lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X, y)
    display = SpectrumDisplay.from_estimator(model, X, y)
    assert len(display.eigenvalues) == 4
    K = lk.kernels.Gaussian(0.1)(X)
    C = np.eye(120) - 1 / 120
    values = np.linalg.eigvalsh(C @ K @ C)
    expected = values / values.sum()
    found = display.eigenvalues["gaussian(0.1)"]
    assert np.allclose(found / found.sum(), expected, atol=1e-10)
    line = display.ax_.get_lines()[0].get_ydata()
    assert line[0] == 1 and (np.diff(line) <= 1e-12).all()
    drawn(display)


def test_gram_rows_are_ordered_by_class(classes):
    X, y = classes
    model = lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X, y)
    display = GramDisplay.from_estimator(model, X, y)
    expected = lk.KernelLearner(KERNELS, method="alignf").fit_transform(X, y)
    assert np.allclose(display.K, expected)
    order = np.argsort(y, kind="stable")
    shown = display.ax_.get_images()[0].get_array()
    assert np.allclose(shown, expected[np.ix_(order, order)])
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["no", "yes"]


def test_gram_is_ordered_by_target_and_downsampled_for_many_samples(curve):
    X, y = curve
    display = GramDisplay.from_estimator(
        lk.KernelRegressor(KERNELS, method="alignf", alpha=1.0).fit(X, y), X, y
    )
    assert drawn(display)[0][0] == "samples, by target"
    big = GramDisplay(np.eye(1500), np.arange(1500.0)).plot()
    assert big.ax_.get_images()[0].get_array().shape == (1000, 1000)
    with pytest.raises(lk.InputError, match="square"):
        GramDisplay(np.ones((3, 2)), [1, 2, 3])


@pytest.mark.parametrize("method", ["l1-krr", "l2-krr"])
def test_convergence_curve_ends_at_gap_of_certificate(method, curve):
    model = lk.KernelRegressor(KERNELS, method=method, alpha=1.0).fit(*curve)
    display = ConvergenceDisplay.from_estimator(model)
    assert np.isclose(display.gaps[-1], model.certificate_.gap)
    assert display.gaps[-1] <= 1e-4 and len(display.gaps) >= 2
    drawn(display)


def test_convergence_of_closed_form_method_raises_input_error(curve):
    model = lk.KernelRegressor(KERNELS, method="align", alpha=1.0).fit(*curve)
    with pytest.raises(lk.InputError, match="records no duality gaps"):
        ConvergenceDisplay.from_estimator(model)


def test_weight_path_contains_weights_of_every_value(classes, model):
    display = WeightPathDisplay.from_estimator(model, *classes, values=[0.1, 1.0])
    assert np.allclose(display.weights[1], model.weights_, atol=1e-3)
    assert drawn(display) == [("C", "share of the weights")]
    learner = lk.KernelLearner(KERNELS, method="alignf").fit(*classes)
    with pytest.raises(lk.InputError, match="no regularisation"):
        WeightPathDisplay.from_estimator(learner, *classes)


def test_weight_path_legend_names_largest_weights_only(rng):
    names = [f"k{k}" for k in range(50)]
    display = WeightPathDisplay([1, 10], rng.random((2, 50)), names, "alpha").plot()
    assert len(display.ax_.get_lines()) == 50
    assert len(display.ax_.get_legend().get_texts()) == 6


def test_alignment_accuracy_display_scores_each_kernel_alone(classes):
    X, y = classes
    model = lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X, y)
    display = AlignmentAccuracyDisplay.from_estimator(model, X, y, cv=3)
    assert display.scores.shape == (3,) and (0 <= display.scores).all()
    assert np.isclose(
        display.correlation_, np.corrcoef(display.scores, model.kernel_alignments_)[0, 1]
    )
    drawn(display)
    assert np.isnan(AlignmentAccuracyDisplay(["a"], [0.5], [0.9]).plot().correlation_)
    with pytest.raises(lk.InputError, match="does not predict"):
        AlignmentAccuracyDisplay.from_estimator(
            lk.KernelLearner(KERNELS, method="alignf").fit(X, y), X, y
        )


def test_components_sum_to_prediction(rng):
    X = np.linspace(0, 6, 80)[:, None]
    y = 5 + np.sin(X[:, 0]) + 0.3 * np.sin(9 * X[:, 0]) + 0.05 * rng.standard_normal(80)
    model = lk.KernelRegressor(lk.gaussians(2.0 ** np.arange(-3, 6)), "unif", alpha=0.1).fit(X, y)
    display = ComponentsDisplay.from_estimator(model, X, y)
    assert np.allclose(display.fit, model.predict(display.grid[:, None]))
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels[-1] == "4 more" and len(labels) == 8
    drawn(display)
    svr = lk.KernelRegressor(KERNELS, "unif", machine="svr", C=1.0).fit(X, y)
    display = ComponentsDisplay.from_estimator(svr, X, y)
    assert np.allclose(display.fit, svr.predict(display.grid[:, None]))
    with pytest.raises(lk.InputError, match="X of shape"):
        ComponentsDisplay.from_estimator(
            lk.KernelRegressor(KERNELS, method="alignf", alpha=1.0).fit(np.hstack([X, X]), y),
            np.hstack([X, X]),
            y,
        )


def test_displays_draw_into_given_axes(model, classes):
    _, axes = plt.subplots(1, 3)
    assert WeightsDisplay.from_estimator(model, ax=axes[0]).ax_ is axes[0]
    assert AlignmentDisplay.from_estimator(model, ax=axes[1:]).ax_[1] is axes[2]
    assert GramDisplay.from_estimator(model, *classes, ax=axes[0]).ax_ is axes[0]


def test_other_data_and_unfitted_models_raise(model, classes):
    X, y = classes
    with pytest.raises(lk.InputError, match="not the data"):
        GramDisplay.from_estimator(model, X + 1, y[::-1])
    with pytest.raises(ValueError, match="not fitted"):
        WeightsDisplay.from_estimator(
            lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0)
        )


def test_long_names_are_shortened():
    assert shortened("short") == "short"
    assert len(shortened("x" * 100)) == 40 and shortened("x" * 100).endswith("…")


UNUSUAL_NAMES = [r"$\frac{$ a $", r"\$", "$x$", "a\nb\x1b\0", "\ud800", "a" * 5000, "", "<b>&"]


@pytest.mark.parametrize("name", UNUSUAL_NAMES)
def test_unusual_names_are_drawn_literally_on_one_line(name, tmp_path):
    display = WeightsDisplay([name, "b"], [1.0, 0.5]).plot()
    display.figure_.savefig(tmp_path / "weights.svg")
    label = display.ax_.get_yticklabels()[0].get_text()
    assert len(label) <= 50 and len(label.splitlines()) <= 1
    assert label.replace(r"\$", "").count("$") == 0

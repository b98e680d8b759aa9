"""Contributions of features sum to the outputs, and find what was planted."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.inspection.explain import shuffled


def sequences(rng, n, length, letters="ACGT"):
    return ["".join(row) for row in rng.choice(list(letters), (n, length))]


def outputs(model, X):
    found = model.decision_function(X) if hasattr(model, "classes_") else model.predict(X)
    return found.reshape(len(found), -1)


def assert_contributions_sum_to_outputs(model, X):
    found, expected = lk.explain(model, X), outputs(model, X)
    assert set(found.measures) == {"exact"}
    for t, name in enumerate(found.outputs):
        parts = found.contributions(name)
        assert parts.shape == (len(expected), len(found.features))
        assert np.allclose(parts.sum(axis=1) + found.baseline[t], expected[:, t], atol=1e-9)
        assert np.allclose(
            found.importances[:, t], np.sqrt((parts**2).sum(axis=0) / (len(expected) - 1))
        )
    return found


@pytest.fixture
def table(rng):
    X = pd.DataFrame(3 + rng.standard_normal((60, 4)) * [1, 10, 0.1, 1], columns=list("abcd"))
    return X, np.c_[X.a - X.c, X.b * X.a, X.d]


LINEAR = {
    "linear": "linear",
    "per feature": lk.per_feature(),
    "both": ["linear", lk.per_feature()],
    "standardised": lk.table([lk.linear()]),
    "learned metric": lk.learned_metric(lk.linear()),
    "full learned metric": lk.learned_metric(lk.linear(), full=True),
    "views": [lk.on(["a", "b"], "linear"), lk.on(["b", "c"], lk.per_feature(), name="other")],
}


@pytest.mark.parametrize("kernels", LINEAR.values(), ids=LINEAR)
@pytest.mark.parametrize(
    "options",
    [{"alpha": 0.1}, {"alpha": 1.0, "center": False}, {"machine": "svr", "C": 1.0}],
    ids=["ridge", "not centered", "svr"],
)
def test_contributions_of_columns_sum_to_predictions_of_several_targets(table, kernels, options):
    X, Y = table
    model = lk.KernelRegressor(kernels, "unif", **options).fit(X[:40], Y[:40])
    assert_contributions_sum_to_outputs(model, X[20:])


@pytest.mark.parametrize("machine", ["svm", "ridge"])
def test_contributions_sum_to_decision_function_of_several_classes(table, machine):
    X, _ = table
    model = lk.KernelClassifier("linear", "unif", C=1.0, machine=machine)
    found = assert_contributions_sum_to_outputs(model.fit(X, np.arange(60) % 3), X)
    assert found.outputs == ("0", "1", "2")


@pytest.mark.parametrize("kernels", ["linear", lk.table([lk.linear()]), lk.per_feature()])
def test_effects_of_columns_are_the_coefficients(table, kernels):
    X, Y = table
    model = lk.KernelRegressor(kernels, "unif", alpha=0.1).fit(X, Y)
    found = lk.explain(model, X)
    assert found.features == list(X.columns)
    assert np.allclose(found.effects, model.coef_.T, rtol=1e-6)


@pytest.mark.parametrize("normalize", [None, "trace", "cosine"])
@pytest.mark.parametrize("center", [True, False])
def test_contributions_of_words_sum_to_decision_function(normalize, center):
    texts = ["very good book", "a good book", "very bad film", "a bad film indeed", "bad bad"] * 2
    kernels = [lk.ngrams((1, 2)), lk.ngrams(3, analyzer="char")]
    model = lk.KernelClassifier(kernels, "unif", C=1.0, normalize=normalize, center=center)
    found = assert_contributions_sum_to_outputs(model.fit(texts, [1, 1, 0, 0, 0] * 2), texts)
    effects = dict(zip(found.features, found.effects[:, 0], strict=True))
    assert effects["good"] > 0 > effects["bad"]


@pytest.mark.parametrize("normalize", [None, "trace", "cosine"])
@pytest.mark.parametrize("center", [True, False])
def test_contributions_of_sequences_sum_to_decision_function(rng, normalize, center):
    X = sequences(rng, 40, 12, "ACGTN")
    kernels = [lk.spectrum(2), lk.weighted_degree(3), lk.weighted_degree(4, shift=2)]
    model = lk.KernelClassifier(kernels, "unif", C=1.0, normalize=normalize, center=center)
    assert_contributions_sum_to_outputs(model.fit(X[:30], [0, 1] * 15), X[10:])


def test_effects_of_kmers_are_sums_over_training_samples(rng):
    X = sequences(rng, 30, 10)
    model = lk.KernelClassifier(lk.spectrum(3), "unif", C=1.0, machine="ridge", normalize=None)
    found = lk.explain(model.fit(X, [0, 1] * 15), X)

    def count(text, word):
        return sum(text[start : start + 3] == word for start in range(len(text)))

    for word, (effect,) in zip(found.features, found.effects, strict=True):
        expected = model.dual_coef_.ravel() @ [count(text, word) for text in X]
        assert effect == pytest.approx(expected, abs=1e-12)
    assert len(found.features) == len({text[k : k + 3] for text in X for k in range(8)})


def test_contributions_of_positions_equal_sums_over_words(rng):
    X = sequences(rng, 20, 6)
    kernel = lk.weighted_degree(2)
    model = lk.KernelClassifier(kernel, "unif", C=1.0, machine="ridge", normalize=None)
    found = lk.explain(model.fit(X, [0, 1] * 10), X)
    coef = model.dual_coef_.ravel()
    expected = np.zeros((20, 6))
    for i, x in enumerate(X):
        for c, z in zip(coef, X, strict=True):
            for at in range(6):
                expected[i, at] += 2 / 3 * c * (x[at] == z[at])
                if at < 5 and x[at : at + 2] == z[at : at + 2]:
                    expected[i, [at, at + 1]] += 1 / 3 * c / 2
    parts = found.contributions()
    by_position = np.array([parts[:, found.positions == at].sum(axis=1) for at in range(6)]).T
    assert np.allclose(by_position, expected - expected.mean(axis=0), atol=1e-12)


def test_planted_motif_is_found_at_its_position(rng):
    X = sequences(rng, 120, 20)
    y = rng.integers(0, 2, 120)
    X = [x[:7] + "TATA" + x[11:] if label else x for x, label in zip(X, y, strict=True)]
    model = lk.KernelClassifier([lk.weighted_degree(4), lk.spectrum(4)], "unif", C=1.0).fit(X, y)
    rows = lk.explain(model, X).to_frame()
    raising = rows[(rows.position >= 0) & (rows.effect > 0)]
    letters = raising.head(4).sort_values("position")
    assert list(letters.position) == [7, 8, 9, 10]
    assert "".join(letters.feature) == "TATA"
    assert rows[rows.position < 0].feature.iloc[0] == "TATA"


def test_shuffled_column_has_no_importance(rng):
    x = rng.standard_normal(300)
    X = np.c_[x, rng.permutation(x), rng.standard_normal(300)]
    y = np.sin(2 * x) + X[:, 2]
    for kernels in (lk.gaussians(), lk.learned_metric()):
        model = lk.KernelRegressor(kernels).fit(X[:200], y[:200])
        found = lk.explain(model, X[200:])
        assert set(found.measures) == {"permutation"}
        assert found.importances[1, 0] < 0.1 * found.importances[[0, 2], 0].min()
    assert found.metric[1] < 0.1 < found.metric.max() == 1.0


def test_permutation_agrees_with_exact_importance_of_linear_functions(rng):
    X = rng.standard_normal((400, 3)) * [1.0, 5.0, 0.2]
    model = lk.KernelRegressor("linear", alpha=0.01).fit(X, X @ [1.0, 0.5, 2.0])
    exact = lk.explain(model, X)
    unknown = lk.kernels.Custom(lambda A, B: A @ B.T)
    other = lk.KernelRegressor(unknown, alpha=0.01).fit(X, X @ [1.0, 0.5, 2.0])
    permuted = lk.explain(other, X, n_repeats=20)
    assert set(permuted.measures) == {"permutation"}
    assert np.allclose(exact.importances, permuted.importances, rtol=0.05)


@pytest.mark.parametrize("by", ["kernel", "view"])
def test_parts_of_kernels_and_views_are_exact_for_every_kernel(table, by):
    X, Y = table
    kernels = [lk.on(["a", "b"], lk.gaussians()), lk.on(["c"], "linear", name="c only")]
    model = lk.KernelRegressor(kernels, "unif", alpha=0.1).fit(X, Y)
    found = lk.explain(model, X, by=by)
    for t in range(3):
        total = found.contributions(t).sum(axis=1) + found.baseline[t]
        assert np.allclose(total, model.predict(X)[:, t])
    assert len(found.features) == (2 if by == "view" else len(model.weights_))


def test_precomputed_kernels_are_explained_by_kernel_only(rng):
    X = rng.standard_normal((30, 2, 2))
    stack = np.stack([X[:, 0] @ X[:, 0].T, X[:, 1] @ X[:, 1].T], axis=-1)
    model = lk.KernelRegressor("precomputed", "unif").fit(stack, X[:, 0, 0])
    with pytest.raises(lk.InputError, match="by='kernel'"):
        lk.explain(model, stack)
    found = lk.explain(model, stack, by="kernel")
    assert found.importances[0] > 5 * found.importances[1]


def test_pairs_are_explained_by_side(rng):
    grams = [{"a": np.eye(6) + 0.2}, {"b": np.eye(5) + 0.1}]
    X = np.argwhere(np.ones((6, 5)))
    model = lk.KernelRegressor(lk.pairs(*grams), "unif").fit(X, X[:, 0].astype(float))
    found = lk.explain(model, X)
    assert found.features == ["left object", "right object"]
    assert found.importances[0] > 100 * found.importances[1]
    with pytest.raises(lk.InputError, match="one sum"):
        lk.explain(model, X, by="view")


@pytest.mark.parametrize("linear", [True, False])
def test_samples_without_a_view_have_no_contributions_from_it(rng, linear):
    X = pd.DataFrame({"s": sequences(rng, 60, 8), "u": rng.standard_normal(60), "v": 1.0})
    X["v"] = rng.standard_normal(60)
    y = X.u + (X.s.str[2] == "A")
    full = X.copy()
    X.loc[::3, "s"] = None
    X.loc[1::3, ["u", "v"]] = np.nan
    numbers = "linear" if linear else lk.gaussians()
    views = [
        lk.on("s", lk.weighted_degree(2), name="positions"),
        lk.on("s", lk.spectrum(2), name="2-mers"),
        lk.on(["u", "v"], numbers, name="numbers"),
    ]
    model = lk.KernelRegressor(views, "unif", missing="neutral").fit(X, y)
    found = lk.explain(model, X)
    frame = found.to_frame()
    assert frame[frame.view == "numbers"].feature.iloc[0] == "u"
    if linear:
        assert_contributions_sum_to_outputs(model, full)
        views_of = np.repeat([term.view for term in found.terms], found._sizes())
        parts = found.contributions()
        assert not parts[::3][:, views_of != "numbers"].any()
        assert not parts[1::3][:, views_of == "numbers"].any()


@pytest.mark.parametrize("kernels", ["linear", lk.gaussians()])
def test_sparse_samples_give_the_same_explanation_as_dense_ones(rng, kernels):
    X = sparse.random(50, 6, 0.4, format="csr", random_state=0)
    y = X[:, [2]].toarray().ravel()
    model = lk.KernelRegressor(kernels, "unif", alpha=0.1).fit(X, y)
    found = lk.explain(model, X)
    dense = lk.explain(model, X.toarray())
    assert np.allclose(found.importances, dense.importances)
    assert found.to_frame().feature[0] == "x[2]"


def test_ensembles_landmarks_and_weights_of_each_target_are_explained(table):
    X, Y = table
    kernels = [lk.linear(), lk.per_feature()]
    models = [
        lk.KernelRegressor(kernels, "ensemble", alpha=1.0),
        lk.KernelRegressor(kernels, "unif", n_components=20),
        lk.KernelRegressor("linear", weights="per_target"),
    ]
    for model in models:
        y = Y[:, 0] if model.method == "ensemble" else Y
        assert_contributions_sum_to_outputs(model.fit(X, y), X)


def test_columns_after_a_pipeline_have_their_names(table):
    X, Y = table
    model = make_pipeline(StandardScaler(), lk.KernelRegressor("linear", "unif")).fit(X, Y[:, 2])
    assert lk.explain(model, X).to_frame().feature[0] == "d"


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "sparse", "strings"])
def test_shuffling_takes_one_column_from_other_rows(kind):
    numbers = np.arange(6.0).reshape(3, 2)
    rows = np.array([2, 0, 1])
    if kind == "strings":
        found = shuffled(np.array(["a", "b", "c"], dtype=object), 0, rows)
        assert list(found) == ["c", "a", "b"]
        return
    pl = pytest.importorskip("polars")
    make = {
        "array": np.copy,
        "pandas": lambda X: pd.DataFrame(X, columns=["a", "b"]),
        "polars": lambda X: pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}),
        "sparse": sparse.csr_array,
    }
    given = make[kind](numbers)
    found = shuffled(given, 1, rows)
    as_array = [np.asarray(one.toarray() if kind == "sparse" else one) for one in (found, given)]
    assert np.array_equal(as_array[0], [[0, 5], [2, 1], [4, 3]])
    assert np.array_equal(as_array[1], numbers)  # the user's table does not change


def test_frame_and_text_state_the_measure(rng):
    X = pd.DataFrame({"s": sequences(rng, 40, 6), "u": rng.standard_normal(40)})
    views = [lk.on("s", lk.weighted_degree(2)), lk.on(["u"], lk.gaussians(), name="numbers")]
    model = lk.KernelRegressor(views, "unif").fit(X, X.u**2)
    found = lk.explain(model, X)
    frame = found.to_frame()
    assert dict(frame.groupby("view").measure.first()) == {"s": "exact", "numbers": "permutation"}
    assert frame.importance.is_monotonic_decreasing
    assert len(frame) == len(found.features) == 25
    for text in (repr(found), found._repr_html_()):
        assert "exact: " in text and "permutation: " in text and "15 more features" in text
    with pytest.raises(lk.InputError, match="by='view'"):
        found.contributions()


def test_pictures_have_the_letters_and_features(rng):
    pytest.importorskip("matplotlib").use("agg")
    X = sequences(rng, 40, 6)
    y = [int(x[2] == "A") for x in X]
    found = lk.explain(lk.KernelClassifier(lk.weighted_degree(2), "unif", C=1.0).fit(X, y), X)
    bars = found.plot()
    assert bars.ax_.get_yticklabels()[0].get_text() == "A at 2"
    logo = found.plot_logo()
    boxes = [patch.get_extents().transformed(logo.ax_.transData.inverted())
             for patch in logo.ax_.patches]  # fmt: skip
    assert len(boxes) == len(found.features)
    largest = max(boxes, key=lambda box: box.height)
    assert largest.x0 < 2 < largest.x1 and abs(largest.y0) < 1e-9
    assert largest.height == pytest.approx(found.importances.max(), rel=1e-6)
    with pytest.raises(lk.InputError, match="sequence logo"):
        found.plot_logo("spectrum(2)")


def test_invalid_arguments_name_the_remedy(table):
    X, Y = table
    model = lk.KernelRegressor("linear", "unif").fit(X, Y)
    with pytest.raises(lk.InputError, match="by='column'"):
        lk.explain(model, X, by="column")
    with pytest.raises(lk.InputError, match="at least 2"):
        lk.explain(model, X[:1])
    with pytest.raises(lk.InputError, match="no predictions"):
        lk.explain(lk.KernelLearner("linear", "unif").fit(X, Y), X)
    with pytest.raises(lk.InputError, match="output=3"):
        lk.explain(model, X).contributions(3)


def test_categories_and_missing_cells_are_permuted_as_columns(rng, tmp_path):
    n = 120
    X = pd.DataFrame({"city": rng.choice(["a", "b", "c"], n), "u": rng.standard_normal(n)})
    X["noise"] = rng.standard_normal(n)
    y = 2.0 * (X.city == "a") + np.sin(X.u)
    X.loc[::9, "u"] = np.nan
    model = lk.KernelRegressor(lk.table() + lk.learned_metric()).fit(X, y)
    found = lk.explain(model, X)
    assert found.features == ["city", "u", "noise"]
    assert found.importances[2] < 0.2 * found.importances[:2].min()
    assert found.metric[2] < 0.2 < found.metric[0] == 1.0
    lk.save(model, tmp_path / "model.lk")
    again = lk.explain(lk.load(tmp_path / "model.lk"), X)
    assert np.array_equal(again.importances, found.importances)
    assert np.array_equal(again.metric, found.metric)

"""Tables with several views: numbers, texts and sequences."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_selector
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.inspection import compare

N = 80


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    words = np.array(["good", "fine", "bad", "awful", "book", "film"])
    kind = [[0.1, 0.1, 0.3, 0.2, 0.15, 0.15], [0.3, 0.2, 0.1, 0.1, 0.15, 0.15]]
    base = [[0.1, 0.4, 0.2, 0.25, 0.05], [0.4, 0.1, 0.2, 0.25, 0.05]]
    frame = pd.DataFrame(
        {
            "body_size": rng.standard_normal(N) + y,
            "body_mass": rng.standard_normal(N),
            "noise": rng.standard_normal(N),
            "note": [" ".join(rng.choice(words, 6, p=kind[label])) for label in y],
            "site": ["".join(rng.choice(list("ACGTN"), 20, p=base[label])) for label in y],
        }
    )
    return frame, y


KERNELS = [
    lk.on("body_", name="body"),
    lk.on(["noise"], lk.gaussians([1.0])),
    lk.on("note", lk.ngrams(1)),
    lk.on("site", [lk.spectrum(2), lk.weighted_degree(3, shift=1)]),
]


@pytest.mark.parametrize("method", ["unif", "align", "alignf", "l1-svm", "l2-krr", "dc"])
def test_views_of_numbers_texts_and_sequences_in_one_frame(method, table):
    X, y = table
    if method == "dc":
        method = lk.methods.DC(theta=0)
    model = lk.KernelClassifier(KERNELS, method, C=10).fit(X, y)
    assert model.score(X, y) > 0.9
    assert list(model.view_weights_) == ["body", "noise", "note", "site"]
    assert np.isclose(sum(model.view_weights_.values()), model.weights_.sum())
    for view, weight in model.view_weights_.items():
        assert np.isclose(weight, model.weights_[model.kernel_views_ == view].sum())
    assert model.n_features_in_ == 5
    assert list(model.feature_names_in_) == list(X.columns)


def test_polars_frame_gives_the_same_model_as_pandas(table):
    X, y = table
    pandas = lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X, y)
    polars = lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(pl.from_pandas(X), y)
    assert np.array_equal(pandas.weights_, polars.weights_)
    assert np.array_equal(pandas.predict(X), polars.predict(pl.from_pandas(X)))


def test_cross_validation_and_grid_search_on_tables(table):
    X, y = table
    assert cross_val_score(lk.KernelClassifier(KERNELS, "align", C=1.0), X, y, cv=3).mean() > 0.8
    search = GridSearchCV(
        lk.KernelClassifier(KERNELS, method="alignf", C=1.0),
        {"method": ["unif", "align"], "C": [0.1, 1.0]},
        cv=3,
    )
    assert search.fit(X, y).best_score_ > 0.8
    assert clone(search.best_estimator_).kernels is not None


def test_pipeline_standardises_before_views(table):
    X, y = table
    numbers = X[["body_size", "body_mass", "noise"]]
    model = make_pipeline(
        StandardScaler().set_output(transform="pandas"),
        lk.KernelClassifier(KERNELS[:2], method="alignf", C=1.0),
    )
    assert model.fit(numbers, y).score(numbers, y) > 0.6


def test_regressor_and_learner_accept_views(table):
    X, y = table
    target = y + 0.1 * X["noise"].to_numpy()
    assert (
        lk.KernelRegressor(KERNELS, alpha=[0.1, 1.0], method="alignf")
        .fit(X, target)
        .score(X, target)
        > 0.7
    )
    learner = lk.KernelLearner(KERNELS, method="alignf")
    K = learner.fit_transform(X, y)
    assert np.allclose(learner.transform(X), K, atol=1e-10)


def test_integer_sample_weights_equal_repeated_rows(table):
    X, y = table
    w = np.random.default_rng(1).integers(0, 3, N)
    repeated = X.loc[np.repeat(np.arange(N), w)].reset_index(drop=True)
    kernels = [lk.on("body_", lk.gaussians([0.5, 2.0])), *KERNELS[2:]]
    weighted = lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(X, y, w)
    plain = lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(repeated, np.repeat(y, w))
    # Words of samples with weight zero are still columns; their kernels are constant.
    shared = dict(zip(plain.kernel_names_, plain.weights_, strict=True))
    found = dict(zip(weighted.kernel_names_, weighted.weights_, strict=True))
    assert all(np.isclose(found[name], weight, atol=1e-8) for name, weight in shared.items())


def test_models_with_views_are_saved_and_loaded(table, tmp_path):
    X, y = table
    for kernels in (KERNELS, [lk.on("body_", lk.low_rank(lk.gaussians([0.5]), rank=10))]):
        for missing in ("error", "neutral"):
            model = lk.KernelClassifier(kernels, missing=missing, method="alignf", C=1.0).fit(X, y)
            lk.save(model, tmp_path / "model.lk")
            loaded = lk.load(tmp_path / "model.lk")
            assert np.array_equal(loaded.decision_function(X), model.decision_function(X))


def test_predictor_of_factor_kernels_contains_no_training_samples(table):
    X, y = table
    model = lk.KernelRegressor(KERNELS[2], "align", alpha=1.0).fit(X, y.astype(float))
    (function,) = model._functions
    assert function.primal[0].shape == (len(model.weights_), 1)
    assert not hasattr(function, "factors")


def test_compare_accepts_tables_with_views(table):
    X, y = table
    found = compare(X, y, ["unif", "alignf"], kernels=KERNELS, cv=4)
    assert found.kernels[-1] == "site: weighted_degree(3, shift=1)"
    assert min(result.error_mean for result in found.methods) < 0.2


def test_table_of_invalid_shape_raises(table):
    X, y = table
    with pytest.raises(lk.InputError, match="at least 2"):
        lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X[:1], y[:1])
    with pytest.raises(lk.InputError, match="shape"):
        lk.KernelClassifier(lk.ngrams(), method="alignf", C=1.0).fit(
            np.arange(5.0), [0, 1, 0, 1, 0]
        )
    with pytest.raises(ValueError, match="inconsistent"):
        lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(X, y[:-1])


def test_model_with_missing_view_scores_close_to_model_without_it(genuine):
    """Compare a model of three views, tested without one, with a model of the other two."""
    train, test = genuine("breast_tcga_train"), genuine("breast_tcga_test")
    y, truth = train.pop("target"), test.pop("target")
    mean, std = train.mean(), train.std()
    train, test = (train - mean) / std, (test - mean[test.columns]) / std[test.columns]
    views = [lk.on("mirna:"), lk.on("mrna:"), lk.on("protein:")]
    three = lk.KernelClassifier(views, C=1.0, missing="neutral", method="alignf").fit(train, y)
    two = lk.KernelClassifier(views[:2], C=1.0, method="alignf").fit(train, y)
    assert three.view_weights_["protein"] > 0.01
    assert three.score(test, truth) > two.score(test, truth) - 0.06
    assert three.score(test, truth) > 0.85
    with pytest.raises(lk.InputError, match="lacks columns"):
        lk.KernelClassifier(views, C=1.0, method="alignf").fit(train, y).predict(test)


def test_sequences_with_ambiguous_letters_are_classified(genuine):
    table = genuine("splice_junction").iloc[::8]
    unclear = table["sequence"].str.contains("[^ACGT]")
    table = pd.concat(
        [table, genuine("splice_junction")[lambda t: t.sequence.str.contains("[^ACGT]")]]
    )
    assert unclear.sum() < len(table)
    kernels = [lk.spectrum(3), lk.weighted_degree(5)]
    model = lk.KernelClassifier(kernels, C=[1, 10], method="alignf").fit(
        list(table["sequence"]), table["target"]
    )
    assert model.score(list(table["sequence"]), table["target"]) > 0.95


def test_ngram_weights_of_reviews_select_sentiment_words():
    folder = os.environ.get("LEARNKERNELS_DATA")
    if not folder:
        pytest.skip("no real data: set LEARNKERNELS_DATA to its folder")
    reviews = pd.read_json(Path(folder, "sentiment_reviews.jsonl.gz"), lines=True)
    kitchen = reviews[reviews["domain"] == "kitchen"].reset_index(drop=True)
    order = np.random.default_rng(0).permutation(len(kitchen))
    train, test = kitchen.loc[order[:800]], kitchen.loc[order[800:1400]]
    scores = {}
    for method in ("unif", "align"):
        model = lk.KernelClassifier(lk.ngrams((1, 2), max_features=3000), method, C=1.0)
        model.fit(list(train["text"]), train["label"])
        scores[method] = model.score(list(test["text"]), test["label"])
    heavy = model.kernel_names_[np.argsort(-model.weights_)[:20]]
    assert {"easy", "great"} & {word for gram in heavy for word in gram.split()}
    assert scores["align"] > 0.75 and scores["align"] >= scores["unif"] - 0.01


def test_learners_with_sparse_columns_and_selectors_are_saved_and_loaded(table, tmp_path):
    X, y = table
    chosen = make_column_selector(dtype_include="float64")
    for kernels in (lk.on("note", lk.ngrams(1)), lk.on(chosen, lk.linear())):
        learner = lk.KernelLearner(kernels, method="alignf").fit(X, y)
        K = learner.transform(X)
        lk.save(learner, tmp_path / "learner.lk")
        assert np.array_equal(lk.load(tmp_path / "learner.lk").transform(X), K)


def test_guarantees_and_refit_of_named_table_do_not_warn(classes):
    X, y = classes
    table = pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
    model = lk.KernelClassifier(
        [lk.on(["column 0"]), lk.on(["column 1"])], method="alignf", C=1.0
    ).fit(table, y)
    model.guarantees(table, y)
    assert list(model.fit(table, y).feature_names_in_) == list(table.columns)

"""`compare` follows the protocol of the papers and reproduces their findings."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import learnkernels as lk
from learnkernels.inspection import compare


def test_result_is_complete_and_json_serialisable(classes):
    found = compare(*classes, ["unif", "align", "alignf"], cv=4).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert [row["method"] for row in found["methods"]] == ["unif", "align", "alignf"]
    for row in found["methods"]:
        assert len(row["errors"]) == 4
        assert np.isclose(row["error_mean"], np.mean(row["errors"]))
        assert np.isclose(sum(row["weights_mean"]), 1.0)
        assert len(row["weights_mean"]) == len(found["kernels"]) == 14
        assert set(row["scores"]) == {"balanced accuracy", "AUC", "log loss"}
    assert found["methods"][0]["against_unif"] == ""
    assert [row["against_best"] for row in found["methods"]].count("best") == 1


def test_same_random_state_gives_same_errors(curve):
    errors = [
        compare(*curve, ["alignf"], task="regression", random_state=3).methods[0].errors
        for _ in range(2)
    ]
    assert errors[0] == errors[1]


def test_fold_error_excludes_validation_and_test_samples_from_training(classes):
    """The error of a fold is that of estimators fitted to three fifths of the samples."""
    from sklearn.model_selection import StratifiedKFold

    X, y = classes
    kernels = lk.gaussians([0.1, 1.0])
    found = compare(X, y, ["alignf"], kernels=kernels, grid=[0.1, 1.0, 10.0])
    splits = [test for _, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    train = np.concatenate(splits[2:])
    models = [
        lk.KernelClassifier(kernels, C=C, method="alignf").fit(X[train], y[train])
        for C in (0.1, 1.0, 10.0)
    ]
    best = max(models, key=lambda model: model.score(X[splits[1]], y[splits[1]]))
    assert np.isclose(found.methods[0].errors[0], 1 - best.score(X[splits[0]], y[splits[0]]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cv": 2}, "from 3"),
        ({"cv": KFold(2)}, "has 2 folds; compare needs at least 3"),
        ({"task": "ranking"}, "task='ranking'"),
        ({"methods": []}, "at least one"),
        ({"grid": [-1.0]}, "grid"),
        ({"methods": {"mine": []}}, r"methods\['mine'\]"),
        ({"methods": {"mine": None}}, r"methods\['mine'\]"),
        ({"kernels": "precomputed"}, "does not take kernels"),
    ],
)
def test_invalid_argument_raises_input_error(change, message, classes):
    with pytest.raises(lk.InputError, match=message):
        compare(*classes, **change)


def test_unconverged_fits_are_counted_and_other_warnings_are_raised(curve, classes):
    X, y = classes
    hasty = lk.methods.L1SVM(max_iter=1, tol=1e-9)
    found = compare(X, y, [hasty, "unif"], kernels=lk.gaussians([0.1, 1.0]), grid=[1.0], cv=3)
    assert found.unconverged == {str(hasty): 3}
    with pytest.warns(lk.UndefinedAlignmentWarning):
        compare(curve[0], np.ones(100), ["alignf"], task="regression", cv=3)


def test_invalid_data_raises_value_error(curve):
    X, y = curve
    with pytest.raises(ValueError, match="NaN"):
        compare(X, np.where(y > 1, np.nan, y), task="regression")
    with pytest.raises(ValueError, match="inconsistent"):
        compare(X, y[:50], task="regression")
    with pytest.raises(ValueError, match="NaN"):
        compare(np.where(X > 1, np.nan, X), y, kernels="linear", task="regression")


SETS = {
    "ionosphere": (-3, 3, "regression"),
    "kin8nm": (-3, 3, "regression"),
    "splice_binary_train": (-9, -3, "classification"),
    "german_numeric": (-4, 3, "classification"),
    "spambase": (-12, -7, "classification"),
}


@pytest.mark.parametrize("name", SETS)
def test_alignf_has_lower_error_than_uniform_weights_as_in_table_2_of_2012(name, genuine):
    low, high, task = SETS[name]
    table = genuine(name)
    X, y = table.drop(columns="target").to_numpy(float), table["target"].to_numpy()
    if name == "ionosphere":
        y = np.where(y == "g", 1.0, -1.0)
    if name == "german_numeric":
        X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    unif, alignf = [], []
    for seed in range(2):
        chosen = np.random.default_rng(seed).permutation(len(y))[:1000]
        kernels = lk.gaussians(2.0 ** np.arange(low, high + 1))
        found = compare(
            X[chosen], y[chosen], ["unif", "alignf"], kernels=kernels, task=task,
            random_state=seed,
        )  # fmt: skip
        unif.append(found.methods[0])
        alignf.append(found.methods[1])
    assert np.mean([r.error_mean for r in alignf]) < np.mean([r.error_mean for r in unif])
    assert all(a.alignment_mean > u.alignment_mean for a, u in zip(alignf, unif, strict=True))


def test_validation_fold_selects_among_candidates_of_one_name(curve):
    kernels = lk.gaussians([0.1, 1.0])
    wide, narrow = lk.methods.L2Ridge(radius=1.0), lk.methods.L2Ridge(radius=1e-6)
    several = {"l2": [narrow, wide], "plain": "unif"}
    found = compare(*curve, several, kernels=kernels, task="regression", grid=[0.1]).methods
    alone = compare(*curve, {"l2": wide}, kernels=kernels, task="regression", grid=[0.1]).methods
    assert [result.method for result in found] == ["l2", "plain"]
    assert found[0].errors == alone[0].errors  # a tiny radius predicts almost zero


@pytest.mark.parametrize("family", [lk.gaussians([0.1, 1.0]), lk.per_feature()])
def test_alignment_of_test_fold_uses_kernels_normalised_on_training_fold(family, curve):
    X, y = curve
    found = compare(X, y, ["unif"], kernels=family, task="regression", grid=[1.0], cv=4)
    grams = (
        [lk.kernels.Gaussian(gamma)(X) for gamma in (0.1, 1.0)]
        if isinstance(family, type(lk.gaussians([1.0])))
        else [np.outer(column, column) for column in X.T]
    )
    splits = [test for _, test in KFold(4, shuffle=True, random_state=0).split(X)]
    expected = []
    for fold, test in enumerate(splits):
        train = np.setdiff1d(np.arange(100), np.concatenate([test, splits[(fold + 1) % 4]]))
        K = 0.0
        for gram in grams:
            part = gram[np.ix_(train, train)]
            K = K + gram[np.ix_(test, test)] / (np.trace(part) - part.mean() * len(train))
        expected.append(
            lk.alignment(K, np.outer(y[test] - y[test].mean(), y[test] - y[test].mean()))
        )
    assert np.isclose(found.methods[0].test_alignment_mean, np.mean(expected))
    assert np.isclose(found.methods[0].test_alignment_std, np.std(expected, ddof=1))


def test_comparison_prints_one_line_for_each_method(classes):
    lines = str(compare(*classes, ["unif", "align"], kernels="gaussians")).splitlines()
    assert lines[0].split() == [
        *["method", "misclassified", "balanced", "accuracy", "AUC", "log", "loss"],
        *["alignment", "seconds"],
    ]
    assert [line.split()[0] for line in lines[1:4]] == ["most", "unif", "align"]
    assert lines[4] == "Mean ± standard deviation over 5 test folds."


def test_scores_equal_those_of_scikit_learn_for_an_estimator_fitted_to_the_training_part(rng):
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    X = rng.standard_normal((150, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.standard_normal(150), [-0.5, 0.5])
    kernels = lk.gaussians([0.1, 1.0])
    found = compare(X, y, ["unif"], kernels=kernels, grid=[1.0]).methods[0]
    splits = [test for _, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    balanced, areas = [], []
    for k, test in enumerate(splits):
        held = np.concatenate([test, splits[(k + 1) % 5]])
        train = np.setdiff1d(np.arange(len(y)), held)
        model = lk.KernelClassifier(kernels, "unif", C=1.0).fit(X[train], y[train])
        balanced.append(balanced_accuracy_score(y[test], model.predict(X[test])))
        # The factor of the probabilities comes from other samples, which changes areas a little.
        areas.append(roc_auc_score(y[test], model.predict_proba(X[test]), multi_class="ovr"))
    assert found.scores["balanced accuracy"] == pytest.approx(np.mean(balanced))
    assert found.scores["AUC"] == pytest.approx(np.mean(areas), abs=0.01)


def test_baseline_predicts_the_most_frequent_class_or_the_mean_of_the_training_part(classes, curve):
    X, y = classes
    found = compare(X, y, ["unif"], kernels="linear").baseline
    rarer = min(np.mean(y == "no"), np.mean(y == "yes"))
    assert found.error_mean == pytest.approx(rarer, abs=0.02)
    assert found.scores["balanced accuracy"] == found.scores["AUC"] == 0.5
    X, y = curve
    found = compare(X, y, ["unif"], kernels="linear", task="regression").baseline
    assert found.error_mean == pytest.approx(y.std(), rel=0.1) and found.scores == {}


def test_methods_far_from_the_lowest_error_are_marked_as_worse(rng):
    X = rng.standard_normal((120, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    views = [lk.on([2], lk.gaussians([1.0])), lk.on([0, 1], lk.gaussians([0.5]))]
    found = compare(X, y, ["unif", "alignf"], kernels=views, task="regression")
    assert found.best == "alignf" and found.methods[1].against_unif == "better"
    assert found.methods[0].against_best == "worse" and "alignf *" in str(found)


def test_all_methods_are_those_that_fit_the_task(curve):
    X, y = curve
    kernels = lk.gaussians([0.1, 1.0])
    found = compare(X[:40], y[:40], "all", kernels=kernels, task="regression", cv=3, grid=[1.0])
    names = {row.method for row in found.methods} | set(found.not_applicable)
    assert {"unif", "l2-krr", "auto"} <= names and "l1-svm" not in names


def test_small_class_reduces_folds_and_copies_of_rows_are_reported(curve):
    X, y = curve
    few = np.arange(len(y)) < 3
    with pytest.warns(lk.TableWarning, match="3 samples, so that the number of folds is 3 instead"):
        assert len(compare(X, few, ["unif"]).methods[0].errors) == 3
    twice = np.vstack([X, X]), np.concatenate([y, y])
    with pytest.warns(lk.TableWarning, match=f"{len(y)} of {2 * len(y)} rows are copies"):
        compare(*twice, ["unif"], task="regression", kernels="linear")
    with pytest.raises(lk.InputError, match="merge it with another one"):
        compare(X, np.where(np.arange(len(y)) < 2, "a", "b"))


def test_compare_takes_a_table_with_categories_and_missing_cells(curve):
    X, y = curve
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    frame["sign"] = np.where(X[:, 0] > 0, "plus", "minus")
    frame.loc[::7, "x0"] = np.nan
    assert len(compare(frame, y, ["unif"], task="regression").methods) == 1
    array = np.where(np.arange(len(y))[:, None] % 7 == 0, np.nan, X)
    assert len(compare(array, y, ["unif"], task="regression").methods) == 1

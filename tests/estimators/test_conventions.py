"""scikit-learn's estimator checks, and common uses of estimators."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import learnkernels as lk
from learnkernels.kernels import Gaussian, resolve
from learnkernels.methods import METHODS


class AllSamples(lk.KernelRegressor):
    """The regressor without n_components, which the checks would set to 1."""

    n_components = property(lambda self: None, lambda self, value: None)


class SupportVectorRegressor(AllSamples):
    def __init__(self, kernels="gaussians", method="unif", C=1.0, epsilon=0.1):
        super().__init__(kernels, method, machine="svr", C=C, epsilon=epsilon)


class PerTargetRegressor(AllSamples):
    def __init__(self, kernels=None, alpha="auto"):
        super().__init__(kernels, alpha=alpha, weights="per_target")


TWO = lk.gaussians([0.1, 1.0])


def estimators_of_all_machines():
    """Return one estimator for each machine and task, with a given regularisation and a chosen one.

    The default estimators of classes and numbers train ridge.
    """
    return [
        lk.KernelClassifier(TWO, "unif"),
        lk.KernelRegressor(TWO, "unif"),
        SupportVectorRegressor(TWO),
        SupportVectorRegressor(TWO, C="auto"),
        PerTargetRegressor(TWO),
        PerTargetRegressor(TWO, 10.0),
    ]


def estimators_of_all_methods():
    """Yield one estimator for each method and task, with a given C or alpha."""
    for name, method in METHODS.items():
        # Negative weights of align-linear may leave ridge without a solution; one is positive.
        gammas, machine = ([0.1], "ridge") if name == "align-linear" else ([0.1, 1.0], "auto")
        yield lk.KernelClassifier(lk.gaussians(gammas), method(), C=0.1, machine=machine)
        if "regression" in method().tasks:
            yield lk.KernelRegressor(lk.gaussians(gammas), method(), alpha=10.0, machine=machine)


# Checks of how X, y and weights are read, before a machine is trained.
CHECKS_OF_INPUT = {
    "check_classifier_data_not_an_array",
    "check_complex_data",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimator_sparse_tag",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
    "check_supervised_y_2d",
}
# Checks of what a method is given: Gram matrices, targets in columns, weights, and its parameters.
# Other tests of every method: the same bits in a second fit (`test_reproducibility`), pickles and
# files (below), and sparse and other kinds of data (`test_all_methods`).
CHECKS_OF_METHODS = {
    "check_class_weight_classifiers",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_estimators_overwrite_params",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_regressor_multioutput",
    "check_regressors_train",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_not_overwritten",
}


def checks(estimators, chosen):
    """Yield every estimator with each check whose name is chosen.

    Checks with further arguments repeat one on a read-only copy, or with another dtype; they are
    checks of the input.
    """
    for estimator in estimators:
        for model, check in estimator_checks_generator(estimator):
            name = check.func.__name__
            if chosen(name) and not check.keywords:
                inexact = name in CHECKS_OF_WEIGHTS and chooses_C_of_svm(estimator)
                reason = "probabilities come from the folds that chose C, solved to `tol`"
                marks = [pytest.mark.xfail(reason=reason)] if inexact else []
                yield pytest.param(model, check, marks=marks, id=f"{label(estimator)}-{name}")


CHECKS_OF_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


def chooses_C_of_svm(estimator):
    return (
        isinstance(estimator, lk.KernelClassifier)
        and estimator.method == "unif"
        and estimator.C == "auto"
    )


def label(estimator):
    method = getattr(estimator.method, "name", estimator.method)
    return f"{type(estimator).__name__}-{method}"


# The checks' targets are noise: there may be nothing to learn, or slow convergence.
@pytest.mark.filterwarnings("ignore::learnkernels.UndefinedAlignmentWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([lk.KernelClassifier(), lk.KernelRegressor(), lk.KernelLearner()])
def test_scikit_learn_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::learnkernels.UndefinedAlignmentWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("estimator", "check"),
    list(checks(estimators_of_all_machines(), lambda name: name not in CHECKS_OF_INPUT)),
)
def test_scikit_learn_estimator_checks_of_every_machine(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::learnkernels.UndefinedAlignmentWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("estimator", "check"),
    list(checks(estimators_of_all_methods(), CHECKS_OF_METHODS.__contains__)),
)
def test_scikit_learn_estimator_checks_of_every_method(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
@pytest.mark.parametrize("name", METHODS)
def test_every_method_fits_predicts_pickles_and_saves(name, classes, tmp_path):
    X, y = classes[0][:80], classes[1][:80]
    model = lk.KernelClassifier(lk.gaussians([0.05, 0.5]), name, C=[1.0, 100.0], cv=2)
    if name == "align-linear":  # negative weights need a larger alpha
        model.set_params(machine="ridge", C=[0.01, 0.1])
    with warnings.catch_warnings():
        if name == "ufo":  # converges slowly for a large C
            warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=np.arange(80) % 3 + 1.0)
    assert np.isfinite(model.weights_).all()
    expected = model.decision_function(X)
    lk.save(model, tmp_path / "model.lk")
    for again in (pickle.loads(pickle.dumps(model)), lk.load(tmp_path / "model.lk")):
        assert np.array_equal(again.decision_function(X), expected)
    if "regression" in METHODS[name]().tasks:
        regressor = lk.KernelRegressor(lk.gaussians([0.05, 0.5]), name, alpha=[10.0, 100.0], cv=2)
        assert np.isfinite(regressor.fit(X, X[:, :2]).predict(X)).all()


def test_clone_keeps_nested_parameters_and_pickle_keeps_predictions(classes):
    X, y = classes
    model = lk.KernelClassifier(lk.gaussians([0.1, 1.0]), lk.methods.Align(q=3), C=[1, 10])
    assert clone(model).get_params()["method__q"] == 3
    model.fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    "model",
    [
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
        lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf"),
    ],
)
def test_estimator_is_not_fitted_after_a_fit_that_raised(model, classes):
    X, y = classes[0], np.arange(120.0) % 2
    failed = clone(model).set_params(normalize="max")
    with pytest.raises(lk.InputError, match="normalize='max'"):
        failed.fit(X, y)
    for unfitted in (clone(model), failed):
        with pytest.raises(NotFittedError):
            getattr(unfitted, "predict", getattr(unfitted, "transform", None))(X)
        with pytest.raises(NotFittedError):
            unfitted.guarantees(X, y)


def test_grid_search_sets_nested_method_parameters(classes):
    X, y = classes
    search = GridSearchCV(
        lk.KernelClassifier(method=lk.methods.Align(), kernels=["gaussians", "linear"], C=1.0),
        {"method__q": [1.5, 3.0], "C": [1, 10]},
    ).fit(X, y)
    assert set(search.best_params_) == {"method__q", "C"}


def test_cross_validation_splits_precomputed_stacks_on_both_axes(classes):
    X, y = classes
    kernels = resolve(None, X)
    stack = np.stack([kernel(X) for kernel in kernels], axis=-1)
    given = cross_val_score(
        lk.KernelClassifier("precomputed", method="alignf", C=1.0), stack, y, cv=4
    )
    computed = cross_val_score(lk.KernelClassifier(kernels, method="alignf", C=1.0), X, y, cv=4)
    assert np.array_equal(given, computed)
    search = GridSearchCV(
        lk.KernelClassifier("precomputed", method="alignf", C=1.0), {"C": [0.1, 1.0]}, cv=3
    )
    assert search.fit(stack, y).predict(stack).shape == y.shape


def test_precomputed_regression_with_list_of_alpha_equals_computed_kernels(curve):
    X, y = curve
    kernels = resolve(["gaussians", "linear"], X)
    stack = np.stack([kernel(X) for kernel in kernels], axis=-1)
    model = lk.KernelRegressor("precomputed", alpha=[0.1, 1.0], method="alignf").fit(stack, y)
    same = lk.KernelRegressor(
        alpha=[0.1, 1.0], kernels=["gaussians", "linear"], method="alignf"
    ).fit(X, y)
    assert np.allclose(model.predict(stack[:7]), same.predict(X[:7]))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_set_feature_names_and_give_the_same_predictions(frame, classes):
    X, y = classes
    names = list("abcde")
    table = frame({name: X[:, k] for k, name in enumerate(names)})
    model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        table, y
    )
    assert model.feature_names_in_.tolist() == names
    assert np.array_equal(
        model.predict(table),
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0)
        .fit(X, y)
        .predict(X),
    )


def test_pipeline_with_column_transformer(classes):
    X, y = classes
    table = pd.DataFrame(X, columns=list("abcde"))
    table["kind"] = np.where(X[:, 0] > 0, "left", "right")
    columns = make_column_transformer(
        (StandardScaler(), list("abcde")), (OneHotEncoder(sparse_output=False), ["kind"])
    )
    model = make_pipeline(
        columns, lk.KernelClassifier(C=10, kernels=["gaussians", "linear"], method="alignf")
    ).fit(table, y)
    assert model.score(table, y) > 0.9


def test_learned_gram_in_svc_pipeline_equals_classifier(classes):
    X, y = classes
    ours = lk.KernelClassifier(C=3.0, kernels=["gaussians", "linear"], method="alignf").fit(X, y)
    piped = make_pipeline(
        lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf"),
        SVC(kernel="precomputed", C=3.0),
    ).fit(X, y)
    assert np.allclose(piped.decision_function(X), ours.decision_function(X), atol=5e-3)


def test_sparse_and_dense_inputs_can_be_mixed_between_fit_and_predict(classes):
    X, y = classes
    X = X * (np.abs(X) > 0.5)
    dense_model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        X, y
    )
    sparse_model = lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
        sparse.csr_matrix(X), y
    )
    for model in (dense_model, sparse_model):
        for data in (X, sparse.csr_array(X)):
            expected = dense_model.decision_function(X)
            assert np.allclose(model.decision_function(data), expected, atol=1e-6)


def stack_of(X, Z):
    return np.stack([kernel(X, Z) for kernel in (lambda A, B: A @ B.T, Gaussian(0.3))], axis=-1)


@pytest.mark.parametrize("C", [1.0, [0.1, 1.0, 10.0]])
@pytest.mark.parametrize("weighted", [False, True])
def test_precomputed_stacks_predict_new_samples_as_the_kernels_do(C, weighted, classes, rng):
    """Folds reorder and zero weights drop samples; the columns of a new stack keep the order."""
    X, y = classes
    Z = rng.standard_normal((17, 5))
    w = (np.arange(120) % 3 > 0).astype(float) if weighted else None
    kernels = [lambda A, B: A @ B.T, Gaussian(0.3)]
    cv = StratifiedKFold(5, shuffle=True, random_state=0)  # the same rows for both
    given = lk.KernelClassifier("precomputed", C=C, method="alignf", cv=cv)
    given.fit(stack_of(X, X), y, w)
    computed = lk.KernelClassifier(kernels, C=C, method="alignf", cv=cv).fit(X, y, w)
    expected = computed.decision_function(Z)
    assert np.allclose(given.decision_function(stack_of(Z, X)), expected, atol=1e-8)
    given = lk.KernelRegressor("precomputed", method="alignf", alpha=1.0).fit(
        stack_of(X, X), X[:, 0], w
    )
    computed = lk.KernelRegressor(kernels, method="alignf", alpha=1.0).fit(X, X[:, 0], w)
    assert np.allclose(given.predict(stack_of(Z, X)), computed.predict(Z), atol=1e-8)


def test_cosine_normalisation_of_precomputed_stack_raises_input_error(classes):
    X, y = classes
    with pytest.raises(lk.InputError, match="unit diagonal yourself"):
        lk.KernelClassifier("precomputed", normalize="cosine", method="alignf", C=1.0).fit(
            stack_of(X, X), y
        )


@pytest.mark.parametrize("kernels", ["rbf", "precomputed"])
def test_pickled_model_contains_no_training_gram(kernels, rng):
    X = rng.standard_normal((400, 2))
    data = stack_of(X, X) if kernels == "precomputed" else X
    model = lk.KernelClassifier(kernels, C=10.0, method="alignf").fit(data, X[:, 0] > 0)
    assert len(pickle.dumps(model)) < 400_000


def test_changing_the_training_data_after_fit_does_not_change_the_model(classes):
    X, y = classes
    for kernels, data in (("rbf", X.copy()), ("linear", sparse.csr_array(X))):
        learner = lk.KernelLearner(kernels, method="alignf").fit(data, y)
        before = learner.transform(X[:5])
        (data if kernels == "rbf" else data.data)[:] = 0
        assert np.array_equal(learner.transform(X[:5]), before)


def test_fit_transform_with_noise_kernel_returns_training_gram(classes):
    X, y = classes
    kernel = RBF(1.0) + WhiteKernel(0.5)
    learner = lk.KernelLearner([kernel], center=False, normalize=None, method="alignf")
    assert np.allclose(np.diag(learner.fit_transform(X, y)), 1.5)
    assert np.allclose(np.diag(learner.transform(X)), 1.0)


def test_many_distinct_integers_are_regression_targets(curve):
    X, y = curve
    whole = np.round(20 * y)
    auto = lk.alignment_statistics(None, X, whole)
    stated = lk.alignment_statistics(None, X, whole, task="regression")
    assert np.allclose(auto.a, stated.a)
    column = lk.alignment_statistics(None, X, (y > 0).astype(int)[:, None])
    assert np.allclose(column.a, lk.alignment_statistics(None, X, y > 0).a)


def test_blas_thread_limit_is_restored_after_concurrent_fits(curve):
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_info

    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    X, y = np.tile(curve[0], (6, 1)), np.tile(curve[1], 6)
    with ThreadPoolExecutor(3) as pool:
        list(
            pool.map(
                lambda _: lk.KernelRegressor(
                    kernels=["gaussians", "linear"], method="alignf", alpha=1.0
                ).fit(X, y),
                range(6),
            )
        )
    assert threads() == before


def test_overflow_in_training_and_prediction_raises_input_error(classes):
    X, y = classes
    with pytest.raises(lk.InputError, match=r"polynomial.*too large"):
        lk.KernelClassifier(["linear", lk.polynomials([60])], method="alignf", C=1.0).fit(
            1e5 * X, y
        )
    model = lk.KernelClassifier(lk.polynomials([9]), method="alignf", C=1.0).fit(X, y)
    with pytest.raises(lk.InputError, match="predictions overflow"):
        model.predict(np.full((1, 5), 1e60))


def test_kernel_without_sparse_support_raises_input_error(classes):
    X, y = classes
    with pytest.raises(lk.InputError, match="takes no sparse matrix"):
        lk.KernelClassifier([RBF(1.0)], method="alignf", C=1.0).fit(sparse.csr_array(X), y)
    by_function = lk.KernelClassifier([lambda A, B: A @ B.T], method="alignf", C=1.0).fit(
        sparse.csr_array(X), y
    )
    assert np.array_equal(
        by_function.predict(X),
        lk.KernelClassifier("linear", method="alignf", C=1.0).fit(X, y).predict(X),
    )


@pytest.mark.parametrize("verbose", [None, "yes", 2, np.array([1, 0])])
def test_other_values_of_verbose_are_refused_in_fit_and_prediction(verbose, classes):
    X, y = classes
    for model in (lk.KernelClassifier("linear", "unif", C=1.0), lk.KernelLearner("linear", "unif")):
        with pytest.raises(lk.InputError, match="verbose="):
            clone(model).set_params(verbose=verbose).fit(X, y)
        fitted = model.fit(X, y).set_params(verbose=verbose)
        with pytest.raises(lk.InputError, match="verbose="):
            getattr(fitted, "predict", getattr(fitted, "transform", None))(X)

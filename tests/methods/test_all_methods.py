"""Properties that several methods share."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.kernels import resolve
from learnkernels.methods import METHODS
from tests.methods.problems import (
    KERNELS,
    KINDS,
    N,
    classes_of,
    counts,
    in_order_of_training,
    labels,
    learn,
    problem_of,
    targets_of,
)

TWO_STAGE = ["unif", "align", "alignf", "align-linear"]
ONE_STAGE = [
    "align-single",
    "align-constrained",
    "l1-krr",
    "l2-krr",
    "l1-svm",
    "l2-svm",
    "lp-svm",
    "conv",
    "dc",
    "ufo",
]
ON_EVERY_KIND = {
    "unif": "unif",
    "align": "align",
    "alignf": "alignf",
    "l1-svm": lk.methods.L1SVM(tol=1e-6),
    "l2-svm": lk.methods.LpSVM(p=2.0, tol=1e-8),
    "conv": lk.methods.Conv(theta=0, tol=1e-6),
    "dc": lk.methods.DC(theta=0, tol=1e-6),
    "l1-krr": lk.methods.L1Ridge(tol=1e-6),
    "l2-krr": lk.methods.L2Ridge(tol=1e-12),
    "align-single": lk.methods.AlignSingle(tol=1e-10),
    "align-constrained": lk.methods.AlignConstrained(tol=1e-8),
    "single": "single",
    "ensemble": "ensemble",
    "ufo": lk.methods.UFO(tol=0.1),
}
PRIMAL_TOLERANCE = {
    "l1-svm": 1e-6,
    "conv": 1e-6,
    "dc": 1e-6,
    "l1-krr": 1e-6,
    "align-constrained": 1e-7,
}
WEIGHT_TOLERANCE = {
    "l1-svm": 3e-3,
    "l2-svm": 3e-4,
    "conv": 3e-3,
    "dc": 3e-3,
    "l1-krr": 3e-3,
    "l2-krr": 1e-5,
    "align-constrained": 3e-4,
}


@pytest.mark.parametrize("name", TWO_STAGE)
def test_two_stage_weights_sum_to_one_and_are_optimal(name, problem):
    method = METHODS[name]()
    mu, certificate = learn(method, problem)
    assert np.isclose(mu.sum(), 1.0)
    assert method.signed or (mu >= 0).all()
    assert certificate.gap <= 1e-8
    assert certificate.status in ("closed form", "optimal")


@pytest.mark.parametrize("method", ON_EVERY_KIND)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_kernel_gives_the_weights_of_its_precomputed_gram(kind, method):
    kernels, X = KINDS[kind]
    y = labels(counts())
    new, rows = slice(0, 9), slice(9, N)
    samples, y = in_order_of_training(X[rows], y[rows])
    base = resolve(kernels, samples)
    stack = np.stack([np.asarray(kernel(samples)) for kernel in base], axis=-1)
    against = np.stack([np.asarray(kernel(X[new], samples)) for kernel in base], axis=-1)
    # One feature alone leaves the SVM's intercept open; ridge has one solution.
    machine = "ridge" if method in (*TWO_STAGE, "single", "ensemble") else "auto"
    options = {"C": 2.0, "tol": 1e-10, "machine": machine}
    ours = lk.KernelClassifier(kernels, ON_EVERY_KIND[method], **options).fit(samples, y)
    theirs = lk.KernelClassifier("precomputed", ON_EVERY_KIND[method], **options).fit(stack, y)
    primal = ours.certificate_.primal, theirs.certificate_.primal
    assert np.isclose(*primal, rtol=PRIMAL_TOLERANCE.get(method, 1e-8), atol=1e-12)
    near = WEIGHT_TOLERANCE.get(method, 1e-8)
    assert np.allclose(ours.weights_, theirs.weights_, atol=near * theirs.weights_.max())
    outputs = ours.decision_function(X[new]), theirs.decision_function(against)
    assert np.allclose(*outputs, atol=near * np.abs(outputs[1]).max())


@pytest.mark.parametrize("name", ["l1-svm", "lp-svm", "l1-krr", "l2-krr", "align-single"])
def test_weights_of_normalised_kernels_do_not_depend_on_kernel_scale(name):
    X, y = classes_of(50, 2)
    weights = [
        learn(
            METHODS[name](),
            problem_of([lambda A, B: A @ B.T, lambda A, B, c=c: c * (A @ B.T) ** 2], X, y),
        )[0]
        for c in (1.0, 1e6)
    ]
    assert np.allclose(*weights, rtol=1e-3, atol=1e-4)  # as well as the gap determines them


@pytest.mark.parametrize("name", ONE_STAGE)
@pytest.mark.parametrize("case", ["duplicated", "one kernel", "many kernels", "unbalanced"])
def test_degenerate_problems_give_finite_non_negative_optimal_weights(name, case):
    X, y = classes_of(45, 2)
    kernels = {
        "duplicated": lk.gaussians([0.2, 0.2, 0.2, 1.0]),
        "one kernel": lk.gaussians([0.5]),
        "many kernels": lk.gaussians(np.geomspace(1e-3, 1e2, 100)),
        "unbalanced": lk.gaussians([0.1, 1.0]),
    }[case]
    if case == "unbalanced":
        y = (np.arange(45) < 3).astype(int)
    with warnings.catch_warnings():
        if name == "ufo":  # stochastic: it says so when the objective still moves
            warnings.simplefilter("ignore", ConvergenceWarning)
        mu, certificate = learn(METHODS[name](), problem_of(kernels, X, y))
    assert np.isfinite(mu).all() and (mu >= 0).all() and mu.any()
    assert name == "ufo" or certificate.gap <= 1e-4


@pytest.mark.parametrize("C", [0.01, 1.0, 1e3])
@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "l1-krr", "l2-krr", "align-single"])
def test_one_stage_methods_converge_with_more_rank_one_kernels_than_samples(name, C, rng):
    X = rng.standard_normal((20, 100))
    stack = np.einsum("ik,jk->ijk", X, X)
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    mu, certificate = learn(METHODS[name](), problem_of("precomputed", stack, y, value=C))
    assert certificate.gap <= 1e-4 and (mu >= 0).all()


@pytest.mark.parametrize("method", ["l1-svm", "l1-krr", lk.methods.Conv(theta=0)])
def test_unaligned_rank_one_kernels_give_finite_positive_weights(method):
    """Classes that no feature tells anything of: the program's weights all vanish."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 10)
    y = (X[:, 0] != X[:, 1]).astype(int)
    model = lk.KernelClassifier(lk.per_feature(), method, C=1.0).fit(X, y)
    assert np.isfinite(model.weights_).all() and model.weights_.sum() > 0
    assert np.isfinite(model.certificate_.primal)


@pytest.mark.parametrize("C", [1e-3, 1e-1, 10.0, 1e3])
@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "conv", "dc"])
def test_svm_methods_converge_for_every_C(name, C):
    X, y = classes_of(60, 2)
    _, certificate = learn(
        METHODS[name](), problem_of(lk.gaussians([0.05, 0.5, 3.0]), X, y, value=C)
    )
    assert certificate.gap <= 1e-4


def test_methods_warn_if_not_converged():
    problem = problem_of(KERNELS, *classes_of(60, 2), value=100.0)
    gaussians = problem_of(lk.gaussians([0.02, 0.2, 1.0]), *classes_of(60, 2), value=1000.0)
    with pytest.warns(ConvergenceWarning, match="dc did not converge"):
        _, certificate = learn(lk.methods.DC(theta=4, max_iter=1, tol=1e-9), gaussians)
    assert certificate.status == "not converged"
    for method in (lk.methods.L1SVM(max_iter=1), lk.methods.LpSVM(max_iter=1)):
        with pytest.warns(ConvergenceWarning, match="relative gap"):
            _, certificate = learn(method, problem)
        assert certificate.status == "not converged"
    with pytest.warns(ConvergenceWarning, match="epochs"):
        learn(lk.methods.UFO(max_iter=2, tol=1e-12), problem)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (lk.methods.L1Ridge(radius=0.0), "radius"),
        (lk.methods.L2Ridge(mu0=-1.0), "none negative"),
        (lk.methods.L2Ridge(mu0=[1.0, 2.0]), "one for each kernel"),
        (lk.methods.AlignSingle(gamma1=0, gamma2=0), "nothing bounds"),
        (lk.methods.AlignSingle(gamma=-1), "at least 0"),
        (lk.methods.LpSVM(p=0.5), "at least 1"),
        (lk.methods.Conv(theta=-1), "at least 0"),
        (lk.methods.Conv(theta=1.5), "whole number"),
        (lk.methods.DC(p=0.0), "at least 1"),
        (lk.methods.UFO(beta=-1), "at least 0"),
        (lk.methods.BestSingle(cv=1), "cv=1"),
        (lk.methods.L1SVM(max_iter=0), "max_iter"),
        (lk.methods.DC(max_iter=1.5), "whole number"),
        (lk.methods.UFO(tol=-1.0), "tol"),
    ],
)
def test_invalid_parameters_raise_input_error(method, says):
    with pytest.raises(lk.InputError, match=says):
        lk.KernelClassifier(KERNELS, method, C=1.0).fit(*classes_of(30, 2))


@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "lp-svm", "ufo"])
def test_classification_methods_raise_in_a_regressor(name):
    X, Y = targets_of(30, 1)
    with pytest.raises(lk.InputError, match="does not apply to regression"):
        lk.KernelRegressor(method=name, kernels=["gaussians", "linear"], alpha=1.0).fit(X, Y[:, 0])


def test_kernel_learner_rejects_one_stage_methods():
    with pytest.raises(lk.InputError, match="together with a machine"):
        lk.KernelLearner(method="l1-svm", kernels=["gaussians", "linear"]).fit(*classes_of(30, 2))


def test_scaling_a_kernel_divides_its_weight_without_normalisation(classes):
    X, y = classes
    kernels = [lambda A, B: A @ B.T, lambda A, B: 100 * (A @ B.T) ** 2]
    plain = [lambda A, B: A @ B.T, lambda A, B: (A @ B.T) ** 2]
    scaled = lk.KernelLearner(kernels, normalize=None, method="alignf").fit(X, y).weights_
    base = lk.KernelLearner(plain, normalize=None, method="alignf").fit(X, y).weights_
    assert np.isclose(base[0] / base[1], scaled[0] / scaled[1] / 100)

"""Every parameter of every public function, with invalid values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import learnkernels as lk
from learnkernels import theory
from learnkernels.gram import Statistics
from learnkernels.inspection import compare
from learnkernels.methods import METHODS
from tests.hostile.checks import check_weights, only_documented_warnings, time_limit

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((24, 3))
y = np.where(X[:, 0] + X[:, 1] > 0, 1, 0)
K = X @ X.T
INVALID = [
    None, "nonsense", "", b"bytes", -1, 0, 1, 2.5, np.nan, np.inf, -np.inf, 1e300, 5e-324, True, 1j,
    10**30, 1e100, [], [[]], ["a", 1], [np.nan], [1, [2]], np.array([]), np.array(3.0), {},
    {"a": 1}, object(), len, slice(None), np.datetime64("2020"), float, (1, 2, 3), "\ud800",
]  # fmt: skip


TWO = lk.gaussians([0.1, 1.0])


def fitted(**parameters):
    return lk.KernelClassifier(**parameters).fit(X, y)


def fitted_to(kernels):
    """Return a fit with these kernels, and nothing else to choose."""
    return fitted(kernels=kernels, method="alignf", C=1.0)


def fitted_with(method):
    """Return a fit with one value of C, unless the method learns the regularisation."""
    return fitted(kernels=TWO, method=method, C="auto" if method.learns_alpha else 1.0)


MODEL = lk.KernelClassifier(TWO)
CALLS = {
    "gaussians": (lambda **p: fitted_to(lk.gaussians(**p)), {"gammas": [1.0]}),
    "laplacians": (lambda **p: fitted_to(lk.laplacians(**p)), {"gammas": [1.0]}),
    "polynomials": (
        lambda **p: fitted_to(lk.polynomials(**p)),
        {"degrees": [2], "gamma": 1.0, "coef0": 1.0},
    ),
    "low_rank": (
        lambda **p: fitted_to(lk.low_rank(**p)),
        {"blocks": "gaussians", "rank": 3, "approximation": "nystroem", "random_state": 0},
    ),
    "on": (
        lambda **p: fitted_to(lk.on(**p)),
        {"columns": [0], "kernels": "linear", "name": "view"},
    ),
    "ngrams": (lambda **p: lk.ngrams(**p), {"n": 1, "max_features": 3, "analyzer": "char"}),
    "spectrum": (lambda **p: lk.spectrum(**p), {"k": 2, "alphabet": "acgt"}),
    "weighted_degree": (
        lambda **p: lk.weighted_degree(**p),
        {"d": 2, "shift": 0, "alphabet": "acgt"},
    ),
    "Threads": (lambda **p: lk.Threads(**p), {"n_threads": 1}),
    "alignment": (lk.alignment, {"K": K, "L": np.outer(y, y), "centered": True}),
    "alignment_statistics": (
        lk.alignment_statistics,
        {
            "kernels": "gaussians", "X": X, "y": y, "backend": None, "subsample": 12,
            "random_state": 0, "checkpoint": None, "normalize": "trace", "task": "auto",
            "missing": "error",
        },
    ),
    "KernelClassifier": (
        lambda **p: fitted(**p).predict(X),
        lk.KernelClassifier(TWO, "alignf", [0.1, 1.0]).get_params(deep=False),
    ),
    "KernelRegressor": (
        lambda **p: lk.KernelRegressor(**p).fit(X, y).predict(X),
        lk.KernelRegressor(TWO, "alignf", [0.1, 1.0]).get_params(deep=False),
    ),
    "KernelLearner": (
        lambda **p: lk.KernelLearner(**p).fit(X, y).transform(X),
        lk.KernelLearner(TWO, "alignf").get_params(deep=False),
    ),
    "guarantees": (
        MODEL.guarantees,
        {"X": X, "y": y, "delta": 0.1, "random_state": 0},
    ),
    "compare": (
        compare,
        {
            "X": X, "y": y, "methods": ["unif"], "kernels": "linear", "task": "classification",
            "cv": 3, "random_state": 0, "preprocess": None, "missing": "error", "backend": None,
            "verbose": False,
        },
    ),
    "report": (
        lambda **p: lk.report(**p),
        {
            "model": MODEL, "X": X, "y": y, "title": "a", "cv": 0, "draws": 0,
            "random_state": 0, "verbose": False,
        },
    ),
    "save": (lk.save, {"model": MODEL, "path": "/missing/model.lk"}),
    "load": (lk.load, {"path": "/missing/model.lk"}),
}  # fmt: skip
for name, method in METHODS.items():
    CALLS[f"method {name}"] = (
        lambda kind=method, **p: fitted_with(kind().set_params(**p)),
        method().get_params(),
    )
SPECTRUM = np.array([2.0, 1.0, 0.5])
STABILITY = {"n_samples": 50, "kernel_bound": 1.0, "loss_bound": 2.0, "regularization": 1.0}
TWO_STAGES = {
    "n_samples": 50, "kernel_bound": 1.0, "target_bound": 2.0, "regularization": 1.0,
    "radius": 1.0, "change": 0.1, "intercept": True,
}  # fmt: skip
THEORY = {
    "align_change": {
        "n_samples": 50, "products": SPECTRUM, "squares": SPECTRUM, "target_square": 1.0,
        "bounds": SPECTRUM, "target_bound": 1.0,
    },
    "aligned_classifier_error": {"rho": 0.5, "gamma": 1.0, "variance": 0.5},
    "alignf_change": {
        "n_samples": 50, "products": SPECTRUM, "inner": np.eye(3), "bounds": SPECTRUM,
        "target_bound": 1.0,
    },
    "aligned_regressor_error": {"rho": 0.5},
    "alignment_concentration": {
        "n_samples": 50, "bound": 1.0, "other_bound": 1.0, "square": 0.5, "other_square": 0.5,
        "delta": 0.1, "n_kernels": 3,
    },
    "bootstrap_alignment": {"K": K, "Y": y, "level": 0.9, "n_draws": 20, "random_state": 0},
    "excess_risk": {"complexity": np.sqrt, "n_samples": 50, "delta": 0.1},
    "excess_risk_rate": {
        "n_samples": 50, "n_kernels": 3, "decay": 1.5, "scale": 1.0, "radius": 1.0
    },
    "fixed_point": {"eigenvalues": SPECTRUM, "n_samples": 50, "factor": 1.0, "shrink": 1.0},
    "learned_ridge_generalization": {
        "empirical_error": 0.1, "stability": 0.01, "n_samples": 50, "loss_bound": 2.0, "delta": 0.1
    },
    "largest_residual": {
        "kernel_bound": 1.0, "target_bound": 2.0, "regularization": 1.0, "intercept": True
    },
    "learned_class_excess_risk": {
        "eigenvalues": SPECTRUM, "n_samples": 50, "bound": 4.0, "delta": 0.1, "radius": 1.0
    },
    "learned_ridge_stability": STABILITY | {"intercept": True},
    "local_rademacher": {"eigenvalues": SPECTRUM, "r": 0.1, "n_samples": 50},
    "multiple_kernel_rademacher": {
        "spectra": [SPECTRUM, SPECTRUM], "r": 0.1, "n_samples": 50, "radius": 1.0, "bound": 1.0
    },
    "moment_classifier_error": {"rho": 0.5, "variance": 0.5},
    "rademacher_excess_risk": {"complexity": 0.1, "n_samples": 50, "delta": 0.1, "variance": 0.2},
    "realizable_risk": {"complexity": np.sqrt, "n_samples": 50, "delta": 0.1},
    "product_concentration": {"n_samples": 50, "bound": 1.0, "other_bound": 1.0, "delta": 0.1},
    "ridge_stability": STABILITY | {"smallest_eigenvalue": 0.1},
    "spread": {"K": K},
    "svm_stability": {
        "n_samples": 50, "kernel_bound": 1.0, "C": 1.0, "radius": 1.0, "change": 0.1
    },
    "tail_sum_bounds": {"eigenvalues": SPECTRUM, "bound": 4.0, "delta": 0.1},
    "tail_sums": {"eigenvalues": SPECTRUM},
    "two_stage_generalization": TWO_STAGES | {"empirical_error": 0.1, "delta": 0.1},
    "two_stage_stability": TWO_STAGES,
    "unnormalized_alignment": {"K": K, "L": K},
    "unnormalized_classifier_error": {"product": 0.5, "bound": 1.0},
}  # fmt: skip
for name, valid in THEORY.items():
    CALLS[name] = (getattr(theory, name), valid)
PARAMETERS = [(name, parameter) for name, (_, valid) in CALLS.items() for parameter in valid]


@pytest.fixture(scope="module", autouse=True)
def fit_model():
    """Fit the model of the calls in a test, because the collection must not compile."""
    MODEL.fit(X, y)


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
@pytest.mark.filterwarnings("ignore::learnkernels.NeverPredictedWarning")
@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_parameter_with_33_invalid_values_raises_or_gives_finite_result(
    name, parameter, tmp_path, monkeypatch
):
    assert len(INVALID) == 33  # as documented
    monkeypatch.chdir(tmp_path)  # some values are file names
    function, valid = CALLS[name]
    for value in INVALID:
        with time_limit(), only_documented_warnings():
            try:
                found = function(**valid | {parameter: value})
            except lk.InputError as error:
                assert len(str(error)) > 15, (value, error)
            except Exception as error:
                raise AssertionError(f"{parameter}={value!r}: {error!r}") from error
            else:
                assert is_valid(found), (value, found)


# The path does not exist; the signed combination is indefinite.
EXPECTED_TO_RAISE = ("save", "load", "method align-linear")


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
@pytest.mark.filterwarnings("ignore::learnkernels.NeverPredictedWarning")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in EXPECTED_TO_RAISE])
def test_valid_values_give_finite_result(name):
    function, valid = CALLS[name]
    with only_documented_warnings():
        assert is_valid(function(**valid))


def is_valid(found) -> bool:
    """Check a result; return whether all its numbers are finite."""
    if isinstance(found, BaseEstimator):
        check_weights(found)
    elif isinstance(found, Statistics):
        found = found.a
    return not isinstance(found, (float, np.ndarray)) or bool(np.isfinite(found).all())

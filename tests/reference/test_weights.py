"""Weights agree with those that cvxpy and NumPy computed; README.md describes the file."""

from __future__ import annotations

import json

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.methods import METHODS
from tests.reference.make_weights import FILE, SVM, base_grams, data_sets, weights_of

REFERENCE = json.loads(FILE.read_text(encoding="utf-8"))
CASES = [(name, method) for name, row in REFERENCE["weights"].items() for method in row]
# Depend on folds, random numbers or the start of a search.
NOT_HERE = {"auto", "ensemble", "loo", "single", "ufo"}


def learned(name: str, method: str) -> np.ndarray:
    """Return the weights of an estimator on the formulas of the kernels."""
    data, given = REFERENCE["data"][name], REFERENCE["methods"][method]
    formulas = {
        "gaussian": lk.kernels.Gaussian,
        "laplacian": lk.kernels.Laplacian,
        "linear": lk.kernels.Linear,
        "polynomial": lambda degree: lk.kernels.Polynomial(degree, gamma=1.0),
    }
    kernels = [formulas[kind](*values) for kind, *values in data["kernels"]]
    solver = METHODS[method]().set_params(**given.get("parameters", {}))
    if "tol" in solver.get_params():
        solver.set_params(tol=1e-7, max_iter=1000)
    if method in SVM:
        model = lk.KernelClassifier(kernels, solver, C=given["C"], machine="svm")
    elif "alpha" in given:
        model = lk.KernelRegressor(kernels, solver, alpha=given["alpha"])
    else:
        model = lk.KernelLearner(kernels, solver)
    return model.fit(np.array(data["X"]), np.array(data["y"])).weights_


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
@pytest.mark.parametrize(("name", "method"), CASES)
def test_weights_agree_with_reference(name, method):
    expected = np.array(REFERENCE["weights"][name][method])
    found = learned(name, method)
    if method == "align-linear":  # determined up to a factor
        found = found / np.abs(found).sum()
    error = np.abs(found - expected).max() / np.abs(expected).max()
    assert error <= REFERENCE["methods"][method]["tolerance"]


def test_reference_covers_every_method_with_weights_determined_by_the_data():
    assert REFERENCE["methods"].keys() | NOT_HERE == METHODS.keys()
    assert len(REFERENCE["data"]) == 10


def test_data_of_the_file_are_those_of_the_script():
    assert REFERENCE["data"] == json.loads(json.dumps(data_sets()))


@pytest.mark.parametrize("method", ["align", "alignf", "l2-krr", "l1-svm"])
def test_script_gives_the_weights_of_the_file(method):
    data, expected = REFERENCE["data"]["xor"], REFERENCE["weights"]["xor"][method]
    found = weights_of(method, base_grams(data), np.array(data["y"]))
    assert np.allclose(found, expected, rtol=0, atol=1e-5 * max(expected))

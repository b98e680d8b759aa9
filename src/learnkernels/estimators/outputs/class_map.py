"""A linear map of the outputs for several classes, fitted to outputs for left-out samples.

Ridge on the labels of one class against the rest cannot separate a class that lies between two
others: its output is never the largest (masking). A linear function of all outputs can, as in
flexible discriminant analysis (Hastie, Tibshirani and Buja, 1994). With the outputs z and the
factor T of `fit_temperature`, the map is a multinomial logistic regression near the identity:

    p(class | x) = softmax(T (z + D'z + b)),   min  - sum_i w_i log p_i + S/2 T^2 b'b + S/2 |D|^2

Linear functions of the outputs are functions of the same kernel, so the map changes coefficients
and intercept only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from learnkernels.estimators.fitting import Predictor
from learnkernels.estimators.outputs.probability import fit_temperature
from learnkernels.machines import Trained

# S, the strength of the penalty; between 1 and 10 it hardly matters.
STRENGTH = 3.0
# With fewer left-out samples per class, the map predicts worse than the outputs themselves.
SAMPLES_PER_CLASS = 10
MAX_ITER = 1000


@dataclass(frozen=True)
class ClassMap:
    """The map ``z -> A'z + b`` of outputs.

    Attributes
    ----------
    A : ndarray of shape (n_outputs, n_outputs)
    b : ndarray of shape (n_outputs,)
    """

    A: np.ndarray
    b: np.ndarray

    def outputs(self, Z: np.ndarray) -> np.ndarray:
        """Return mapped outputs of shape (n_samples, n_outputs)."""
        return Z @ self.A + self.b

    def trained(self, machine: Trained) -> Trained:
        """Return a machine with mapped outputs."""
        primal = None if machine.primal is None else machine.primal @ self.A
        left_out = None if machine.left_out is None else self.outputs(machine.left_out)
        return replace(
            machine, coef=machine.coef @ self.A, primal=primal, left_out=left_out,
            intercept=self.outputs(machine.intercept),
        )  # fmt: skip

    def predictor(self, predictor: Predictor) -> Predictor:
        """Return a predictor with mapped outputs."""
        terms = tuple(
            (kernel, coef @ self.A, None if primal is None else primal @ self.A)
            for kernel, coef, primal in predictor.terms
        )
        return replace(predictor, terms=terms, intercept=self.outputs(predictor.intercept))


def fit_class_map(
    outputs: np.ndarray | None, codes: np.ndarray, weights: np.ndarray
) -> ClassMap | None:
    """Return the map of smallest penalised log loss.

    None for two classes, without outputs, and for fewer than `SAMPLES_PER_CLASS` left-out samples
    per class on average.

    Parameters
    ----------
    outputs : ndarray of shape (n_samples, n_outputs) or None
        Outputs for held-out samples; rows with NaN do not count.
    codes : ndarray of shape (n_samples,)
        Classes, from 0.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    """
    if outputs is None or outputs.shape[1] == 1:
        return None
    known, k = np.isfinite(outputs).all(axis=1), outputs.shape[1]
    T = fit_temperature(outputs, codes, weights)
    if T is None or known.sum() < SAMPLES_PER_CLASS * k:
        return None
    Z, w = T * outputs[known], weights[known]
    own = np.arange(len(Z)), codes[known]

    def penalised(x: np.ndarray) -> tuple[float, np.ndarray]:
        D, b = x[k:].reshape(k, k), x[:k]
        logs = log_softmax(Z + Z @ D + b, axis=1)
        slopes = np.exp(logs)
        slopes[own] -= 1.0
        slopes *= w[:, None]
        gradient = np.append(slopes.sum(axis=0), Z.T @ slopes)
        return STRENGTH / 2 * (x @ x) - w @ logs[own], gradient + STRENGTH * x

    found = minimize(
        penalised, np.zeros(k + k * k), jac=True, method="L-BFGS-B",
        options={"ftol": 1e-13, "gtol": 1e-7, "maxiter": MAX_ITER},
    ).x  # fmt: skip
    return ClassMap(np.eye(k) + found[k:].reshape(k, k), found[:k] / T)

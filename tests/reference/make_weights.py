"""Compute the reference weights in weights.json by cvxpy and plain NumPy, without learnkernels."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)

FILE = Path(__file__).with_name("weights.json")
SAMPLES = 40
GAUSSIANS = [["gaussian", gamma] for gamma in (0.03, 0.1, 0.3, 1.0)]
MIXED = [["gaussian", 0.1], ["gaussian", 1.0], ["laplacian", 0.3], ["linear"], ["polynomial", 2]]
METHODS: dict[str, dict[str, Any]] = {
    "unif": {"tolerance": 1e-8},
    "align": {"tolerance": 1e-8},
    "align-linear": {"tolerance": 1e-6},
    "alignf": {"tolerance": 1e-5},
    "align-single": {
        "parameters": {"gamma": 0.1, "gamma1": 1.0, "gamma2": 0.01},
        "alpha": 1.0,
        "tolerance": 1e-3,
    },
    "align-constrained": {
        "parameters": {"min_alignment": 0.9, "radius": 1.0},
        "alpha": 1.0,
        "tolerance": 2e-3,
    },
    "l1-krr": {"alpha": 1.0, "tolerance": 1e-3},
    "l2-krr": {"alpha": 1.0, "tolerance": 1e-3},
    "l1-svm": {"C": 1.0, "tolerance": 1e-3},
    "lp-svm": {"parameters": {"p": 1.5}, "C": 1.0, "tolerance": 1e-3},
    "l2-svm": {"C": 1.0, "tolerance": 1e-3},
    "conv": {"parameters": {"theta": 1}, "C": 40.0, "tolerance": 1e-3},
    "dc": {"parameters": {"theta": 1}, "C": 40.0, "tolerance": 1e-2},
}
SVM = ("l1-svm", "lp-svm", "l2-svm", "conv", "dc")


def main() -> None:
    """Write the file."""
    data = data_sets()
    content = {"data": data, "methods": METHODS, "weights": {}}
    for name, one in data.items():
        grams, y = base_grams(one), np.array(one["y"])
        content["weights"][name] = {
            method: [round(float(weight), 9) for weight in weights_of(method, grams, y)]
            for method in METHODS
            if method not in SVM or set(one["y"]) == {-1.0, 1.0}
        }
        print(name, flush=True)
    FILE.write_text(json.dumps(content, indent=1), encoding="utf-8")


def data_sets() -> dict[str, Any]:
    """Return ten data sets of 40 samples, with few digits so that all languages read them alike."""
    rng = np.random.default_rng(0)
    square, noise = rng.uniform(-2, 2, (SAMPLES, 2)), 0.1 * rng.standard_normal(SAMPLES)
    angle = np.linspace(0.3, 6, SAMPLES)
    turn = np.where(np.arange(SAMPLES) % 2, 0, np.pi)
    spiral = np.c_[angle * np.cos(angle + turn), angle * np.sin(angle + turn)] / 3
    iris, wine = load_iris(return_X_y=True), load_wine(return_X_y=True)
    cancer, digits = load_breast_cancer(return_X_y=True), load_digits(return_X_y=True)
    diabetes = load_diabetes(return_X_y=True)
    return {
        "iris": entry(*spread(iris[0][50:], iris[1][50:] > 1), MIXED, labels=True),
        "wine": entry(*spread(wine[0][:, :6], wine[1] > 0), MIXED, labels=True),
        "cancer": entry(*spread(cancer[0][:, :8], cancer[1]), GAUSSIANS, labels=True),
        "digits": entry(*spread(digits[0][:, 18:46:3], digits[1] > 4), MIXED, labels=True),
        "xor": entry(square, square[:, 0] * square[:, 1] > 0, MIXED, labels=True),
        "circle": entry(square, (square**2).sum(axis=1) > 2, GAUSSIANS, labels=True),
        "spiral": entry(spiral, turn > 0, [*GAUSSIANS, ["gaussian", 10.0]], labels=True),
        "diabetes": entry(*spread(diabetes[0], diabetes[1] / 100), MIXED),
        "waves": entry(square, np.sin(3 * square[:, 0]) + noise, [*GAUSSIANS, ["linear"]]),
        "surface": entry(square, square[:, 0] * square[:, 1] + square[:, 1] + noise, MIXED),
    }


def spread(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return 40 rows at even distances, with standardised columns."""
    rows = np.linspace(0, len(X) - 1, SAMPLES).round().astype(int)
    X = X[rows] - X[rows].mean(axis=0)
    return X / np.maximum(X.std(axis=0), 1e-9), y[rows]


def entry(X: np.ndarray, y: np.ndarray, kernels: list, labels: bool = False) -> dict[str, Any]:
    targets = np.where(y, 1.0, -1.0) if labels else np.round(y, 4)
    return {"X": np.round(X, 4).tolist(), "y": targets.tolist(), "kernels": kernels}


def base_grams(data: dict[str, Any]) -> np.ndarray:
    """Return the centered Gram matrices of mean diagonal one, of shape (p, n, n)."""
    X = np.array(data["X"])
    differences = X[:, None] - X[None]
    squared, absolute = (differences**2).sum(axis=2), np.abs(differences).sum(axis=2)
    formulas: dict[str, Callable[..., np.ndarray]] = {
        "gaussian": lambda gamma: np.exp(-gamma * squared),
        "laplacian": lambda gamma: np.exp(-gamma * absolute),
        "linear": lambda: X @ X.T,
        "polynomial": lambda degree: (1 + X @ X.T) ** degree,
    }
    grams = np.stack([formulas[name](*values) for name, *values in data["kernels"]])
    U = np.eye(len(X)) - 1 / len(X)
    grams = U @ grams @ U
    return grams / (np.einsum("kii->k", grams) / len(X))[:, None, None]


def weights_of(method: str, grams: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of a method on base Gram matrices."""
    given = METHODS[method]
    parameters = given.get("parameters", {})
    if method in SVM:
        return svm_weights(method, grams, y, given["C"], **parameters)
    y = y - y.mean()
    if "alpha" in given:
        return ridge_weights(method, grams, y, given["alpha"], **parameters)
    return two_stage_weights(method, grams, y)


def two_stage_weights(method: str, grams: np.ndarray, y: np.ndarray) -> np.ndarray:
    M, a = statistics(grams, y)
    if method == "unif":
        return np.full(len(a), 1 / len(a))
    if method == "align":
        mu = a / np.sqrt(np.diag(M))
    elif method == "align-linear":
        mu = np.linalg.solve(M, a)
    else:  # alignf: min v'Mv - 2v'a = |R'v - R^-1 a|^2 + constant, M = R R'
        v, R = cp.Variable(len(a), nonneg=True), np.linalg.cholesky(M)
        solve(cp.Minimize(cp.sum_squares(R.T @ v - np.linalg.solve(R, a))))
        mu = np.maximum(v.value, 0)
    return mu / np.abs(mu).sum()


def statistics(grams: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    flat = grams.reshape(len(grams), -1)
    return flat @ flat.T, np.einsum("i,kij,j->k", y, grams, y)


def ridge_weights(
    method: str, grams: np.ndarray, y: np.ndarray, alpha: float, **gammas: float
) -> np.ndarray:
    if method == "align-single":
        y = y / np.std(y)
    mu = cp.Variable(len(grams), nonneg=True)
    combined = sum(mu[k] * K for k, K in enumerate(grams)) + alpha * np.eye(len(y))
    value = cp.matrix_frac(y, combined)
    if method == "align-single":
        M, a = statistics(grams, y)
        H = gammas["gamma2"] * M + gammas["gamma1"] * np.eye(len(a))
        solve(cp.Minimize(value - gammas["gamma"] * (a @ mu) + cp.quad_form(mu, cp.psd_wrap(H))))
    elif method == "align-constrained":
        (M, a), best = statistics(grams, y), two_stage_weights("alignf", grams, y)
        least = gammas["min_alignment"] * (a @ best) / np.sqrt(best @ M @ best)
        size = cp.norm(np.linalg.cholesky(M).T @ mu)
        solve(cp.Minimize(value), [a @ mu >= least * size, cp.norm(mu) <= gammas["radius"]])
    else:
        solve(cp.Minimize(value), [cp.norm(mu, 1 if method == "l1-krr" else 2) <= 1])
    return np.maximum(mu.value, 0)


def svm_weights(
    method: str, grams: np.ndarray, y: np.ndarray, C: float, p: float = 1.0, theta: int = 0
) -> np.ndarray:
    if method in ("conv", "dc"):
        tails = np.array([tail_sum(K, theta) for K in grams])
        mu = norm_constrained(grams / tails[:, None, None], y, C, 1.0) / tails
        return mu if method == "conv" else linearised_steps(grams, y, C, theta, mu)
    return norm_constrained(grams, y, C, {"l2-svm": 2.0}.get(method, p))


def norm_constrained(grams: np.ndarray, y: np.ndarray, C: float, p: float) -> np.ndarray:
    """Minimise the SVM's value over |mu|_p <= 1: the weights are multipliers of its dual.

    max_c 1'c - |(Q_k)_k|_q / 2,  Q_k = (c*y)'K_k(c*y),  1/p + 1/q = 1

    In units of C, so that the numbers are near one: c = C s, K_k -> C K_k.
    """
    c, bounds = cp.Variable(len(y)), cp.Variable(len(grams))
    roots = [factor(C * K) for K in grams]
    forms = [cp.sum_squares(B.T @ cp.multiply(y, c)) / 2 for B in roots]
    limits = [form <= bound for form, bound in zip(forms, bounds, strict=True)]
    norm = cp.max(bounds) if p == 1 else cp.norm(bounds, p / (p - 1))
    solve(cp.Maximize(cp.sum(c) - norm), [*limits, c >= 0, c <= 1, c @ y == 0])
    return np.maximum([np.sum(limit.dual_value) for limit in limits], 0)


def linearised_steps(
    grams: np.ndarray, y: np.ndarray, C: float, theta: int, mu: np.ndarray, steps: int = 60
) -> np.ndarray:
    """Minimise with the tail sum linearised at the last weights: <v, mu> <= 1.

    v_k = sum_{j > theta} u_j'K_k u_j,  u_j the eigenvectors of K_mu
    """
    for _ in range(steps):
        U = np.linalg.eigh(np.tensordot(mu, grams, 1))[1][:, : len(y) - theta]
        v = np.einsum("ij,kil,lj->k", U, grams, U)
        last, mu = mu, norm_constrained(grams / v[:, None, None], y, C, 1.0) / v
        if np.abs(mu - last).max() <= 1e-5 * mu.max():
            break
    return mu


def tail_sum(K: np.ndarray, theta: int) -> float:
    return float(np.linalg.eigvalsh(K)[: len(K) - theta].sum())


def factor(K: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def solve(goal: cp.Minimize | cp.Maximize, constraints: list | None = None) -> None:
    """Solve to the highest of three accuracies that the solver reaches."""
    problem = cp.Problem(goal, constraints)
    for tol in (1e-9, 1e-8, 1e-7):
        with warnings.catch_warnings(), suppress(cp.error.SolverError):
            warnings.simplefilter("ignore")  # that the solution may be inaccurate
            problem.solve(
                solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol, max_iter=500
            )
        if problem.status == "optimal":
            return
    raise SystemExit(f"the solver ended with status {problem.status!r}.")


if __name__ == "__main__":
    main()

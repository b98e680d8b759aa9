"""Choices of landmarks: at random, as the estimators do, and three that adapt to the data.

The kernel is that of the default with random landmarks; ridge is then trained with the landmarks of
each choice, and alpha is chosen by leave-one-out errors.

    random             samples of equal probability
    pivoted Cholesky   random pivots of the Gram matrix, proportional to the diagonal that is left
    leverage scores    proportional to the leverages of ridge with random landmarks
    k-means++          columns far from those chosen before (scikit-learn)

``python -m benchmarks landmark_choice`` computes what is missing in
docs/results/landmark_choice.json, on one thread. Seconds are the CPU time of the choice and of the
training with one set of landmarks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.cluster import kmeans_plusplus
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.cached import Measurement, complete
from benchmarks.tables import RESULTS
from benchmarks.tables_protocol import Split, error, folder, split, task_of
from learnkernels.estimators.fitting import regularization
from learnkernels.estimators.regularization import AROUND
from learnkernels.gram import Landmarks
from learnkernels.machines import LandmarkRidge, Trained
from learnkernels.solvers.pivoted_cholesky import pivoted_cholesky

CHOICE_RESULTS = RESULTS.with_name("landmark_choice.json")
TABLES = ("bike", "elevators", "kin40k", "magic", "pol")
COMPONENTS = (200, 1000)
SEEDS = range(3)
# Rows of the Gram matrix that are computed at once.
ROWS = 1024

Choice = Callable[[Any, np.ndarray, int, int], np.ndarray]


def run(quick: bool = False) -> None:
    with threadpool_limits(1):
        for key, found in complete(tasks(quick), None if quick else CHOICE_RESULTS):
            mean, low, high = np.mean(found["errors"]), min(found["errors"]), max(found["errors"])
            print(
                f"{key}: error {mean:.4f} ({low:.4f} to {high:.4f}), choice {found['choice']:.1f} "
                f"s, training {found['training']:.1f} s",
                flush=True,
            )


def tasks(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield names and measurements."""
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    for table in ("magic",) if quick else TABLES:
        for m in (20,) if quick else COMPONENTS:
            for name, choose in CHOICES.items():
                key = f"{table}, m={m}, {name}"
                yield key, partial(measured, table, m, choose, 300 if quick else None)


def measured(table: str, m: int, choose: Choice, n: int | None) -> dict[str, Any]:
    """Return test errors for each seed, and seconds."""
    learned, errors, choices, trainings = Learned.of(table, m, n), [], [], []
    for seed in SEEDS:
        start = cpu_clock()
        index = np.sort(choose(learned.problem, learned.X, m, seed))
        chosen = cpu_clock()
        predict = learned.trained(index)
        choices.append(chosen - start)
        trainings.append(cpu_clock() - chosen)
        errors.append(round(learned.test_error(predict), 4))
    return {
        "errors": errors,
        "choice": round(float(np.mean(choices)), 2),
        "training": round(float(np.mean(trainings)), 2),
    }


def cpu_clock() -> float:
    """Return the CPU time of this process, without that of the operating system."""
    return os.times().user


@dataclass(frozen=True)
class Learned:
    """The learned kernel of the default with random landmarks on a table.

    Attributes
    ----------
    task : str
    data : Split
    problem : TrainingProblem
    X : ndarray of shape (n_samples, n_columns)
        Its samples, in its order.
    alphas : list of float
    X_test : object
        Validated.
    """

    task: str
    data: Split
    problem: Any
    X: np.ndarray
    alphas: list[float]
    X_test: Any

    @classmethod
    @cache
    def of(cls, table: str, m: int, n: int | None) -> Learned:
        """Fit the default to at most n rows, with ridge as the machine."""
        task, data = task_of(table), split(table, 0, n, n)
        estimator = lk.KernelRegressor if task == "regression" else lk.KernelClassifier
        model = estimator(n_components=m, machine="ridge", n_jobs=1)
        found = model._fit_in_memory(data.X, data.y, None)
        alpha = regularization(found.machine, found.value, task)
        X_test = model._validate(data.X_test, reset=False)
        X = data.X[found.rows.samples]
        return cls(task, data, found.learned.problem, X, (alpha * AROUND).tolist(), X_test)

    def trained(self, index: np.ndarray) -> Trained:
        """Return the predictor with these landmarks."""
        with patch("learnkernels.machines.landmark_ridge.chosen_landmarks", return_value=index):
            solution = LandmarkRidge().decomposed(self.problem)
        return solution.trained(self.alphas[int(np.argmin(solution.errors(self.alphas)))])

    def test_error(self, trained: Trained) -> float:
        """Return the error on the test rows."""
        problem = self.problem
        functions = problem.kernel.functions(trained.coef)
        parts = [function.outputs(self.X_test, problem.backend) for function in functions]
        outputs = (trained.intercept + np.sum(parts, axis=0))[:, 0]
        predicted = outputs if self.task == "regression" else (outputs > 0).astype(int)
        return error(self.task, self.data.y_test, predicted)


def at_random(problem: Any, X: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Return samples of equal probability."""
    return np.random.default_rng(seed).choice(len(X), m, replace=False)


def by_pivots(problem: Any, X: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Return random pivots of the Gram matrix; fewer if its rank is smaller."""
    kernel, n = problem.kernel, len(X)
    ranges = [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]

    def columns(index: np.ndarray) -> np.ndarray:
        near = kernel.as_columns(index)
        return np.concatenate([kernel.values_near(near, rows) for rows in ranges])

    samples = np.arange(n)
    diagonals = [np.diag(kernel.take(samples[rows]).gram(problem.backend)) for rows in ranges]
    random = np.random.default_rng(seed)
    return pivoted_cholesky(np.concatenate(diagonals), columns, m, random)[1]


def by_leverages(problem: Any, X: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Return samples with probabilities proportional to leverages of ridge with random ones."""
    random = np.random.default_rng(seed)
    index = np.sort(random.choice(len(X), m, replace=False))
    landmarks = Landmarks.of(problem.kernel, index, problem.backend)
    psi = np.concatenate([landmarks.features(rows) for rows in landmarks.row_ranges()])
    psi -= psi.mean(axis=0)
    inner = psi.T @ psi
    inner.flat[:: len(inner) + 1] += np.trace(inner) / len(X)  # the mean diagonal as alpha
    half = solve_triangular(np.linalg.cholesky(inner), psi.T, lower=True, check_finite=False)
    leverages = np.einsum("ij,ij->j", half, half)
    return random.choice(len(X), m, replace=False, p=leverages / leverages.sum())


def by_distances(problem: Any, X: np.ndarray, m: int, seed: int) -> np.ndarray:
    """Return samples by k-means++ on the columns."""
    return kmeans_plusplus(X, m, random_state=seed)[1]


CHOICES: dict[str, Choice] = {
    "random": at_random,
    "pivoted Cholesky": by_pivots,
    "leverage scores": by_leverages,
    "k-means++": by_distances,
}

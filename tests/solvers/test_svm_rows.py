"""The SVM with some rows of the Gram matrix equals that with the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from learnkernels.solvers import RowGram, solve_svm, svm_rows


class ArrayRows:
    """Rows of a matrix in memory, with few slots."""

    def __init__(self, K, n_slots, dtype=float):
        self.K = K
        self.values = np.full((n_slots, len(K)), np.nan, dtype)
        self.kept = []
        self.evaluated = 0

    def fetch(self, index):
        wanted = index.tolist()
        assert len(wanted) <= len(self.values)
        kept = [i for i in self.kept if i in wanted]
        missing = [i for i in wanted if i not in kept]
        self.evaluated += len(missing)
        self.kept = kept + missing
        self.values[: len(self.kept)] = self.K[self.kept]
        return np.array([self.kept.index(i) for i in wanted])

    def times(self, beta):
        return self.K @ beta

    def gram(self, index):
        return self.K[np.ix_(index, index)]


def problem(n, rng):
    X = rng.standard_normal((n, 4))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    return K, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [None, 0.2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_solution_equals_that_of_the_whole_matrix(C, epsilon, dtype, rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 40)
    K, f = problem(300, rng)
    y = np.where(f > 0, 1.0, -1.0) if epsilon is None else f
    dense, _ = solve_svm(K, y, np.full(300, C), epsilon=epsilon)
    rows = ArrayRows(K, 300, dtype)
    found, certificate = solve_svm(RowGram(rows), y, np.full(300, C), epsilon=epsilon)
    assert certificate.status == "optimal"
    assert abs(found.bound - dense.bound) <= 1e-8 * abs(dense.bound)
    assert np.allclose(
        K @ found.beta + found.intercept, K @ dense.beta + dense.intercept, atol=1e-6
    )


def test_start_is_continued(rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 40)
    K, f = problem(200, rng)
    y, C = np.where(f > 0, 1.0, -1.0), np.ones(200)
    solution, _ = solve_svm(K, y, C)
    again, certificate = solve_svm(RowGram(ArrayRows(K, 200)), y, C, start=solution.beta)
    assert certificate.iterations <= 1
    assert np.allclose(again.beta, solution.beta, atol=1e-8)


def test_working_sets_contain_the_most_violating_entries(rng):
    gram = RowGram(ArrayRows(np.eye(4000), 4000))
    for _ in range(3):
        too_small, too_large = rng.standard_normal((2, 4000))
        Q = gram.working_set(too_small, too_large)
        assert {int(np.argmax(too_small)), int(np.argmax(too_large))} <= set(Q.tolist())
        assert len(np.unique(Q)) == len(Q) <= svm_rows.WORKING


def test_rows_are_evaluated_for_entries_that_violate_only(rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 40)
    X = np.sort(rng.uniform(-1, 1, 500))
    K, y = np.outer(X, X), np.where(X > 0.05, 1.0, -1.0)
    rows = ArrayRows(K, 100)
    solution, _ = solve_svm(RowGram(rows), y, np.full(500, 1.0))
    assert np.count_nonzero(solution.beta) < 200
    assert rows.evaluated < 500

"""The SVM with some rows of the Gram matrix equals that with the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from learnkernels.solvers import RowGram, solve_svm, svm_rows


class ArrayRows:
    """Rows of a matrix in memory, rounded to a type, with few slots."""

    def __init__(self, K, n_slots, dtype=float, complete=False):
        self.K = K
        self.n_slots = n_slots
        self.dtype = dtype
        self.rounded = K.astype(dtype).astype(float if dtype is float else np.float32)
        self.values = self.rounded if complete else self.rounded[:n_slots]
        self.kept = []
        self.evaluated = 0
        self.evicted = False
        self.complete = complete
        self.parts = []

    def add(self, index, d, out):
        missing = [i for i in index.tolist() if i not in self.kept]
        self.evaluated += len(missing)
        self.kept = [i for i in self.kept if i not in index] + index.tolist()
        self.evicted |= len(self.kept) > self.n_slots
        self.kept = self.kept[-self.n_slots :]
        out += d @ self.rounded[index]

    def times(self, beta):
        return self.K @ beta

    def times_at(self, index, beta, single=False):
        return (self.rounded if single else self.K)[index] @ beta

    def gram(self, index):
        return self.K[np.ix_(index, index)]

    def take(self, index):
        part = ArrayRows(self.K[np.ix_(index, index)], self.n_slots, self.dtype)
        self.parts.append(part)
        self.kept = []
        return part

    def refined(self):
        self.finer = ArrayRows(self.K, self.n_slots)
        return self.finer


def problem(n, rng):
    X = rng.standard_normal((n, 4))
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    return K, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("epsilon", [None, 0.2])
@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("n_slots", [20, 149, 150])
def test_solution_equals_that_of_the_whole_matrix(C, epsilon, dtype, n_slots, rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 20)
    K, f = problem(150, rng)
    y = np.where(f > 0, 1.0, -1.0) if epsilon is None else f
    dense, _ = solve_svm(K, y, np.full(150, C), epsilon=epsilon)
    rows = ArrayRows(K, n_slots, dtype, complete=n_slots == 150)
    found, certificate = solve_svm(RowGram(rows), y, np.full(150, C), epsilon=epsilon)
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
    gram = RowGram(ArrayRows(np.eye(1500), 1500))
    for _ in range(3):
        too_small, too_large = rng.standard_normal((2, 1500))
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


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_shrinking_does_not_change_the_solution(dtype, margin, rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 20)
    monkeypatch.setattr(svm_rows, "MARGIN", margin)
    K, f = problem(400, rng)
    y, C = np.where(f > 0, 1.0, -1.0), rng.uniform(0.5, 2.0, 400)
    dense, _ = solve_svm(K, y, C)
    rows = ArrayRows(K, 20, dtype)
    found, certificate = solve_svm(RowGram(rows), y, C)
    assert rows.parts
    assert all(len(part.K) <= svm_rows.SHRUNK * 400 for part in rows.parts)
    assert certificate.status == "optimal"
    assert np.allclose(found.beta, dense.beta, atol=1e-6)


def test_shrinking_starts_when_rows_are_evicted(rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 20)
    K, f = problem(400, rng)
    rows = ArrayRows(K, 399)
    solve_svm(RowGram(rows), np.where(f > 0, 1.0, -1.0), np.ones(400))
    assert not rows.evicted
    assert not rows.parts


@pytest.mark.parametrize("n_slots", [40, 500])
def test_certificate_of_rounded_rows_is_that_of_the_matrix(n_slots, rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 40)
    monkeypatch.setattr(svm_rows, "NEAR", 1e-3)
    K, f = problem(500, rng)
    K += np.eye(500) * 1e-3
    y, C = np.where(f > 0, 1.0, -1.0), np.ones(500)
    gram = RowGram(ArrayRows(K, n_slots, np.float16, complete=n_slots == 500))
    found, certificate = solve_svm(gram, y, C, exact=False)
    outputs = K @ found.beta
    loss = C @ np.maximum(0, 1 - y * (outputs + found.intercept))
    assert certificate.status == "optimal"
    assert found.value == pytest.approx(found.beta @ outputs / 2 + loss, rel=1e-12)
    assert found.bound == pytest.approx(y @ found.beta - found.beta @ outputs / 2, rel=1e-12)
    too_small = np.where(found.beta < np.maximum(y, 0), y - outputs, -np.inf)
    too_large = np.where(found.beta > np.minimum(y, 0), outputs - y, -np.inf)
    assert too_small.max() + too_large.max() <= 1e-3


def test_steps_are_counted_and_limited(rng):
    K, f = problem(300, rng)
    y = np.where(f > 0, 1.0, -1.0)
    _, certificate = solve_svm(RowGram(ArrayRows(K, 300)), y, np.full(300, 1e4), max_iter=5)
    assert certificate.status == "not converged"
    assert certificate.iterations >= 5


@pytest.mark.parametrize("n_slots", [200, 300])
def test_rows_are_refined_if_rounding_prevents_convergence(n_slots, rng, monkeypatch):
    monkeypatch.setattr(svm_rows, "WORKING", 200)
    K, f = problem(300, rng)
    y, C = np.where(f > 0, 1.0, -1.0), np.full(300, 1e3)
    rows = ArrayRows(K, n_slots, np.float16, complete=n_slots == 300)
    found, certificate = solve_svm(RowGram(rows), y, C)
    dense, _ = solve_svm(K, y, C)
    assert rows.finer.evaluated
    assert certificate.status == "optimal"
    assert found.bound == pytest.approx(dense.bound, rel=1e-6)

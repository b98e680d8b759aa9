"""Support vector machines along values of C, and the units of regression."""

import tracemalloc

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.svm import SVR as LibsvmSVR

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.machines import SVM, SVR, TrainingProblem, svm
from learnkernels.solvers import svm_rows
from tests.machines.problems import gaussian_problem, trained, training_problem
from tests.methods.problems import problem_of

# Constants that select the dense matrix, the whole matrix and rows in single precision.
DENSE, WHOLE, ROWS = {"FEW": 10**6}, {"FEW": 0}, {"FEW": 0, "WHOLE": 0.0, "KEPT": 0.0}


def noisy_classes(n, rng, threads=1, weights=None, classes=2, family=None, max_memory=1e9):
    """Return the problem of a few Gaussians on noisy samples of some classes."""
    X = rng.standard_normal((n, 3))
    f = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(n)
    borders = np.quantile(f, np.linspace(0, 1, classes + 1)[1:-1])
    codes = np.searchsorted(borders, f)
    Y = np.where(codes[:, None] == np.arange(classes)[1 if classes == 2 else 0 :], 1.0, -1.0)
    family = lk.gaussians([0.2, 0.8]) if family is None else family
    w = np.ones(n) if weights is None else weights
    base = problem_of(family, X, Y, "regression", sample_weight=w).kernels
    kernel = base.kernel(np.linspace(1, 2, base.n_kernels))
    return TrainingProblem(kernel, Y, w, True, Threads(threads), max_memory=max_memory)


def use(constants, monkeypatch, working=64):
    """Set constants of the machine, and the sizes of working sets and of the cache."""
    for name, value in constants.items():
        monkeypatch.setattr(svm, name, value)
    monkeypatch.setattr(svm, "LEAST_ROWS", 2 * working)
    monkeypatch.setattr(svm_rows, "WORKING", working)


def test_svm_path_in_any_order_equals_single_fits(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=1)
    signs = training_problem(K.copy(), np.sign(problem.Y))
    values = [10.0, 0.1, 1.0]
    path = trained(SVM(), signs, values)
    for value, found in zip(values, path, strict=True):
        (alone,) = trained(SVM(), signs, [value])
        assert np.allclose(K @ found.coef, K @ alone.coef, atol=1e-6)


@pytest.mark.parametrize("kind", [SVM, SVR])
@pytest.mark.parametrize(("tol", "single"), [(1e-3, True), (1e-6, False)])
def test_approximate_machine_rounds_the_gram_matrix_unless_outputs_change(kind, tol, single, rng):
    problem, machine = noisy_classes(100, rng), kind(tol)
    (exact,), (rough,) = (one.train(problem, [10.0]) for one in (machine, machine.approximate()))
    K = problem.kernel.gram(Threads(1))
    outputs, expected = (K @ one.coef + one.intercept for one in (rough, exact))
    assert rough.single == single and not exact.single
    assert np.allclose(outputs, expected, atol=2 * tol)


def test_regression_does_not_depend_on_the_unit_of_the_target(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=2)
    changed = training_problem(K.copy(), problem.Y * [1e3, 1e-3] + 7.0)
    (one,), (other,) = (trained(SVR(), given, [2.0]) for given in (problem, changed))
    assert np.allclose(other.coef, one.coef * [1e3, 1e-3])
    assert np.allclose(other.intercept, one.intercept * [1e3, 1e-3] + 7.0)


def test_regression_of_several_targets_equals_one_machine_each(rng):
    K, problem = gaussian_problem(rng, n=60, outputs=2)
    (both,) = trained(SVR(epsilon=0.3), problem, [2.0])
    for output in range(2):
        alone = training_problem(K.copy(), problem.Y[:, [output]])
        (found,) = trained(SVR(epsilon=0.3), alone, [2.0])
        assert np.allclose(found.coef[:, 0], both.coef[:, output])
        assert np.isclose(found.intercept[0], both.intercept[output])
    assert len(both.certificates) == 2


def test_regression_of_a_constant_target_is_the_constant(rng):
    K, _ = gaussian_problem(rng, n=20)
    (found,) = trained(SVR(), training_problem(K.copy(), np.full((20, 1), 4.0)), [1.0])
    assert not found.coef.any() and found.intercept[0] == 4.0


@pytest.mark.parametrize("constants", [DENSE, WHOLE, ROWS])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_objective_equals_that_of_libsvm(constants, C, rng, monkeypatch):
    use(constants, monkeypatch)
    weights = rng.uniform(0.5, 2.0, 700)
    problem = noisy_classes(700, rng, weights=weights)
    K, y = problem.kernel.gram(Threads(1)), problem.Y[:, 0]
    (found,) = trained(SVM(), problem, [C])
    other = SVC(kernel="precomputed", C=C, tol=1e-6).fit(K, y, weights)
    beta = np.zeros(700)
    beta[other.support_] = other.dual_coef_[0]
    objective = y @ beta - beta @ K @ beta / 2
    assert found.certificates[0].status == "optimal"
    assert found.certificates[0].dual == pytest.approx(objective, rel=1e-6)
    coef = found.coef[:, 0]
    assert y @ coef - coef @ K @ coef / 2 == pytest.approx(found.certificates[0].dual, rel=1e-9)


@pytest.mark.parametrize("constants", [WHOLE, ROWS])
def test_regression_equals_that_of_libsvm(constants, rng, monkeypatch):
    use(constants, monkeypatch)
    problem = noisy_classes(500, rng)
    K, y = problem.kernel.gram(Threads(1)), problem.Y[:, 0]
    (found,) = trained(SVR(epsilon=0.2), problem, [1.0])
    s = y.std()
    other = LibsvmSVR(kernel="precomputed", C=1.0, epsilon=0.2, tol=1e-6).fit(K, (y - y.mean()) / s)
    outputs = K @ found.coef[:, 0] + found.intercept[0]
    assert np.allclose(outputs, other.predict(K) * s + y.mean(), atol=1e-4)


@pytest.mark.parametrize("constants", [WHOLE, ROWS])
def test_machine_of_several_classes_does_not_depend_on_threads(constants, rng, monkeypatch):
    use(constants, monkeypatch)
    seed = int(rng.integers(2**31))
    one, two = (
        trained(
            SVM(), noisy_classes(600, np.random.default_rng(seed), threads=k, classes=3), [0.5, 5.0]
        )
        for k in (1, 2)
    )
    for found, other in zip(one, two, strict=True):
        assert found.coef.shape == (600, 3)
        assert (found.coef == other.coef).all()
        assert (found.intercept == other.intercept).all()


@pytest.mark.parametrize("n_rows", [128, 300, 599])
def test_solution_does_not_depend_on_the_size_of_the_cache(n_rows, rng, monkeypatch):
    use(ROWS | {"KEPT": n_rows / 600}, monkeypatch)
    problem = noisy_classes(600, rng)
    (found,) = trained(SVM(), problem, [1.0])
    monkeypatch.setattr(svm, "FEW", 600)
    (dense,) = trained(SVM(), problem, [1.0])
    assert np.allclose(found.coef, dense.coef, atol=1e-6)
    assert np.allclose(found.intercept, dense.intercept, atol=1e-6)


@pytest.mark.parametrize("family", [lk.gaussians([0.2, 0.8]), lk.laplacians([0.2])])
def test_memory_of_rows_is_bounded(family, rng):
    n, max_memory = 4000, 8 * 4000 * 1024
    problem = noisy_classes(n, rng, family=family, max_memory=max_memory)
    few = noisy_classes(1500, rng, family=family, max_memory=8 * 1500 * 1024)
    trained(SVM(), few, [1.0])  # compile before measuring
    tracemalloc.start()
    try:
        (found,) = trained(SVM(), problem, [1.0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.certificates[0].status == "optimal"
    # Rows that are being evaluated, of some threads.
    assert peak < max_memory + 20e6 < 8 * n**2 / 2

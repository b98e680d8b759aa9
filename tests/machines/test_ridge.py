"""Dense kernel ridge regression against scikit-learn and against its definition."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

import learnkernels as lk
from learnkernels.gram import GramMatrix
from learnkernels.machines import DenseRidge, Ridge
from tests import dense
from tests.machines.problems import (
    KERNELS,
    gaussian_problem,
    learned_problem,
    trained,
    training_problem,
)


def leave_one_out(problem, values):
    return Ridge().strategy(problem, len(values)).leave_one_out(problem, values)


@pytest.mark.parametrize("center", [True, False])
def test_ridge_solves_its_linear_system(center, rng):
    K, problem = gaussian_problem(rng, center=center)
    (found,) = trained(Ridge(), problem, [0.7])
    targets = problem.Y - (problem.Y.mean(axis=0) if center else 0)
    assert np.allclose((K + 0.7 * np.eye(40)) @ found.coef, targets)
    assert np.allclose(found.intercept, problem.Y.mean(axis=0) if center else 0)


def test_ridge_without_centering_equals_that_of_scikit_learn(rng):
    K, problem = gaussian_problem(rng, center=False, weights=rng.uniform(0.5, 2.0, 40))
    (found,) = trained(Ridge(), problem, [0.7])
    expected = KernelRidge(alpha=0.7, kernel="precomputed").fit(K, problem.Y, problem.weights)
    assert np.allclose(found.coef, expected.dual_coef_)


@pytest.mark.parametrize("center", [True, False])
def test_leave_one_out_errors_of_few_and_many_values_agree_with_weights(center, rng):
    K, problem = gaussian_problem(rng, center=center, weights=rng.uniform(0.5, 2.0, 40))
    values = np.geomspace(1e-6, 100, 8).tolist()
    many = leave_one_out(replace(problem, kernel=GramMatrix(K.copy())), values)
    few = leave_one_out(replace(problem, kernel=GramMatrix(K.copy())), values[:3])
    assert np.allclose(few, many[:3], rtol=1e-7)


@pytest.mark.parametrize("center", [True, False])
def test_outputs_of_left_out_samples_are_those_of_one_fit_for_each_alpha(center, rng):
    K, problem = gaussian_problem(rng, n=25, center=center)
    values = [0.1, 3.0]
    several = DenseRidge().left_out(replace(problem, kernel=GramMatrix(K.copy())), values)
    for alpha, outputs in zip(values, several, strict=True):
        one = replace(problem, kernel=GramMatrix(K.copy()), left_out=True)
        (alone,) = DenseRidge().train(one, [alpha])
        assert np.allclose(outputs, alone.left_out)


@pytest.mark.parametrize("center", [True, False])
def test_best_predictor_is_kept_for_its_problem(center, rng):
    K, problem = gaussian_problem(rng, center=center, weights=rng.uniform(0.5, 2.0, 40))
    values = [1e-3, 0.1, 10.0]
    errors = leave_one_out(problem, values)  # overwrites the matrix
    best = [values[int(np.argmin(errors))]]
    assert list(problem.kept(DenseRidge)) == best
    (kept,) = DenseRidge().train(replace(problem, left_out=True), best)
    fresh = replace(problem, kernel=GramMatrix(K.copy()), left_out=True, known={})
    (alone,) = DenseRidge().train(fresh, best)
    assert np.allclose(kept.coef, alone.coef, rtol=1e-8)
    assert np.allclose(kept.left_out, alone.left_out, rtol=1e-8)
    assert (DenseRidge().left_out(problem, best)[0] == kept.left_out).all()
    assert DenseRidge().train(problem, best)[0].left_out is None  # not asked for
    other = replace(problem, kernel=GramMatrix(2 * K))
    assert problem.kept(DenseRidge) and not other.kept(DenseRidge)


def test_predictors_by_eigenvectors_are_not_kept(rng):
    _, problem = gaussian_problem(rng)
    leave_one_out(problem, np.geomspace(1e-3, 10, 8).tolist())
    assert problem.kept(DenseRidge) == {}


def test_alphas_without_a_solution_have_infinite_errors_without_warnings(rng):
    K = np.diag([-1.0, 1.0, 2.0, 3.0])
    values = [3.0, 2.0, 1.0]  # K + I is singular
    problem = training_problem(K, rng.standard_normal((4, 1)), center=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errors = leave_one_out(problem, values)
    assert np.isfinite(errors[:2]).all() and errors[2] == np.inf
    none = training_problem(-5 * np.eye(4), rng.standard_normal((4, 1)), center=False)
    with pytest.raises(lk.InputError, match="alpha"):
        leave_one_out(none, values)


# Few values of alpha use Cholesky decompositions, many an eigendecomposition.
@pytest.mark.parametrize("values", [[1e-9, 0.1, 3.0], [1e-9, 0.01, 0.1, 1.0, 3.0, 10.0]])
@pytest.mark.parametrize("center", [True, False])
def test_leave_one_out_error_equals_refitting_without_each_sample(center, values, rng):
    K, problem = gaussian_problem(rng, n=25, center=False)
    Y = problem.Y
    if center:
        problem = training_problem(dense.centered(K), Y)
    errors = leave_one_out(problem, values)
    for alpha, error in zip(values, errors, strict=True):
        residuals = []
        for i in range(25):
            rest = np.delete(np.arange(25), i)
            k, intercept, row = K[np.ix_(rest, rest)], 0.0, K[i, rest]
            if center:
                intercept = Y[rest].mean(axis=0)
                row = row - row.mean() - k.mean(axis=0) + k.mean()
                k = dense.centered(k)
            coef = np.linalg.solve(k + alpha * np.eye(24), Y[rest] - intercept)
            residuals.append(Y[i] - row @ coef - intercept)
        assert np.isclose(error, np.mean(np.square(residuals)), rtol=1e-4)


def test_ridge_for_several_alphas_equals_single_fits(rng):
    K, problem = gaussian_problem(rng, weights=rng.uniform(0.5, 2.0, 40))
    alphas = [0.1, 1.0]
    for alpha, found in zip(alphas, trained(Ridge(), problem, alphas), strict=True):
        again = training_problem(K.copy(), problem.Y, problem.weights)
        (expected,) = trained(Ridge(), again, [alpha])
        assert np.allclose(found.coef, expected.coef)


def test_indefinite_kernel_raises_input_error(rng):
    K, problem = gaussian_problem(rng)
    for values in ([1.0], [1.0, 2.0]):
        indefinite = training_problem(-5 * K, problem.Y)
        with pytest.raises(lk.InputError, match="raise alpha"):
            trained(Ridge(), indefinite, values)


def test_leave_one_out_error_is_infinite_for_alpha_without_a_solution(rng):
    K, problem = gaussian_problem(rng)
    shifted = K - 2 * np.eye(40)
    lowest = np.linalg.eigvalsh(shifted)[0]
    errors = leave_one_out(training_problem(shifted, problem.Y, center=False), [1.0, -lowest + 1.0])
    assert np.isinf(errors[0]) and np.isfinite(errors[1])


def test_strategy_depends_on_rank_components_and_memory(rng):
    def name(kernels, n_values=1, **options):
        problem, _ = learned_problem(kernels, rng, **options)
        return Ridge().strategy(problem, n_values).name

    gram = 8 * 70**2
    tiles, thin = KERNELS["tiles"], KERNELS["factors"]
    assert name(thin) == "factors"
    assert name(tiles) == name(tiles, max_memory=gram) == "dense"
    assert name(tiles, 2, max_memory=gram) == "conjugate gradients"
    assert name(tiles, max_memory=gram - 1) == "conjugate gradients"
    assert name(tiles, n_components=10) == "landmarks"

"""Multiple-kernel regressors against exact computations in spaces where all norms are known.

On a domain of finitely many points a kernel is a positive definite matrix, a function the vector of
its values v, and ``|f|^2 = v' G_u^-1 v``: nothing has to be approximated.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from learnkernels.errors import InputError
from learnkernels.kernels import Gaussian, Polynomial
from learnkernels.theory.regressors import (
    KernelFunction,
    excess_error,
    generalization_error,
    inner_products,
    multiple_kernel_regressor,
    single_kernel_regressor,
    squared_norm,
    theoretical_limit,
)


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread():
    with threadpool_limits(1):
        yield


def on_indices(M):
    """Return the kernel whose Gram matrix on the domain 0, 1, 2, ... is M."""
    return lambda X, Z: M[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))]


def column(values):
    return np.asarray(values, dtype=float)[:, None]


@dataclass
class Finite:
    """A random problem on 14 points: kernels, target, training points, and the norm's matrix."""

    seed: int

    def __post_init__(self):
        rng = np.random.default_rng(self.seed)
        n, size, n_samples = rng.integers(2, 4), 14, rng.integers(1, 5)
        roots = rng.standard_normal((n, size, 2 * size))
        self.M = roots @ roots.transpose(0, 2, 1) / size  # (n, size, size)
        self.kernels = [on_indices(M) for M in self.M]
        self.domain = column(range(size))
        self.X = column(rng.choice(size, n_samples, replace=False))
        self.noise = 0.1 * rng.standard_normal(n_samples)
        centres = rng.choice(size, 6, replace=False)
        self.target = KernelFunction(self.kernels, column(centres), rng.standard_normal(6))
        self.basis = np.concatenate([M[:, self.X[:, 0].astype(int)] for M in self.M], axis=1)

    def product(self, u, v):
        """<f, g> for functions with the values u and v on the domain."""
        return u.T @ np.linalg.solve(self.M.sum(axis=0), v)

    def square(self, f):
        return self.product(f(self.domain), f(self.domain))

    def distance(self, f, g):
        difference = f(self.domain) - g(self.domain)
        return self.product(difference, difference)


@pytest.fixture(params=range(10))
def finite(request):
    return Finite(request.param)


@pytest.fixture(params=range(100))
def any_finite(request):
    return Finite(request.param)


def density(sigma):
    kernel = Gaussian(1 / (2 * sigma**2))
    return lambda X, Z: kernel(X, Z) / (np.sqrt(2 * np.pi) * sigma)


GAUSSIANS = [density(1.0), density(2.0)]
GRID = np.linspace(-10, 10, 101)[:, None]


def drawn(seed):
    """Return a target and training points as in section 4 of the paper."""
    rng = np.random.default_rng(seed)
    target = KernelFunction(GAUSSIANS, rng.standard_normal((20, 1)), rng.standard_normal(20))
    return target, rng.standard_normal((5, 1)), 0.1 * rng.standard_normal(5)


class TestByHand:
    """Kernels x_1 z_1 and x_2 z_2: the space of c_1 x_1 + c_2 x_2 with |f|^2 = c_1^2 + c_2^2.

    Target 2 x_1, training point (1, 1) with the value 2.
    """

    kernels = tuple(lambda X, Z, p=p: np.outer(X[:, p], Z[:, p]) for p in (0, 1))
    X, Z, y = np.ones((1, 2)), np.eye(2), np.array([2.0])
    target = KernelFunction(kernels, [[2.0, 0.0]], [1.0])

    def test_function_is_the_sum_of_its_kernel_expansions(self):
        assert self.target([[3.0, 5.0], [0.0, 1.0]]) == pytest.approx([6, 0])
        own = KernelFunction(self.kernels, [[1.0, 1.0]], [[2.0], [-1.0]])
        assert own([[3.0, 5.0]]) == pytest.approx([1])

    def test_inner_products_of_two_linear_kernels(self):
        found = inner_products(self.kernels, [[1.0, 1.0], [3.0, 0.5]], np.tile(self.Z, (2, 1)))
        expected = np.zeros((4, 4))
        expected[:2, :2], expected[2:, 2:] = [[1, 3], [3, 9]], [[1, 0.5], [0.5, 0.25]]
        assert found == pytest.approx(expected, abs=1e-7)

    def test_squared_norm_is_the_sum_of_squared_coefficients(self):
        assert squared_norm(self.target) == pytest.approx(4)
        own = KernelFunction(self.kernels, self.X, [[3.0], [-1.0]])
        assert squared_norm(own, self.Z) == pytest.approx(10)

    def test_theoretical_limit_is_the_target_in_the_span(self):
        limit = theoretical_limit(self.target, self.X, self.Z)
        assert limit.coefficients == pytest.approx(np.array([[2.0], [0.0]]), abs=1e-7)
        assert generalization_error(self.target, limit, self.Z) == pytest.approx(0, abs=1e-7)

    # x_1 + x_2 takes the value 2; with lam = 2, c = 2 / (2 + 2): (x_1 + x_2) / 2
    @pytest.mark.parametrize(("lam", "c", "error"), [(0.0, 1.0, 2.0), (2.0, 0.5, 2.5)])
    def test_regressors_have_the_error_computed_by_hand(self, lam, c, error):
        single = single_kernel_regressor(self.kernels, self.X, self.y, lam)
        multiple = multiple_kernel_regressor(self.kernels, self.X, self.y, self.Z, lam)
        assert single.coefficients == pytest.approx([c])
        assert multiple.coefficients == pytest.approx(np.array([[c], [c]]))
        assert generalization_error(self.target, single) == pytest.approx(error)
        assert generalization_error(self.target, multiple, self.Z) == pytest.approx(error)

    def test_excess_error_is_the_distance_from_the_limit(self):
        assert excess_error(self.target, self.X, self.Z) == pytest.approx(2)


class TestOnAFiniteDomain:
    def test_inner_products_equal_those_of_the_finite_space(self, finite):
        found = inner_products(finite.kernels, finite.X, finite.domain, 1e-12)
        assert found == pytest.approx(finite.product(finite.basis, finite.basis), rel=1e-8)

    def test_theoretical_limit_is_the_projection(self, finite):
        limit = theoretical_limit(finite.target, finite.X, finite.domain, 1e-12)
        left = finite.target(finite.domain) - limit(finite.domain)
        assert finite.product(finite.basis, left) == pytest.approx(0, abs=1e-8)

    def test_errors_are_squared_distances(self, finite):
        y = finite.target(finite.X) + finite.noise
        functions = [
            theoretical_limit(finite.target, finite.X, finite.domain, 1e-12),
            multiple_kernel_regressor(finite.kernels, finite.X, y, finite.domain, 0.3, 1e-12),
            single_kernel_regressor(finite.kernels, finite.X, y),
        ]
        for f in functions:
            found = generalization_error(finite.target, f, finite.domain, 1e-12)
            assert found == pytest.approx(finite.distance(finite.target, f), abs=1e-8)
            assert squared_norm(f, finite.domain, 1e-12) == pytest.approx(finite.square(f))
        assert squared_norm(finite.target) == pytest.approx(finite.square(finite.target))

    def test_regressors_satisfy_the_equations_of_the_paper(self, finite):
        y, lam = finite.target(finite.X) + finite.noise, 0.3
        H = finite.product(finite.basis, finite.basis)
        G = finite.basis[finite.X[:, 0].astype(int)].T  # (n l, l)
        c = multiple_kernel_regressor(finite.kernels, finite.X, y, finite.domain, lam, 1e-12)
        left = (G @ G.T + lam * H) @ c.coefficients.ravel()
        assert left == pytest.approx(G @ y, abs=1e-7)  # (65)
        c = multiple_kernel_regressor(finite.kernels, finite.X, y, finite.domain, 0.0, 1e-12)
        assert G.T @ c.coefficients.ravel() == pytest.approx(y, abs=1e-8)  # (37)

    def test_theorem_2_estimate_is_orthogonal_to_residual(self, finite):
        y = finite.target(finite.X)
        f = multiple_kernel_regressor(finite.kernels, finite.X, y, finite.domain)(finite.domain)
        missed = finite.target(finite.domain) - f
        assert finite.product(missed, f) == pytest.approx(0, abs=1e-8)

    def test_theorem_3_error_is_at_least_the_limit(self, any_finite):
        kernels, X, domain = any_finite.kernels, any_finite.X, any_finite.domain
        target, y = any_finite.target, any_finite.target(X)
        functions = [
            theoretical_limit(target, X, domain, 1e-12),
            multiple_kernel_regressor(kernels, X, y, domain, 0.0, 1e-12),
            multiple_kernel_regressor(kernels, X, y, domain, 0.3, 1e-12),
        ]
        errors = [generalization_error(target, f, domain, 1e-12) for f in functions]
        assert errors[0] <= errors[1] <= errors[2]
        excess = excess_error(target, X, domain, 1e-12)
        assert excess == pytest.approx(errors[1] - errors[0], rel=1e-6)

    def test_theorems_4_and_5_hold_for_any_gamma(self, any_finite):
        kernels, X, domain = any_finite.kernels, any_finite.X, any_finite.domain
        y = any_finite.target(X) + any_finite.noise
        for lam in (0.0, 0.01, 3.0):  # theorem 4, theorem 5 twice
            single = single_kernel_regressor(kernels, X, y, lam)
            expected = np.tile(single.coefficients, (len(kernels), 1))  # (61), (68)
            for dense, gamma in [(domain, 1e-8), (domain[:12], 0.5)]:
                multiple = multiple_kernel_regressor(kernels, X, y, dense, lam, gamma)
                assert multiple.coefficients == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(100))
def test_theorems_3_to_5_in_the_setting_of_the_paper(seed):
    target, X, noise = drawn(seed)
    size, y = squared_norm(target), target(X) + noise
    single = single_kernel_regressor(GAUSSIANS, X, y, 0.01)
    multiple = multiple_kernel_regressor(GAUSSIANS, X, y, GRID, 0.01)
    assert multiple(GRID) == pytest.approx(single(GRID), abs=1e-6)
    single = single_kernel_regressor(GAUSSIANS, X, target(X))
    multiple = multiple_kernel_regressor(GAUSSIANS, X, target(X), GRID)
    # Rounding as the square root of the condition number, since some training points almost meet.
    weakest = np.linalg.eigvalsh(sum(K(X, X) for K in GAUSSIANS))[0]
    assert multiple(GRID) == pytest.approx(single(GRID), abs=1e-9 / np.sqrt(weakest))
    limit = theoretical_limit(target, X, GRID)
    least = generalization_error(target, limit, GRID)
    learned = generalization_error(target, single)
    assert 0 < least < learned
    assert excess_error(target, X, GRID) == pytest.approx(learned - least, abs=1e-4 * size)


def by_fourier(X, sigmas):
    """H of Gaussian densities: the integral of F_p F_q / F_u cos(w (x_i - x_j)) / (2 pi)."""
    w = np.linspace(-12, 12, 4001)
    F = np.exp(-np.outer(np.square(sigmas), w**2) / 2)  # (n, frequencies)
    cosines = np.cos((X - X.T)[:, :, None] * w)  # (l, l, frequencies)
    H = np.einsum("pw,qw,ijw->piqj", F, F / F.sum(axis=0), cosines) * (w[1] - w[0]) / (2 * np.pi)
    return H.reshape(len(F) * len(X), -1)


def test_inner_products_match_fourier_transforms():
    X = column([-1.0, 0.3, 2.0])
    expected = by_fourier(X, [1.0, 2.0])
    assert inner_products(GAUSSIANS, X, GRID) == pytest.approx(expected, abs=1e-9)


def test_norms_increase_with_denser_set_and_smaller_gamma():
    f = KernelFunction(GAUSSIANS, column([-1.0, 0.3, 2.0]), [[3.0, -1.0, 2.0], [0.0, 1.0, -2.0]])
    sets = [GRID[::20], GRID[::10], GRID[::5], GRID]
    norms = [squared_norm(f, dense, 1e-6) for dense in sets]
    norms += [squared_norm(f, GRID, gamma) for gamma in (1e-7, 1e-8, 1e-9)]
    assert np.diff(norms).min() > -1e-12
    c = f.coefficients.ravel()
    assert norms[-1] == pytest.approx(c @ by_fourier(f.points, [1.0, 2.0]) @ c, abs=1e-7)


@pytest.mark.parametrize("gamma", [1e-8, 1e-2, 1.0])
def test_errors_are_negative_by_at_most_gamma(gamma):
    for seed in range(20):
        target, X, _ = drawn(seed)
        limit = theoretical_limit(target, X, GRID[::20], gamma)
        error = generalization_error(target, limit, GRID[::20], gamma)
        assert error >= -gamma * np.sum(target.coefficients**2) - 1e-9


def test_limit_with_equal_coefficients_is_reached():
    """The condition (49) of theorem 3: the target is made of the training points."""
    X = column([-2.0, 0.0, 1.5])
    target = KernelFunction(GAUSSIANS, X, [1.0, -2.0, 0.5])
    limit = theoretical_limit(target, X, GRID)
    assert limit.coefficients == pytest.approx(np.tile(target.coefficients, (2, 1)), abs=1e-6)
    assert excess_error(target, X, GRID) == pytest.approx(0, abs=1e-9)
    learned = single_kernel_regressor(GAUSSIANS, X, target(X))
    assert generalization_error(target, learned) == pytest.approx(0, abs=1e-12)


def test_error_bounds_the_difference_at_every_point():
    target, X, _ = drawn(3)
    learned = single_kernel_regressor(GAUSSIANS, X, target(X))
    bound = generalization_error(target, learned) * sum(K(GRID, GRID) for K in GAUSSIANS).diagonal()
    assert ((target(GRID) - learned(GRID)) ** 2 <= bound).all()  # (8)


def test_single_kernel_reaches_its_limit():
    """With a single kernel interpolation is the limit itself, eqs (12) and (18)."""
    target = KernelFunction([density(1.0)], column([-1.0, 0.5, 2.0]), [1.0, 2.0, -1.0])
    X = column([-1.5, 0.0, 1.0])
    limit = theoretical_limit(target, X, GRID)
    learned = single_kernel_regressor([density(1.0)], X, target(X))
    assert limit.coefficients[0] == pytest.approx(learned.coefficients, abs=1e-8)


def test_dependent_functions_and_duplicate_points_are_accepted():
    kernels, X, y = [density(1.0)] * 2, column([0.0, 1.0, 1.0]), [1.0, 2.0, 3.0]
    single = single_kernel_regressor(kernels, X, y, 0.1)
    multiple = multiple_kernel_regressor(kernels, X, y, GRID, 0.1)
    assert multiple(GRID) == pytest.approx(single(GRID), abs=1e-6)
    target = KernelFunction(kernels, column([0.5]), [1.0])
    assert excess_error(target, X[:2], GRID) == pytest.approx(0, abs=1e-9)


def test_kernels_of_the_library_in_several_dimensions(rng):
    kernels = [Gaussian(0.1), Polynomial(2)]
    X, dense = rng.standard_normal((8, 2)), rng.standard_normal((60, 2))
    y = rng.standard_normal(8)
    single = single_kernel_regressor(kernels, X, y, 0.1)
    multiple = multiple_kernel_regressor(kernels, X, y, dense, 0.1)
    assert multiple(dense) == pytest.approx(single(dense), abs=1e-6)


def test_input_arrays_are_not_modified():
    K, X, c = np.eye(3) + 1, column([0, 1, 2]), np.ones((1, 3))
    f = KernelFunction([lambda X, Z: K[: len(X), : len(Z)]], X, c)
    inner_products(f.kernels, X[:1], X[1:])  # the kernel returns views of K
    X[0], c[0] = 5.0, 5.0
    assert K == pytest.approx(np.eye(3) + 1)
    assert f.points[0] == 0.0
    assert f.coefficients == pytest.approx(1)


class TestBadInput:
    X, Z, y = column([0.0, 1.0]), column([-1.0, 0.5, 2.0]), [1.0, 2.0]
    target = KernelFunction(GAUSSIANS, X, y)

    @pytest.mark.parametrize("kernels", [[], GAUSSIANS[0], [Gaussian(1.0), 3]])
    def test_invalid_list_of_kernels_raises(self, kernels):
        with pytest.raises(InputError, match="list of one or more callables"):
            single_kernel_regressor(kernels, self.X, self.y)

    @pytest.mark.parametrize(
        ("points", "match"),
        [
            ([0.0, 1.0], r"shape \(2,\).*reshape"),
            (np.empty((0, 1)), "at least one point"),
            ([[0.0], [np.nan]], "X has NaN"),
            ([["a"], ["b"]], "X is not numeric"),
        ],
    )
    def test_invalid_points_raise(self, points, match):
        with pytest.raises(InputError, match=match):
            single_kernel_regressor(GAUSSIANS, points, self.y)

    def test_invalid_values_raise(self):
        with pytest.raises(InputError, match=r"y has shape \(3,\)"):
            single_kernel_regressor(GAUSSIANS, self.X, [1.0, 2.0, 3.0])

    def test_dense_set_with_another_number_of_features_raises(self):
        with pytest.raises(InputError, match="dense has 2 features"):
            theoretical_limit(self.target, self.X, np.eye(2))

    def test_dense_set_of_too_few_points_raises(self):
        with pytest.raises(InputError, match=r"dense has 3 points.*pass at least 4"):
            multiple_kernel_regressor(GAUSSIANS, self.X, self.y, self.Z)

    @pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan, "small"])
    def test_invalid_gamma_raises(self, gamma):
        with pytest.raises(InputError, match="gamma must be a positive finite number"):
            inner_products(GAUSSIANS, self.X, self.Z, gamma)

    def test_gamma_below_rounding_raises(self):
        with pytest.raises(InputError, match="increase gamma"):
            inner_products([lambda X, Z: 1e6 * density(3.0)(X, Z)], self.X, GRID, 1e-13)

    @pytest.mark.parametrize("lam", [-0.1, np.inf, None])
    def test_invalid_regularization_raises(self, lam):
        with pytest.raises(InputError, match="regularization="):
            multiple_kernel_regressor(GAUSSIANS, self.X, self.y, GRID, lam)

    def test_interpolation_of_equal_points_raises(self):
        with pytest.raises(InputError, match="remove training points that are equal"):
            single_kernel_regressor(GAUSSIANS, [[1.0], [1.0]], self.y)

    @pytest.mark.parametrize(
        ("kernel", "match"),
        [
            (lambda X, Z: -np.exp(-((X - Z.T) ** 2)), "kernel 1 is not positive semi-definite"),
            (lambda X, Z: np.exp(X - 2 * Z.T), "kernel 1 is not symmetric"),
            (lambda X, Z: np.ones(3), r"kernel 1 returned an array of shape \(3,\)"),
            (lambda X, Z: np.full((len(X), len(Z)), np.inf), "the result of kernel 1 has NaN"),
        ],
    )
    def test_invalid_kernel_raises(self, kernel, match):
        with pytest.raises(InputError, match=match):
            single_kernel_regressor([density(1.0), kernel], self.X, self.y)

    def test_coefficients_of_another_shape_raise(self):
        with pytest.raises(InputError, match=r"shape \(3, 2\).*\(2, 2\).*one row for each kernel"):
            KernelFunction(GAUSSIANS, self.X, np.ones((3, 2)))

    def test_target_with_coefficients_for_each_kernel_raises(self):
        target = KernelFunction(GAUSSIANS, self.X, np.eye(2))
        with pytest.raises(InputError, match="an expansion in the sum kernel"):
            theoretical_limit(target, self.X, self.Z)

    def test_estimate_with_other_kernels_raises(self):
        other = KernelFunction(GAUSSIANS[::-1], self.X, self.y)
        with pytest.raises(InputError, match="different kernels"):
            generalization_error(self.target, other)

    def test_coefficients_for_each_kernel_without_dense_set_raise(self):
        own = KernelFunction(GAUSSIANS, self.X, np.eye(2))
        with pytest.raises(InputError, match="dense is None"):
            generalization_error(self.target, own)

"""Posterior and jackknife+ intervals of ridge: agreement with the definitions and with refits."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

import learnkernels as lk
from learnkernels.errors import InputError
from learnkernels.execution import Threads
from learnkernels.machines import DenseRidge
from learnkernels.machines.factor_ridge import FactorRidge
from learnkernels.machines.landmark_ridge import LandmarkRidge
from learnkernels.machines.posterior import LeftOut, dense_posterior, quantiles
from tests.machines.problems import KERNELS as MACHINE_KERNELS
from tests.machines.problems import learned_problem

SETTINGS = {"method": "unif", "alpha": 0.3, "normalize": None}
KERNELS = {
    "tiles": lk.gaussians([0.2, 0.7]),
    "factors": lk.per_feature(),
    "both": [lk.gaussians([0.3]), lk.per_feature()],
}


def regression(n=20, d=3, outputs=None):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + 5, d))
    Y = np.sin(X[:, :1]) + X[:, 1:2] + 0.2 * rng.standard_normal((n + 5, outputs or 1))
    return X[:n], Y[:n] if outputs else Y[:n, 0], X[n:]


def refits(model, X, y, new, w=None):
    """Return predictions without each sample for itself, and for new samples."""
    own, others = [], []
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        model.fit(X[kept], y[kept], None if w is None else w[kept])
        own.append(model.predict(X[i : i + 1])[0])
        others.append(model.predict(new))
    return np.array(own), np.array(others)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KERNELS)
def test_interval_equals_jackknife_plus_of_refits(kind, weighted, center):
    X, y, new = regression()
    w = np.linspace(0.5, 3, len(y)) if weighted else None
    model = lk.KernelRegressor(KERNELS[kind], center=center, **SETTINGS)
    own, others = refits(model, X, y, new, w)
    found = model.fit(X, y, w).predict_interval(new, 0.8)
    size = np.abs(y - own)[:, None]
    weights = np.ones(len(y)) if w is None else w
    upper = quantiles((others + size).T, weights, 0.8)
    lower = -quantiles((size - others).T, weights, 0.8)
    assert np.allclose(found, np.column_stack([lower, upper]), atol=1e-8)


def test_quantile_is_the_order_statistic_of_jackknife_plus():
    values = np.random.default_rng(0).permutation(np.arange(57.0)).reshape(3, 19)
    assert np.array_equal(quantiles(values, np.ones(19), 0.9), np.sort(values)[:, 17])
    assert np.array_equal(quantiles(values, np.full(19, 7.0), 0.95), values.max(axis=1))
    with pytest.raises(InputError, match=r"coverage=0.96 needs 24 samples to leave out"):
        quantiles(values, np.ones(19), 0.96)


def test_quantile_counts_a_sample_of_twice_the_weight_twice():
    values = np.array([[0.0, 1, 2, 3, 4, 5, 6, 7, 8]])
    weights = np.array([1.0, 1, 1, 1, 1, 1, 1, 1, 2])
    repeated = np.append(values, [[8.0]], axis=1)
    for coverage in (0.3, 0.5, 0.7):
        assert quantiles(values, weights, coverage) == quantiles(repeated, np.ones(10), coverage)


def test_std_is_that_of_a_gaussian_process_with_noise_from_leave_one_out():
    X, y, new = regression(40)
    # a huge constant in the kernel is a flat prior on the intercept
    kernel = ConstantKernel(1e6, "fixed") + RBF(1 / np.sqrt(2 * 0.2), "fixed")
    process = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None)
    mean, latent = process.fit(X, y).predict(new, return_std=True)
    settings = SETTINGS | {"alpha": 0.01}
    model = lk.KernelRegressor(lk.gaussians([0.2]), **settings).fit(X, y)
    found, std = model.predict(new, return_std=True)
    assert np.allclose(found, mean, atol=1e-4)
    left_out, variances = [], []
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        one, deviation = process.fit(X[kept], y[kept]).predict(X[i : i + 1], return_std=True)
        left_out.append(y[i] - one[0])
        variances.append(deviation[0] ** 2)

    def log_likelihood(logs):
        variance = np.exp(logs[0]) * (np.array(variances) + 0.01) + np.exp(logs[1])
        return -norm.logpdf(left_out, 0, np.sqrt(variance)).sum()

    best = minimize(log_likelihood, [0.0, -3.0], method="Nelder-Mead", tol=1e-9)
    scale, more = np.exp(best.x)
    assert more > 0.5 * scale * 0.01  # the noise is above alpha
    assert np.allclose(std, np.sqrt(scale * (latent**2 + 0.01) + more), rtol=1e-2)


def test_scales_of_known_variances_are_found():
    random = np.random.default_rng(0)
    v, w = random.uniform(0, 2, 5000), random.uniform(0.5, 2, 5000)
    residuals = np.sqrt(3 * v + 0.4 / w)[:, None] * random.standard_normal((5000, 2))
    left_out = LeftOut(w, residuals * [1, 10], v)
    scale, noise = left_out.scales(1e-6)
    assert np.allclose(scale, [3, 300], rtol=0.1)
    assert np.allclose(noise, [0.4, 40], rtol=0.1)


def test_noise_is_at_least_that_of_ridge():
    v = np.linspace(0.5, 1, 50)
    scale, noise = LeftOut(np.ones(50), np.sqrt(v)[:, None], v).scales(0.3)
    assert np.allclose(noise, 0.3 * scale)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("kind", ["tiles", "factors", "both"])
def test_factors_and_all_samples_as_landmarks_agree_with_the_gram_matrix(kind, center, rng):
    w = np.linspace(0.5, 2, 70)
    options = {"posterior": True, "n_components": 70}
    problem, _ = learned_problem(MACHINE_KERNELS[kind], rng, center, w, **options)
    new = rng.standard_normal((6, 4))
    strategy = FactorRidge() if kind == "factors" else LandmarkRidge()
    (fitted,) = strategy.train(problem, [0.5])
    (dense,) = DenseRidge().train(problem, [0.5])
    expected = dense_posterior(problem.kernel, dense.coef, 0.5, Threads(1))
    outputs = problem.kernel.cross_gram(new, Threads(1)) @ dense.coef + dense.intercept
    found = fitted.posterior
    assert np.allclose(found.std(new, Threads(1)), expected.std(new, Threads(1)), rtol=1e-6)
    assert np.allclose(found.left_out.residuals, expected.left_out.residuals, atol=1e-7)
    if kind == "factors":
        arguments = new, outputs, 0.9, Threads(1)
        assert np.allclose(found.interval(*arguments), expected.interval(*arguments))


def test_landmark_interval_is_that_of_the_jackknife(rng):
    options = {"posterior": True, "n_components": 30}
    problem, _ = learned_problem(MACHINE_KERNELS["tiles"], rng, **options)
    (fitted,) = LandmarkRidge().train(problem, [0.5])
    outputs = np.zeros((3, 2))
    found = fitted.posterior.interval(rng.standard_normal((3, 4)), outputs, 0.9, Threads(1))
    sizes = np.sort(np.abs(fitted.posterior.left_out.residuals), axis=0)[36]  # rank 0.9 (40 + 1)
    assert np.allclose(found, np.stack([-sizes, sizes], axis=1))


@pytest.mark.parametrize("center", [True, False])
def test_landmark_variance_lies_between_those_of_the_process_and_the_prior(center, rng):
    options = {"posterior": True, "n_components": 30}
    problem, _ = learned_problem(MACHINE_KERNELS["tiles"], rng, center, **options)
    new = 3 * rng.standard_normal((20, 4))
    (fitted,) = LandmarkRidge().train(problem, [0.5])
    exact = dense_posterior(problem.kernel, np.ones((70, 1)), 0.5, Threads(1))
    found, expected = (one.coordinates(new, Threads(1))[1] for one in (fitted.posterior, exact))
    prior = problem.kernel.cross_and_diagonal(new, Threads(1))[1]
    assert (found >= expected - 1e-9).all()
    assert (found > expected + 1e-3).any()
    if not center:  # with an intercept the prior variance is infinite
        assert (found <= prior + 1e-9).all()


def test_landmarks_are_not_left_out(rng):
    problem, _ = learned_problem(MACHINE_KERNELS["tiles"], rng, posterior=True, n_components=30)
    (fitted,) = LandmarkRidge().train(problem, [0.5])
    assert len(fitted.posterior.left_out.weights) == 40


def test_at_most_2000_samples_are_left_out():
    X = np.random.default_rng(0).standard_normal((2500, 3))
    y = X[:, 0] + np.random.default_rng(1).standard_normal(2500)
    model = lk.KernelRegressor(lk.per_feature(), method="unif", alpha=1.0).fit(X, y)
    assert len(model._posterior.left_out.weights) == 2000
    _, std = model.predict(X[:5], return_std=True)
    assert np.allclose(std, 1.0, rtol=0.05)

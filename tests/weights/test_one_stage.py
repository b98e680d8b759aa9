"""One-stage methods against a generic solver, their certificates, and what scaling must do."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import learnkernels as lk
from learnkernels.gram import tail_sum
from learnkernels.solvers import Ball, LpBall, Simplex
from learnkernels.weights import METHODS
from learnkernels.weights.ridge_task import ridge_bound, ridge_inner, ridge_targets
from learnkernels.weights.svm_task import svm_bound
from tests.weights.evidence import evidence_of, grams

KERNELS = [lk.gaussians([0.02, 0.2, 1.0, 8.0]), lk.linear()]
ONE_STAGE = ["align-single", "l1-krr", "l2-krr", "l1-svm", "l2-svm", "lp-svm", "conv", "dc", "ufo"]


def classes_of(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    scores = np.column_stack([X[:, 0] * X[:, 1], X[:, 2], -X[:, 0]])[:, :n_classes]
    if n_classes == 2:
        return X, (scores[:, 0] + 0.4 * rng.standard_normal(n) > 0).astype(int)
    return X, np.argmax(scores + 0.4 * rng.standard_normal(scores.shape), axis=1)


def targets_of(n, t, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2, X[:, 2]])[:, :t]
    return X, Y + 0.2 * rng.standard_normal(Y.shape)


def solved(problem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "may be inaccurate": the tolerance decides
        problem.solve(solver=cp.CLARABEL)
    assert problem.status in ("optimal", "optimal_inaccurate")
    return problem.value


def svm_optimum(evidence, factors, p):
    """max_beta y'beta - |(beta'K_k beta)_k|_{p*} / 2 by a conic solver."""
    Y = evidence.Y
    beta = cp.Variable(Y.shape)
    C = evidence.C * evidence.weights[:, None]
    q = cp.Variable(len(factors))
    forms = [cp.sum_squares(L.T @ beta) <= q[k] for k, L in enumerate(factors)]
    norm = cp.max(q) if p == 1 else cp.norm(q, p / (p - 1))
    box = [cp.multiply(Y, beta) >= 0, cp.multiply(Y, beta) <= C, cp.sum(beta, axis=0) == 0]
    return solved(cp.Problem(cp.Maximize(cp.sum(cp.multiply(Y, beta)) - norm / 2), forms + box))


def ridge_optimum(evidence, factors, cost):
    """max_c 2 y'c - alpha |c|^2 - cost((c'K_k c)_k) by a conic solver."""
    Y = ridge_targets(evidence)
    c = cp.Variable(Y.shape)
    v = cp.Variable(len(factors))
    forms = [cp.sum_squares(L.T @ c) <= v[k] for k, L in enumerate(factors)]
    value = 2 * cp.sum(cp.multiply(Y, c)) - evidence.alpha * cp.sum_squares(c) - cost(v)
    return solved(cp.Problem(cp.Maximize(value), forms))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("p", [1.0, 1.2, 2.0, 4.0])
def test_svm_methods_reach_the_optimum(p, C, n_classes):
    evidence = evidence_of(KERNELS, *classes_of(40, n_classes), value=C)
    method = lk.methods.L1SVM(tol=1e-5) if p == 1 else lk.methods.LpSVM(p=p, tol=1e-5)
    mu, certificate = method.learn(evidence)
    expected = svm_optimum(evidence, grams(evidence)[1], p)
    assert np.isclose(certificate.primal, expected, rtol=1e-3)
    assert certificate.dual <= expected * (1 + 1e-6) <= certificate.primal * (1 + 1e-5)
    assert (mu >= 0).all() and np.linalg.norm(mu, p) <= 1 + 1e-6


@pytest.mark.parametrize("theta", [0, 1, 3])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_conv_is_the_svm_method_on_kernels_divided_by_their_tails(theta, p):
    evidence = evidence_of(lk.gaussians([0.02, 0.2, 1.0]), *classes_of(40, 2), value=50.0)
    K, factors = grams(evidence)
    mu, certificate = lk.methods.Conv(theta=theta, p=p, tol=1e-5).learn(evidence)
    tails = np.array([np.sort(np.linalg.eigvalsh(matrix))[: 40 - theta].sum() for matrix in K])
    scaled = [L / np.sqrt(t) for L, t in zip(factors, tails, strict=True)]
    assert np.isclose(certificate.primal, svm_optimum(evidence, scaled, p), rtol=1e-3)
    assert np.linalg.norm(mu * tails, p) <= 1 + 1e-6


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("radius", [0.3, 2.0])
def test_l1_ridge_reaches_the_optimum(radius, alpha, outputs):
    evidence = evidence_of(KERNELS, *targets_of(35, outputs), "regression", alpha)
    mu, certificate = lk.methods.L1Ridge(radius=radius, tol=1e-6).learn(evidence)
    expected = ridge_optimum(evidence, grams(evidence)[1], lambda v: radius * cp.max(v))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)
    assert (mu >= 0).all() and mu.sum() <= radius * (1 + 1e-6)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("mu0", [0.0, [0.3, 0.0, 0.1, 0.0, 1.0]])
def test_l2_ridge_reaches_the_optimum(mu0, alpha, outputs):
    evidence = evidence_of(KERNELS, *targets_of(35, outputs), "regression", alpha)
    method = lk.methods.L2Ridge(radius=0.8, mu0=mu0, tol=1e-8, max_iter=2000)
    mu, certificate = method.learn(evidence)
    base = np.broadcast_to(mu0, 5)
    expected = ridge_optimum(evidence, grams(evidence)[1], lambda v: base @ v + 0.8 * cp.norm(v, 2))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)
    # Theorem of 2009: mu - mu0 = radius v / |v|, v_k = c'K_k c.
    K = evidence.oracle.gram(mu)
    coef = np.linalg.solve(K + alpha * np.eye(35), ridge_targets(evidence))
    v = evidence.oracle.forms(coef)
    assert np.allclose(mu - base, 0.8 * v / np.linalg.norm(v), atol=1e-4)


@pytest.mark.parametrize("gammas", [(1.0, 1.0, 1.0), (0.0, 0.5, 0.0), (0.01, 0.0, 0.001)])
@pytest.mark.parametrize("outputs", [1, 2])
def test_align_single_reaches_the_optimum(gammas, outputs):
    evidence = evidence_of(KERNELS, *targets_of(20, outputs), "regression", 0.7)
    mu, certificate = lk.methods.AlignSingle(*gammas, tol=1e-7).learn(evidence)
    gamma, gamma1, gamma2 = gammas
    statistics = evidence.statistics
    K, factors = grams(evidence)
    Q = gamma2 * statistics.M + gamma1 * np.eye(5)
    root = np.linalg.cholesky(Q + 1e-12 * np.trace(Q) * np.eye(5))

    def objective(weights):
        A = np.einsum("k,kij->ij", weights, K) + 0.7 * np.eye(20)
        Y = ridge_targets(evidence)
        fit = np.vdot(Y, np.linalg.solve(A, Y))
        return fit - gamma * weights @ statistics.a + weights @ Q @ weights

    assert np.isclose(certificate.primal, objective(mu), rtol=1e-8)
    # min_mu max_c: exchange, then mu'Q mu - mu'(v + gamma a) over mu >= 0 has its own dual.
    Y = ridge_targets(evidence)
    c, v, u = cp.Variable(Y.shape), cp.Variable(5), cp.Variable(5)
    forms = [cp.sum_squares(L.T @ c) <= v[k] for k, L in enumerate(factors)]
    value = 2 * cp.sum(cp.multiply(Y, c)) - 0.7 * cp.sum_squares(c) - cp.sum_squares(root.T @ u)
    covered = [2 * Q @ u >= v + gamma * statistics.a]
    expected = solved(cp.Problem(cp.Maximize(value), forms + covered))
    assert np.isclose(certificate.primal, expected, rtol=1e-4)


@pytest.mark.parametrize("theta", [0, 1, 4])
@pytest.mark.parametrize("p", [1.0, 1.5])
def test_dc_is_feasible_monotone_and_no_worse_than_conv(theta, p):
    evidence = evidence_of(lk.gaussians([0.02, 0.2, 1.0, 4.0]), *classes_of(60, 2), value=100.0)
    K, factors = grams(evidence)
    mu, certificate = lk.methods.DC(theta=theta, p=p).learn(evidence)
    assert (mu >= 0).all()
    assert certificate.violation <= 1e-6
    assert (np.diff(certificate.history) <= 1e-9).all()
    if p == 1:
        combined = np.einsum("k,kij->ij", mu, K)
        assert tail_sum(combined, theta) <= 1 + 1e-6
        conv, _ = lk.methods.Conv(theta=theta).learn(evidence)
        other = np.einsum("k,kij->ij", conv, K)
        rescaled = conv / tail_sum(other, theta)
        unit = evidence.oracle.scaled(rescaled)
        single, proof = value_at(unit, evidence)
        assert certificate.primal <= proof * (1 + 1e-3), single
    if theta == 0:
        # The tail sum is the trace then, and the constraint is linear.
        scaled = [L / np.sqrt(np.trace(M)) for L, M in zip(factors, K, strict=True)]
        assert np.isclose(certificate.primal, svm_optimum(evidence, scaled, p), rtol=1e-3)


def value_at(oracle, evidence):
    """The SVM's objective with weights that are all in the oracle's factors."""
    from learnkernels.weights.svm_task import SVMTask

    point = SVMTask(oracle, evidence.Y, evidence.C * evidence.weights).evaluate(
        np.ones(oracle.n_kernels), None
    )
    return point, point.value


def test_bounds_hold_for_any_coefficients(rng):
    """The certificates' dual values are lower bounds whatever the solver did."""
    evidence = evidence_of(KERNELS, *classes_of(40, 2), value=2.0)
    _, best = lk.methods.L1SVM(tol=1e-6).learn(evidence)
    _, best2 = lk.methods.LpSVM(p=2, tol=1e-6).learn(evidence)
    for scale in (0.01, 0.1, 1.0):
        positive = evidence.Y > 0
        size = rng.random(evidence.Y.shape) * scale
        size[positive] *= size[~positive].sum() / size[positive].sum()
        beta = np.clip(size, 0, 2.0) * evidence.Y
        beta[positive] *= -beta[~positive].sum() / beta[positive].sum()
        q = evidence.oracle.forms(beta)
        assert svm_bound(evidence.Y, beta, q, Simplex()) <= best.primal
        assert svm_bound(evidence.Y, beta, q, LpBall(2.0)) <= best2.primal

    evidence = evidence_of(KERNELS, *targets_of(35, 2), "regression", 0.5)
    Y = ridge_targets(evidence)
    _, ridge1 = lk.methods.L1Ridge(tol=1e-6).learn(evidence)
    _, ridge2 = lk.methods.L2Ridge(tol=1e-6).learn(evidence)
    for coef in rng.standard_normal((5, *Y.shape)):
        for allowed, best in ((Simplex(), ridge1), (Ball(np.zeros(5)), ridge2)):
            inner = ridge_inner(Y, evidence.weights, 0.5, coef)
            bound = ridge_bound(inner, evidence.oracle.forms(coef), allowed)
            assert bound <= best.primal


@pytest.mark.parametrize("name", ["conv", "dc"])
def test_scaling_a_kernel_scales_its_weight_the_other_way(name):
    """Without normalisation; tail sums scale with the kernel, so nothing else changes."""
    X, y = classes_of(50, 2)

    def kernels(c):
        gaussians = lk.kernels.Gaussian(0.1), lk.kernels.Gaussian(1.0)
        return [lambda A, B: gaussians[0](A, B), lambda A, B: c * gaussians[1](A, B)]

    weights = [
        METHODS[name](tol=1e-6).learn(evidence_of(kernels(c), X, y, value=50.0, normalize=None))[0]
        for c in (1.0, 7.0)
    ]
    assert np.allclose(weights[0], weights[1] * [1.0, 7.0], rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["l1-svm", "lp-svm", "l1-krr", "l2-krr", "align-single"])
def test_normalisation_is_blind_to_the_scale_of_a_kernel(name):
    X, y = classes_of(50, 2)
    weights = [
        METHODS[name]().learn(
            evidence_of([lambda A, B: A @ B.T, lambda A, B, c=c: c * (A @ B.T) ** 2], X, y)
        )[0]
        for c in (1.0, 1e6)
    ]
    assert np.allclose(*weights, rtol=1e-3, atol=1e-4)  # as well as the gap determines them


@pytest.mark.parametrize("name", ONE_STAGE)
@pytest.mark.parametrize("case", ["duplicated", "one kernel", "many kernels", "unbalanced"])
def test_odd_problems_give_finite_non_negative_proved_weights(name, case):
    X, y = classes_of(45, 2)
    kernels = {
        "duplicated": lk.gaussians([0.2, 0.2, 0.2, 1.0]),
        "one kernel": lk.gaussians([0.5]),
        "many kernels": lk.gaussians(np.geomspace(1e-3, 1e2, 200)),
        "unbalanced": lk.gaussians([0.1, 1.0]),
    }[case]
    if case == "unbalanced":
        y = (np.arange(45) < 3).astype(int)
    with warnings.catch_warnings():
        if name == "ufo":  # stochastic: it says so when the objective still moves
            warnings.simplefilter("ignore", ConvergenceWarning)
        mu, certificate = METHODS[name]().learn(evidence_of(kernels, X, y))
    assert np.isfinite(mu).all() and (mu >= 0).all() and mu.any()
    assert name == "ufo" or certificate.gap <= 1e-4


@pytest.mark.parametrize("C", [0.01, 1.0, 1e3])
@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "l1-krr", "l2-krr", "align-single"])
def test_more_rank_one_kernels_than_samples(name, C, rng):
    X = rng.standard_normal((30, 200))
    stack = np.einsum("ik,jk->ijk", X, X)
    y = (X[:, :3].sum(axis=1) > 0).astype(int)
    mu, certificate = METHODS[name]().learn(evidence_of("precomputed", stack, y, value=C))
    assert certificate.gap <= 1e-4 and (mu >= 0).all()


@pytest.mark.parametrize("p", [1.01, 50.0])
def test_norms_near_one_and_far_from_it(p):
    evidence = evidence_of(KERNELS, *classes_of(40, 2), value=5.0)
    mu, certificate = lk.methods.LpSVM(p=p, max_iter=500).learn(evidence)
    assert certificate.gap <= 1e-4 and np.linalg.norm(mu, p) <= 1 + 1e-6


@pytest.mark.parametrize("C", [1e-3, 1e-1, 10.0, 1e3])
@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "conv", "dc"])
def test_every_c_is_proved(name, C):
    X, y = classes_of(60, 2)
    _, certificate = METHODS[name]().learn(
        evidence_of(lk.gaussians([0.05, 0.5, 3.0]), X, y, value=C)
    )
    assert certificate.gap <= 1e-4


def test_ending_above_the_tolerance_is_said():
    evidence = evidence_of(KERNELS, *classes_of(60, 2), value=100.0)
    gaussians = evidence_of(lk.gaussians([0.02, 0.2, 1.0]), *classes_of(60, 2), value=1000.0)
    with pytest.warns(ConvergenceWarning, match="dc ended"):
        _, certificate = lk.methods.DC(theta=4, max_iter=1, tol=1e-9).learn(gaussians)
    assert certificate.status == "not converged"
    for method in (lk.methods.L1SVM(max_iter=1), lk.methods.LpSVM(max_iter=1)):
        with pytest.warns(ConvergenceWarning, match="relative gap"):
            _, certificate = method.learn(evidence)
        assert certificate.status == "not converged"
    with pytest.warns(ConvergenceWarning, match="epochs"):
        lk.methods.UFO(max_iter=2, tol=1e-12).learn(evidence)


def test_kernels_of_low_rank_are_named_by_conv():
    X, y = classes_of(30, 2)
    with pytest.raises(lk.InputError, match="'linear' has rank at most theta=3"):
        lk.KernelClassifier(KERNELS, lk.methods.Conv(theta=3)).fit(X, y)


def test_ufo_on_many_classes():
    X, y = load_iris(return_X_y=True)
    model = lk.KernelClassifier(method=lk.methods.UFO(), C=10.0).fit(X, y)
    assert model.score(X, y) > 0.95
    history = model.certificate_.history
    assert history[-1] < history[0] and model.certificate_.last_step <= 1e-3
    sparse = lk.KernelClassifier(method=lk.methods.UFO(beta=0.3), C=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few = (sparse.fit(X, y).weights_ > 0).sum()
    assert few <= (model.weights_ > 0).sum()


def test_ufo_approaches_the_optimum_of_its_objective():
    """Multi-class hinge + lam/2 |w|^2_{2,p} by a conic solver, over coefficients of the samples."""
    evidence = evidence_of(lk.gaussians([0.05, 0.3, 1.0, 4.0]), *classes_of(36, 3))
    _, factors = grams(evidence)
    codes = evidence.Y.argmax(axis=1)
    lam, q = 0.05, 2 * np.log(4)
    W = [cp.Variable((36, 3)) for _ in factors]
    scores = sum(L @ w for L, w in zip(factors, W, strict=True))
    rows = []
    for i, y in enumerate(codes):
        margins = [scores[i, c] + (c != y) for c in range(3)]
        rows.append(cp.maximum(*margins) - scores[i, y])
    sizes = cp.hstack([cp.norm(w, "fro") for w in W])
    value = lam / 2 * cp.square(cp.pnorm(sizes, q / (q - 1))) + cp.sum(cp.hstack(rows)) / 36
    expected = solved(cp.Problem(cp.Minimize(value)))
    _, certificate = lk.methods.UFO(lam=lam, tol=1e-5, max_iter=400).learn(evidence)
    assert expected * (1 - 1e-6) <= certificate.primal <= 1.1 * expected


def test_ufo_is_reproducible():
    evidence = evidence_of(KERNELS, *classes_of(50, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, _ = lk.methods.UFO(random_state=3).learn(evidence)
        again, _ = lk.methods.UFO(random_state=3).learn(evidence)
    assert np.array_equal(first, again)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (lk.methods.L1Ridge(radius=0.0), "radius"),
        (lk.methods.L2Ridge(mu0=-1.0), "none negative"),
        (lk.methods.L2Ridge(mu0=[1.0, 2.0]), "one for each kernel"),
        (lk.methods.AlignSingle(gamma1=0, gamma2=0), "nothing bounds"),
        (lk.methods.AlignSingle(gamma=-1), "at least 0"),
        (lk.methods.LpSVM(p=0.5), "at least 1"),
        (lk.methods.Conv(theta=-1), "at least 0"),
        (lk.methods.Conv(theta=1.5), "whole number"),
        (lk.methods.DC(p=0.0), "at least 1"),
        (lk.methods.UFO(beta=-1), "at least 0"),
        (lk.methods.BestSingle(cv=1), "cv=1"),
        (lk.methods.L1SVM(max_iter=0), "max_iter"),
        (lk.methods.DC(max_iter=1.5), "whole number"),
        (lk.methods.UFO(tol=-1.0), "tol"),
    ],
)
def test_bad_parameters_are_sentences(method, says):
    with pytest.raises(lk.InputError, match=says):
        lk.KernelClassifier(KERNELS, method).fit(*classes_of(30, 2))


@pytest.mark.parametrize("name", ["l1-svm", "l2-svm", "lp-svm", "conv", "dc", "ufo"])
def test_methods_for_classes_are_refused_in_a_regressor(name):
    X, Y = targets_of(30, 1)
    with pytest.raises(lk.InputError, match="does not apply to regression"):
        lk.KernelRegressor(method=name).fit(X, Y[:, 0])


def test_the_learner_refuses_methods_that_need_a_machine():
    with pytest.raises(lk.InputError, match="together with a machine"):
        lk.KernelLearner(method="l1-svm").fit(*classes_of(30, 2))

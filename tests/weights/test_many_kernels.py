"""Every method on every kind of kernel against the Grams; solvers for many kernels likewise."""

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

import learnkernels as lk
from learnkernels.kernels import resolve
from learnkernels.solvers import Certificate, Simplex, minimise, minimise_sparse
from learnkernels.solvers import sparse as sparse_module
from learnkernels.weights import alignf, l1_ridge, svm_task
from learnkernels.weights.rank_one import rank_one, rank_one_ridge_weights, rank_one_svm_weights
from learnkernels.weights.ridge_task import RidgeTask, ridge_targets
from learnkernels.weights.svm_task import SVMTask
from tests.weights.evidence import evidence_of

N = 60


def counts(seed=0, n=N, q=8):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.6, (n, q)).astype(float) + 0.01 * rng.standard_normal((n, q))


def labels(X, seed=1):
    noise = np.random.default_rng(seed).standard_normal(len(X))
    return np.where(X[:, 0] - X[:, 1] + 0.5 * X[:, 2] + 0.4 * noise > 0, 1.0, -1.0)


def strings(seed=0, n=N):
    rng = np.random.default_rng(seed)
    first = rng.choice(list("ACGTN"), (n, 12))
    return np.array(["".join(row) for row in first], dtype=object)


KINDS = {
    "features": (lk.per_feature(), counts()),
    "sparse features": (lk.per_feature(), sparse.csr_array(counts())),
    "blocks": (lk.low_rank([[0, 1, 2], [3, 4], slice(5, 8)]), counts()),
    "nystroem": (lk.low_rank(lk.gaussians([0.1, 1.0]), rank=15), counts()),
    "random": (lk.low_rank(lk.gaussians([0.1]), rank=9, approximation="random"), counts()),
    "mixed": ([lk.per_feature(), lk.gaussians([0.1, 1.0]), lk.linear()], counts()),
    "sequences": ([lk.spectrum(1), lk.spectrum(2), lk.weighted_degree(3, 1)], strings()),
    "texts": (lk.ngrams(1, analyzer="char"), strings()),
    "views": ([lk.on([0, 1], lk.gaussians([0.5])), lk.on(slice(2, 8), lk.linear())], counts()),
}
METHODS = {
    "unif": "unif",
    "align": "align",
    "alignf": "alignf",
    "l1-svm": lk.methods.L1SVM(tol=1e-6),
    "l2-svm": lk.methods.LpSVM(p=2.0, tol=1e-8),
    "conv": lk.methods.Conv(theta=0, tol=1e-6),
    "dc": lk.methods.DC(theta=0, tol=1e-6),
    "l1-krr": lk.methods.L1Ridge(tol=1e-6),
    "l2-krr": lk.methods.L2Ridge(tol=1e-12),
    "align-single": lk.methods.AlignSingle(tol=1e-10),
    "single": "single",
    "ensemble": "ensemble",
    "ufo": lk.methods.UFO(tol=0.1),
}
# Iterative methods: how well their objective is proved, and their weights are known from that.
PROVED = {"l1-svm": 1e-6, "conv": 1e-6, "dc": 1e-6, "l1-krr": 1e-6}
KNOWN = {"l1-svm": 3e-3, "l2-svm": 3e-4, "conv": 3e-3, "dc": 3e-3, "l1-krr": 3e-3, "l2-krr": 1e-5}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_method_gives_what_it_gives_on_the_grams(kind, method):
    kernels, X = KINDS[kind]
    y = labels(counts())
    new, rows = slice(0, 9), slice(9, N)
    base = resolve(kernels, X[rows])
    stack = np.stack([np.asarray(kernel(X[rows])) for kernel in base], axis=-1)
    against = np.stack([np.asarray(kernel(X[new], X[rows])) for kernel in base], axis=-1)
    # One feature alone leaves the SVM's intercept open; ridge has one solution.
    machine = "ridge" if method in ("single", "ensemble") else "auto"
    options = {"C": 2.0, "tol": 1e-10, "machine": machine}
    ours = lk.KernelClassifier(kernels, METHODS[method], **options).fit(X[rows], y[rows])
    theirs = lk.KernelClassifier("precomputed", METHODS[method], **options).fit(stack, y[rows])
    proved = ours.certificate_.primal, theirs.certificate_.primal
    assert np.isclose(*proved, rtol=PROVED.get(method, 1e-8), atol=1e-12)
    near = KNOWN.get(method, 1e-8)
    assert np.allclose(ours.weights_, theirs.weights_, atol=near * theirs.weights_.max())
    outputs = ours.decision_function(X[new]), theirs.decision_function(against)
    assert np.allclose(*outputs, atol=near * np.abs(outputs[1]).max())


@pytest.mark.parametrize("alphas", [0.5, [0.01, 0.5, 20.0]])
@pytest.mark.parametrize("kind", KINDS)
def test_ridge_in_the_primal_is_ridge(kind, alphas):
    kernels, X = KINDS[kind]
    y = counts()[:, 0] ** 2
    w = np.random.default_rng(3).uniform(0.5, 2.0, N)
    base = resolve(kernels, X)
    stack = np.stack([np.asarray(kernel(X)) for kernel in base], axis=-1)
    ours = lk.KernelRegressor(kernels, "unif", alpha=alphas).fit(X, y, w)
    theirs = lk.KernelRegressor("precomputed", "unif", alpha=alphas).fit(stack, y, w)
    assert np.allclose(ours.predict(X), theirs.predict(stack), atol=1e-8 * np.abs(y).max())
    assert ours.alpha_ == theirs.alpha_
    if not np.isscalar(alphas):
        assert np.allclose(ours.alpha_errors_, theirs.alpha_errors_, rtol=1e-7)


def test_a_thin_kernel_needs_no_gram(monkeypatch):
    """Ridge with fewer columns than samples never asks for an n x n matrix."""
    X = np.random.default_rng(0).standard_normal((6000, 4))
    monkeypatch.setattr("learnkernels.gram.memory.available_memory", lambda: 2e8)
    for method in ("unif", "align", "alignf", "l2-krr", "l1-krr"):
        model = lk.KernelRegressor(lk.per_feature(), method, alpha=[0.1, 1.0]).fit(X, X[:, 0])
        assert model.score(X, X[:, 0]) > 0.99


def test_rank_one_kernels_have_no_tail():
    X = counts()
    with pytest.raises(lk.InputError, match="theta=0 for kernels of rank one"):
        lk.KernelClassifier(lk.per_feature(), "conv").fit(X, labels(X))


def many(n=80, q=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.1, (n, q)).astype(float)
    X[0] = 1.0  # no column is constant
    X[:, 10] = X[:, 11]
    y = np.where(X[:, :5].sum(axis=1) + 0.3 * rng.standard_normal(n) > 0.6, 1.0, -1.0)
    return sparse.csr_array(X), y


def columns(evidence):
    """The scaled, centered columns x_k of rank-one kernels, shape (n, p)."""
    kernels = rank_one(evidence.oracle)
    p = evidence.oracle.n_kernels
    return np.column_stack([kernels.times(evidence.oracle.unit(k)) for k in range(p)])


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_interior_points_solve_the_sparse_svm(C):
    X, y = many()
    evidence = evidence_of(lk.per_feature(), X, y, value=C)
    B = columns(evidence)
    assert np.allclose(B @ B.T, evidence.oracle.gram(np.ones(300)))
    beta, s = cp.Variable(80), cp.Variable()
    box = [cp.multiply(y, beta) >= 0, cp.multiply(y, beta) <= C, cp.sum(beta) == 0]
    value = y @ beta - cp.square(s) / 2
    program = cp.Problem(cp.Maximize(value), [*box, cp.abs(B.T @ beta) <= s])
    expected = program.solve(solver=cp.CLARABEL)
    task = SVMTask(evidence.oracle, evidence.Y, np.full(80, C))
    mu, certificate = rank_one_svm_weights(task, rank_one(evidence.oracle), 1e-5, 100)
    assert certificate.status == "optimal" and certificate.gap <= 1e-5
    assert np.isclose(certificate.primal, expected, rtol=2e-5)
    assert np.isclose(mu.sum(), 1) and mu.min() == 0  # truly sparse


@pytest.mark.parametrize("alpha", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("radius", [0.5, 3.0])
def test_interior_points_solve_sparse_ridge(alpha, radius):
    X, y = many(seed=1)
    w = np.random.default_rng(2).uniform(0.5, 2.0, 80)
    evidence = evidence_of(lk.per_feature(), X, y, task="regression", value=alpha, sample_weight=w)
    Y = ridge_targets(evidence)
    B = columns(evidence)
    c, s = cp.Variable(80), cp.Variable()
    value = 2 * Y[:, 0] @ c - alpha * cp.sum(cp.multiply(1 / w, cp.square(c)))
    program = cp.Problem(cp.Maximize(value - radius * cp.square(s)), [cp.abs(B.T @ c) <= s])
    expected = program.solve(solver=cp.CLARABEL)
    task = RidgeTask(evidence.oracle, Y, w, alpha, Simplex(radius))
    mu, certificate = rank_one_ridge_weights(task, rank_one(evidence.oracle), radius, 1e-6, 100)
    assert certificate.status == "optimal"
    assert np.isclose(certificate.primal, expected, rtol=1e-5)
    assert np.isclose(mu.sum(), radius)


def test_only_kernels_of_rank_one_go_that_way():
    X, y = counts(), labels(counts())
    for kernels in (lk.low_rank([[0, 1], [2]]), [lk.per_feature(), lk.linear()], lk.linear()):
        assert rank_one(evidence_of(kernels, X, y).oracle) is None
    assert rank_one(evidence_of(lk.per_feature(), X, y).oracle) is not None


@pytest.mark.parametrize("machine", ["ridge", "svm"])
def test_a_working_set_reaches_the_minimum_over_all_kernels(machine, monkeypatch):
    X, y = counts(q=6), labels(counts())
    kernels = [lk.gaussians(list(2.0 ** np.arange(-6, 6))), lk.per_feature(), lk.linear()]
    evidence = evidence_of(kernels, X, y)
    if machine == "svm":
        task = SVMTask(evidence.oracle, evidence.Y, np.full(N, 5.0))
    else:
        task = RidgeTask(evidence.oracle, ridge_targets(evidence), evidence.weights, 0.5, Simplex())
    p = evidence.oracle.n_kernels
    expected, _ = minimise(task, np.full(p, 1 / p), 1e-7, 500)
    monkeypatch.setattr(sparse_module, "FIRST", 3)
    mu, certificate = minimise_sparse(task, p, 1.0, 1e-5, 500)
    assert certificate.gap <= 1e-5
    assert np.isclose(certificate.primal, expected.value, rtol=2e-5)
    assert np.isclose(mu.sum(), 1)


@pytest.mark.parametrize("p", [1.2, 2.0])
def test_block_steps_reach_what_newton_steps_reach(p, monkeypatch):
    X, y = many()
    newton = lk.KernelClassifier(lk.per_feature(), lk.methods.LpSVM(p=p)).fit(X, y)
    monkeypatch.setattr(svm_task, "MOST_CURVED", 0)
    blocks = lk.KernelClassifier(lk.per_feature(), lk.methods.LpSVM(p=p)).fit(X, y)
    assert max(newton.certificate_.gap, blocks.certificate_.gap) <= 1e-4
    assert np.isclose(newton.certificate_.primal, blocks.certificate_.primal, rtol=2e-4)


def test_several_outputs_of_rank_one_kernels():
    X, y = many()
    codes = np.digitize(X[:, [0]].toarray()[:, 0] + 2 * (y > 0), [0.5, 1.5, 2.5])
    model = lk.KernelClassifier(lk.per_feature(), lk.methods.L1SVM(tol=1e-3), C=0.1)
    model.fit(X, codes)
    assert model.certificate_.gap <= 1e-3


def test_alignf_needs_not_all_inner_products(monkeypatch):
    X, y = many()
    expected = lk.KernelClassifier(lk.per_feature(), "alignf").fit(X, y)
    monkeypatch.setattr(alignf, "SMALL", 10)
    asked = []
    plain = lk.gram.inner.JointProducts.full
    monkeypatch.setattr(
        lk.gram.inner.JointProducts, "full", lambda self: asked.append(1) or plain(self)
    )
    model = lk.KernelClassifier(lk.per_feature(), "alignf").fit(X, y)
    assert not asked
    assert model.certificate_.status == "optimal"
    assert np.isclose(model.alignment_, expected.alignment_, rtol=1e-9)
    twins = [10, 11]
    others = np.delete(np.arange(300), twins)
    assert np.allclose(model.weights_[others], expected.weights_[others], atol=1e-8)
    assert np.isclose(model.weights_[twins].sum(), expected.weights_[twins].sum(), atol=1e-8)


def test_tall_tables_take_the_other_way_to_sparse_ridge(monkeypatch):
    X = counts(n=200, q=5)
    y = X[:, 0] + 0.1 * X[:, 1]
    short = lk.KernelRegressor(lk.per_feature(), lk.methods.L1Ridge(tol=1e-6)).fit(X, y)
    monkeypatch.setattr(l1_ridge, "TALL", 100)
    tall = lk.KernelRegressor(lk.per_feature(), lk.methods.L1Ridge(tol=1e-6)).fit(X, y)
    assert np.isclose(short.certificate_.primal, tall.certificate_.primal, rtol=1e-6)
    assert np.allclose(short.weights_, tall.weights_, atol=1e-3)


@pytest.mark.parametrize("method", ["l1-svm", "l1-krr", lk.methods.Conv(theta=0)])
def test_kernels_that_say_nothing_give_weights_all_the_same(method):
    """Classes that no feature tells anything of: the program's weights all vanish."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 10)
    y = (X[:, 0] != X[:, 1]).astype(int)
    model = lk.KernelClassifier(lk.per_feature(), method).fit(X, y)
    assert np.isfinite(model.weights_).all() and model.weights_.sum() > 0
    assert np.isfinite(model.certificate_.primal)


@pytest.mark.parametrize("alpha", [1e-5, 1e8])
def test_extreme_regularisation_is_mended_by_the_general_method(alpha):
    X = counts(n=100)
    y = X[:, 0] + 0.3 * np.random.default_rng(0).standard_normal(100)
    model = lk.KernelRegressor(lk.per_feature(), "l1-krr", alpha=alpha).fit(X, y)
    assert model.certificate_.gap <= 1e-4


def test_a_certificate_of_nothing_proves_nothing():
    assert Certificate.of(np.nan, 1.0, 3, 1e-4).status == "not converged"
    assert Certificate.of(0.0, 0.0, 3, 1e-4).status == "optimal"


def test_at_a_large_c_the_path_proves_itself_and_keeps_what_zeros_would_cost():
    """Few features, many samples, a large C: small weights count."""
    rng = np.random.default_rng(3)
    X = sparse.csr_array(rng.poisson(0.3, (150, 20)).astype(float))
    y = np.where(X[:, [0]].toarray()[:, 0] + rng.standard_normal(150) > 0.5, 1.0, -1.0)
    evidence = evidence_of(lk.per_feature(), X, y, value=1e4)
    task = SVMTask(evidence.oracle, evidence.Y, np.full(150, 1e4))
    mu, certificate = rank_one_svm_weights(task, rank_one(evidence.oracle), 1e-4, 100)
    assert certificate.status == "optimal" and np.isclose(mu.sum(), 1) and mu.min() >= 0
    # At these weights no SVM has a smaller value than the certificate's bound.
    alone = SVC(kernel="precomputed", C=1e4, tol=1e-6).fit(evidence.oracle.gram(mu), y)
    beta = np.zeros(150)
    beta[alone.support_] = alone.dual_coef_[0]
    value = y @ beta - beta @ evidence.oracle.gram(mu) @ beta / 2
    assert certificate.dual <= value * (1 + 1e-6) <= certificate.primal * (1 + 2e-6)

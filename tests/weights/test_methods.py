"""The weight methods: what each promises, on statistics of real kernels."""

import numpy as np
import pytest
from scipy.optimize import minimize

import learnkernels as lk
from learnkernels.kernels import resolve
from learnkernels.solvers import Certificate
from learnkernels.weights import METHODS
from tests.weights.evidence import evidence_of

TWO_STAGE = ["unif", "align", "alignf", "align-linear"]
KERNELS = lk.gaussians([0.01, 0.1, 0.3, 1.0, 30.0])


@pytest.fixture
def evidence(classes):
    return evidence_of(KERNELS, *classes)


@pytest.fixture
def statistics(evidence):
    return evidence.statistics


@pytest.mark.parametrize("name", TWO_STAGE)
def test_weights_sum_to_one_and_are_proved(name, evidence):
    method = METHODS[name]()
    mu, certificate = method.learn(evidence)
    assert np.isclose(mu.sum(), 1.0)
    assert method.signed or (mu >= 0).all()
    assert certificate.gap <= 1e-8
    assert certificate.status in ("closed form", "optimal")


def test_uniform(evidence):
    mu, _ = lk.methods.Uniform().learn(evidence)
    assert np.allclose(mu, 0.2)


def test_align_is_proportional_to_alignment(evidence, classes):
    X, y = classes
    mu, _ = lk.methods.Align().learn(evidence)
    target = np.where(y == "yes", 1.0, -1.0)
    rho = [lk.alignment(k(X), np.outer(target, target)) for k in resolve(KERNELS, X)]
    assert np.allclose(mu, np.array(rho) / np.sum(rho))


@pytest.mark.parametrize("q", [1.2, 2.0, 5.0])
def test_align_maximises_alignment_in_its_ball(q, evidence, statistics):
    """Prop. 7 of 2012: on Frobenius-normalised kernels, mu'a is largest on the q-ball at mu."""
    a = statistics.normalized("frobenius").a
    mu, _ = lk.methods.Align(q=q).learn(evidence)
    best = mu @ a / np.linalg.norm(mu, q)
    rng = np.random.default_rng(0)
    for other in rng.random((200, 5)):
        assert other @ a / np.linalg.norm(other, q) <= best + 1e-12


def test_align_tends_to_the_best_kernel_and_to_uniform(evidence, statistics):
    rho = statistics.alignments()
    best, _ = lk.methods.Align(q=1.001).learn(evidence)
    equal, _ = lk.methods.Align(q=1e6).learn(evidence)
    assert best.argmax() == rho.argmax() and best.max() > 0.99
    assert np.allclose(equal, 0.2, atol=1e-4)


def test_alignf_has_the_highest_alignment_of_all(evidence, statistics):
    mu, _ = lk.methods.AlignF().learn(evidence)
    best = statistics.alignment(mu)
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.full(5, 0.3), 500):
        assert statistics.alignment(other) <= best + 1e-12
    found = minimize(lambda v: -statistics.alignment(v), np.full(5, 0.2), bounds=[(0, None)] * 5)
    assert -found.fun <= best + 1e-9


def test_align_linear_is_at_least_as_aligned(evidence, statistics):
    free, _ = lk.methods.AlignLinear().learn(evidence)
    bound, _ = lk.methods.AlignF().learn(evidence)
    assert statistics.alignment(free) >= statistics.alignment(bound) - 1e-12
    direction = np.linalg.solve(statistics.M, statistics.a)
    assert np.allclose(free, direction / direction.sum(), rtol=1e-5)


def test_align_linear_with_repeated_kernels_is_finite(classes):
    evidence = evidence_of(lk.gaussians([0.1, 0.1, 1.0]), *classes)
    mu, _ = lk.methods.AlignLinear().learn(evidence)
    assert np.isfinite(mu).all() and np.isclose(mu[0], mu[1])


def test_scaling_a_kernel_scales_its_weight_the_other_way(classes):
    X, y = classes
    kernels = [lambda A, B: A @ B.T, lambda A, B: 100 * (A @ B.T) ** 2]
    plain = [lambda A, B: A @ B.T, lambda A, B: (A @ B.T) ** 2]
    scaled = lk.KernelLearner(kernels, normalize=None).fit(X, y).weights_
    base = lk.KernelLearner(plain, normalize=None).fit(X, y).weights_
    assert np.isclose(base[0] / base[1], scaled[0] / scaled[1] / 100)


def test_constant_kernels_get_zero_and_a_warning(classes):
    X, _ = classes
    y = X[:, 0] > 0

    def constant(A, B):
        return np.full((len(A), len(B)), 5.0)

    for method in METHODS:
        with pytest.warns(lk.ConstantKernelWarning, match="constant"):
            model = lk.KernelClassifier(["linear", constant], method).fit(X, y)
        assert model.weights_[0] > 0 and model.weights_[1] == 0.0


def test_all_kernels_constant_is_an_error():
    with pytest.raises(lk.InputError, match="nothing to learn from"):
        lk.KernelClassifier().fit(np.ones((10, 2)), np.arange(10) % 2)


def test_constant_target_gives_uniform_weights_and_a_warning(rng):
    X = rng.standard_normal((20, 2))
    for method in ("alignf", "l1-krr", "l2-krr", "align-single", "single", "ensemble"):
        with pytest.warns(lk.UndefinedAlignmentWarning, match="uniform weights"):
            model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), method).fit(X, np.full(20, 3.0))
        assert model.weights_.tolist() == [0.5, 0.5]
        assert np.allclose(model.predict(X), 3.0)


@pytest.mark.parametrize("method", ["alignff", None, 3, lk.methods.Align])
def test_unknown_methods_are_refused(method, classes):
    with pytest.raises(lk.InputError, match="expected one of"):
        lk.KernelClassifier(method=method).fit(*classes)


@pytest.mark.parametrize("q", [1.0, 0.5, "two", float("nan")])
def test_align_refuses_norms_that_are_none(q, classes):
    with pytest.raises(lk.InputError, match="greater than 1"):
        lk.KernelClassifier(method=lk.methods.Align(q=q)).fit(*classes)


class Own(lk.methods.WeightMethod):
    """A method of a user's own, wrong in one way."""

    name = "own"
    reads = ("a",)

    def __init__(self, found=None):
        self.found = found

    def learn(self, evidence):
        return self.found


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (np.ones(2), "must return weights and a Certificate"),
        ((np.ones(1), Certificate.closed_form(0.0)), r"2 finite weights.*shape \(1,\)"),
        ((np.array([1, np.nan]), Certificate.closed_form(0.0)), "1 values that are not finite"),
        ((np.zeros(2), Certificate.closed_form(0.0)), "some are positive"),
        ((np.array([1.0, -1.0]), Certificate.closed_form(0.0)), "none negative"),
    ],
)
def test_a_method_of_ones_own_is_told_what_is_wrong(found, said, curve):
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), Own(found))
    with pytest.raises(lk.InputError, match=said):
        model.fit(*curve)


@pytest.mark.parametrize("reads", ["Grams", ("grams",), None])
def test_a_method_says_what_it_reads(reads, curve, monkeypatch):
    monkeypatch.setattr(Own, "reads", reads)
    with pytest.raises(lk.InputError, match=r"Own\.reads is"):
        lk.KernelRegressor(method=Own()).fit(*curve)


def test_a_method_without_learn_says_so(curve):
    class Silent(lk.methods.WeightMethod):
        name, reads = "silent", ("a",)

    with pytest.raises(NotImplementedError, match="Silent does not say how to learn"):
        lk.KernelRegressor(method=Silent()).fit(*curve)

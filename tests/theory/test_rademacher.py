"""Spectra: tail sums, local Rademacher complexity and its fixed point."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import theory
from learnkernels.gram import tail_sum


def test_tail_sums_match_gram_eigenvalues(rng):
    A = rng.standard_normal((30, 12))
    K = A @ A.T
    tails = theory.tail_sums(np.maximum(np.linalg.eigvalsh(K), 0.0))
    for theta in (0, 1, 5, 12):
        assert np.isclose(tails[theta], tail_sum(K, theta), atol=1e-8)


def test_both_forms_of_theorem_3_agree(rng):
    eigenvalues = rng.exponential(size=20)
    tails = theory.tail_sums(eigenvalues)
    for r in (0.0, 0.1, 0.7, 5.0):
        cut = min(theta * r + tail for theta, tail in enumerate(tails))
        assert np.isclose(theory.local_rademacher(eigenvalues, r, 50), np.sqrt(2 * cut / 50))
    whole = theory.local_rademacher(eigenvalues, np.inf, 50)
    assert np.isclose(whole, np.sqrt(2 * eigenvalues.sum() / 50))


def test_local_complexity_is_concave_in_square_root_of_r(rng):
    r = np.linspace(0.01, 2.0, 50)
    values = theory.local_rademacher(rng.exponential(size=10), r, 100)
    assert values.shape == (50,) and (np.diff(values) >= 0).all()
    assert (np.diff(values / np.sqrt(r)) <= 1e-12).all()  # sub-root, so there is one fixed point


def test_fixed_points_match_hand_computation():
    # One eigenvalue above r: sqrt(2 r / n) = r at r = 2 / n
    assert np.isclose(theory.fixed_point([1.0], 100), 0.02)
    # All eigenvalues below r: sqrt(2 * trace / n) = r
    assert np.isclose(theory.fixed_point([1e-4] * 10, 20), np.sqrt(2 * 1e-3 / 20))
    assert theory.fixed_point([0.0, 0.0], 10) == 0.0
    # Theorem 8: 8 R(F; r / 16) = r; with one large eigenvalue 8 sqrt(r / (8 n)) = r, r = 8 / n
    assert np.isclose(theory.fixed_point([1.0], 100, factor=8, shrink=1 / 16), 0.08)


def test_fixed_point_satisfies_its_equation(rng):
    for seed in range(50):
        eigenvalues = np.random.default_rng(seed).exponential(size=15) ** 3
        r = theory.fixed_point(eigenvalues, 80)
        assert np.isclose(theory.local_rademacher(eigenvalues, r, 80), r, rtol=1e-8)


def test_smaller_tail_gives_smaller_fixed_point():
    heavy, light = 1 / np.arange(1, 500.0), 2.0 ** -np.arange(1, 500.0)
    heavy, light = heavy / heavy.sum(), light / light.sum()
    assert theory.fixed_point(light, 1000) < theory.fixed_point(heavy, 1000)


def test_multiple_kernel_complexity_matches_hand_computation():
    # M = 2: c = 2, A = 2 (e - 1); 4 / 10 * max(1 + min(1, 0.1 A), 1), then sqrt(2 log 2) / 10
    expected = np.sqrt(0.4 * (1 + 0.2 * (np.e - 1))) + np.sqrt(2 * np.log(2)) / 10
    assert np.isclose(theory.multiple_kernel_rademacher([[1.0, 0.1], [2.0]], 0.5, 10), expected)


def test_theorem_6_as_printed_is_too_small_for_many_kernels(rng):
    """Independent signs as features: sup over |w|_1 <= 1, |w|_2^2 <= r of a random sign sum."""
    M, n, r = 1000, 10**6, 1e-3
    drawn = []
    for _ in range(20):
        g = np.abs(rng.standard_normal(M)) / np.sqrt(n)  # the mean of n signs, nearly
        t = np.linspace(0, g.max(), 400)
        # the dual of the supremum: min_t t + sqrt(r) |(|g| - t)_+|
        rest = np.linalg.norm(np.maximum(g - t[:, None], 0.0), axis=1)
        drawn.append(np.min(t + np.sqrt(r) * rest))
    complexity = np.mean(drawn)
    printed = np.sqrt(16 * np.e / n * min(r, np.e**2 * np.log(M) ** 2))
    assert complexity > 2 * (printed + np.e**1.5 * np.log(M) / n)
    assert complexity <= theory.multiple_kernel_rademacher([[1.0]] * M, r, n)


@pytest.mark.parametrize("r", [0.01, 0.3, 10.0])
def test_local_complexity_of_a_finite_distribution_is_below_theorem_3(r, rng):
    """The supremum over the ball and the ellipsoid of variance r, by its dual in one variable."""
    N, n = 6, 40
    Z = rng.standard_normal((N, 3)) * [1.0, 0.5, 0.1]
    S = Z.T @ Z / N
    eigenvalues, Q = np.linalg.eigh(S)
    drawn = []
    for _ in range(400):
        g = Q.T @ (rng.choice([-1.0, 1.0], n) @ Z[rng.integers(N, size=n)]) / n
        t = np.logspace(-4, 4, 200)[:, None]
        # sup over w'(1 + t l)w <= 1 + t r of w'g, least over t >= 0
        bounds = np.sqrt((1 + t[:, 0] * r) * np.sum(g**2 / (1 + t * eigenvalues), axis=1))
        drawn.append(min(bounds.min(), np.linalg.norm(g)))
    error = np.std(drawn) / 20
    assert np.mean(drawn) <= theory.local_rademacher(eigenvalues, r, n) + 3 * error


def test_equations_1_and_2_match_hand_computation():
    delta = 2 * np.exp(-2.0)
    assert np.isclose(theory.rademacher_excess_risk(0.1, 400, delta), 0.4 + 0.1)
    found = theory.rademacher_excess_risk(0.1, 400, delta, variance=0.04)
    assert np.isclose(found, 0.8 + 0.04 + 0.015)


def test_solutions_satisfy_equation_13_and_theorem_8(rng):
    eigenvalues, n, delta = rng.exponential(size=15), 500, 0.1

    def R(r):
        return theory.local_rademacher(eigenvalues, r, n)

    r, x = theory.realizable_risk(R, n, delta), np.log(2 / delta) / n
    assert np.isclose(r, 8 * R(r) + np.sqrt(8 * r * x) + 3 * x)
    e, x = theory.excess_risk(R, n, delta), np.log(1 / delta) / n
    assert np.isclose(e, 8 * R(e / 2) + np.sqrt(16 * x * (e + 8 * R(e / 2))) + 4 * x / 3)


def test_excess_risk_is_of_order_1_over_n_for_finite_rank():
    found = [
        theory.excess_risk(lambda r, n=n: theory.local_rademacher([1.0, 0.5], r, n), n, 0.05)
        for n in (10**4, 10**6)
    ]
    assert found[0] / found[1] == pytest.approx(100, rel=0.1)


def test_learned_class_risk_holds_for_every_weight(rng):
    """The ball of any combination is a part of the ball of the sum kernel."""
    Z = rng.standard_normal((2, 8, 3))
    K = Z @ Z.transpose(0, 2, 1)
    mu = rng.dirichlet(np.ones(2))
    learned, total = np.tensordot(mu, K, 1), K.sum(axis=0)
    f = learned @ rng.standard_normal(8)
    assert f @ np.linalg.pinv(total) @ f <= f @ np.linalg.pinv(learned) @ f + 1e-9


def test_class_h1_is_a_part_of_class_h2_and_they_can_differ(rng):
    """Propositions 4 and 5 of 2013, by the tail sums that define the classes."""

    def tail(K, theta):
        return theory.tail_sums(np.linalg.eigvalsh(K).clip(0))[theta]

    for _ in range(50):
        Z = rng.standard_normal((3, 6, 4))
        K, mu = Z @ Z.transpose(0, 2, 1), rng.exponential(size=3)
        for theta in range(6):  # (5): weights in H_1 are in H_2; for theta = 0 both are equal
            separate = sum(w * tail(one, theta) for w, one in zip(mu, K, strict=True))
            joint = tail(np.tensordot(mu, K, 1), theta)
            assert separate <= joint * (1 + 1e-9) + 1e-9
            assert theta or np.isclose(separate, joint)
    # Orthogonal kernels of rank theta: any weights are in H_2, in H_1 only bounded ones, and a
    # mixture of functions of H_1 is bounded too, so H_2 is larger than the convex hull of H_1.
    one, other = np.diag([1.0, 1.0, 0.0, 0.0]), np.diag([0.0, 0.0, 1.0, 1.0])
    for size in (1.0, 10.0, 100.0):
        assert size * tail(one, 2) + size * tail(other, 2) == 0
        assert np.isclose(tail(size * one + size * other, 2), 2 * size)


def test_lower_bound_of_theorem_3_as_printed_has_the_wrong_unit():
    """c / sqrt(n) sum_j min(r, l_j) grows as the kernel, the upper bound as its root."""
    n, c = 100, 0.1
    for scale in (1.0, 1e4):
        upper = theory.local_rademacher([scale], scale, n)
        assert (c / np.sqrt(n) * scale <= upper) == (scale == 1.0)


def test_excess_risk_rate_matches_hand_computation():
    # gamma = 3: (log(M)^2)^(1/4) M^(1/2) n^(-3/4) with M = 4, d = 1 / log(4)^2, n = 16
    found = theory.excess_risk_rate(16, 4, 3.0, 1 / np.log(4) ** 2)
    assert np.isclose(found, 2 / 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.tail_sums([1.0, -0.5]), "not be negative"),
        (lambda: theory.local_rademacher([1.0], -1.0, 10), "of at least 0"),
        (lambda: theory.multiple_kernel_rademacher([[1.0]], 0.1, 10), "at least 2"),
        (lambda: theory.excess_risk_rate(10, 3, 0.5, 1.0), "greater than 1"),
        (lambda: theory.excess_risk(0.1, 10, 0.1), "complexity=0.1"),
        (lambda: theory.excess_risk(lambda r: r, 10, 0.1), "square root of r"),
        (lambda: theory.excess_risk(lambda r: np.nan, 10, 0.1), "value of complexity"),
        (lambda: theory.tail_sum_bounds([1.0], 1.0, 0.1), "length 1"),
        (lambda: theory.excess_risk_rate(10, 1, 2.0, 1.0), "at least 2"),
    ],
)
def test_invalid_argument_raises_input_error(call, message):
    with pytest.raises(lk.InputError, match=message):
        call()

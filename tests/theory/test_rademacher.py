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
    # scale e^2 log(2)^2; 16 e / 10 * max(min(0.5, scale * 0.1) + 0.5, 0.5)
    scale = np.e**2 * np.log(2) ** 2
    expected = np.sqrt(16 * np.e / 10 * (min(0.5, 0.1 * scale) + 0.5))
    assert np.isclose(theory.multiple_kernel_rademacher([[1.0, 0.1], [2.0]], 0.5, 10), expected)


def test_excess_risk_matches_hand_computation():
    delta = np.exp(-1.0)
    assert np.isclose(theory.excess_risk(0.1, 760, delta), 0.35 + 0.1)
    assert np.isclose(theory.excess_risk(0.1, 760, delta, convex=False), 35.25 + 0.1)
    # gamma = 3: (log(M)^2)^(1/4) M^(1/2) n^(-3/4) with M = 4, d = 1 / log(4)^2, n = 16
    found = theory.excess_risk_rate(16, 4, 3.0, 1 / np.log(4) ** 2)
    assert np.isclose(found, 2 / 8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.tail_sums([1.0, -0.5]), "not be negative"),
        (lambda: theory.local_rademacher([1.0], -1.0, 10), "non-negative"),
        (lambda: theory.multiple_kernel_rademacher([[1.0]], 0.1, 10), "at least 2"),
        (lambda: theory.excess_risk_rate(10, 3, 0.5, 1.0), "gamma > 1"),
        (lambda: theory.excess_risk_rate(10, 1, 2.0, 1.0), "at least 2"),
    ],
)
def test_invalid_argument_raises_input_error(call, message):
    with pytest.raises(lk.InputError, match=message):
        call()

"""Statistics of some samples, and kernels on all samples that are centered with them."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums, SampledSums, can_sample, sampled
from learnkernels.kernels import resolve


@pytest.fixture
def base(rng):
    X = rng.standard_normal((90, 3))
    return BaseKernels.of(resolve([lk.gaussians([0.1, 1.0]), lk.laplacians([0.5])], X), X)


def sums_of(base, rng, n_some, monkeypatch):
    monkeypatch.setattr(sampled, "SAMPLES", n_some)
    w, Y = rng.uniform(0.5, 2.0, 90), rng.standard_normal((90, 1))
    Y -= w @ Y / w.sum()
    return SampledSums.of_some(base, Y, Threads(2), w), Y, w


@pytest.mark.parametrize("normalize", ["trace", "frobenius", None])
def test_all_samples_give_the_pass_over_all_pairs(base, normalize, rng, monkeypatch):
    sums, Y, w = sums_of(base, rng, 90, monkeypatch)
    found = sums.centered(normalize)
    expected = KernelSums.of(base, Y, Threads(2), w).centered(normalize)
    mu = np.array([0.2, 0.5, 0.3])
    assert np.allclose(found.gram(mu), expected.gram(mu), atol=1e-12)
    assert np.allclose(found.statistics.a, expected.statistics.a)


def test_kernels_are_centered_with_the_samples_of_the_pass(base, rng, monkeypatch):
    sums, _, w = sums_of(base, rng, 30, monkeypatch)
    found = sums.centered(None)
    mu = np.array([0.2, 0.5, 0.3])
    values = KernelSums.of(base, np.zeros((90, 1)), Threads(1), w).centered(None, center=False)
    K, v = values.gram(mu), np.zeros(90)
    v[sums.some] = w[sums.some] / w[sums.some].sum()
    means = K @ v
    expected = K - means - means[:, None] + v @ means
    assert np.allclose(found.gram(mu), expected, atol=1e-12)
    assert np.linalg.eigvalsh(expected).min() > -1e-10


def test_scales_are_those_of_the_samples_of_the_pass(base, rng, monkeypatch):
    sums, *_ = sums_of(base, rng, 30, monkeypatch)
    few = sums.centered("trace").gram(np.ones(3))[np.ix_(sums.some, sums.some)]
    w = sums.weights[sums.some]
    assert np.diag(few) @ w / w.sum() == pytest.approx(3.0)


def test_few_samples_and_factors_are_not_sampled(base, rng):
    X = rng.standard_normal((90, 3))
    factors = BaseKernels.of(resolve(lk.per_feature(), X), X)
    assert can_sample(base, 10**5)
    assert not can_sample(base, sampled.SAMPLES)
    assert not can_sample(factors, 10**5)


def test_guarantees_accept_the_training_data_of_a_fit_with_sampled_statistics(rng, monkeypatch):
    monkeypatch.setattr("learnkernels.gram.sampled.SAMPLES", 60)
    X = rng.standard_normal((300, 4))
    y = X[:, 0] + 0.1 * rng.standard_normal(300)
    model = lk.KernelRegressor(lk.gaussians([0.1, 1.0]), "loo", n_components=30).fit(X, y)
    values = {entry.name: entry.value for entry in model.guarantees(X, y).entries}
    assert abs(values["alignment"] - model.alignment_) < 1e-9
    with pytest.raises(lk.InputError, match="not the data"):
        model.guarantees(X, rng.permutation(y))

"""Alignment statistics estimated from a subsample."""

from __future__ import annotations

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import theory

KERNELS = lk.gaussians([0.1, 0.5])


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    return X, np.sin(X[:, 0]) + 0.5 * rng.standard_normal(2000)


def test_subsample_of_all_samples_equals_full_statistics(many):
    X, y = many
    every = lk.alignment_statistics(KERNELS, X, y)
    same = lk.alignment_statistics(KERNELS, X, y, subsample=len(y))
    for name in ("a", "M", "traces", "target_norm"):
        assert np.allclose(getattr(same, name), getattr(every, name), rtol=1e-9)
    squares = (y - y.mean()) ** 2
    assert np.isclose(same.ratios[1], (squares.max() / squares.mean()) ** 2)


def test_subsampled_statistics_are_rescaled_and_standard_errors_cover_the_deviation(many):
    X, y = many
    every = lk.alignment_statistics(KERNELS, X, y)
    inside = 0
    for seed in range(30):
        some = lk.alignment_statistics(KERNELS, X, y, subsample=250, random_state=seed)
        assert np.allclose(some.a, every.a, rtol=0.5) and np.allclose(some.M, every.M, rtol=0.3)
        assert np.allclose(some.traces, every.traces, rtol=0.2)
        inside += np.abs(some.alignments() - every.alignments()) < 2 * some.standard_errors
    assert (inside >= 25).all()  # of 30; nominally 95 %, minus a bias of order 1 / m


def test_needed_sample_size_follows_from_bootstrap_and_bound(many):
    some = lk.alignment_statistics(KERNELS, *many, subsample=300)
    needed = some.needed(0.01)
    assert 300 < needed.bootstrap < needed.bound
    best = some.standard_errors[some.alignments().argmax()]
    assert needed.bootstrap == pytest.approx(300 * (2 * best / 0.01) ** 2, abs=1)
    kernel, target = some.ratios
    assert theory.alignment_concentration(needed.bound, 1, 1, 1 / kernel, 1 / target, 0.05) <= 0.01
    assert needed.bound > some.needed(0.02).bound > some.needed(0.02, delta=0.2).bound


def test_needed_sample_size_is_the_smallest_that_the_bound_allows(many):
    X, y = many
    some = lk.alignment_statistics(KERNELS, X, y, subsample=200)
    assert np.allclose(some.observed, 2000)

    def distance(size):
        squares = (1 / ratio for ratio in some.ratios)
        return theory.alignment_concentration(int(size), 1.0, 1.0, *squares, 0.05)

    bound = some.needed(0.1).bound
    assert distance(bound) <= 0.1 < distance(0.998 * bound)


def test_subsampled_statistics_can_be_restricted_to_some_kernels(many):
    some = lk.alignment_statistics(KERNELS, *many, subsample=300)
    assert some.keep(np.array([True, False])).names == some.names[:1]


def test_invalid_subsample_size_raises_input_error(many):
    with pytest.raises(lk.InputError, match="X has 2,000 samples"):
        lk.alignment_statistics(KERNELS, *many, subsample=2001)
    with pytest.raises(lk.InputError, match="subsample=2"):
        lk.alignment_statistics(KERNELS, *many, subsample=2)

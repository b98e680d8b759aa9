"""Weighted degree kernels of packed sequences against their formula in NumPy."""

from string import ascii_uppercase

import numpy as np
import pytest

from learnkernels.execution import Threads
from learnkernels.gram.tiles.sequences import WeightedDegreeGroup, moved, packed
from learnkernels.kernels.alphabets import DNA, PROTEIN, Alphabet
from learnkernels.kernels.weighted_degree import WeightedDegree


def sequences(rng, n, length, letters):
    """Return random sequences with unknown letters, half of them similar to the first."""
    rows = rng.choice([*letters, *letters.lower(), "*"], (n, length))
    copied = rng.random((n, length)) < 0.95
    rows[::2] = np.where(copied[::2], rows[0], rows[::2])
    return np.array(["".join(row) for row in rows], dtype=object)


def group_of(length, *members, alphabet=DNA):
    kernels = tuple(WeightedDegree(degree, shift, alphabet, length) for degree, shift in members)
    return WeightedDegreeGroup(kernels)


def all_of(samples):
    return slice(0, len(samples))


def gram(group, samples):
    return group.values(samples, samples, all_of(samples), all_of(samples))


LENGTHS, SHIFTS = (1, 2, 63, 64, 65, 127, 128, 130, 300), (0, 1, 5, 64, 100)
LENGTHS_AND_SHIFTS = sorted({(length, min(s, length - 1)) for length in LENGTHS for s in SHIFTS})


@pytest.mark.parametrize(("length", "shift"), LENGTHS_AND_SHIFTS)
@pytest.mark.parametrize("degree", [1, 3, 20, 150])
def test_values_equal_those_of_the_kernel(length, degree, shift, rng):
    X = sequences(rng, 4, length, "ACGT")
    group = group_of(length, (degree, shift))
    samples = group.prepare(X)
    (K,) = gram(group, samples)
    wanted = group.kernels[0](X)
    assert np.allclose(K, wanted, rtol=1e-12, atol=1e-12)
    assert np.array_equal(K, K.T)  # sums are exact
    assert np.array_equal(group.diagonal(samples)[0], np.diag(K))


@pytest.mark.parametrize("letters", ["AB", "ABC", PROTEIN.letters, ascii_uppercase + "123456"])
def test_values_equal_those_of_the_kernel_for_any_alphabet(letters, rng):
    X = sequences(rng, 9, 70, letters)
    group = group_of(70, (4, 2), alphabet=Alphabet("own", letters))
    wanted = group.kernels[0](X)
    assert np.allclose(gram(group, group.prepare(X))[0], wanted, rtol=1e-12)


def test_group_of_several_degrees_and_shifts_equals_single_kernels(rng):
    X = sequences(rng, 12, 90, "ACGT")
    group = group_of(90, (3, 0), (20, 4), (200, 1), (1, 0))
    samples = group.prepare(X)
    wanted = np.array([kernel(X) for kernel in group.kernels])
    assert np.allclose(gram(group, samples), wanted, rtol=1e-12)
    mask = np.array([False, True, False, True])
    assert np.array_equal(gram(group.keep(mask), samples), gram(group, samples)[mask])
    diagonals = np.array([kernel.diagonal(X) for kernel in group.kernels])
    assert np.allclose(group.diagonal(samples), diagonals, rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 63, 64, 65, 150])
def test_tile_size_gives_identical_values(columns, rng):
    X = sequences(rng, 150, 40, "ACGT")
    group = group_of(40, (5, 2))
    samples = group.prepare(X)
    (K,) = gram(group, samples)
    tiles = [
        (slice(i, min(i + 37, 150)), slice(j, min(j + columns, 150)))
        for i in range(0, 150, 37)
        for j in range(0, 150, columns)
    ]
    found = Threads(2).map(lambda tile: group.values(samples, samples, *tile), tiles, "tiles")
    for tile, values in zip(tiles, found, strict=True):
        assert np.array_equal(values[0], K[tile])


def test_take_returns_samples_with_identical_values(rng):
    X = sequences(rng, 80, 66, "ACGT")
    group = group_of(66, (6, 3))
    samples = group.prepare(X)
    (K,) = gram(group, samples)
    for index in (np.array([5, 0, 70, 5]), np.arange(80) % 3 == 0, slice(10, 75)):
        taken = samples.take(index)
        assert len(taken) == len(X[index])
        assert np.array_equal(gram(group, taken)[0], K[index][:, index])
        assert np.array_equal(group.diagonal(taken)[0], np.diag(K)[index])
    few = samples.take([3, 4])
    values = group.values(few, samples.as_columns(), slice(0, 2), all_of(samples))
    assert np.array_equal(values[0], K[3:5])


def test_no_samples_give_empty_arrays():
    group = group_of(70, (6, 3), (2, 0))
    none, some = group.prepare(np.array([], dtype=object)), group.prepare(["A" * 70])
    assert len(none) == 0
    assert group.values(none, some, slice(0, 0), slice(0, 1)).shape == (2, 0, 1)
    assert group.values(some, none, slice(0, 1), slice(0, 0)).shape == (2, 1, 0)
    assert group.diagonal(none).shape == (2, 0)


def test_gram_is_semidefinite(rng):
    X = sequences(rng, 100, 30, "ACGT")
    group = group_of(30, *((4, shift) for shift in range(6)))
    for K in gram(group, group.prepare(X)):
        assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.abs(K).max()


@pytest.mark.parametrize("s", [0, 1, 63, 64, 65, 128, 191])
def test_moved_shifts_bits_across_words(s, rng):
    bits = rng.random((5, 192)) < 0.5
    after = np.zeros_like(bits)
    after[:, : 192 - s] = bits[:, s:]
    assert np.array_equal(moved(packed(bits)[None], s)[0], packed(after))

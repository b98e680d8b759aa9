"""The weighted degree kernel against its formula in slices of strings."""

import numpy as np
import pytest

from learnkernels import InputError
from learnkernels.kernels.alphabets import DNA, PROTEIN
from learnkernels.kernels.weighted_degree import WeightedDegree


def by_definition(x, z, degree, shift, alphabet):
    """Return the formula of the docstring for one pair, in slices of strings."""

    def same(u, v):
        return u == v and set(u) <= set(alphabet.letters)

    if alphabet is DNA:
        x, z = x.replace("U", "T").replace("u", "t"), z.replace("U", "T").replace("u", "t")
    x, z, L, total = x.upper(), z.upper(), len(x), 0.0
    for k in range(1, degree + 1):
        beta = 2 * (degree - k + 1) / (degree * (degree + 1))
        for s in range(shift + 1):
            for at in range(L - k - s + 1):
                here, there = slice(at, at + k), slice(at + s, at + s + k)
                matches = same(x[there], z[here]) + same(x[here], z[there])
                total += beta * matches / (2 * (s + 1))
    return total


def sequences(rng, n, length, letters="ACGTacgtUuN-"):
    """Return random sequences, half of them similar to the first."""
    rows = rng.choice(list(letters), (n, length))
    copied = rng.random((n, length)) < 0.8
    rows[::2] = np.where(copied[::2], rows[0], rows[::2])
    return np.array(["".join(row) for row in rows], dtype=object)


@pytest.mark.parametrize(
    ("length", "degree"), [(1, 1), (1, 3), (9, 20), (63, 4), (64, 2), (65, 8), (130, 5)]
)
@pytest.mark.parametrize("shift", [0, 1, 5])
@pytest.mark.parametrize("alphabet", [DNA, PROTEIN], ids=lambda alphabet: alphabet.name)
def test_values_equal_the_formula(length, degree, shift, alphabet, rng):
    letters = "ACGTacgtUuN-" if alphabet is DNA else alphabet.letters + "xX*"
    X = sequences(rng, 6, length, letters)
    kernel = WeightedDegree(degree, min(shift, length - 1), alphabet, length)
    wanted = [[by_definition(x, z, degree, kernel.shift, alphabet) for z in X] for x in X]
    K = kernel(X)
    assert np.allclose(K, wanted, rtol=0, atol=1e-12)
    assert np.allclose(kernel(X[:3], X[2:]), K[:3, 2:], rtol=0, atol=0)
    assert np.allclose(kernel.diagonal(X), np.diag(K), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shift", range(6))
def test_gram_is_semidefinite_with_any_shift_and_unknown_letters(shift, rng):
    K = WeightedDegree(3, shift, DNA, 12)(sequences(rng, 60, 12))
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * np.abs(K).max()


def test_unknown_letters_match_no_letter():
    kernel = WeightedDegree(2, 1, DNA, 3)
    assert kernel(["NNN"], ["NNN", "ACG"]).tolist() == [[0.0, 0.0]]
    assert kernel.diagonal(["NNN"]).tolist() == [0.0]


def test_empty_samples_give_an_empty_gram():
    kernel = WeightedDegree(2, 1, DNA, 3)
    assert kernel(np.array([], dtype=object), ["ACG"]).shape == (0, 1)
    assert kernel(["ACG"], np.array([], dtype=object)).shape == (1, 0)
    assert kernel.diagonal(np.array([], dtype=object)).shape == (0,)


def test_name_shows_degree_and_shift():
    assert WeightedDegree(20, 0, DNA, 100).name == "weighted_degree(20)"
    assert WeightedDegree(20, 4, DNA, 100).name == "weighted_degree(20, shift=4)"


@pytest.mark.parametrize("degree", [0, 1.5, "two", True])
def test_degree_that_is_not_a_whole_number_raises_input_error(degree):
    with pytest.raises(InputError, match="it must be a whole number of at least 1"):
        WeightedDegree(degree, 0, DNA, 5)


@pytest.mark.parametrize("shift", [-1, 5, 0.5, None])
def test_shift_outside_the_sequence_raises_input_error(shift):
    with pytest.raises(InputError, match="shift must be a whole number from 0 to below"):
        WeightedDegree(2, shift, DNA, 5)


def test_sequences_of_another_length_raise_input_error():
    kernel = WeightedDegree(2, 0, DNA, 4)
    with pytest.raises(InputError, match="row 1 has 3 letters, expected 4"):
        kernel(["ACGT", "ACG"])
    with pytest.raises(InputError, match="row 0 has 5 letters"):
        kernel.diagonal(["ACGTA"])


@pytest.mark.parametrize(
    ("degree", "shift", "length"), [(1, 0, 5), (3, 2, 9), (12, 0, 9), (3, 8, 9)]
)
def test_values_by_position_sum_to_products_with_the_gram_matrix(rng, degree, shift, length):
    X = ["".join(row) for row in rng.choice(list("ACGTN"), (6, length))]
    Z = ["".join(row) for row in rng.choice(list("ACGTN"), (8, length))]
    kernel, coef = WeightedDegree(degree, shift, DNA, length), rng.standard_normal((8, 2))
    found = kernel.position_values(kernel.codes(X), kernel.codes(Z), coef)
    assert found.shape == (6, length, 2)
    assert np.allclose(found.sum(axis=1), kernel(X, Z) @ coef)

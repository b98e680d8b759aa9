"""Counts of k-mers against slices of the strings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from learnkernels import InputError
from learnkernels.kernels.alphabets import DNA, PROTEIN, Alphabet
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.row_products import dots


def by_definition(k, alphabet, strings):
    """Return a column of counts for each word in the order of the alphabet."""
    words = ["".join(word) for word in product(alphabet.letters, repeat=k)]
    if alphabet is DNA:
        strings = [string.upper().replace("U", "T") for string in strings]
    slices = [[x[at : at + k].upper() for at in range(len(x) - k + 1)] for x in strings]
    return np.array([[found.count(word) for word in words] for found in slices])


@settings(deadline=None)  # the first call compiles
@given(
    st.integers(1, 4),
    st.sampled_from([DNA, Alphabet("three", "HEC")]),
    st.lists(st.text("ACGTUNacgtuHEC-é", max_size=30), min_size=1, max_size=6),
)
def test_counts_equal_counts_of_slices(k, alphabet, strings):
    found = Kmers(k, alphabet)(np.array(strings, dtype=object))
    assert np.array_equal(found.toarray(), by_definition(k, alphabet, strings))


def test_indices_of_rows_are_sorted_and_unique(rng):
    strings = ["".join(rng.choice(list("ACGT"), 1 + 40 * i)) for i in range(9)]
    found = Kmers(5, DNA)(strings)
    assert found.dtype == np.float64
    for start, stop in zip(found.indptr[:-1], found.indptr[1:], strict=True):
        assert (np.diff(found.indices[start:stop]) > 0).all()
    assert (found.data > 0).all()
    assert found.sum() == sum(max(0, len(string) - 4) for string in strings)


def test_protein_counts_equal_scikit_learn(rng):
    strings = ["".join(rng.choice(list(PROTEIN.letters), 50)) for _ in range(20)]
    ours = Kmers(2, PROTEIN)(strings)
    theirs = CountVectorizer(analyzer="char", ngram_range=(2, 2), lowercase=False)
    counts = theirs.fit_transform(strings)
    assert ours.shape == (20, 400)
    assert np.array_equal((ours @ ours.T).toarray(), (counts @ counts.T).toarray())


@pytest.mark.parametrize(("k", "alphabet"), [(15, DNA), (7, PROTEIN), (30, Alphabet("two", "AB"))])
def test_longest_words_have_the_first_and_last_column(k, alphabet):
    last = alphabet.letters[-1]
    found = Kmers(k, alphabet)([last * k, alphabet.letters[0] * (k + 2)])
    size = len(alphabet.letters) ** k
    assert found.shape == (2, size)
    assert found[0, size - 1] == 1
    assert found[1, 0] == 3
    assert found.nnz == 2


def test_strings_shorter_than_k_give_empty_rows():
    assert Kmers(3, DNA)(np.array([], dtype=object)).shape == (0, 64)
    found = Kmers(3, DNA)(["AC", "", "ACG", "ANCGN"])
    assert found.shape == (4, 64)
    assert np.diff(found.indptr).tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize("k", [0, -1, 2.0, "three", True, None])
def test_k_that_is_not_a_whole_number_raises_input_error(k):
    with pytest.raises(InputError, match="whole number of at least 1"):
        Kmers(k, DNA)


@pytest.mark.parametrize(
    ("k", "alphabet", "max_k"),
    [(16, DNA, 15), (8, PROTEIN, 7), (31, Alphabet("two", "AB"), 30), (10**9, DNA, 15)],
)
def test_too_many_words_raise_input_error(k, alphabet, max_k):
    with pytest.raises(InputError, match=f"allow k up to {max_k}"):
        Kmers(k, alphabet)


def test_long_words_need_memory_for_their_occurrences_only():
    strings = np.array(["ACGTACGTACGTACGTAC", "ACGTACGTACGTACGTTT"], dtype=object)
    counts = Kmers(15, DNA)(strings)
    K = dots(counts, counts)
    assert np.array_equal(K, [[4.0, 2.0], [2.0, 4.0]])  # two of four words are the same

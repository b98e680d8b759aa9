"""The Tanimoto kernel of bits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import learnkernels as lk
from learnkernels.kernels import Tanimoto


@pytest.fixture
def bits(rng):
    return (rng.random((30, 130)) < 0.3).astype(float)


def test_value_is_one_minus_the_jaccard_distance(bits):
    expected = 1 - cdist(bits > 0, bits[:7] > 0, "jaccard")
    assert np.allclose(Tanimoto()(bits, bits[:7]), expected, atol=1e-15)


def test_samples_without_a_bit_are_equal():
    K = Tanimoto()([[0, 0], [0, 1]])
    assert np.array_equal(K, np.eye(2))


def test_gram_matrix_is_positive_semidefinite(bits):
    assert np.linalg.eigvalsh(Tanimoto()(bits))[0] > -1e-12


def test_sparse_equals_dense(bits):
    assert np.allclose(Tanimoto()(sparse.csr_array(bits)), Tanimoto()(bits), atol=1e-15)


@pytest.mark.parametrize("value", [2.0, -1.0, 0.5])
def test_other_values_than_bits_raise_input_error(value, bits):
    bits[3, 4] = value
    with pytest.raises(lk.InputError, match=f"X contains {value:g}; expected only 0 and 1"):
        lk.KernelClassifier(lk.tanimoto(), "unif", C=1.0).fit(bits, bits[:, 0])

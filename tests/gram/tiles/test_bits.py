"""The compiled Tanimoto kernel equals its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import learnkernels as lk
from learnkernels.gram.tiles.bits import TanimotoGroup
from learnkernels.kernels import Tanimoto


@pytest.mark.parametrize("columns", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_packed_bits_give_the_values_of_the_definition(columns, form, rng):
    X = (rng.random((40, columns)) < 0.2).astype(float)
    X[3] = 0
    group = TanimotoGroup((Tanimoto(), Tanimoto()))
    samples = group.prepare(form(X))
    values = group.values(samples, samples, slice(0, 40), slice(5, 25))
    expected = Tanimoto()(X, X[5:25])
    assert np.array_equal(values, np.stack([expected, expected]))
    assert np.array_equal(group.diagonal(samples), np.ones((2, 40)))


def test_weights_of_two_fingerprints_are_learned(rng):
    X = (rng.random((120, 160)) < 0.3).astype(float)
    y = X[:, :20].sum(axis=1)
    kernels = [lk.on(slice(0, 80), lk.tanimoto()), lk.on(slice(80, 160), lk.tanimoto())]
    model = lk.KernelRegressor(kernels, "alignf").fit(X[:90], y[:90])
    assert model.weights_[0] > 0.9
    assert model.score(X[90:], y[90:]) > 0.2

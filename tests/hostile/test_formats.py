"""The same numbers in another format give the same model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

import learnkernels as lk
from tests.hostile import strategies as hostile
from tests.hostile.checks import several

NAMES = list("abcd")
FORMATS = {
    "list": lambda X: X.tolist(),
    "columns first": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "swapped bytes": lambda X: X.astype(">f8"),
    "read only": hostile.read_only,
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES[: X.shape[1]], index=["same"] * len(X)),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES[: X.shape[1]]),
    "single precision": lambda X: X.astype(np.float32),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
    "LIL": sparse.lil_array,
    "CSR, unsorted": lambda X: hostile.unsorted(X),
    "CSR, wide": lambda X: hostile.wide_indices(sparse.csr_array(X)),
    "COO, repeated": lambda X: sparse.coo_array(
        (np.r_[X.ravel(), X.ravel()] / 2, (np.tile(np.indices(X.shape)[0].ravel(), 2),
                                           np.tile(np.indices(X.shape)[1].ravel(), 2))),
        shape=X.shape,
    ),
}  # fmt: skip
KERNELS = [
    None,
    "gaussians",
    "laplacians",
    "polynomials",
    "linear",
    lk.per_feature(),
    lk.on([0], "gaussians"),
]


@several
@given(
    st.integers(0, 10**6),
    st.sampled_from(list(FORMATS)),
    st.sampled_from(KERNELS),
    st.sampled_from(
        [
            lk.KernelClassifier(tol=1e-9, kernels=["gaussians", "linear"], method="alignf", C=1.0),
            lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
            lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf"),
        ]
    ),
)
def test_array_formats_give_the_same_model(seed, form, kernels, model):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 3)).astype(np.float32).astype(float) * (rng.random((12, 3)) < 0.8)
    y = np.tile([0, 1], 6) if isinstance(model, lk.KernelClassifier) else X[:, 0] + X[:, 1] ** 2
    call = "decision_function" if isinstance(model, lk.KernelClassifier) else "predict"
    call = "transform" if isinstance(model, lk.KernelLearner) else call
    other = FORMATS[form](X.copy())
    assume(kernels is not None or not sparse.issparse(other))  # whose columns are not standardised
    model.set_params(kernels=kernels)
    expected = getattr(model.fit(X, y), call)(X)
    weights = model.weights_
    found = getattr(model.fit(other, y), call)(other)
    assert np.allclose(model.weights_, weights, rtol=1e-8, atol=1e-10)
    # The intercept of an SVM is not unique if all dual variables are at bounds.
    if call == "decision_function":
        found, expected = found - found[0], expected - expected[0]
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-8)


@several
@given(st.integers(0, 10**6), st.sampled_from([list, tuple, np.array, pd.Series, "object"]))
def test_string_formats_give_the_same_model(seed, form):
    rng = np.random.default_rng(seed)
    texts = ["".join(row) for row in rng.choice(list("acgt"), (12, 8))]
    y = np.tile([0, 1], 6)
    model = lk.KernelClassifier([lk.spectrum(2), lk.weighted_degree(3)], method="alignf", C=1.0)
    expected = model.fit(texts, y).decision_function(texts)
    other = np.array(texts, dtype=object) if form == "object" else form(texts)
    assert np.array_equal(model.fit(other, y).decision_function(other), expected)

"""The ``kernels=`` argument: entries, names, and which kernels read X through a source."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF

import learnkernels as lk
from learnkernels.kernels import (
    Custom,
    Family,
    Gaussian,
    GaussianProcess,
    Linear,
    Metric,
    On,
    WeightedDegree,
    input_kind,
    kernel_names,
    kernels_by_source,
    resolve,
)

STRINGS = np.array(["ACGTAC", "ACGTTC", "TTGCAA", None], dtype=object)


def overlap(X, Z):
    return np.minimum(X[:, None], Z[None]).sum(axis=2)


def test_every_kind_of_entry_is_resolved(rng):
    X = rng.random((5, 2))
    entries = ["linear", "chi2", Gaussian(1.0), lk.polynomials([2]), RBF(1.0), overlap]
    kinds = [type(kernel) for kernel in resolve(entries, X)]
    assert kinds[:3] == [Linear, Metric, Gaussian]
    assert kinds[4:] == [GaussianProcess, Custom]


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ([], "empty list"),
        ("gausians", "unknown"),
        ([3.0], "of type float"),
        ([None], "of type NoneType"),
        ({"a": "linear"}, "of type dict"),
        (["linear", "precomputed"], "only entry"),
    ],
)
def test_invalid_entries_raise_input_error(kernels, message):
    with pytest.raises(lk.InputError, match=message):
        resolve(kernels, np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gausians", "gaussians"), ("liner", "linear"), ("chi-2", "chi2"), ("ngram", "ngrams")],
)
def test_misspelt_name_suggests_the_closest_one(name, meant):
    with pytest.raises(lk.InputError, match=f"Did you mean '{meant}'"):
        resolve(name, np.zeros((3, 2)))


def test_unrelated_name_gets_no_suggestion():
    with pytest.raises(lk.InputError, match=r"expected one of \[.*\]\.$"):
        resolve("zzzz", np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("kernels", "found"),
    [
        (lk.gaussians(), "Gaussians takes numbers"),
        (lk.per_feature(), "PerFeature takes numbers"),
        ("linear", "linear takes numbers"),
        ("cosine", "cosine takes numbers"),
        (RBF(1.0), r"RBF\(length_scale=1\) takes numbers"),
    ],
)
def test_kernels_of_numbers_refuse_strings(kernels, found):
    with pytest.raises(lk.InputError, match=f"{found}, but X .or this view. contains text"):
        resolve(kernels, STRINGS[:3])


@pytest.mark.parametrize(
    ("kernels", "found"),
    [
        (lk.spectrum(2), "Spectrum"),
        (lk.weighted_degree(2), "WeightedDegrees"),
        ("ngrams", "Ngrams"),
    ],
)
def test_kernels_of_strings_refuse_numbers(kernels, found):
    with pytest.raises(lk.InputError, match=f"{found} takes strings, but X .* contains numbers"):
        resolve(kernels, np.zeros((3, 2)))


def test_family_of_a_user_accepts_numbers_and_strings(rng):
    class Two(Family):
        def members(self, data):
            return [Custom(overlap)] * len(np.shape(data.X))

    assert len(resolve(Two(), rng.random((4, 2)))) == 2
    assert len(resolve(Two(), STRINGS[:3])) == 1


@pytest.mark.parametrize(
    ("kernels", "expected"),
    [
        (None, False),
        ("linear", False),
        ("ngrams", True),
        (lk.gaussians() + lk.linear(), False),
        (lk.gaussians() + lk.on([0]), True),
        ([["chi2"], [lk.spectrum(2)]], True),
        (lk.low_rank([[0, 1]]), True),
        (lk.low_rank(lk.gaussians(), rank=3), False),
        (lk.low_rank([lk.linear(), lk.spectrum(2)], rank=3), True),
        ({"views": lk.on([0])}.values(), True),
        (3, False),
    ],
)
def test_input_is_a_table_if_a_kernel_selects_columns_or_takes_strings(kernels, expected):
    assert (input_kind(kernels) == "table") is expected


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_kernels_without_a_view_read_a_validated_array_themselves(kind, rng):
    kernels = resolve([lk.gaussians([1.0]), lk.per_feature()], kind(rng.random((5, 2))))
    assert kernels_by_source(kernels)[1] == {None: [0, 1, 2]}
    assert kernels_by_source(kernels)[0] == kernels


@pytest.mark.parametrize("kind", [pd.DataFrame, lambda X: X.astype(object)])
def test_kernels_without_a_view_read_a_table_through_one_source(kind, rng):
    X = rng.random((5, 2))
    kernels = resolve([lk.gaussians([1.0]), "linear"], kind(X))
    assert [kernel.name for kernel in kernels] == ["gaussian(2^0)", "linear"]
    assert list(kernels_by_source(kernels)[1].values()) == [[0, 1]]
    assert kernels_by_source(kernels)[0] == [Gaussian(1.0), Linear()]
    assert np.allclose(kernels[1](kind(X)), X @ X.T)


def test_kernels_beside_a_view_read_the_array_through_a_source(rng):
    kernels = resolve([lk.on([0], "linear"), "linear", "cosine"], rng.random((5, 2)))
    assert None not in kernels_by_source(kernels)[1]
    assert list(kernels_by_source(kernels)[1].values()) == [[0], [1, 2]]


def test_rows_of_nan_beside_a_view_are_left_out_of_the_median(rng):
    X = rng.standard_normal((20, 2))
    gap = np.vstack([X, np.full((1, 2), np.nan)])
    found = resolve([lk.gaussians(), lk.on([0])], gap, missing="neutral")
    assert kernels_by_source(found[:10])[0] == resolve(lk.gaussians(), X)
    with pytest.raises(lk.InputError, match="no values for 1 sample"):
        resolve([lk.gaussians(), lk.on([0])], gap)


def test_model_with_a_view_predicts_a_frame_after_training_on_an_array(rng):
    X, y = rng.standard_normal((30, 3)), np.arange(30) % 2
    model = lk.KernelClassifier(lk.on([0, 1]) + lk.gaussians(), method="alignf", C=1.0).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abc"))
    assert np.array_equal(model.decision_function(frame), model.decision_function(X))


def test_kernels_of_strings_are_on_a_source_that_finds_missing_strings():
    kernels = resolve([lk.weighted_degree(2), lk.spectrum(2)], STRINGS, missing="neutral")
    assert all(isinstance(kernel, On) for kernel in kernels)
    assert isinstance(kernels_by_source(kernels)[0][0], WeightedDegree)
    _, observed = kernels[0].source.read(STRINGS, "neutral")
    assert observed.tolist() == [True, True, True, False]
    with pytest.raises(lk.InputError, match="no values for 1 sample"):
        resolve(lk.spectrum(2), STRINGS)


def test_repeated_names_are_numbered():
    kernels = [Linear(), Gaussian(1.0), Linear()]
    assert kernel_names(kernels) == ["linear #1", "gaussian(2^0)", "linear #2"]


def test_import_loads_neither_gaussian_processes_nor_text_features():
    code = "import learnkernels, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert not {"sklearn.gaussian_process", "sklearn.feature_extraction"} & set(loaded)

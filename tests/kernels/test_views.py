"""Views: selection of columns, the samples of their kernels, and error messages."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import make_column_selector

import learnkernels as lk
from learnkernels.gram import BaseKernels
from learnkernels.kernels import Linear, On, resolve


@pytest.fixture
def table(rng):
    n = 20
    return pd.DataFrame(
        {
            "gene:a": rng.standard_normal(n),
            "gene:b": rng.standard_normal(n),
            "gene": rng.integers(0, 5, n),
            "note": ["good thing", "bad thing", "fine", "good", "poor thing"] * 4,
            "site": ["".join(rng.choice(list("ACGT"), 12)) for _ in range(n)],
            "flag": rng.random(n) < 0.5,
        }
    )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("gene:", ["gene:a", "gene:b"]),
        ("gene", ["gene"]),  # a name has precedence over a prefix
        ("gene:a", ["gene:a"]),
        (["gene:b", "gene"], ["gene:b", "gene"]),
        (1, ["gene:b"]),
        ([0, 2], ["gene:a", "gene"]),
        (-1, ["flag"]),
        (slice(0, 3), ["gene:a", "gene:b", "gene"]),
        (slice("gene:b", "gene"), ["gene:b", "gene"]),
        ([True, False, True, False, False, True], ["gene:a", "gene", "flag"]),
        (make_column_selector(dtype_include="float64"), ["gene:a", "gene:b"]),
        (lambda X: [name for name in X.columns if name.endswith("a")], ["gene:a"]),
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_view_reads_the_selected_columns(columns, expected, kind, table):
    if kind == "polars" and isinstance(columns, make_column_selector):
        pytest.skip("scikit-learn's selector takes pandas frames only")
    X = table if kind == "pandas" else pl.from_pandas(table)
    (kernel,) = resolve(lk.on(columns, lk.linear()), X)
    values = table[expected].to_numpy(dtype=float)
    assert np.allclose(kernel(X), values @ values.T)
    assert np.allclose(kernel.diagonal(X), (values**2).sum(axis=1))


def test_columns_of_arrays_and_sparse_matrices_are_selected_by_position(rng):
    X = rng.standard_normal((15, 4)) * (rng.random((15, 4)) < 0.5)
    for given in (X, sparse.csr_array(X), X.astype(object)):
        (kernel,) = resolve(lk.on([1, 3], lk.linear()), given)
        assert np.allclose(kernel(given), X[:, [1, 3]] @ X[:, [1, 3]].T)


def test_kernel_names_begin_with_the_view(table):
    kernels = resolve(
        [
            lk.on("gene:", lk.gaussians([1.0])),
            lk.on(["gene:a", "gene"], [lk.linear(), lk.polynomials([2])], name="two"),
            lk.on("note", lk.ngrams(1)),
            lk.on("site", [lk.spectrum(2), lk.weighted_degree(3)]),
            lk.on(slice(0, 2), lk.per_feature()),
        ],
        table,
    )
    names = [kernel.name for kernel in kernels]
    assert names[:3] == ["gene: gaussian(2^0)", "two: linear", names[2]]
    assert "note: thing" in names
    assert names[-4:-2] == ["site: spectrum(2)", "site: weighted_degree(3)"]
    assert names[-2:] == ["columns 0:2: gene:a", "columns 0:2: gene:b"]
    views = BaseKernels.of(kernels, table).views
    assert views[0] == "gene"
    assert BaseKernels.of([Linear()], np.eye(2)).views == ["all columns"]


def test_kernels_of_a_view_share_one_source(table):
    kernels = resolve(lk.on("note", lk.ngrams(1)), table)
    assert len({id(kernel.source) for kernel in kernels}) == 1
    assert all(isinstance(kernel, On) for kernel in kernels)


def test_columns_are_found_by_name_in_any_order(table):
    y = np.arange(20) % 2
    model = lk.KernelClassifier(lk.on("gene:", lk.linear()), method="alignf", C=1.0).fit(table, y)
    shuffled = table[table.columns[::-1]].assign(more=1.0)
    assert np.array_equal(model.decision_function(shuffled), model.decision_function(table))


def test_array_with_other_columns_than_in_training_raises_input_error(rng):
    X, y = rng.standard_normal((20, 4)), np.arange(20) % 2
    model = lk.KernelClassifier(lk.on([0, 1], lk.linear()), method="alignf", C=1.0).fit(X, y)
    with pytest.raises(lk.InputError, match="has 3 columns, but the model was trained on 4"):
        model.predict(X[:, :3])


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (lk.on("zzz"), "no column is called 'zzz' and no name begins with it"),
        (lk.on([0, 17]), "column 17, but X has 6 columns"),
        (lk.on([]), "no column"),
        (lk.on([0, 0]), "twice"),
        (lk.on([True, False]), "mask of 2 columns"),
        (lk.on([1.5]), "names or whole numbers"),
        (lk.on("note", "linear"), "takes numbers"),
        (lk.on(["note", "gene"], "linear"), "of view 'note.gene' contain text"),
        (lk.on("gene:", lk.ngrams()), "takes strings"),
        (lk.on("gene:", lk.spectrum(2)), "takes strings"),
        (lk.on("gene:", lk.on("gene:a")), "cannot be nested"),
        ([lk.gaussians(), lk.on("site", lk.spectrum(2))], "text"),
        (lk.on("gene:", []), "empty list"),
    ],
)
def test_invalid_view_raises_input_error(kernels, message, table):
    with pytest.raises(lk.InputError, match=message):
        lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(table, np.arange(20) % 2)


def test_kernels_may_be_the_values_of_a_dictionary(table):
    views = {"genes": lk.on("gene:", lk.linear()), "site": lk.on("site", lk.spectrum(2))}
    assert len(resolve(views.values(), table)) == 2


def test_error_lists_text_columns_without_a_view(table):
    with pytest.raises(lk.InputError, match=r"columns \['note', 'site'\] of X contain text"):
        lk.KernelClassifier(lk.spectrum(3), method="alignf", C=1.0).fit(table, np.arange(20) % 2)


def test_empty_view_name_raises_input_error():
    with pytest.raises(lk.InputError, match="name"):
        lk.on("a", name="")


def test_error_for_text_suggests_a_view(table):
    with pytest.raises(lk.InputError, match=r"lk.on\(column, lk.ngrams\(\)\)"):
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0).fit(
            table, np.arange(20) % 2
        )


def test_error_names_the_row_of_a_number_among_strings(table):
    table["site"] = [*table["site"][:-1], 7.5]
    with pytest.raises(lk.InputError, match=r"7.5 in row 19 where text is expected"):
        lk.KernelClassifier(lk.on("site", lk.spectrum(2)), method="alignf", C=1.0).fit(
            table, np.arange(20) % 2
        )


def test_nullable_integers_and_booleans_are_read_as_numbers(rng):
    values = rng.integers(0, 5, 20)
    table = pd.DataFrame({"a": pd.array(values, dtype="Int64"), "b": values > 2})
    (kernel,) = resolve(lk.on(["a", "b"], lk.linear()), table)
    X = np.column_stack([values, values > 2]).astype(float)
    assert np.allclose(kernel(table), X @ X.T)


def test_duplicate_column_names_raise_input_error(rng):
    table = pd.DataFrame(rng.standard_normal((10, 2)), columns=["a", "a"])
    with pytest.raises(lk.InputError, match="same name"):
        lk.KernelClassifier(lk.on("a"), method="alignf", C=1.0).fit(table, np.arange(10) % 2)


def test_missing_pandas_strings_raise_input_error(rng):
    text = pd.array(["good book", None] * 10, dtype="string")
    table = pd.DataFrame({"t": text, "x": rng.standard_normal(20)})
    kernels = [lk.on("t", lk.ngrams(1)), lk.on(["x"], lk.linear())]
    with pytest.raises(lk.InputError, match="no values for 10 samples"):
        lk.KernelClassifier(kernels, method="alignf", C=1.0).fit(table, np.arange(20) % 2)


def test_small_integer_types_beside_a_view_do_not_overflow(rng):
    X = rng.integers(-100, 100, (30, 4)).astype(np.int8)
    kernels, y = [lk.on([0, 1], lk.linear()), lk.per_feature()], np.arange(30) % 2
    small, large = (
        lk.KernelClassifier(kernels, "align", center=False, C=1.0).fit(kind, y).weights_
        for kind in (X, X.astype(float))
    )
    assert np.allclose(small, large)


def test_feature_kernels_of_a_view_are_named_by_their_positions(rng):
    kernels = resolve(lk.on([2, 0], lk.per_feature(), name="two"), rng.standard_normal((5, 3)))
    assert [kernel.name for kernel in kernels] == ["two: x[2]", "two: x[0]"]


def test_nan_beside_a_view_raises_input_error(rng):
    X = rng.standard_normal((20, 3))
    X[4, 1] = np.nan
    with pytest.raises(lk.InputError, match="NaN"):
        lk.KernelClassifier([lk.on([0], lk.linear()), lk.linear()], method="alignf", C=1.0).fit(
            X, np.arange(20) % 2
        )

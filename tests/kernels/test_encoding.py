"""Columns of tables become numbers."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from learnkernels import InputError
from learnkernels.errors import TableWarning
from learnkernels.kernels import encoding
from learnkernels.kernels.encoding import Categories, Dates, Numbers, encodings_of, plain_numbers

N = 40
COLUMNS = {
    "number": ([float(k) for k in range(N)], Numbers()),
    "flag": ([k % 3 == 0 for k in range(N)], Numbers()),
    "flag with gaps": ([None, True, False, True] * (N // 4), Numbers()),
    "category": (["a", "b"] * (N // 2), Categories(("a", "b"), False)),
    "category with gaps": (["a", None] * (N // 2), Categories(("a",), True)),
    "days": (
        [datetime.date(2024, 1, 1) + datetime.timedelta(k) for k in range(N)],
        Dates(season=False),
    ),
    "weeks": (
        [datetime.datetime(2020, 1, 1) + datetime.timedelta(30 * k) for k in range(N)],
        Dates(season=True),
    ),
    "written dates": ([f"2024-01-{k % 28 + 1:02d}" for k in range(N)], Dates(season=False)),
    "durations": ([datetime.timedelta(hours=k) for k in range(N)], Numbers()),
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("name", COLUMNS)
def test_encoding_fits_the_type_of_the_column_in_pandas_and_polars(name, frame):
    values, expected = COLUMNS[name]
    X = frame({name: values})
    assert encodings_of(X, [0], [name], slice(None)) == {0: expected}


def test_one_text_among_different_numbers_is_named_in_the_warning():
    X = pd.DataFrame({"size": [*(f"{k}.5" for k in range(N)), "oops"], "x": range(N + 1)})
    with pytest.warns(TableWarning, match=r"'size' is left out, because 1 of 41 .*'oops'"):
        assert list(encodings_of(X, [0, 1], ["size", "x"], slice(None))) == [1]


@pytest.mark.parametrize("other", ["0.1", "inf", "-Infinity", "nan"])
def test_different_numbers_written_as_text_are_named_in_the_warning(other):
    size = [other, *(f"{k}.5" for k in range(1, N)), "oops"]
    X = pd.DataFrame({"size": size, "x": range(N + 1)})
    with pytest.warns(TableWarning, match=r"'size' is left out: its 40 .* numbers .*to_numeric"):
        assert list(encodings_of(X, [0, 1], ["size", "x"], slice(N))) == [1]


def test_categories_of_pandas_may_be_numbers_and_strings_of_either():
    X = pd.DataFrame({"a": pd.Categorical([1, 2] * 10), "b": pd.array(["u", "v"] * 10, "string")})
    found = encodings_of(X, [0, 1], ["a", "b"], slice(None))
    assert found == {0: Categories(("1", "2"), False), 1: Categories(("u", "v"), False)}
    assert not plain_numbers(X) and plain_numbers(
        pd.DataFrame({"a": [1, None], "b": [True, False]})
    )


def test_unknown_category_is_zero_and_missing_has_a_column_if_it_had_one_in_training():
    values = np.array(["a", "new", None, "b"], dtype=object)
    assert Categories(("a", "b"), False)(values, "x").tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]
    assert Categories(("a", "b"), True)(values, "x")[2].tolist() == [0, 0, 1]
    assert Categories(("5",), False)(np.array([5.0, 6.0]), "x").tolist() == [[1], [0]]


def test_season_has_the_period_of_a_year():
    days = np.array(["2020-03-01", "2024-02-29", "NaT"], dtype="datetime64[D]")
    found = Dates(season=True)(days, "x")
    assert found.shape == (3, 3) and np.isnan(found[2]).all()
    assert np.allclose(found[0, 1:], found[1, 1:], atol=0.02)
    assert found[1, 0] - found[0, 0] == 4 * 365 + 0


def test_times_with_a_zone_are_in_utc():
    values = pd.Series(pd.to_datetime(["2024-01-01 01:00"] * 2)).dt.tz_localize("Europe/Berlin")
    assert Dates(season=False)(np.asarray(values, dtype=object), "x")[0, 0] == 19723.0


@pytest.mark.parametrize("value", ["word", "2024-13-99"])
def test_text_in_a_column_of_dates_or_numbers_raises_error_with_name_and_row(value):
    values = np.array(["2024-01-01", value], dtype=object)
    with pytest.raises(InputError, match=rf"column 'x' contains '{value}' in row 1.*dates"):
        Dates(season=False)(values, "x")
    with pytest.raises(InputError, match=r"column 'x' contains text in 1 row.*'word' in row 1"):
        Numbers()(np.array([1.0, "word"], dtype=object), "x")


def test_text_that_is_different_in_every_row_is_left_out_with_a_warning():
    X = pd.DataFrame({"id": [f"P{k}" for k in range(N)], "x": range(N)})
    with pytest.warns(TableWarning, match=r"column 'id' is left out: its 40 values .*'P0'.*lk.on"):
        assert list(encodings_of(X, [0, 1], ["id", "x"], slice(None))) == [1]
    with (
        pytest.warns(TableWarning, match="is left out"),
        pytest.raises(InputError, match="no column of X can be used"),
    ):
        encodings_of(X, [0], ["id", "x"], slice(None))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("cells", [[[1, 2], [3]], [{"p": 1}, {"p": 2}]], ids=["lists", "structs"])
def test_column_of_lists_or_structs_is_left_out_with_a_warning(cells, frame):
    X = frame({"nested": [*cells, *cells, None] * 4, "x": range(20)})
    with pytest.warns(TableWarning, match=r"'nested' is left out: its cells contain several .*1"):
        assert list(encodings_of(X, [0, 1], ["nested", "x"], slice(None))) == [1]


def test_column_of_arrays_of_one_length_is_left_out_with_a_warning():
    arrays = pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2))
    X = pl.DataFrame({"x": [1, 2]}).with_columns(nested=arrays)
    with pytest.warns(TableWarning, match=r"'nested' is left out: its cells contain several"):
        assert list(encodings_of(X, [0, 1], ["x", "nested"], slice(None))) == [0]


def test_column_without_values_is_left_out_with_a_warning():
    X = pd.DataFrame({"none": np.full(N, None, dtype=object), "x": range(N)})
    with pytest.warns(TableWarning, match="column 'none' has no value"):
        assert list(encodings_of(X, [0, 1], ["none", "x"], slice(None))) == [1]


def test_many_categories_and_numbers_with_a_wrong_cell_raise_warnings():
    many = pd.DataFrame({"city": [f"c{k % 30}" for k in range(N)]})
    with pytest.warns(TableWarning, match="30 of 40 values are different"):
        encodings_of(many, [0], ["city"], slice(None))
    wrong = pd.DataFrame({"size": ["1.5"] * (N - 1) + ["unknown"]})
    with pytest.warns(TableWarning, match="1 of 40 values is not a number: 'unknown'"):
        encodings_of(wrong, [0], ["size"], slice(None))


def test_dates_in_other_formats_are_categories_with_a_warning():
    X = pd.DataFrame({"day": ["29/02/2024", "01/03/2024"] * 10})
    with pytest.warns(TableWarning, match="contains dates such as '29/02/2024'.*to_datetime"):
        encodings_of(X, [0], ["day"], slice(None))


def test_integers_of_more_than_64_bits_are_keys():
    X = pd.DataFrame({"key": [2**70 + k % 2 for k in range(N)]})
    assert len(encodings_of(X, [0], ["key"], slice(None))[0].values) == 2
    different = pd.DataFrame({"key": [2**70 + k for k in range(N)], "x": range(N)})
    with pytest.warns(TableWarning, match="'key' is left out.*as in an identifier or"):
        assert list(encodings_of(different, [0, 1], ["key", "x"], slice(None))) == [1]


def test_only_the_most_frequent_categories_have_a_column(monkeypatch):
    monkeypatch.setattr(encoding, "MAX_CATEGORIES", 2)
    X = pd.DataFrame({"x": ["a"] * 5 + ["b"] * 2 + ["c"] * 4})
    assert encodings_of(X, [0], ["x"], slice(None))[0].values == ("a", "c")


def test_samples_that_are_not_trained_on_have_no_category():
    X = pd.DataFrame({"x": ["a", "b", "c"] * 5})
    found = encodings_of(X, [0], ["x"], np.arange(15) % 3 < 2)
    assert found[0].values == ("a", "b")

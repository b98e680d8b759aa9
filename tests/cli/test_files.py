"""Files that are no tables, or too large ones: a sentence, before memory or time is spent."""

from __future__ import annotations

import gzip
import io
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from learnkernels import InputError
from learnkernels.cli import data, files
from learnkernels.cli.data import check_missing, number_columns, preprocessing, read_table, tidied
from learnkernels.gram import memory

MB = 2**20


@pytest.fixture
def written(tmp_path):
    """A function that writes a file and gives its path."""

    def write(content: bytes | str, name: str = "data.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def refused(path: str, says: str) -> None:
    """The file ends in a sentence that names it, and less than 100 MB are taken for that."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=says) as found:
            read_table(path)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    sentence = str(found.value)
    assert repr(path) in sentence and sentence.endswith(".") and "\n" not in sentence


def parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


WORDS = "naïve,b\né,2\nà,3\n"
PACKED = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n \n\n", "nothing but empty lines"),
        (gzip.compress(b""), "nothing but empty lines"),
        (b"a,b\n", "holds no rows"),
        (WORDS.encode("utf-16"), "text in UTF-16"),
        (WORDS.encode("utf-16-be"), "zero bytes"),
        (WORDS.encode("utf-16-le"), "zero bytes"),
        (WORDS.encode("latin-1"), "not text in UTF-8"),
        (b"a,b\n" + b"x,1\n" * 100_000 + b"\xe9,1\n", "not text in UTF-8"),
        (b"a,b\n1,\0\n", "zero bytes"),
        (np.random.default_rng(0).bytes(100_000), "zero bytes|not text in UTF-8"),
        (PACKED[:-20], "ended before the end-of-stream marker"),
        (PACKED[:-8] + b"12345678", "CRC check failed"),
        (b"\x1f\x8bbroken", "cannot be read"),
        (b"PK\x03\x04" + bytes(100), "a ZIP archive: a model of 'fit --save'"),
        (parquet(pd.DataFrame({"a": [1.0]}))[:60], "Parquet magic bytes not found"),
        ("a,b\n1,2,3\n4,5,6\n", "names 2 columns in its header and has 3 cells"),
        ("a,b\n1,2,\n4,5,\n", "names 2 columns in its header and has 3 cells"),
        ("a,b\n1,2\n4,5,6\n", "line 3 has 3 cells, and there are 2 columns"),
        ('"a\nx",b\n1,2\n4,5,6\n', "line 4 has 3 cells"),
        ('a,b\n"x\ny",2,3\n', "cannot be read"),
        ("x,y,x\n1,2,3\n", r"several columns of the same name: \['x'\]"),
        ('a,b\n1,2\n"3,4\n5,6\n', "a quote that opens in line 3 is never closed"),
        ("a;b\n1,5;2\n", "parts its columns by ';'; expected commas"),
        ('"' + "a" * 200_000, "is no header"),
    ],
)
def test_what_is_no_table_is_a_sentence(content, says, written):
    refused(written(content), says)


def test_what_is_no_file_is_a_sentence(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    refused(str(tmp_path / "pipe"), "is a named pipe")
    refused(str(tmp_path), "is a folder")
    refused("/dev/zero", "is a device")
    refused(str(tmp_path / "none.csv"), "there is no file")

    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "mine.csv").write_text("a\n1\n")
    monkeypatch.setattr(Path, "open", forbidden)
    refused(str(tmp_path / "mine.csv"), "cannot read .* Permission denied")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a,b\n" + b"x" * (40 * MB), "a line of more than 16 MB"),
        (b"1," * (20 * MB), "a line of more than 16 MB"),
        (b",".join(b"c%d" % k for k in range(100_001)) + b"\n1\n", "has 100,001 columns; at most"),
        (b"a,b\n" + b"1," * 10**6 + b"1\n", "has 1,000,001 cells in the row below"),
        (b"a,b\n1,2\n" + b"1," * 10**6 + b"1\n", "line 3 has 1,000,001 cells"),
    ],
    ids=["long cell", "one line", "wide header", "wide first row", "wide second row"],
)
def test_lines_and_headers_have_an_end(content, says, written):
    refused(written(content), says)


def test_bombs_end_where_the_memory_does(written, monkeypatch):
    refused(written(gzip.compress(bytes(200 * MB), 1)), "zero bytes")
    row = b"0," * 49 + b"0\n"
    rows = b",".join(b"c%d" % k for k in range(50)) + b"\n" + row * 500_000
    path = written(gzip.compress(rows, 1))
    many = written(parquet(pd.DataFrame({"a": np.zeros(10**6)})), "zeros.parquet")
    monkeypatch.setattr(files, "available_memory", lambda: 2e7)
    refused(path, "cells or more, which take at least 2")
    refused(many, "1,000,000 rows of 1 columns")


def test_a_table_of_genes_is_read(written):
    """As many columns as people have genes, twice."""
    names = [f"gene {k}" for k in range(40_000)]
    rows = np.random.default_rng(0).integers(-9, 9, (3, len(names)))
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    table = read_table(written("\n".join(lines)))
    assert (table.to_numpy() == rows).all() and list(table.columns) == names
    tidy = tidied(table, number_columns(table))
    check_missing(tidy, False)
    assert (tidy.to_numpy() == rows).all() and list(tidy.columns) == names


@pytest.mark.parametrize("name", ["data.csv", "data.parquet", "data.csv.gz", "data"])
@pytest.mark.parametrize("form", ["csv", "marked", "gzip", "parquet"])
def test_the_first_bytes_say_what_a_file_is(form, name, written):
    table = pd.DataFrame({"é": [1.5, 2.5], "b": ["x,y", 'say "z"']})
    text = table.to_csv(index=False).encode()
    forms = {"csv": text, "marked": b"\xef\xbb\xbf" + text, "gzip": gzip.compress(text)}
    content = forms[form] if form in forms else parquet(table)
    assert read_table(written(content, name)).equals(table)


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1", "x"], ["1", "x"]),
        (['"1,5"', '"2,5"'], ["1,5", "2,5"]),
        (["١٢", "٣"], ["١٢", "٣"]),
        (["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-02"]),
        (['"=HYPERLINK(""x"")"', "@SUM(1)"], ['=HYPERLINK("x")', "@SUM(1)"]),
        (["+cmd", "-1"], ["+cmd", "-1"]),
        (["1" * 30, "2"], ["1" * 30, "2"]),
        (["1e3", "-1"], [1000.0, -1.0]),
        pytest.param(
            ["1e400", "2"],
            [np.inf, 2.0],
            marks=pytest.mark.skipif(data.OLD, reason="pandas 2 takes it for text"),
        ),
    ],
)
def test_a_column_is_numbers_if_all_its_cells_are(cells, read, written):
    table = read_table(written("a,b\n" + "".join(f"{cell},1\n" for cell in cells)))
    tidy = tidied(table, number_columns(table))
    assert tidy["a"].tolist() == read
    if np.inf in read:
        with pytest.raises(InputError, match=r"columns \['a'\] hold infinite values"):
            check_missing(tidy, True)


def test_one_late_word_makes_the_whole_column_text(written):
    """Cells of one value are one category, wherever in a long file they stand."""
    path = written("a,b\n" + "1,0\n" * 300_000 + ",0\n1,0\nx,0\n")
    table = read_table(path)
    assert set(tidied(table, [])["a"].dropna()) == {"1", "x"}


def test_cells_that_are_not_there_are_missing(written):
    table = read_table(written("a,b,c\n1,2\n4,5,6\n"))
    with pytest.raises(InputError, match=r"values are missing in 'c' \(1\)"):
        check_missing(table, False)


def test_columns_without_a_name_are_numbered(written):
    assert list(read_table(written(",a,\n1,2,3\n")).columns) == ["Unnamed: 0", "a", "Unnamed: 2"]


def test_a_missing_header_is_guessed_when_the_target_is_not_found(written):
    table = read_table(written("5.1,3.5,0\n4.9,3.0,1\n"))
    with pytest.raises(InputError, match="does the file lack a header"):
        data.split_target(table, "kind")
    assert data.split_target(table, "0")[1].tolist() == [1]


def test_a_category_of_names_is_refused_before_it_is_encoded(monkeypatch):
    names = pd.DataFrame({"colour": ["red"] * 3000, "name": [f"n{k}" for k in range(3000)]})
    preprocessing(names, False, False)
    monkeypatch.setattr(memory, "available_memory", lambda: 1e8)
    with pytest.raises(InputError, match=r"take 144 MB .* 'name' has 3,000 different values"):
        preprocessing(names, False, False)
    preprocessing(names, False, False, kept=["name"])

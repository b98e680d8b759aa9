"""Files that are not tables or too large raise before memory or time is spent."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from learnkernels import InputError
from learnkernels.cli import files
from learnkernels.cli.data import read_table

MB = 2**20


def refused(path: str, message: str) -> None:
    """Check that reading raises an error that names the file, with less than 100 MB of memory."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=message) as found:
            read_table(path)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    text = str(found.value)
    assert repr(path) in text and text.endswith((".", "?")) and "\n" not in text


def parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


WORDS = "naïve,b\né,2\nà,3\n"
PACKED = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n \n\n", "only empty lines"),
        (gzip.compress(b""), "only empty lines"),
        (b"a,b\n", "no rows"),
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
        (b"PK\x03\x04" + bytes(100), "a ZIP archive .an Excel workbook"),
        (parquet(pd.DataFrame({"a": [1.0]}))[:60], "Parquet magic bytes not found"),
        ("a,b\n1,2,3\n4,5,6\n", "2 column names in its header but 3 cells"),
        ("a,b\n1,2,\n4,5,\n", "2 column names in its header but 3 cells"),
        ("a,b\n1,2\n4,5,6\n", "line 3 has 3 cells, but there are 2 columns"),
        ('"a\nx",b\n1,2\n4,5,6\n', "line 4 has 3 cells"),
        ('a,b\n"x\ny",2,3\n', "cannot be read"),
        ("x,y,x\n1,2,3\n", r"several columns of the same name: \['x'\]"),
        ('a,b\n1,2\n"3,4\n5,6\n', "a quote that is opened in line 3 is never closed"),
        ("a;b\n1,5;2\n", "is separated by ';'. Expected commas; pass --sep ';'"),
        ('"' + "a" * 200_000, "is not a header"),
    ],
)
def test_non_table_input_raises_input_error(content, message, written):
    refused(written(content), message)


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_compressed_file_is_read_to_its_end_or_refused(name, written):
    """Several compressed streams are one file; other bytes behind them are damage."""
    pack = PACKERS[name]
    packed = pack(b"a,b\n" + b"1,2\n" * 200_000)
    assert len(read_table(written(packed + pack(b"3,4\n")))) == 200_001
    assert len(read_table(written(packed + bytes(8)))) == 200_000
    refused(written(packed + b"garbage"), "damaged|Not a gzipped file")
    refused(written(packed + bytes(4) + b"garbage"), "damaged|Not a gzipped file")
    refused(written(packed[:-5]), "cannot be read|end")


def test_parquet_page_that_differs_from_its_checksum_is_refused(tmp_path, rng):
    path = tmp_path / "table.parquet"
    table = pd.DataFrame({"a": rng.standard_normal(500), "y": rng.standard_normal(500)})
    table.to_parquet(path, write_page_checksum=True, compression="none", use_dictionary=False)
    assert read_table(str(path)).equals(table)
    content = bytearray(path.read_bytes())
    start = content.index(table["a"].to_numpy().tobytes())
    content[start + 100] ^= 1
    path.write_bytes(content)
    refused(str(path), "(?i)crc|checksum")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_path_that_is_not_a_regular_file_raises_input_error(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    refused(str(tmp_path / "pipe"), "is a named pipe")
    refused(str(tmp_path), "is a directory")
    refused("/dev/zero", "is a device")
    refused(str(tmp_path / "none.csv"), "there is no file")

    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "mine.csv").write_text("a\n1\n")
    monkeypatch.setattr(Path, "open", forbidden)
    refused(str(tmp_path / "mine.csv"), "cannot read .* Permission denied")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n" + b"x" * (40 * MB), "a line of more than 16 MB"),
        (b"1," * (20 * MB), "a line of more than 16 MB"),
        (b",".join(b"c%d" % k for k in range(100_001)) + b"\n1\n", "has 100,001 columns; at most"),
        (b"a,b\n" + b"1," * 10**6 + b"1\n", "1,000,001 cells in the next row"),
        (b"a,b\n1,2\n" + b"1," * 10**6 + b"1\n", "line 3 has 1,000,001 cells"),
    ],
    ids=["long cell", "one line", "wide header", "wide first row", "wide second row"],
)
def test_long_lines_and_wide_headers_raise_input_error(content, message, written):
    refused(written(content), message)


def test_compression_bombs_raise_before_memory_is_exhausted(written, monkeypatch):
    refused(written(gzip.compress(bytes(200 * MB), 1)), "zero bytes")
    row = b"0," * 49 + b"0\n"
    rows = b",".join(b"c%d" % k for k in range(50)) + b"\n" + row * 500_000
    path = written(gzip.compress(rows, 1))
    many = written(parquet(pd.DataFrame({"a": np.zeros(10**6)})), "zeros.parquet")
    monkeypatch.setattr(files, "available_memory", lambda: 2e7)
    refused(path, "cells, which need at least 2")
    refused(many, "1,000,000 rows and 1 column")


@pytest.mark.parametrize("name", ["data.csv", "data.parquet", "data.csv.gz", "data"])
@pytest.mark.parametrize("form", ["csv", "marked", "gzip", "parquet"])
def test_format_is_detected_from_content(form, name, written):
    table = pd.DataFrame({"é": [1.5, 2.5], "b": ["x,y", 'say "z"']})
    text = table.to_csv(index=False).encode()
    forms = {"csv": text, "marked": b"\xef\xbb\xbf" + text, "gzip": gzip.compress(text)}
    content = forms[form] if form in forms else parquet(table)
    assert read_table(written(content, name)).equals(table)

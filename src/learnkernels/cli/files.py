"""Check a file before pandas reads it: its format, its header, and the memory that it needs.

The format is detected from the content, not from the name, and the size of a compressed file is
measured, not read from its header. A CSV file is therefore read twice: the first pass stops as soon
as a limit is exceeded.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import math
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from learnkernels.errors import InputError
from learnkernels.execution import available_memory, format_bytes
from learnkernels.plurals import count_text

# Twice the number of genes in a large expression table; pandas needs time for each column.
MAX_COLUMNS = 100_000
# The maximum number of columns with 160 characters each.
MAX_LINE_BYTES = 2**24
# Bytes per cell while a table is read, in addition to its text: start, end and value.
CELL_BYTES = 24
BLOCK_BYTES = 2**20

OTHER_FORMATS = {
    b"LKMODEL\n": "a model of 'fit --save'",
    b"PK\x03\x04": "a ZIP archive (an Excel workbook, or another ZIP file)",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"ARROW1": "an Arrow file",
}
EXPECTED = "expected Parquet or CSV in UTF-8 (plain or compressed with gzip, bzip2 or xz)"


class Decompressed(io.RawIOBase):
    """Stream of the content of a bzip2 or xz file.

    The readers of Python ignore bytes behind the compressed data. This one raises.
    """

    def __init__(self, path: str, decompressor: Callable[[], Any]):
        self.file = Path(path).open("rb")  # noqa: SIM115
        self.decompressor = decompressor
        self.current, self.path = decompressor(), path

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, block: Any) -> int:
        """Read the next bytes; a file may contain several compressed streams."""
        content = b""
        while not content:
            packed = b""
            if self.current.eof:
                packed = (self.current.unused_data or self.file.read(BLOCK_BYTES)).lstrip(b"\0")
                if not packed and not self.file.peek(1):
                    return 0
                self.current = self.decompressor()
            elif self.current.needs_input:
                packed = self.file.read(BLOCK_BYTES)
                if not packed:
                    raise EOFError("the file ends before its compressed data")
            content = self.decompress(packed, len(block))
        block[: len(content)] = content
        return len(content)

    def decompress(self, packed: bytes, length: int) -> bytes:
        """Return at most `length` bytes of content."""
        try:
            return bytes(self.current.decompress(packed, length))
        except (OSError, lzma.LZMAError) as error:
            raise InputError(
                f"{self.path!r} is damaged: its compressed data, or what follows them, cannot be "
                "unpacked; copy the file again."
            ) from error

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        super().close()


def unpacked(decompressor: Callable[[], Any]) -> Callable[..., Any]:
    """Return a function that opens compressed files, like ``gzip.open``."""
    return lambda path, mode: Decompressed(path, decompressor)


OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": unpacked(bz2.BZ2Decompressor),
    b"\xfd7zXZ\x00": unpacked(lzma.LZMADecompressor),
}


def first_bytes(path: str) -> bytes:
    """Return the first bytes of a file; raise if it cannot be read or is not a table."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):  # opening a pipe may block, and a device has no end
            raise InputError(
                f"{path!r} is {file_type(mode)}; {EXPECTED} in a regular file. Pass such a file."
            )
        with Path(path).open("rb") as file:
            first = file.read(8)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path!r}; check the path.") from error
    except OSError as error:
        raise InputError(
            f"cannot read {path!r}: {error.strerror or error}. Check the path and its permissions."
        ) from error
    if not first:
        raise InputError(f"{path!r} is empty; {EXPECTED}. Pass another file.")
    for magic, format_name in OTHER_FORMATS.items():
        if first.startswith(magic):
            raise InputError(f"{path!r} is {format_name}; {EXPECTED}. Convert it first.")
    return first


def file_type(mode: int) -> str:
    """Describe the type of a file that is not a regular file."""
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a named pipe" if stat.S_ISFIFO(mode) else "a device or a socket"


def is_parquet(first: bytes) -> bool:
    """Return whether the first bytes are those of a Parquet file."""
    return first.startswith(b"PAR1")


def check_memory(path: str, rows: int, columns: int) -> None:
    """Raise if a table of this shape has too many columns or does not fit into memory."""
    check_columns(path, columns)
    shape = f"{count_text(rows, 'row')} and {count_text(columns, 'column')}"
    require_memory(path, CELL_BYTES * rows * columns, shape, available_memory())


def check_columns(path: str, columns: int) -> None:
    """Raise if a table has too many columns."""
    if columns > MAX_COLUMNS:
        raise InputError(
            f"{path!r} has {columns:,} columns; at most {MAX_COLUMNS:,} are supported. Select "
            "columns first, or use the Python interface with an array."
        )


def require_memory(path: str, n_bytes: float, size: str, free: float) -> None:
    """Raise if a table needs more bytes than are free."""
    if n_bytes > free:
        raise InputError(
            f"{path!r} has {size}, which need at least {format_bytes(n_bytes)} of memory, but "
            f"{format_bytes(free)} are free; use fewer rows or columns, or a machine with more "
            "memory."
        )


@contextmanager
def open_text(
    path: str, first: bytes, sep: str = ",", encoding: str = "utf-8", whole: bool = True
) -> Iterator[io.TextIOWrapper]:
    """Open a CSV file as text, decompressed, with checks of every block that is read.

    With `whole`, the table has to fit into memory.
    """
    opener = next((opener for magic, opener in OPENERS.items() if first.startswith(magic)), open)
    with opener(path, "rb") as file:
        checked = io.BufferedReader(CheckedBytes(file, path, sep, whole), BLOCK_BYTES)
        yield io.TextIOWrapper(checked, encoding=codec(encoding), newline="")


def codec(encoding: str) -> str:
    """Return the codec of an option; raise unless ASCII characters are single bytes in it."""
    try:
        plain = "a,\n".encode(encoding) == b"a,\n"
    except LookupError:
        plain = False
    if not plain:
        raise InputError(
            f"--encoding {encoding!r} is unknown, or has several bytes for each character; "
            "expected for example latin-1, cp1252 or utf-8. Convert UTF-16 to UTF-8 first."
        )
    name = codecs.lookup(encoding).name
    return "utf-8-sig" if name in ("utf-8", "ascii") else name


def check_csv(
    path: str, first: bytes, sep: str = ",", encoding: str = "utf-8", whole: bool = True
) -> None:
    """Raise if a CSV file has an invalid header or, with `whole`, does not fit into memory."""
    with open_text(path, first, sep, encoding, whole) as text:
        check_names(text, path, sep)
        while bytes(text.buffer.read(BLOCK_BYTES)):
            pass


class CheckedBytes(io.RawIOBase):
    """Stream of bytes that raises if the content is not text or too large for memory."""

    def __init__(self, file: IO[bytes], path: str, sep: str = ",", whole: bool = True):
        self.file, self.path, self.sep = file, path, sep.encode()
        self.n_bytes = self.n_cells = self.line_bytes = 0
        self.free = available_memory() if whole else math.inf  # before the table is in memory

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, block: Any) -> int:
        """Read and check the next block."""
        content = self.file.read(len(block))
        block[: len(content)] = content
        self.check(content)
        return len(content)

    def check(self, content: bytes) -> None:
        """Raise on zero bytes, long lines and too many cells."""
        if b"\0" in content:
            raise InputError(
                f"{self.path!r} contains zero bytes, so it is binary or text in UTF-16; "
                f"{EXPECTED}. Convert it first."
            )
        end = max(content.rfind(b"\n"), content.rfind(b"\r"))
        self.line_bytes = self.line_bytes + len(content) if end < 0 else len(content) - end - 1
        if self.line_bytes > MAX_LINE_BYTES:
            raise InputError(
                f"{self.path!r} has a line of more than {MAX_LINE_BYTES // 2**20} MB; expected one "
                "line per sample. Check that its lines end with a line break and its quotes are "
                "closed."
            )
        self.n_bytes += len(content)
        self.n_cells += content.count(self.sep) + content.count(b"\n")
        needed = self.n_bytes + CELL_BYTES * self.n_cells
        require_memory(self.path, needed, f"at least {self.n_cells:,} cells", self.free)


def read_header(text: IO[str], path: str, sep: str = ",") -> tuple[list[str], int]:
    """Read the names of the columns; return them and the number of lines read."""
    reader = csv.reader(iter(text.readline, ""), delimiter=sep)
    try:
        names = next(row for row in reader if "".join(row).strip() or len(row) > 1)
    except StopIteration as error:
        raise InputError(
            f"{path!r} contains only empty lines; {EXPECTED}. Pass another file."
        ) from error
    except csv.Error as error:  # the csv module limits names to 131,072 characters
        raise InputError(
            f"the first line of {path!r} is not a header: {error}. Expected names of columns; "
            "write them there, and close every quote."
        ) from error
    check_columns(path, len(names))
    return [name or f"Unnamed: {index}" for index, name in enumerate(names)], reader.line_num


def check_names(text: IO[str], path: str, sep: str = ",") -> None:
    """Raise unless every column has a unique name.

    pandas would rename duplicate columns, and use cells without a column name as row labels.
    """
    names, _ = read_header(text, path, sep)
    marks = (mark for mark in ",;\t|" if len(names) == 1 and mark in names[0])
    other = next(marks, None)
    if other:
        expected = "commas" if sep == "," else repr(sep)
        raise InputError(
            f"{path!r} is separated by {other!r}. Expected {expected}; pass --sep {other!r}."
        )
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise InputError(
            f"{path!r} has several columns of the same name: {duplicates[:5]}; rename them."
        )
    cells = 1 + re.sub(r'"[^"]*("|$)', "", text.readline()).count(sep)
    if cells > len(names):
        raise InputError(
            f"{path!r} has {count_text(len(names), 'column name')} in its header but "
            f"{count_text(cells, 'cell')} in the next row; give every column a name."
        )

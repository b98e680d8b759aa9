"""A look at a file before pandas reads it: what it is, and whether there is room for it.

Nothing here believes the name of a file, or what an archive says of its own size. A CSV file
streams by once before it is read, block by block, so that one that outgrows the limits ends there.
The price is to unpack a packed file twice.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from learnkernels.errors import InputError
from learnkernels.gram import available_memory, sized

__all__ = ["beginning_of", "check_csv", "check_room", "header_of", "is_parquet", "opened"]

# Twice the genes of a large expression table. A table of pandas costs time for each column.
MOST_COLUMNS = 100_000
# So many columns of 160 characters.
LONGEST_LINE = 2**24
# Bytes that a cell takes while it is read, besides its text: where it begins, where it ends, and
# its value.
CELL = 24
BLOCK = 2**20

UNPACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
STRANGERS = {
    b"PK\x03\x04": "a ZIP archive: a model of 'fit --save', an Excel workbook or packed files",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"ARROW1": "an Arrow file",
}
EXPECTED = "expected CSV in UTF-8 (plain, or packed by gzip, bzip2 or xz) or Parquet"


def beginning_of(path: str) -> bytes:
    """The first bytes of a file that can be read, and that may be a table."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):  # to open a pipe may take forever, and a device has no end
            raise InputError(f"{path!r} is {kind_of(mode)}; {EXPECTED} in a file.")
        with Path(path).open("rb") as file:
            first = file.read(8)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path!r}.") from error
    except OSError as error:
        raise InputError(f"cannot read {path!r}: {error.strerror or error}.") from error
    if not first:
        raise InputError(f"{path!r} is empty; {EXPECTED}.")
    for magic, what in STRANGERS.items():
        if first.startswith(magic):
            raise InputError(f"{path!r} is {what}; {EXPECTED}.")
    return first


def kind_of(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a named pipe" if stat.S_ISFIFO(mode) else "a device or a socket"


def is_parquet(first: bytes) -> bool:
    """Whether a file that begins so is Parquet."""
    return first.startswith(b"PAR1")


def check_room(path: str, rows: int, columns: int) -> None:
    """Raise where a table of that shape is too wide, or too large for the memory that is free."""
    check_columns(path, columns)
    size = f"{rows:,} rows of {columns:,} columns"
    require_room(path, CELL * rows * columns, size, available_memory())


def check_columns(path: str, columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{path!r} has {columns:,} columns; at most {MOST_COLUMNS:,} are read. Choose the "
            "columns that matter first, or use the library from Python with an array."
        )


def require_room(path: str, n_bytes: float, what: str, free: float) -> None:
    if n_bytes > free:
        raise InputError(
            f"{path!r} has {what}, which take at least {sized(n_bytes)} to read, and "
            f"{sized(free)} are free; use fewer rows or columns, or a larger machine."
        )


@contextmanager
def opened(path: str, first: bytes) -> Iterator[io.TextIOWrapper]:
    """The text of a CSV file that begins so, unpacked and watched as it streams by."""
    unpack = next((unpack for magic, unpack in UNPACKED.items() if first.startswith(magic)), open)
    with unpack(path, "rb") as file:
        watched = io.BufferedReader(Watched(file, path), BLOCK)
        yield io.TextIOWrapper(watched, encoding="utf-8-sig", newline="")


def check_csv(path: str, first: bytes) -> None:
    """Raise where a CSV file has no proper header, or no end that memory reaches."""
    with opened(path, first) as text:
        check_names(text, path)
        while text.buffer.read(BLOCK):
            pass


class Watched(io.RawIOBase):
    """The bytes of a file, until they are more than a table of text can be."""

    def __init__(self, file: IO[bytes], path: str):
        self.file, self.path = file, path
        self.n_bytes = self.n_cells = self.line = 0
        self.free = available_memory()  # before the table takes its part

    def readable(self) -> bool:
        return True

    def readinto(self, block) -> int:
        found = self.file.read(len(block))
        block[: len(found)] = found
        self.look(found)
        return len(found)

    def look(self, found: bytes) -> None:
        """Raise on what no CSV file has, or no memory."""
        if b"\0" in found:
            raise InputError(
                f"{self.path!r} holds zero bytes, so it is no text, or text in UTF-16; {EXPECTED}."
            )
        end = max(found.rfind(b"\n"), found.rfind(b"\r"))
        self.line = self.line + len(found) if end < 0 else len(found) - end - 1
        if self.line > LONGEST_LINE:
            raise InputError(
                f"{self.path!r} has a line of more than {LONGEST_LINE // 2**20} MB; a table has a "
                "line for each sample."
            )
        self.n_bytes += len(found)
        self.n_cells += found.count(b",") + found.count(b"\n")
        room = self.n_bytes + CELL * self.n_cells
        require_room(self.path, room, f"{self.n_cells:,} cells or more", self.free)


def header_of(text: IO[str], path: str) -> tuple[list[str], int]:
    """The names of the columns, and how many lines they stand on; the text goes on after them."""
    reader = csv.reader(iter(text.readline, ""))
    try:
        names = next(row for row in reader if "".join(row).strip() or len(row) > 1)
    except StopIteration as error:
        raise InputError(f"{path!r} holds nothing but empty lines; {EXPECTED}.") from error
    except csv.Error as error:  # the module's own limit: a name of 131,072 characters is none
        raise InputError(
            f"the first line of {path!r} is no header: {error} (a quote that is not closed?)."
        ) from error
    check_columns(path, len(names))
    return [name or f"Unnamed: {at}" for at, name in enumerate(names)], reader.line_num


def check_names(text: IO[str], path: str) -> None:
    """Raise unless every column has a name of its own.

    Of names that come twice pandas makes others, and of cells without a name labels of the rows.
    """
    names, _ = header_of(text, path)
    mark = next((mark for mark in ";\t|" if len(names) == 1 and mark in names[0]), None)
    if mark:
        raise InputError(f"{path!r} parts its columns by {mark!r}; expected commas.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path!r} has several columns of the same name: {twice[:5]}; rename them."
        )
    cells = 1 + re.sub(r'"[^"]*("|$)', "", text.readline()).count(",")
    if cells > len(names):
        raise InputError(
            f"{path!r} names {len(names):,} columns in its header and has {cells:,} cells in the "
            "row below; every column needs a name."
        )

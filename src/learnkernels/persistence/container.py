r"""The file of a model: one JSON document, and named arrays of numbers.

    LKMODEL\n | format | n | document of n bytes | arrays | SHA-256 of all bytes before

`format` and `n` are 64-bit integers. The document is ``{"learnkernels": version, "model": ...,
"arrays": {name: {"dtype", "shape", "order", "crc32"}}}``. Arrays follow in the order of this table,
each padded to a multiple of 8 bytes. All numbers are little-endian, and nothing is compressed, so
that a file cannot unpack to more than its own size.

The SHA-256 detects damage. It does not detect forgery, because anybody can compute it: the readers
of the fields (`fields` and the tables beside it) check every value.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import struct
import zlib
from typing import Any, Literal

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import require_memory
from learnkernels.persistence.fields import FieldError
from learnkernels.version import __version__

MAGIC = b"LKMODEL\n"
# Increased whenever older files cannot be read, or new files cannot be read by older versions.
FORMAT = 3
# First bytes of a ZIP archive: formats 1 and 2.
ZIP = b"PK"
LENGTHS = struct.Struct("<QQ")  # format, bytes of the document
START, DIGEST, ALIGNMENT = len(MAGIC) + LENGTHS.size, 32, 8
# The types of arrays.
DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
MAX_DIMENSIONS = 3
# Bytes of Python objects for each byte of the document: "[]," becomes a list of 64 bytes.
BYTES_OF_DOCUMENT = 40
VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")


class ArrayWriter:
    """Collect the arrays of a model."""

    def __init__(self) -> None:
        self.table: dict[str, dict[str, Any]] = {}
        self.blocks: list[bytes] = []

    def add(self, values: np.ndarray) -> str:
        """Store an array and return its name in the document."""
        dtype = f"{values.dtype.kind}{values.dtype.itemsize}"
        order: Literal["C", "F"] = (
            "F" if values.flags.f_contiguous and not values.flags.c_contiguous else "C"
        )
        block = values.astype(f"<{dtype}", copy=False).tobytes(order)
        name = f"array {len(self.table)}"
        self.table[name] = {
            "dtype": dtype,
            "shape": list(values.shape),
            "order": order,
            "crc32": zlib.crc32(block),
        }
        self.blocks.append(block)
        return name


class ArrayReader:
    """Hand out the arrays of a file, each exactly once."""

    def __init__(self, table: Any, content: memoryview) -> None:
        if not isinstance(table, dict):
            raise FieldError("the table of arrays is not an object")
        self.arrays: dict[str, np.ndarray] = {}
        start = 0
        for name, entry in table.items():
            self.arrays[name], used = read_array(name, entry, content[start:])
            start += padded(used)
        if start != len(content):
            raise FieldError(f"arrays of {start} bytes were expected, found {len(content)}")

    def take(self, name: Any) -> np.ndarray:
        """Return the array of this name; no other field may use it."""
        found = self.arrays.pop(name, None) if isinstance(name, str) else None
        if found is None:
            raise FieldError("expected the name of an array that no other field uses")
        return found


def read_array(name: str, entry: Any, content: memoryview) -> tuple[np.ndarray, int]:
    """Return the array at the start of `content`, and the bytes that it takes."""
    if not (isinstance(entry, dict) and entry.keys() == {"dtype", "shape", "order", "crc32"}):
        raise FieldError(f"the entry of {name!r} is not dtype, shape, order and crc32")
    dtype, shape, order = entry["dtype"], entry["shape"], entry["order"]
    if dtype not in DTYPES or order not in ("C", "F"):
        raise FieldError(f"{name!r} has an unknown dtype or order")
    if not (
        isinstance(shape, list)
        and 1 <= len(shape) <= MAX_DIMENSIONS
        and all(type(length) is int and length >= 0 for length in shape)
    ):
        raise FieldError(f"{name!r} has an invalid shape")
    used = int(dtype[1]) * math.prod(shape)
    if max(shape) > len(content) or used > len(content):
        raise FieldError(f"{name!r} is longer than the file")
    block = content[:used]
    if zlib.crc32(block) != entry["crc32"]:
        raise FieldError(f"the checksum of {name!r} is wrong")
    if dtype == "b1" and used and np.frombuffer(block, np.uint8).max() > 1:
        raise FieldError(f"{name!r} contains values that are neither true nor false")
    values = np.frombuffer(block, f"<{dtype}").reshape(shape, order=order)
    return values.astype(dtype, order="K"), used  # a writable copy in the order of this machine


def padded(length: int) -> int:
    """Return a length rounded up to the alignment of arrays."""
    return -(-length // ALIGNMENT) * ALIGNMENT


def packed(model: Any, arrays: ArrayWriter) -> bytes:
    """Return the content of a file."""
    document = {"learnkernels": __version__, "model": model, "arrays": arrays.table}
    text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")
    text += b" " * (padded(len(text)) - len(text))
    blocks = (block.ljust(padded(len(block)), b"\0") for block in arrays.blocks)
    content = b"".join((MAGIC, LENGTHS.pack(FORMAT, len(text)), text, *blocks))
    return content + hashlib.sha256(content).digest()


def unpacked(content: bytes, path: str | os.PathLike[str]) -> tuple[str, Any, ArrayReader]:
    """Return the version that wrote a file, the document of its model, and its arrays.

    Raises InputError if the file is damaged, of another format or too large for the memory, and
    `FieldError` if its tables are invalid.
    """
    if content.startswith(ZIP):
        raise InputError(
            f"{str(path)!r} is a ZIP archive. If learnkernels 0.1 wrote it, it is a model in an "
            f"older format, which learnkernels {__version__} does not read: fit the model again "
            "and save it, or load the file with learnkernels 0.1."
        )
    if not content.startswith(MAGIC):
        raise InputError(
            f"{str(path)!r} is not a model file of learnkernels; pass a file that lk.save or "
            "'learnkernels fit --save' wrote."
        )
    body = memoryview(content)[: max(len(content) - DIGEST, 0)]
    if len(body) < START or hashlib.sha256(body).digest() != content[-DIGEST:]:
        raise InputError(
            f"{str(path)!r} is damaged: its checksum is wrong; save the model again, or use "
            "another copy of the file."
        )
    found, length = LENGTHS.unpack_from(content, len(MAGIC))
    if found != FORMAT:
        raise InputError(
            f"{str(path)!r} has format {found}; learnkernels {__version__} reads format {FORMAT}: "
            + (
                "fit the model again."
                if found < FORMAT
                else "install a newer version of learnkernels."
            )
        )
    if length > len(body) - START:
        raise FieldError("the document is longer than the file")
    what = f"{str(path)!r}, loaded,"
    needed = BYTES_OF_DOCUMENT * length + 2 * len(content)
    require_memory(needed, what, "load it on a machine with more memory")
    document = parsed(bytes(body[START : START + length]))
    arrays = ArrayReader(document["arrays"], body[START + length :])
    return document["learnkernels"], document["model"], arrays


def parsed(text: bytes) -> dict[str, Any]:
    """Return the document, an object with the keys learnkernels, model and arrays."""
    try:
        document = json.loads(text, object_pairs_hook=unique_keys, parse_constant=refuse_constant)
    except RecursionError as error:
        raise FieldError("the document is nested too deeply") from error
    except FieldError:
        raise
    except ValueError as error:  # not UTF-8, not JSON, or a number of thousands of digits
        raise FieldError("the document is not JSON") from error
    if not (
        isinstance(document, dict)
        and document.keys() == {"learnkernels", "model", "arrays"}
        and isinstance(document["learnkernels"], str)
        and VERSION.fullmatch(document["learnkernels"])
    ):
        raise FieldError("the document is not an object with a version, a model and arrays")
    return document


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the document; raise if it has a key twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FieldError("the document has an object with a key twice")
    return found


def refuse_constant(name: str) -> None:
    """Raise for NaN and Infinity, which are not JSON."""
    raise FieldError(f"the document contains {name}")

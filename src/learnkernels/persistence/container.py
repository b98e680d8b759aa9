"""The file of a model: an archive, the version that wrote it, and a checksum.

A file is a zip archive of skops: a tree of names and numbers in ``schema.json``, and files of
arrays. The archive's comment is the end of the file. It contains the format, the version of
learnkernels, and the SHA-256 of all bytes before:

    archive | {"format": 2, "learnkernels": "0.2.0"} | 64 hexadecimal digits

The checksum detects damage. It does not detect forgery, because anybody can compute it: see
`allowed_types` and `shapes`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterator
from typing import Any

from learnkernels.errors import InputError
from learnkernels.execution import require_memory
from learnkernels.version import __version__

# Increased whenever older files cannot be read, or new files cannot be read by older versions.
FORMAT = 2
DIGEST = 64
MAGIC = b"PK"  # first bytes of a ZIP archive
# Bytes of Python objects for each byte of the tree, and copies that skops makes of each array.
BYTES_OF_TREE, COPIES = 20, 2


def with_header(archive: bytes) -> bytes:
    """Return an archive with its comment: format, version and checksum."""
    header = json.dumps({"format": FORMAT, "learnkernels": __version__}).encode()
    stream = io.BytesIO(archive)
    with zipfile.ZipFile(stream, "a") as found:
        found.comment = header + b"0" * DIGEST
    content = stream.getvalue()[:-DIGEST]
    return content + checksum(content)


def checksum(content: bytes) -> bytes:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest().encode()


def read_header(content: bytes, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a file, or raise if it is damaged, of another format or too large."""
    if not content.startswith(MAGIC):
        raise InputError(
            f"{str(path)!r} is not a model file of learnkernels, which is a ZIP archive; pass a "
            "file that lk.save or 'learnkernels fit --save' wrote."
        )
    try:
        if checksum(content[:-DIGEST]) != content[-DIGEST:]:
            raise ValueError("its checksum is wrong")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            header: dict[str, Any] = json.loads(archive.comment[:-DIGEST])
            require_format(int(header["format"]), str(header["learnkernels"]), path)
            require_unpacked_memory(archive, path)
    except InputError:
        raise
    except Exception as error:  # zipfile and json raise many types for malformed content
        raise InputError(
            f"{str(path)!r} is a ZIP archive, but not a model file of learnkernels, or it is "
            f"damaged ({error}); save the model again, or use another copy of the file."
        ) from error
    return header


def require_format(found: int, version: str, path: str | os.PathLike[str]) -> None:
    """Raise unless the file has the format of this version."""
    if found == FORMAT:
        return
    advice = (
        f"fit the model again and save it, or load the file with learnkernels {version}."
        if found < FORMAT
        else "install a newer version of learnkernels."
    )
    raise InputError(
        f"{str(path)!r} was written by learnkernels {version} in format {found}; learnkernels "
        f"{__version__} reads format {FORMAT}: {advice}"
    )


def require_unpacked_memory(archive: zipfile.ZipFile, path: str | os.PathLike[str]) -> None:
    """Raise unless the unpacked content fits into memory; the tree may repeat a file."""
    what, advice = f"{str(path)!r}, unpacked,", "load it on a machine with more memory"
    tree = BYTES_OF_TREE * archive.getinfo("schema.json").file_size
    require_memory(tree, what, advice)
    names = list(files_named(json.loads(archive.read("schema.json"))))
    packed = sum(archive.getinfo(name).file_size for name in set(names))
    require_memory(packed, what, advice)
    sizes = {name: unpacked_size(archive, name) for name in set(names)}
    require_memory(tree + COPIES * sum(sizes[name] for name in names), what, advice)


def files_named(tree: Any) -> Iterator[str]:
    """Yield the names of files in the tree, as often as they occur."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if isinstance(node.get("file"), str):
                yield node["file"]
            pending += node.values()
        elif isinstance(node, list):
            pending += node


def unpacked_size(archive: zipfile.ZipFile, name: str) -> int:
    """Return the bytes of a file in the archive; a sparse matrix is an archive itself."""
    if not name.endswith(".npz"):
        return archive.getinfo(name).file_size
    with archive.open(name) as inner, zipfile.ZipFile(inner) as members:
        return sum(member.file_size for member in members.infolist())

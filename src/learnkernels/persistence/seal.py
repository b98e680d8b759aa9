"""What a file says of itself, so that whatever happens to it between `save` and `load` is noticed.

A file is a zip archive of skops: a tree of names and numbers, and arrays beside it. Its comment,
which is the end of the file, says who wrote it and closes with the SHA-256 of all bytes before:

    archive | {"format": 1, "learnkernels": "0.1.0"} | 64 hexadecimal digits

That is a guard against damage, not against a forger, who can compute a digest too: see `trust`.
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
from learnkernels.gram import require_memory
from learnkernels.version import __version__

__all__ = ["FORMAT", "opened", "sealed"]

# Raised whenever files of before could not be read, or files of now not by versions of before.
FORMAT = 1
DIGEST = 64
# Bytes of Python objects for a byte of the tree, and how often skops reads what it refers to.
OF_TREE, TIMES = 20, 2


def sealed(archive: bytes) -> bytes:
    """An archive with its comment: who wrote it, and the digest of all that stands before."""
    about = json.dumps({"format": FORMAT, "learnkernels": __version__}).encode()
    stream = io.BytesIO(archive)
    with zipfile.ZipFile(stream, "a") as found:
        found.comment = about + b"0" * DIGEST
    content = stream.getvalue()[:-DIGEST]
    return content + digest_of(content)


def digest_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def opened(content: bytes, path: str | os.PathLike) -> dict[str, Any]:
    """What the comment says, of a file that is whole, of a format we know, and not too large."""
    try:
        if digest_of(content[:-DIGEST]) != content[-DIGEST:]:
            raise ValueError("the digest at its end is not that of its content")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = json.loads(archive.comment[:-DIGEST])
            form, version = int(about["format"]), str(about["learnkernels"])
            if form > FORMAT:
                raise InputError(
                    f"{str(path)!r} was written by learnkernels {version} in format {form}; this "
                    f"is learnkernels {__version__}, which reads format {FORMAT}: install a newer "
                    "version."
                )
            require_room(archive, path)
    except InputError:
        raise
    except Exception as error:  # whatever a strange archive makes its reader stumble over
        raise InputError(
            f"{str(path)!r} is not a model written by learnkernels, or it is damaged ({error}); "
            "save the model again, or take another copy."
        ) from error
    return about


def require_room(archive: zipfile.ZipFile, path: str | os.PathLike) -> None:
    """Raise unless all that the tree refers to, as often as it does, has room in memory."""
    more = "load it where there is more memory"
    tree = archive.getinfo("schema.json").file_size
    require_memory(OF_TREE * tree, f"the tree in {str(path)!r}, unpacked,", more)
    names = list(files_named(json.loads(archive.read("schema.json"))))
    packed = sum(archive.getinfo(name).file_size for name in set(names))
    require_memory(packed, f"{str(path)!r}, unpacked,", more)
    sizes = {name: unpacked_size(archive, name) for name in set(names)}
    wanted = OF_TREE * tree + TIMES * sum(sizes[name] for name in names)
    require_memory(wanted, f"{str(path)!r}, unpacked,", more)


def files_named(tree: Any) -> Iterator[str]:
    """Names of the archive's files in the tree, each as often as it stands there."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(node.get("file"), str):
                yield node["file"]
            todo += node.values()
        elif isinstance(node, list):
            todo += node


def unpacked_size(archive: zipfile.ZipFile, name: str) -> int:
    """Bytes of a file in the archive; a sparse matrix is an archive of its own."""
    if not name.endswith(".npz"):
        return archive.getinfo(name).file_size
    with archive.open(name) as inner, zipfile.ZipFile(inner) as members:
        return sum(member.file_size for member in members.infolist())

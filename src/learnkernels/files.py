"""Files that are complete or not there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from learnkernels.errors import InputError

__all__ = ["make_folder", "replacing"]


@contextmanager
def replacing(path: str | os.PathLike, advice: str = "") -> Iterator[IO[bytes]]:
    """A stream whose bytes are the file at `path` once the block ends, and only then.

    They are written beside their place and moved there, so that whoever reads, and whoever finds
    the disk full or the program stopped, sees the file of before or the new one. Pipes and devices,
    which cannot be replaced, get the bytes as they come.

    Parameters
    ----------
    path : path-like
        Where to; a link is followed.
    advice : str, default=""
        Ends the sentence of the error where the file cannot be written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from learnkernels.files import replacing
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(pathlib.Path(folder, "note")) as stream:
    ...         _ = stream.write(b"kept")
    ...     pathlib.Path(folder, "note").read_text()
    'kept'
    """
    place = Path(path).resolve()
    part = place.with_name(f".{place.name}.{uuid4().hex}.part")  # nobody else's, thread or process
    try:
        if place.exists() and not place.is_file():  # to open a folder is an error
            with place.open("wb") as stream:
                yield stream
            return
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(place)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot write {str(path)!r}: {reason}{advice}.") from error
    finally:
        with suppress(OSError):  # mostly moved already
            part.unlink()


def make_folder(path: Path, advice: str = "") -> None:
    """Make a folder and those above it, unless they are there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot make the folder {str(path)!r}: {reason}{advice}.") from error

"""Files that are complete or not there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
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
    try:
        place = Path(path)
        if place.exists() and not place.is_file():  # to open a folder is an error
            with place.open("wb") as stream:
                yield stream
            return
        place = Path(os.path.realpath(place))
        part = place.with_name(f".{uuid4().hex}.part")  # nobody else's, thread or process
        try:
            with part.open("xb") as stream:
                if place.exists():
                    part.chmod(stat.S_IMODE(place.stat().st_mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)  # mostly moved already
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot write {str(path)!r}: {reason}{advice}.") from error


def make_folder(path: Path, advice: str = "") -> None:
    """Make a folder and those above it, unless they are there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot make the folder {str(path)!r}: {reason}{advice}.") from error

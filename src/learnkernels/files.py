"""Write files atomically."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from learnkernels.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str], advice: str = "") -> Iterator[IO[bytes]]:
    """Open a stream that replaces the file at `path` when the block ends without error.

    The bytes are written to a temporary file in the same directory, which is then moved. Readers
    see either the previous file or the complete new one, also if the disk is full or the program is
    stopped. Pipes and devices cannot be replaced and are written directly.

    Parameters
    ----------
    path : path-like
        Output file; a link is followed.
    advice : str, default=""
        Appended to the message of the error if the file cannot be written.

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
        target = Path(path)
        if target.exists() and not target.is_file():  # opening a directory raises
            with target.open("wb") as stream:
                yield stream
            return
        target = Path(os.path.realpath(target))
        part = target.with_name(f".{uuid4().hex}.part")  # unique for every thread and process
        try:
            with part.open("xb") as stream:
                if target.exists():
                    part.chmod(stat.S_IMODE(target.stat().st_mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)  # it exists only after an error
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = error.strerror or error
        if isinstance(error, FileNotFoundError):
            reason = "its folder does not exist; create the folder, or choose another file"
        raise InputError(f"cannot write {str(path)!r}: {reason}{advice}.") from error


def make_folder(path: Path, advice: str = "") -> None:
    """Create a directory and its parents unless they exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot create the directory {str(path)!r}: {reason}{advice}.") from error

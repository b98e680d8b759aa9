"""Models as files that run no code when they are read (skops)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from learnkernels.errors import InputError

__all__ = ["load", "save"]


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator, or a pipeline with one, to a file.

    The file is complete or not there: it is written beside its place and then moved.

    Parameters
    ----------
    model : estimator
        What to keep.
    path : path-like
        Where to.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels="linear").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lk.save(model, pathlib.Path(folder, "iris.skops"))
    ...     loaded = lk.load(pathlib.Path(folder, "iris.skops"))
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    from skops.io import dumps, get_untrusted_types

    content = dumps(model)
    foreign = strangers(get_untrusted_types(data=content))
    if foreign:
        raise InputError(
            f"the model holds {foreign}, which cannot be saved safely (functions of your own, for "
            "example); use kernels of this library, or pickle at your own risk."
        )
    path = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike) -> Any:
    """Read what `save` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    estimator
        As it was saved.

    Examples
    --------
    See `save`.
    """
    from skops.io import get_untrusted_types, loads

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    try:
        types = get_untrusted_types(data=content)
        foreign = strangers(types)
        if foreign:
            raise InputError(f"{str(path)!r} holds {foreign}, which a model of ours never does.")
        return loads(content, trusted=types)
    except (BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{str(path)!r} is not a model written by learnkernels, or it is damaged."
        ) from error


def strangers(types: list[str]) -> list[str]:
    """Types that neither skops nor we vouch for."""
    ours = ("learnkernels.", "sklearn.gaussian_process.kernels.", "scipy.sparse.", "numpy.")
    return sorted(name for name in types if not name.startswith(ours))

"""Save models to files and load them."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.execution import require_memory
from learnkernels.files import replacing
from learnkernels.persistence.allowed_types import (
    checked_model,
    external_resource,
    untrusted_types,
)
from learnkernels.persistence.container import read_header, with_header
from learnkernels.version import __version__


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a pipeline with one, to a file.

    The file contains what prediction needs: for an SVM the support vectors, not the training data.
    The loaded model gives the same predictions to the last bit. The file is written completely or
    not at all, and `load` raises if it was damaged later.

    Parameters
    ----------
    model : estimator
        A fitted estimator, or a dictionary of estimators. It must not contain functions or classes
        of your own, or parameters that refer to a cluster, a folder or a file (``backend``,
        ``memory``, ``checkpoint``).
    path : path-like
        The file to write.

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

    if not isinstance(model, BaseEstimator | dict):
        raise InputError(
            f"save() got {type(model).__name__}; expected a fitted estimator, or a dictionary of "
            "estimators."
        )
    resource = external_resource(model)
    if resource:
        raise InputError(
            f"the model has {resource}; parameters that refer to external resources cannot be "
            "saved: set it to None with set_params."
        )
    try:
        archive = dumps(model, compression=zipfile.ZIP_DEFLATED)
    except Exception as error:  # objects of the user may raise anything
        raise InputError(f"the model cannot be saved: {error}.") from error
    untrusted = untrusted_types(get_untrusted_types(data=archive))
    if untrusted:
        raise InputError(
            f"the model contains {untrusted}, which cannot be saved safely; use kernels and "
            "methods of this library, or pickle the model."
        )
    with as_input_error("save() takes the path of a file: "), replacing(path) as stream:
        stream.write(with_header(archive))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that `save` wrote.

    No code in the file is run. `load` raises `InputError` for a file that is damaged, of another
    format (such as those of version 0.1), larger than the free memory, or that contains types which
    models of this library do not contain.

    Parameters
    ----------
    path : path-like
        The file to read.

    Returns
    -------
    estimator
        The model.

    Examples
    --------
    See `save`.
    """
    from skops.io import get_untrusted_types, loads

    content = read_bytes(path)
    version = read_header(content, path)["learnkernels"]
    try:
        types = get_untrusted_types(data=content)
        untrusted = untrusted_types(types)
        model = None if untrusted else checked_model(loads(content, trusted=types))
        resource = external_resource(model)
    except Exception as error:  # skops raises many types for malformed content
        raise InputError(
            f"{str(path)!r}, written by learnkernels {version}, cannot be read by learnkernels "
            f"{__version__}: {error}. Use the version that wrote it, or fit the model again."
        ) from error
    if untrusted:
        raise InputError(
            f"{str(path)!r} contains {untrusted}, which models of learnkernels {__version__} do "
            f"not contain (its header names learnkernels {version}); load only trusted files."
        )
    if resource:
        raise InputError(
            f"{str(path)!r} contains {resource}; a model file must not refer to external resources."
        )
    return model


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file that fits into memory."""
    try:
        with as_input_error("load() takes the path of a file: "):
            found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
            raise InputError(f"{str(path)!r} is not a file; expected a model written by save().")
        advice = "load it on a machine with more memory"
        require_memory(found.st_size, f"{str(path)!r}", advice)
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}.") from error

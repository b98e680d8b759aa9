"""Save models to files and load them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.escaping import printable
from learnkernels.execution import require_memory
from learnkernels.files import replacing
from learnkernels.persistence.container import ArrayReader, ArrayWriter, packed, unpacked
from learnkernels.persistence.estimators import MODEL
from learnkernels.persistence.fields import TEXT, ByName, Field, FieldError, Several, require

# Characters of a reason from a file in a message.
MAX_REASON = 300


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator, or a pipeline with one, to a file.

    The file contains what prediction needs: for an SVM the support vectors, not the training data.
    The loaded model gives the same predictions to the last bit. The file is written completely or
    not at all, and `load` raises if it was damaged later.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library, a pipeline of one after scikit-learn's
        ``StandardScaler``, or a dictionary of these. Functions and classes of your own and other
        steps cannot be saved (use skops or pickle for these), nor parameters that refer to a
        cluster, a folder or a file (``backend``, ``memory``, ``checkpoint``).
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
    ...     lk.save(model, pathlib.Path(folder, "iris.lk"))
    ...     loaded = lk.load(pathlib.Path(folder, "iris.lk"))
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    if not isinstance(model, BaseEstimator | dict):
        raise InputError(
            f"save() got {type(model).__name__}; expected a fitted estimator, or a dictionary of "
            "estimators. Pass lk.save(model, path) in this order."
        )
    arrays = ArrayWriter()
    try:
        document = CONTENT.write(model, arrays)
    except FieldError as error:
        raise InputError(
            f"the model cannot be saved: {reason(error)}. Change this, or use skops or pickle."
        ) from error
    with as_input_error("save() takes the path of a file: "), replacing(path) as stream:
        stream.write(packed(document, arrays))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that `save` wrote.

    A file contains numbers, strings and arrays, and no code. `load` raises `InputError` for a file
    that is damaged, of another format (such as those of version 0.1), larger than the free memory,
    or that describes no valid model.

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
    content = read_bytes(path)
    try:
        _, document, arrays = unpacked(content, path)
        model = CONTENT.read(document, arrays)
        require(not arrays.arrays, "an array that no field uses")
    except (FieldError, RecursionError, OverflowError) as error:
        raise InputError(
            f"{str(path)!r} is not a valid model: {reason(error)}. Save the model again, or "
            "use another copy of the file."
        ) from error
    return model


class Content(Field):
    """An estimator, or a dictionary of estimators, strings and lists of strings."""

    def write(self, value: Any, arrays: ArrayWriter) -> Any:
        if isinstance(value, dict):
            return {"dictionary": ByName(Entry()).write(value, arrays)}
        return MODEL.write(value, arrays)

    def read(self, found: Any, arrays: ArrayReader) -> Any:
        if isinstance(found, dict) and found.keys() == {"dictionary"}:
            return ByName(Entry()).read(found["dictionary"], arrays)
        return MODEL.read(found, arrays)


class Entry(Field):
    """An entry of a dictionary."""

    def write(self, value: Any, arrays: ArrayWriter) -> Any:
        if isinstance(value, str):
            return TEXT.write(value, arrays)
        field: Field = Several(TEXT) if isinstance(value, list) else MODEL
        return field.write(value, arrays)

    def read(self, found: Any, arrays: ArrayReader) -> Any:
        if isinstance(found, str):
            return TEXT.read(found, arrays)
        field: Field = Several(TEXT, list) if isinstance(found, list) else MODEL
        return field.read(found, arrays)


CONTENT = Content()


def reason(error: Exception) -> str:
    """Return the reason of an error in one line of limited length, without control characters."""
    text = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return printable(text)[:MAX_REASON].removesuffix(".")


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file that fits into memory."""
    try:
        with as_input_error("load() takes the path of a file: "):
            found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe or a device may never end
            raise InputError(f"{str(path)!r} is not a file; pass a file that lk.save wrote.")
        advice = "load it on a machine with more memory"
        require_memory(found.st_size, f"{str(path)!r}", advice)
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot read {str(path)!r}: {error.strerror or error}. Check the path and its "
            "permissions."
        ) from error

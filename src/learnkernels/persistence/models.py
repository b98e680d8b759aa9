"""`save` and `load`."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.files import replacing
from learnkernels.gram import require_memory
from learnkernels.persistence.seal import opened, sealed
from learnkernels.persistence.trust import made_sound, reaching, strangers
from learnkernels.version import __version__

__all__ = ["load", "save"]


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator, or a pipeline with one, to a file.

    The file holds what prediction needs (of an SVM the support vectors, not the training data), and
    predicts to the bit what the model predicts. It is complete or not there, and a file that is
    damaged later is refused by `load`.

    Parameters
    ----------
    model : estimator
        What to keep, or a dictionary of such. Functions and classes of your own cannot be; nor can
        parameters that name a cluster, a folder or a file (``backend``, ``memory``,
        ``checkpoint``): these are up to those who load the model.
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

    if not isinstance(model, BaseEstimator | dict):
        raise InputError(f"save() takes an estimator; found {type(model).__name__}.")
    outwards = reaching(model)
    if outwards:
        raise InputError(
            f"the model has {outwards}, and what leads out of it is not saved with it; set it to "
            "None first, with set_params."
        )
    try:
        archive = dumps(model, compression=zipfile.ZIP_DEFLATED)
    except Exception as error:  # whatever objects of a user's answer to being looked at
        raise InputError(f"the model cannot be saved: {error}.") from error
    foreign = strangers(get_untrusted_types(data=archive))
    if foreign:
        raise InputError(
            f"the model holds {foreign}, which cannot be saved safely (functions of your own, for "
            "example); use kernels of this library, or pickle at your own risk."
        )
    with as_input_error("save() takes the path of a file: "), replacing(path) as stream:
        stream.write(sealed(archive))


def load(path: str | os.PathLike) -> Any:
    """Read what `save` wrote.

    No code of the file runs. A file that was cut off or altered, one that holds types that our
    models do not, or more than memory, and one of a later format are refused.

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

    content = bytes_of(path)
    about = opened(content, path)
    try:
        types = get_untrusted_types(data=content)
        foreign = strangers(types)
        model = None if foreign else made_sound(loads(content, trusted=types))
        outwards = reaching(model)
    except Exception as error:  # whatever a strange archive makes its reader stumble over
        raise InputError(
            f"{str(path)!r}, written by learnkernels {about['learnkernels']}, cannot be read by "
            f"learnkernels {__version__}: {error}."
        ) from error
    if foreign:
        raise InputError(
            f"{str(path)!r} holds {foreign}, which a model of learnkernels {__version__} does not; "
            f"it says that learnkernels {about['learnkernels']} wrote it."
        )
    if outwards:
        raise InputError(f"{str(path)!r} holds {outwards}, which leads out of a model.")
    return model


def bytes_of(path: str | os.PathLike) -> bytes:
    """The content of a file that memory has room for."""
    try:
        with as_input_error("load() takes the path of a file: "):
            found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe may never begin, and a device never end
            raise InputError(f"{str(path)!r} is no file; expected a model written by save().")
        require_memory(found.st_size, f"{str(path)!r}", "load it where there is more memory")
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}.") from error

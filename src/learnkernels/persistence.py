"""Models as files that run no code when they are read.

A file is a zip archive of skops: a tree of names and numbers, and arrays beside it. Its comment,
which is the end of the file, says who wrote it and closes with the SHA-256 of all bytes before:

    archive | {"format": 1, "learnkernels": "0.1.0"} | 64 hexadecimal digits

So whatever happens to a file between `save` and `load` is noticed. That is a guard against damage,
not against a forger, who can compute a digest too. Against forgers: nothing but types that our
models hold is ever built, and none of them reaches out of the process.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.estimators import KernelClassifier, KernelLearner, KernelRegressor
from learnkernels.files import replacing
from learnkernels.gram import Threads, require_memory
from learnkernels.version import __version__

__all__ = ["FORMAT", "load", "save"]

# Raised whenever files of before could not be read, or files of now not by versions of before.
FORMAT = 1
DIGEST = 64


def save(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator, or a pipeline with one, to a file.

    The file holds what prediction needs (of an SVM the support vectors, not the training data), and
    predicts to the bit what the model predicts. It is complete or not there, and a file that is
    damaged later is refused by `load`.

    Parameters
    ----------
    model : estimator
        What to keep. Functions and classes of your own cannot be; nor can a cluster as ``backend``,
        for where work runs is up to those who load the model.
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

    remote = clusters(model)
    if remote:
        raise InputError(
            f"the model has backend={remote[0]!r}, and where work runs is not saved with a model; "
            "call set_params(backend=None) first."
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
    models do not, and one of a later format are refused.

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
        with as_input_error("load() takes the path of a file: "):
            content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}.") from error
    about = opened(content, path)
    try:
        types = get_untrusted_types(data=content)
        foreign = strangers(types)
        model = None if foreign else loads(content, trusted=types)
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
    if clusters(model):
        raise InputError(f"{str(path)!r} names a cluster to work on, which no model of ours does.")
    return model


def sealed(archive: bytes) -> bytes:
    """An archive with its comment: who wrote it, and the digest of all that stands before."""
    about = json.dumps({"format": FORMAT, "learnkernels": __version__}).encode()
    stream = io.BytesIO(archive)
    with zipfile.ZipFile(stream, "a") as opened:
        opened.comment = about + b"0" * DIGEST
    content = stream.getvalue()[:-DIGEST]
    return content + digest_of(content)


def opened(content: bytes, path: str | os.PathLike) -> dict[str, Any]:
    """What the comment says, of a file that is whole and of a format we know."""
    try:
        if digest_of(content[:-DIGEST]) != content[-DIGEST:]:
            raise ValueError("the digest at its end is not that of its content")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = json.loads(archive.comment[:-DIGEST])
            n_bytes = sum(member.file_size for member in archive.infolist())
        form, version = int(about["format"]), str(about["learnkernels"])
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{str(path)!r} is not a model written by learnkernels, or it is damaged ({error}); "
            "save the model again, or take another copy."
        ) from error
    if form > FORMAT:
        raise InputError(
            f"{str(path)!r} was written by learnkernels {version} in format {form}; this is "
            f"learnkernels {__version__}, which reads format {FORMAT}: install a newer version."
        )
    require_memory(n_bytes, f"{str(path)!r}, unpacked,", "load it where there is more memory")
    return about


def digest_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


# Types that our models hold besides our own classes and those that skops vouches for.
VOUCHED = {
    "numpy.dtype",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._PassthroughScorer",
}
# Packages whose classes are in a model, and among them the modules that reach out of the process.
LAYERS = ("estimators", "gram", "kernels", "machines", "solvers", "weights")
REACHING = {f"learnkernels.gram.{name}" for name in ("checkpoint", "dask_backend", "dask_clients")}


def strangers(types: list[str]) -> list[str]:
    """Types that neither skops nor we vouch for."""
    return sorted(name for name in types if name not in VOUCHED | own_classes())


def own_classes() -> set[str]:
    """Our classes, and scikit-learn's Gaussian-process kernels and folds: data, and no code."""
    from sklearn import gaussian_process, model_selection

    prefixes = tuple(f"learnkernels.{layer}." for layer in LAYERS)
    found = {
        f"{kind.__module__}.{kind.__qualname__}"
        for name, module in list(sys.modules.items())
        if name.startswith(prefixes)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind.__module__.startswith(prefixes)
        and kind.__module__ not in REACHING
    }
    return found | {
        f"{kind.__module__}.{kind.__qualname__}"
        for module, base in (
            (gaussian_process.kernels, gaussian_process.kernels.Kernel),
            (model_selection, model_selection.BaseCrossValidator),
            (model_selection, model_selection.BaseShuffleSplit),
        )
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, base)
    }


def clusters(model: Any) -> list[Any]:
    """Backends of our estimators within a model that are not threads of this process."""
    ours = (KernelClassifier, KernelLearner, KernelRegressor)
    found = [part.backend for part in parts_of(model) if isinstance(part, ours)]
    return [backend for backend in found if not isinstance(backend, Threads | None)]


def parts_of(root: Any) -> Iterator[Any]:
    """An object and all that it is made of, in containers and attributes, each once."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            todo += part.values()
        elif isinstance(part, (list, tuple, set)):
            todo += part
        elif isinstance(part, np.ndarray):
            todo += part.ravel().tolist() if part.dtype.hasobject else []
        elif not isinstance(part, type):
            todo += getattr(part, "__dict__", {}).values()

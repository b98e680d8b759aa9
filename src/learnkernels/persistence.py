"""Models as files that run no code when they are read (skops)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

from sklearn import gaussian_process

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

    content = dumps(model, compression=ZIP_DEFLATED)
    foreign = strangers(get_untrusted_types(data=content))
    if foreign:
        raise InputError(
            f"the model holds {foreign}, which cannot be saved safely (functions of your own, for "
            "example); use kernels of this library, or pickle at your own risk."
        )
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}.") from error


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
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}.") from error
    try:
        types = get_untrusted_types(data=content)
        foreign = strangers(types)
        if foreign:
            raise InputError(f"{str(path)!r} holds {foreign}, which a model of ours never does.")
        return loads(content, trusted=types)
    except InputError:
        raise
    except Exception as error:  # whatever a damaged archive makes its reader stumble over
        raise InputError(
            f"{str(path)!r} is not a model written by learnkernels, or it is damaged."
        ) from error


# Types that our models hold besides our own classes and those that skops vouches for.
VOUCHED = {
    "numpy.dtype",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
    "sklearn.compose._column_transformer.make_column_selector",
}


def strangers(types: list[str]) -> list[str]:
    """Types that neither skops nor we vouch for."""
    return sorted(name for name in types if name not in VOUCHED | own_classes())


def own_classes() -> set[str]:
    """Our classes, and scikit-learn's Gaussian-process kernels: data, and no code of a user."""
    found = {
        f"{kind.__module__}.{kind.__qualname__}"
        for name, module in list(sys.modules.items())
        if name.startswith("learnkernels.")
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__.startswith("learnkernels.")
    }
    kernels = vars(gaussian_process.kernels).values()
    return found | {
        f"{kind.__module__}.{kind.__qualname__}"
        for kind in kernels
        if isinstance(kind, type) and issubclass(kind, gaussian_process.kernels.Kernel)
    }

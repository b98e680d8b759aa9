"""What may stand in a file: types that our models hold, numbers in shapes that compiled code counts
on, and nothing that leads out of the model.

skops builds no object of a type that it was not told to trust. We trust those of our own layers and
a few data types besides its own list, which has scikit-learn's estimators. Some of their parameters
name folders, files or addresses; what they lead to may be anything, so they are neither saved nor
taken from a file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram import Threads

__all__ = ["made_sound", "parts_of", "reaching", "strangers"]

# Types that our models hold besides our own classes and those that skops vouches for.
VOUCHED = {
    "numpy.dtype",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
}
# Packages whose classes are in a model, and among them the modules that lead out of it.
LAYERS = ("estimators", "gram", "kernels", "machines", "solvers", "weights")
OUTSIDE = tuple(f"learnkernels.gram.{name}" for name in ("checkpoint", "dask_", "sending"))


def strangers(types: list[str]) -> list[str]:
    """Types that neither skops nor we vouch for."""
    return sorted(name for name in types if name not in VOUCHED | vouched_classes())


def vouched_classes() -> set[str]:
    """Our classes, and scikit-learn's Gaussian-process kernels and folds: data, and no code."""
    from sklearn import gaussian_process, model_selection

    prefixes = tuple(f"learnkernels.{layer}." for layer in LAYERS)
    ours = {
        kind
        for name, module in list(sys.modules.items())
        if name.startswith(prefixes)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind.__module__.startswith(prefixes)
        and not kind.__module__.startswith(OUTSIDE)
    }
    theirs = {
        kind
        for module, base in (
            (gaussian_process.kernels, gaussian_process.kernels.Kernel),
            (model_selection, model_selection.BaseCrossValidator),
            (model_selection, model_selection.BaseShuffleSplit),
        )
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, base)
    }
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in ours | theirs}


def reaching(model: Any) -> str:
    """A parameter within a model that leads out of it, as ``name=value``, or nothing.

    To a cluster (backend), to pickles in a folder (memory of pipelines), to files (checkpoint, the
    input of scikit-learn's text vectorizers).
    """
    for part in parts_of(model):
        own = getattr(part, "__dict__", {})
        for name, harmless in (
            ("memory", ()), ("checkpoint", ()), ("backend", ("threads",)), ("input", ("content",))
        ):  # fmt: skip
            value = own.get(name)
            known = isinstance(value, str) and value in harmless
            if not (value is None or known or isinstance(value, Threads)):
                return f"{name}={value!r}"
    return ""


def made_sound(model: Any) -> Any:
    """The model, if its numbers have the shapes that compiled code counts on.

    What was derived from other fields, and kept beside them, is derived anew.
    """
    for part in list(parts_of(model)):
        if sparse.issparse(part):
            part.check_format(full_check=True)
        elif type(part).__module__.startswith("learnkernels.") and is_dataclass(part):
            own = getattr(part, "__dict__", {})
            for name in own.keys() - {field.name for field in fields(part)}:
                del own[name]
    for part in parts_of(model):
        if hasattr(part, "require_sound"):
            part.require_sound()
    return model


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

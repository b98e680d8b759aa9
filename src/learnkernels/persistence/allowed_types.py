"""Content that a model file may have.

skops creates objects of trusted types only. We trust the classes of this library's models and a few
data types, in addition to skops' own list, which contains scikit-learn's estimators. Parameters
that refer to external resources (folders, files, addresses) are neither saved nor loaded, since the
author of a file could point them anywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.execution import Threads
from learnkernels.persistence.shapes import require_shapes

# Types in models besides our own classes and those that skops trusts.
TRUSTED = {
    "numpy.dtype",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csr.csr_array",
    "sklearn.compose._column_transformer.make_column_selector",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.utils._metadata_requests.MetadataRequest",
    "sklearn.utils._metadata_requests.MethodMetadataRequest",
}
# Packages with classes of models, and the modules in them that refer to external resources.
PACKAGES = ("estimators", "execution", "gram", "kernels", "machines", "methods", "solvers")
EXTERNAL = tuple(f"learnkernels.execution.{name}" for name in ("checkpoint", "dask_", "scatter"))
# Parameters that refer to external resources, and the values that do not.
RESOURCES: dict[str, tuple[str, ...]] = {
    "memory": (),  # pickles in a folder, of pipelines
    "checkpoint": (),
    "backend": ("threads",),
    "input": ("content",),  # files, of scikit-learn's text vectorizers
}


def untrusted_types(types: list[str]) -> list[str]:
    """Return those of the types that neither skops nor this library trusts, sorted."""
    return sorted(set(types) - TRUSTED - trusted_classes())


def trusted_classes() -> set[str]:
    """Return our classes, and scikit-learn's Gaussian process kernels and splitters."""
    from sklearn import gaussian_process, model_selection

    prefixes = tuple(f"learnkernels.{package}." for package in PACKAGES)
    ours = {
        kind
        for name, module in list(sys.modules.items())
        if name.startswith(prefixes)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind.__module__.startswith(prefixes)
        and not kind.__module__.startswith(EXTERNAL)
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


def external_resource(model: Any) -> str:
    """Return the first parameter that refers to an external resource as ``name=value``, or ''."""
    for part in objects_in(model):
        own = getattr(part, "__dict__", {})
        for name, internal in RESOURCES.items():
            value = own.get(name)
            known = isinstance(value, str) and value in internal
            if not (value is None or known or isinstance(value, Threads)):
                return f"{name}={value!r}"
    return ""


def checked_model(model: Any) -> Any:
    """Return a loaded model, or raise ValueError if compiled code could read out of bounds.

    Attributes that are no fields of a dataclass are caches; they are removed and computed again.
    """
    for part in list(objects_in(model)):
        if sparse.issparse(part):
            part.check_format(full_check=True)
        elif type(part).__module__.startswith("learnkernels.") and is_dataclass(part):
            own = getattr(part, "__dict__", {})
            for name in own.keys() - {field.name for field in fields(part)}:
                del own[name]
    for part in objects_in(model):
        require_shapes(part)
    return model


def objects_in(root: Any) -> Iterator[Any]:
    """Yield an object and all objects in its containers and attributes, each once."""
    seen: set[int] = set()
    pending = [root]
    while pending:
        part = pending.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        if isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, list | tuple | set):
            pending += part
        elif isinstance(part, np.ndarray):
            pending += part.ravel().tolist() if part.dtype.hasobject else []
        elif not isinstance(part, type):
            pending += getattr(part, "__dict__", {}).values()

"""Digests that identify the content of arrays and of the objects that hold them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse


def digest(*values: Any) -> str:
    """Return a hash that is equal for equal content, in every process.

    Parameters
    ----------
    *values : arrays, sparse matrices, data frames, numbers, strings, dataclasses or collections
        Of a dataclass, the fields that are compared. Other objects are identified by their class
        only, functions by their name.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.execution.fingerprint import digest
    >>> digest(np.arange(3)) == digest(np.arange(3))
    True
    >>> digest(np.arange(3)) == digest(np.arange(3.0))
    False
    """
    found = blake2b(digest_size=20)
    for value in values:
        update(found, value)
    return found.hexdigest()


def update(found: blake2b, value: Any) -> None:
    """Add the type and the content of a value to a hash."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        update_text(found, f"array {value.dtype.str} {value.shape}")
        found.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    elif isinstance(value, np.ndarray):
        update(found, value.tolist())
    elif sparse.issparse(value):
        rows = sparse.csr_array(value)
        update(found, [rows.shape, rows.indptr, rows.indices, rows.data])
    elif hasattr(value, "columns"):  # a data frame of pandas or polars
        update(found, {str(name): np.asarray(value[name]) for name in value.columns})
    elif isinstance(value, dict):
        update(found, list(value.items()))
    elif isinstance(value, list | tuple):
        update_text(found, f"{len(value)} items")
        for one in value:
            update(found, one)
    elif is_dataclass(value) and not isinstance(value, type):
        update_text(found, type(value).__qualname__)
        compared = [field.name for field in fields(value) if field.compare]
        update(found, {name: getattr(value, name) for name in compared})
    elif isinstance(value, str | bytes | int | float | complex | bool | None | slice | np.generic):
        update_text(found, repr(value))
    else:
        update_text(found, getattr(value, "__qualname__", type(value).__qualname__))


def update_text(found: blake2b, text: str) -> None:
    """Add a text to a hash, preceded by its length."""
    content = text.encode()
    found.update(f"{len(content)}:".encode() + content)

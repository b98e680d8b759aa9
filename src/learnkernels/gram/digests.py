"""A short name for the content of arrays and of the objects that hold them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["digest"]


def digest(*things: Any) -> str:
    """Equal for equal content, in every process; of objects that are no data, their class counts.

    Parameters
    ----------
    *things : arrays, matrices, tables, numbers, strings, and dataclasses and collections of these

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.gram.digests import digest
    >>> digest(np.arange(3)) == digest(np.arange(3))
    True
    >>> digest(np.arange(3)) == digest(np.arange(3.0))
    False
    """
    found = blake2b(digest_size=20)
    for thing in things:
        absorb(found, thing)
    return found.hexdigest()


def absorb(found, thing: Any) -> None:
    """Add a thing to the digest, preceded by what it is."""
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
        absorb_text(found, f"array {thing.dtype.str} {thing.shape}")
        found.update(np.ascontiguousarray(thing).reshape(-1).view(np.uint8).data)
    elif isinstance(thing, np.ndarray):
        absorb(found, thing.tolist())
    elif sparse.issparse(thing):
        rows = sparse.csr_array(thing)
        absorb(found, [rows.shape, rows.indptr, rows.indices, rows.data])
    elif hasattr(thing, "columns"):  # a pandas or polars frame
        absorb(found, {str(name): np.asarray(thing[name]) for name in thing.columns})
    elif isinstance(thing, dict):
        absorb(found, list(thing.items()))
    elif isinstance(thing, list | tuple):
        absorb_text(found, f"{len(thing)} things")
        for one in thing:
            absorb(found, one)
    elif is_dataclass(thing) and not isinstance(thing, type):
        absorb_text(found, type(thing).__qualname__)
        absorb(found, {field.name: getattr(thing, field.name) for field in fields(thing)})
    elif isinstance(thing, str | bytes | int | float | complex | bool | None | slice | np.generic):
        absorb_text(found, repr(thing))
    else:
        absorb_text(found, getattr(thing, "__qualname__", type(thing).__qualname__))


def absorb_text(found, text: str) -> None:
    content = text.encode()
    found.update(f"{len(content)}:".encode() + content)

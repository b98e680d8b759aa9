"""Fields of a model file: how a value is written, and how it is read and checked.

Every class that a model may contain is a `Record` in one of the tables beside this file: its
fields, and the type and range of each. A file contains numbers, strings, lists, objects and arrays.
It names no class, function or module: the tags of a `Union` (``"kind": "gaussian"``) are our own,
and what they mean is in the table.

`write` raises `FieldError` if a value cannot be saved. `read` raises it if the file contains
anything else than the field allows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

# Largest whole number: every double up to it is exact.
LARGEST_WHOLE = 2**53
# Largest values of most arrays: their squares and products do not overflow.
SIZE = 1e100
NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
KIND = "kind"


class FieldError(ValueError):
    """A value that a field does not allow; `path` is its place in the model."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path: list[str] = []

    def __str__(self) -> str:
        reason = super().__str__()
        return f"{'.'.join(self.path)}: {reason}" if self.path else reason


class Field(ABC):
    """How one value is written and read.

    `arrays` is the `ArrayWriter` or the `ArrayReader` of a file (see `container`).
    """

    @abstractmethod
    def write(self, value: Any, arrays: Any) -> Any:
        """Return the value as JSON; arrays are added to `arrays`."""

    @abstractmethod
    def read(self, found: Any, arrays: Any) -> Any:
        """Return the value from JSON, or raise."""


class ClassField(Field):
    """How objects of one class are written and read.

    Attributes
    ----------
    cls : type
    """

    cls: type

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        require(type(value) is self.cls, f"{type(value).__name__} is not {self.cls.__name__}")
        return self.write_fields(value, arrays)

    @abstractmethod
    def write_fields(self, value: Any, arrays: Any) -> dict[str, Any]:
        """Return the attributes of an object of the class."""


def within(name: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a field, with its name in the path of an error."""
    try:
        return call(*arguments)
    except FieldError as error:
        error.path.insert(0, name)
        raise


def require(condition: Any, reason: str) -> None:
    """Raise `FieldError` unless the condition holds."""
    if not condition:
        raise FieldError(reason)


def short(value: Any) -> str:
    """Return the beginning of a value for a message, with control characters escaped."""
    return ascii(value)[:60]


@dataclass(frozen=True)
class Number(Field):
    """A number from `low` to `high`; integers stay integers. Without bounds it may be NaN."""

    low: float | None = None
    high: float | None = None

    def write(self, value: Any, arrays: Any) -> Any:
        plain = value.item() if isinstance(value, np.generic) else value
        require(type(plain) in (int, float), f"{short(value)} is not a number")
        self.check(plain)
        return plain if math.isfinite(plain) else str(plain)

    def read(self, found: Any, arrays: Any) -> float:
        value: Any = NON_FINITE.get(found) if isinstance(found, str) else found
        require(type(value) in (int, float), f"{short(found)} is not a number")
        self.check(value)
        return value

    def check(self, value: float) -> None:
        if isinstance(value, int):
            require(abs(value) <= LARGEST_WHOLE, f"{short(value)} is too large")
        if self.low is not None or self.high is not None:
            low = -math.inf if self.low is None else self.low
            high = math.inf if self.high is None else self.high
            require(
                math.isfinite(value) and low <= value <= high,
                f"{short(value)} is not from {low:g} to {high:g}",
            )


@dataclass(frozen=True)
class Whole(Field):
    """A whole number from `low` to `high`."""

    low: int = 0
    high: int = LARGEST_WHOLE

    def write(self, value: Any, arrays: Any) -> int:
        plain = value.item() if isinstance(value, np.generic) else value
        whole = isinstance(plain, float) and plain.is_integer()
        return self.read(int(plain) if whole else plain, arrays)

    def read(self, found: Any, arrays: Any) -> int:
        require(
            type(found) is int and self.low <= found <= self.high,
            f"{short(found)} is not a whole number from {self.low} to {self.high}",
        )
        return int(found)


@dataclass(frozen=True)
class Truth(Field):
    """True or false."""

    def write(self, value: Any, arrays: Any) -> bool:
        require(
            isinstance(value, (bool, int, np.bool_, np.integer)) and value in (0, 1),
            f"{short(value)} is neither true nor false",
        )
        return bool(value)

    def read(self, found: Any, arrays: Any) -> bool:
        require(type(found) is bool, f"{short(found)} is neither true nor false")
        return bool(found)


@dataclass(frozen=True)
class Text(Field):
    """A string."""

    def write(self, value: Any, arrays: Any) -> str:
        require(isinstance(value, str), f"{short(value)} is not text")
        return self.read(str(value), arrays)

    def read(self, found: Any, arrays: Any) -> str:
        require(type(found) is str, f"{short(found)} is not text")
        try:
            found.encode()
        except UnicodeEncodeError as error:
            raise FieldError(f"{short(found)} is not valid text") from error
        return str(found)


@dataclass(frozen=True)
class Choice(Field):
    """One of some strings, or None if it is among them."""

    choices: tuple[str | None, ...]

    def write(self, value: Any, arrays: Any) -> str | None:
        return self.read(value, arrays)

    def read(self, found: Any, arrays: Any) -> str | None:
        valid = (found is None or isinstance(found, str)) and found in self.choices
        require(valid, f"{short(found)} is not one of {list(self.choices)}")
        return None if found is None else str(found)


@dataclass(frozen=True)
class Nothing(Field):
    """None; anything else cannot be saved, for a `reason`."""

    reason: str

    def write(self, value: Any, arrays: Any) -> None:
        require(value is None, f"{short(value)} {self.reason}")

    def read(self, found: Any, arrays: Any) -> None:
        self.write(found, arrays)


@dataclass(frozen=True)
class Optional(Field):
    """A value or None."""

    field: Field

    def write(self, value: Any, arrays: Any) -> Any:
        return None if value is None else self.field.write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        return None if found is None else self.field.read(found, arrays)


@dataclass(frozen=True)
class Absent(Field):
    """An attribute that an object may lack; if it is there, it has a value."""

    field: Field

    def write(self, value: Any, arrays: Any) -> Any:
        return self.field.write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        return self.field.read(found, arrays)


@dataclass(frozen=True)
class Several(Field):
    """A tuple (or another `kind` of list) of values of one field."""

    field: Field
    kind: Callable[[Iterable[Any]], Any] = tuple
    at_least: int = 0

    def write(self, value: Any, arrays: Any) -> list[Any]:
        require(isinstance(value, (list, tuple)), f"{short(value)} is not a list")
        return [within(str(i), self.field.write, entry, arrays) for i, entry in enumerate(value)]

    def read(self, found: Any, arrays: Any) -> Any:
        require(
            type(found) is list and len(found) >= self.at_least,
            f"{short(found)} is not a list of at least {self.at_least}",
        )
        return self.kind(
            [within(str(i), self.field.read, entry, arrays) for i, entry in enumerate(found)]
        )


@dataclass(frozen=True)
class ByName(Field):
    """A dictionary of strings to values of one field."""

    field: Field

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        require(isinstance(value, dict), f"{short(value)} is not a dictionary")
        return {
            Text().write(name, arrays): within(str(name), self.field.write, entry, arrays)
            for name, entry in value.items()
        }

    def read(self, found: Any, arrays: Any) -> dict[str, Any]:
        require(type(found) is dict, f"{short(found)} is not an object")
        return {
            Text().read(name, arrays): within(short(name), self.field.read, entry, arrays)
            for name, entry in found.items()
        }


@dataclass(frozen=True)
class Array(Field):
    """An array of one type and number of dimensions.

    Numbers are finite unless `finite` is false, at least `low`, and at most `size` in absolute
    value.
    """

    ndim: int = 1
    dtype: str = "f8"
    finite: bool = True
    low: float | None = None
    size: float = SIZE

    def write(self, value: Any, arrays: Any) -> str:
        require(isinstance(value, np.ndarray), f"{short(value)} is not an array")
        self.check(value)
        return str(arrays.add(value))

    def read(self, found: Any, arrays: Any) -> np.ndarray:
        values: np.ndarray = arrays.take(found)
        self.check(values)
        return values

    def check(self, values: np.ndarray) -> None:
        kind = f"{values.dtype.kind}{values.dtype.itemsize}"
        require(
            kind == self.dtype and values.ndim == self.ndim,
            f"an array of type {kind} with {values.ndim} dimensions, expected {self.dtype} with "
            f"{self.ndim}",
        )
        if self.finite and self.dtype == "f8":
            require(np.isfinite(values).all(), "an array with values that are not finite")
            largest = float(np.abs(values).max(initial=0.0))
            require(largest <= self.size, f"an array with values above {self.size:g}")
        if self.low is not None:
            require((values >= self.low).all(), f"an array with values below {self.low:g}")


@dataclass(frozen=True)
class SparseMatrix(Field):
    """A CSR matrix of numbers in canonical form."""

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        matrix = sparse.csr_array(value)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        wide = np.int64 if max(matrix.nnz, *matrix.shape) >= 2**31 else np.int32
        return {
            "columns": int(matrix.shape[1]),
            "data": arrays.add(np.asarray(matrix.data, dtype=float)),
            "indices": arrays.add(matrix.indices.astype(wide)),
            "indptr": arrays.add(matrix.indptr.astype(wide)),
        }

    def read(self, found: Any, arrays: Any) -> sparse.csr_array:
        require(
            type(found) is dict and found.keys() == {"columns", "data", "indices", "indptr"},
            "not a sparse matrix",
        )
        columns = Whole(0).read(found["columns"], arrays)
        data = Array().read(found["data"], arrays)
        indices, indptr = arrays.take(found["indices"]), arrays.take(found["indptr"])
        require(indices.ndim == indptr.ndim == 1 and len(indptr) > 0, "not a sparse matrix")
        require(
            indices.dtype == indptr.dtype and indices.dtype.str[1:] in ("i4", "i8"),
            "indices of a sparse matrix that are not integers",
        )
        try:
            matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
            matrix.check_format(full_check=True)
        except (ValueError, OverflowError) as error:
            raise FieldError(f"not a sparse matrix: {error}") from error
        require(matrix.has_canonical_format, "a sparse matrix with unsorted or repeated entries")
        return matrix


@dataclass(frozen=True)
class Matrix(Field):
    """A dense or a sparse matrix of numbers."""

    def write(self, value: Any, arrays: Any) -> Any:
        kind: Field = SparseMatrix() if sparse.issparse(value) else Array(2)
        return kind.write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        kind: Field = SparseMatrix() if isinstance(found, dict) else Array(2)
        return kind.read(found, arrays)


@dataclass(frozen=True)
class Texts(Field):
    """An array of strings of shape (n,), of type object."""

    def write(self, value: Any, arrays: Any) -> list[Any]:
        strings = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "OUT"
        require(strings, f"{short(value)} is not an array of strings")
        return Several(TEXT).write(value.tolist(), arrays)

    def read(self, found: Any, arrays: Any) -> np.ndarray:
        return as_objects(Several(TEXT).read(found, arrays))


@dataclass(frozen=True)
class Plain(Field):
    """A parameter that is a number, a string, a truth value, None, an array, or a list of these."""

    def write(self, value: Any, arrays: Any) -> Any:
        plain = value.item() if isinstance(value, np.generic) else value
        if plain is None or isinstance(plain, (bool, str)):
            return plain if plain is None or isinstance(plain, bool) else TEXT.write(plain, arrays)
        if isinstance(plain, (list, tuple)):
            listed = [self.write(entry, arrays) for entry in plain]
            return listed if isinstance(plain, list) else {"tuple": listed}
        if isinstance(plain, np.ndarray) and 1 <= plain.ndim <= 3 and plain.dtype.kind in "biuf":
            return {"array": arrays.add(plain)}
        if isinstance(plain, float) and not math.isfinite(plain):
            return {"number": str(plain)}
        return NUMBER.write(plain, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if found is None or isinstance(found, (bool, str)):
            return found if found is None or isinstance(found, bool) else TEXT.read(found, arrays)
        if isinstance(found, list):
            return [self.read(entry, arrays) for entry in found]
        if isinstance(found, dict):
            require(len(found) == 1, f"{short(found)} is not a parameter")
            ((key, inner),) = found.items()
            if key == "tuple" and isinstance(inner, list):
                return tuple(self.read(inner, arrays))
            if key == "array":
                return arrays.take(inner)
            number = NON_FINITE.get(inner) if isinstance(inner, str) else None
            require(key == "number" and number is not None, f"{short(found)} is not a parameter")
            return number
        return NUMBER.read(found, arrays)


@dataclass(frozen=True)
class Labels(Field):
    """Different class labels: numbers or strings, of type object or of a fixed width."""

    # Letters of an array of strings of fixed width; more labels are stored as objects.
    LETTERS = 10**6

    def write(self, value: Any, arrays: Any) -> Any:
        kind = value.dtype.kind
        require(kind in "biufUO", f"labels of type {value.dtype} cannot be saved; convert them")
        if kind in "biuf":
            return arrays.add(value)
        words = Several(TEXT).write(value.tolist(), arrays)
        width = value.dtype.itemsize // 4
        if kind == "O" or width * len(value) > self.LETTERS:
            return words
        return {"width": width, "words": words}

    def read(self, found: Any, arrays: Any) -> np.ndarray:
        if isinstance(found, str):
            labels: np.ndarray = arrays.take(found)
            require(labels.ndim == 1 and np.isfinite(labels).all(), "not labels")
        elif isinstance(found, list):
            labels = as_objects(Several(TEXT).read(found, arrays))
        else:
            require(type(found) is dict and found.keys() == {"width", "words"}, "not labels")
            words = Several(TEXT).read(found["words"], arrays)
            longest = max(map(len, words), default=1)
            width = Whole(max(longest, 1), self.LETTERS).read(found["width"], arrays)
            require(width * len(words) <= self.LETTERS, "labels that are too wide")
            labels = np.array(words, dtype=f"U{width}")
        require(len(set(labels.tolist())) == len(labels), "a label twice")
        return labels


def as_objects(values: Iterable[Any]) -> np.ndarray:
    """Return an array of objects of shape (n,)."""
    values = list(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@dataclass(frozen=True)
class Record(ClassField):
    """An object of one class.

    Parameters
    ----------
    cls : type
        The class that is written.
    fields : dict of str to Field
        Its attributes, which are the keywords of `make`.
    make : callable or None, default=None
        Called by `read`; None is the class.
    derived : tuple of str, default=()
        Further fields of a dataclass, which `make` computes.
    check : callable or None, default=None
        Raises `FieldError` if the fields of an object do not fit together.
    """

    cls: type
    fields: Mapping[str, Field] = field(default_factory=dict)
    make: Callable[..., Any] | None = None
    derived: tuple[str, ...] = ()
    check: Callable[[Any], None] | None = None

    def __post_init__(self) -> None:
        if not is_dataclass(self.cls):
            return
        expected = {one.name for one in fields(self.cls)} - set(self.derived)
        if expected != set(self.fields):
            raise TypeError(
                f"the record of {self.cls.__name__} has the fields {sorted(self.fields)}, the "
                f"class {sorted(expected)}; add what is missing to the table."
            )

    def write_fields(self, value: Any, arrays: Any) -> dict[str, Any]:
        return {
            name: within(name, one.write, getattr(value, name, None), arrays)
            for name, one in self.fields.items()
            if hasattr(value, name) or not isinstance(one, Absent)
        }

    def read(self, found: Any, arrays: Any) -> Any:
        values = self.read_fields(found, arrays)
        try:
            made = (self.make or self.cls)(**values)
        except (TypeError, ValueError) as error:  # of our constructors, or of scikit-learn's
            raise FieldError(str(error)) from error
        if self.check is not None:
            self.check(made)
        return made

    def read_fields(self, found: Any, arrays: Any) -> dict[str, Any]:
        """Return the keywords of the constructor; every field and no other must be there."""
        require(type(found) is dict, f"{short(found)} is not an object")
        optional = {name for name, one in self.fields.items() if isinstance(one, Absent)}
        missing = self.fields.keys() - found.keys() - optional
        require(not missing, f"{sorted(missing)} is missing")
        unknown = found.keys() - self.fields.keys()
        require(not unknown, f"{short(sorted(unknown))} is unknown")
        return {
            name: within(name, one.read, found[name], arrays)
            for name, one in self.fields.items()
            if name in found
        }


class Union(Field):
    """An object of one of several classes; the file contains its tag as ``"kind"``."""

    def __init__(self, what: str, records: Mapping[str, ClassField]) -> None:
        self.what, self.records = what, dict(records)

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        for tag, record in self.records.items():
            if type(value) is record.cls:
                return {KIND: tag, **record.write_fields(value, arrays)}
        kind = type(value)
        raise FieldError(
            f"{kind.__module__}.{kind.__qualname__} is not {self.what} that lk.save writes"
        )

    def read(self, found: Any, arrays: Any) -> Any:
        require(type(found) is dict and isinstance(found.get(KIND), str), f"not {self.what}")
        tag = found[KIND]
        require(tag in self.records, f"{short(tag)} is not {self.what}")
        rest = {name: value for name, value in found.items() if name != KIND}
        return within(tag, self.records[tag].read, rest, arrays)

    def __contains__(self, value: Any) -> bool:
        """Return whether the class of a value is in the table."""
        return any(type(value) is record.cls for record in self.records.values())


NUMBER, TEXT, TRUTH = Number(), Text(), Truth()
FINITE = Number(-1e300, 1e300)
POSITIVE = Number(1e-300, 1e300)

"""Forged model files: random changes of the structure of valid files, with valid checksums.

A change is made in the document (values, tags, keys, lists, subtrees of other models) or in the
arrays (values, shapes, types, names), one to three at a time. Some changes keep shapes consistent:
all arrays of one length become shorter together. Every file must give the same predictions, another
valid model, or an `InputError` when it is loaded.

``python -m tests.hostile.model_files --cases 10000`` prints how the files ended.
"""

from __future__ import annotations

import argparse
import copy
import json
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import learnkernels as lk
from learnkernels.persistence.container import ArrayWriter, packed, unpacked
from tests.persistence.examples import MODELS, fitted, outputs

NUMBERS = [0, 1, -1, 2, 3, 64, 2**31, -(2**31), 2**53, 2**63, 10**30, 0.5, -0.5, 1e-300, 1e300,
           -1e300, 1e150, "nan", "inf", True, None]  # fmt: skip
STRINGS = ["", "x", "\x1b[2J", "__class__", "os.system", "precomputed", "neutral", "array 0",
           "\ud800", "a" * 10_000, "tcp://localhost:1", None, 7]  # fmt: skip
VALUES = [0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 1e150, 1e10, np.nan, np.inf]
INDICES = [0, 1, -1, 5, 60, 2**31 - 1, -(2**31), 2**40, 2**62]
DTYPES = ["f8", "f4", "i8", "i4", "u8", "b1"]
# Largest memory and time of loading: bytes for each byte of a file, and in addition (tables of the
# interpreter may grow), and seconds.
BYTES, LEAST_BYTES, SECONDS = 60, 10_000_000, 5.0
# Columns up to which samples are dense, and up to which predictions are tried.
WIDE, WIDEST = 1000, 10**6
# Address space of the program: a file that takes too much memory is an error, not a crash.
MAX_SPACE = 6 * 2**30
# Messages of models of longer or shorter sequences, of pairs of other objects, and of kernels or
# numbers of samples with which standard deviations and intervals are not defined.
OTHER_MODEL = (
    "letters, expected", "number the objects", "not positive definite", "intervals overflow",
    "to leave out",
)  # fmt: skip

Document = Any
Arrays = dict[str, np.ndarray]


class Forger:
    """Make forged files from valid ones.

    Parameters
    ----------
    contents : list of (document, arrays)
        Valid files.
    rng : Generator
    """

    def __init__(self, contents: list[tuple[Document, Arrays]], rng: np.random.Generator) -> None:
        self.contents, self.rng = contents, rng
        self.tags = sorted({value["kind"] for document, _ in contents
                            for value in subtrees(document)
                            if isinstance(value.get("kind"), str)})  # fmt: skip

    def forged(self, number: int) -> bytes:
        """Return a forgery of one of the files."""
        document, arrays = copy.deepcopy(self.contents[number])
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            document, arrays = self.changed(document, arrays)
        writer = ArrayWriter()
        for name, values in arrays.items():
            writer.table[name] = writer.table.pop(writer.add(values))
        return packed(document, writer)

    def changed(self, document: Document, arrays: Arrays) -> tuple[Document, Arrays]:
        """Return the content after one change."""
        changes: list[Callable[[Document, Arrays], None]] = [
            self.change_value, self.change_value, self.change_tag, self.change_list,
            self.change_keys, self.graft, self.change_numbers, self.change_numbers,
            self.change_shape, self.change_type, self.swap_arrays, self.resize,
        ]  # fmt: skip
        self.pick(changes)(document, arrays)
        return document, arrays

    def pick(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def change_value(self, document: Document, arrays: Arrays) -> None:
        """Replace a number, a string, a truth value or null."""
        places = [(at, key) for at, key in leaves(document)]
        at, key = self.pick(places)
        value = at[key]
        if isinstance(value, bool):
            at[key] = not value
        elif isinstance(value, (int, float)):
            near = [value + 1, value - 1, 2 * value, -value, value * 1.5]
            at[key] = self.pick(NUMBERS + near)
        elif isinstance(value, str):
            others = [other[k] for other, k in places if isinstance(other[k], str)]
            at[key] = self.pick([self.pick(others), self.pick(STRINGS)])
        else:
            at[key] = self.pick([0, 1, True, "x", [], {}, "array 0"])

    def change_tag(self, document: Document, arrays: Arrays) -> None:
        """Replace the tag of an object by another one."""
        self.pick([tree for tree in subtrees(document) if "kind" in tree])["kind"] = self.pick(
            self.tags)  # fmt: skip

    def change_list(self, document: Document, arrays: Arrays) -> None:
        """Remove, repeat or exchange entries of a list."""
        lists = [value for value in nodes(document) if isinstance(value, list) and value]
        if not lists:
            return
        found, i = self.pick(lists), 0
        i = int(self.rng.integers(len(found)))
        j = int(self.rng.integers(len(found)))
        how = self.rng.integers(4)
        if how == 0:
            del found[i]
        elif how == 1:
            found.insert(j, copy.deepcopy(found[i]))
        elif how == 2:
            found[i], found[j] = found[j], found[i]
        else:
            found.clear()

    def change_keys(self, document: Document, arrays: Arrays) -> None:
        """Remove a key, or add one."""
        tree = self.pick(list(subtrees(document)))
        if self.rng.integers(2) and tree:
            del tree[self.pick(list(tree))]
        else:
            tree[self.pick(["__class__", "func", "kind", "memory"])] = self.pick([1, "x", {}, []])

    def graft(self, document: Document, arrays: Arrays) -> None:
        """Replace a subtree by one at a key of the same name, perhaps of another model."""
        other, others = self.pick([*self.contents, (document, arrays)])
        at, key = self.pick([(tree, key) for tree in subtrees(document) for key in tree])
        donors = [tree[key] for tree in subtrees(other) if key in tree]
        if donors:
            at[key] = moved(copy.deepcopy(self.pick(donors)), others, arrays)

    def change_numbers(self, document: Document, arrays: Arrays) -> None:
        """Replace values of an array, or scale or permute them."""
        values = arrays[self.pick(list(arrays))]
        if values.size == 0:
            return
        how, flat = self.rng.integers(4), values.reshape(-1)
        special = VALUES if values.dtype.kind == "f" else INDICES
        with np.errstate(all="ignore"):
            if how == 0:
                flat[self.rng.integers(flat.size)] = as_type(self.pick(special), values)
            elif how == 1:
                values[...] = as_type(self.pick(special), values)
            elif how == 2 and values.dtype.kind == "f":
                values *= self.pick([-1.0, 1e-3, 1e3, 1e100])
            else:
                values[...] = self.rng.permutation(flat).reshape(values.shape)

    def change_shape(self, document: Document, arrays: Arrays) -> None:
        """Cut, repeat, flatten or transpose an array."""
        name = self.pick(list(arrays))
        values = arrays[name]
        arrays[name] = self.pick([
            lambda: values[:-1], lambda: values[:1], lambda: values[:0],
            lambda: np.concatenate([values, values]), lambda: values[..., :1],
            lambda: values.reshape(-1), lambda: values.T.copy(), lambda: values[None][:1],
            lambda: values[..., None],
        ])()  # fmt: skip
        if arrays[name].ndim > 3:
            arrays[name] = values

    def change_type(self, document: Document, arrays: Arrays) -> None:
        """Convert the values of an array, or read its bytes as another type."""
        name = self.pick(list(arrays))
        dtype = self.pick(DTYPES)
        with np.errstate(all="ignore"):
            if self.rng.integers(2) and arrays[name].dtype.itemsize == np.dtype(dtype).itemsize > 1:
                arrays[name] = np.ascontiguousarray(arrays[name]).view(dtype)
            else:
                arrays[name] = arrays[name].astype(dtype)

    def swap_arrays(self, document: Document, arrays: Arrays) -> None:
        """Exchange two arrays, or name one twice."""
        first, second = self.pick(list(arrays)), self.pick(list(arrays))
        if self.rng.integers(3):
            arrays[first], arrays[second] = arrays[second], arrays[first]
        else:
            del arrays[first]

    def resize(self, document: Document, arrays: Arrays) -> None:
        """Shorten all axes of one length, and whole numbers of this value, consistently."""
        lengths = sorted({n for values in arrays.values() for n in values.shape if n > 1})
        if not lengths:
            return
        n = self.pick(lengths)
        for name, values in arrays.items():
            for axis, length in enumerate(values.shape):
                if length == n:
                    arrays[name] = np.take(arrays[name], range(n - 1), axis=axis)
        for at, key in leaves(document):
            if type(at[key]) is int and at[key] == n:
                at[key] = n - 1
        for value in nodes(document):
            if isinstance(value, list) and len(value) == n:
                del value[-1]


def nodes(document: Document) -> Iterator[Any]:
    """Yield all lists and objects of a document."""
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, (list, dict)):
            yield value
            pending += value.values() if isinstance(value, dict) else value


def subtrees(document: Document) -> Iterator[dict[str, Any]]:
    """Yield all objects of a document."""
    return (value for value in nodes(document) if isinstance(value, dict))


def leaves(document: Document) -> Iterator[tuple[Any, Any]]:
    """Yield the place of every number, string, truth value and null."""
    for value in nodes(document):
        for key in value if isinstance(value, dict) else range(len(value)):
            if not isinstance(value[key], (list, dict)):
                yield value, key


def moved(value: Any, source: Arrays, target: Arrays) -> Any:
    """Return a subtree whose arrays were copied to another file under new names."""
    holder = [value]
    for at, key in leaves(holder):
        if isinstance(at[key], str) and at[key] in source:
            name = f"moved {len(target)}"
            target[name] = source[at[key]].copy()
            at[key] = name
    return holder[0]


def as_type(value: float, values: np.ndarray) -> np.ndarray:
    """Return a number in the type of an array."""
    return np.array(value).astype(values.dtype)


def samples_for(model: Any, X: Any) -> Any:
    """Return samples with the columns that a model says it takes."""
    names, n = getattr(model, "feature_names_in_", None), model.n_features_in_
    if hasattr(X, "columns"):
        if names is None or set(names) <= set(X.columns):
            return X
        return X.set_axis(list(names), axis=1) if len(names) == X.shape[1] else X
    if getattr(X, "ndim", 1) == 3:
        return np.ones((len(X), n, len(model.weights_)))
    if getattr(X, "ndim", 1) == 2 and X.shape[1] != n:
        if n > WIDE or sparse.issparse(X):
            X = sparse.csr_array(X, copy=True)
            X.resize((X.shape[0], min(n, WIDEST)))
            return X
        return X[:, np.arange(n) % X.shape[1]]
    return X


def ending(
    content: bytes, path: Path, expected: dict[str, bytes], X: Any, measured: bool = False
) -> str:
    """Return how a file ended: "refused", "same" or "other model"; all else is an error."""
    path.write_bytes(content)
    start = time.process_time()
    if measured:
        tracemalloc.start()
    try:
        model = lk.load(path)
    except lk.InputError as error:
        assert str(error).isprintable(), str(error)
        return "refused"
    finally:
        peak = tracemalloc.get_traced_memory()[1] if measured else 0
        tracemalloc.stop()
        assert time.process_time() - start < SECONDS
        assert peak < BYTES * len(content) + LEAST_BYTES, f"{peak} bytes of memory"
    with np.errstate(all="ignore"):
        samples = samples_for(model, X)
        if model.n_features_in_ > WIDEST:  # nobody has samples of so many columns
            return "other model"
        try:
            found = outputs(model, samples)
        except lk.InputError as error:
            if any(text in str(error) for text in OTHER_MODEL):
                return "other model"
            if "Input X contains NaN" not in str(error):
                raise
            found = outputs(model, np.nan_to_num(samples))  # other views lack only some values
    for values in found.values():
        assert values.dtype.kind != "f" or np.isfinite(values).all()
    str(model), [str(getattr(model, "certificate_", ""))]
    return "same" if {k: v.tobytes() for k, v in found.items()} == expected else "other model"


def run(cases: int, seed: int, names: list[str] | None = None) -> tuple[Counter[str], list[str]]:
    """Try forged files; return how many ended how, and the errors."""
    rng = np.random.default_rng(seed)
    names = names or list(MODELS)
    models = [fitted(name) for name in names]
    endings: Counter[str] = Counter()
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.lk")
        contents = []
        for model, _ in models:
            lk.save(model, path)
            _, document, arrays = unpacked(path.read_bytes(), path)
            contents.append((document, arrays.arrays))
        expected = [{k: v.tobytes() for k, v in outputs(*one).items()} for one in models]
        forger = Forger(contents, rng)
        for case in range(cases):
            number = case % len(names)
            try:
                content = forger.forged(number)
            except (ValueError, OverflowError):  # JSON has no such number
                continue
            X, measured = models[number][1], case % 10 == 0
            try:
                endings[ending(content, path, expected[number], X, measured)] += 1
            except Exception as error:
                endings["error"] += 1
                errors.append(f"{names[number]}, case {case}: {type(error).__name__}: {error}")
    return endings, errors


if __name__ == "__main__":
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_AS, (MAX_SPACE, MAX_SPACE))
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", nargs="*")
    options = parser.parse_args()
    found, failures = run(options.cases, options.seed, options.models)
    print(json.dumps(found), *failures, sep="\n")
    raise SystemExit(bool(failures))

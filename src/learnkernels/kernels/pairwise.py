"""Pairwise kernels: samples are pairs of objects, such as a drug and a cell line.

X holds pairs of integers, rows of two tables of objects. With Gram matrices A of the left objects
and B of the right ones, the kernel of the pairs (a, b) and (c, d) is

    kronecker   A(a, c) B(b, d)
    sum         A(a, c)  and  B(b, d), a kernel each
    cartesian   A(a, c) [b = d]  and  [a = c] B(b, d), a kernel each
    symmetric   (A(a, c) B(b, d) + A(a, d) B(b, c) + A(b, c) B(a, d) + A(b, d) B(a, c)) / 4
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from learnkernels.checks import as_input_error, require_choice
from learnkernels.errors import InputError
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.resolve import expand

KINDS = ("kronecker", "sum", "cartesian", "symmetric")
# Names of the kernel that is one for all objects, and of the one that is one for equal objects.
ONE, SAME = "1", "same"


@dataclass(frozen=True, eq=False)
class ObjectGram:
    """The Gram matrix of one kernel on all objects of a table.

    Attributes
    ----------
    name : str
    K : ndarray of shape (n_objects, n_objects)
    """

    name: str
    K: np.ndarray


@dataclass(frozen=True, eq=False)
class PairKernel(Kernel):
    """A kernel of pairs of objects, the product of a kernel of each; see the module.

    Attributes
    ----------
    left, right : ObjectGram
    symmetric : bool, default=False
        Whether (a, b) and (b, a) are the same pair.
    """

    left: ObjectGram
    right: ObjectGram
    symmetric: bool = False

    takes = "numbers"
    fast_products = True

    @property
    def name(self) -> str:
        return f"{self.left.name} x {self.right.name}"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of left objects and of right objects."""
        return len(self.left.K), len(self.right.K)

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        rows = self.orders(X)
        columns = rows if Z is None else self.orders(Z)
        parts = [
            self.left.K[np.ix_(a, c)] * self.right.K[np.ix_(b, d)]
            for (a, b), (c, d) in product(rows, columns)
        ]
        return np.asarray(np.mean(parts, axis=0))

    def diagonal(self, X: Any) -> np.ndarray:
        orders = self.orders(X)
        parts = [
            self.left.K[a, c] * self.right.K[b, d] for (a, b), (c, d) in product(orders, orders)
        ]
        return np.asarray(np.mean(parts, axis=0))

    def orders(self, X: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the pairs as left and right objects, in both orders if they are symmetric."""
        a, b = as_pairs(X, self.shape)
        return [(a, b), (b, a)] if self.symmetric else [(a, b)]


def as_pairs(X: Any, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the left and the right object of each pair, or raise.

    Parameters
    ----------
    X : array-like of shape (n_pairs, 2)
    shape : (int, int)
        Number of objects in the two tables.
    """
    found = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if found.ndim != 2 or found.shape[1] != 2:
        raise InputError(
            f"pairwise kernels need X of shape (n_pairs, 2), found {found.shape}; pass the row of "
            "the left object and the row of the right object of each pair, as integers."
        )
    for side, values, n in zip(("left", "right"), found.T, shape, strict=True):
        bad = np.flatnonzero(~((values >= 0) & (values < n) & (values == np.floor(values))))
        if len(bad):
            raise InputError(
                f"X[{bad[0]}] is the pair {tuple(found[bad[0]].tolist())}, but the {side} table "
                f"has {n} objects; expected an integer from 0 to {n - 1}: number the objects by "
                "their rows, and put new objects into the table before fitting."
            )
    left, right = found.T.astype(np.intp)
    return left, right


@dataclass(frozen=True, eq=False)
class Pairs(Family):
    """Pairwise kernels of two tables of objects; see `pairs`, where `form` is ``kind``."""

    left: Any
    right: Any
    form: str

    takes = "numbers"
    fast_products = True

    def members(self, data: TrainingData) -> list[Kernel]:
        shape = n_objects(self.left), n_objects(self.left if self.right is None else self.right)
        first, second = as_pairs(data.X, shape)
        if data.weights is not None:  # pairs of weight zero do not train
            first, second = first[data.weights > 0], second[data.weights > 0]
        if self.form == "symmetric":
            grams = object_grams("left", self.left, np.concatenate([first, second]))
            chosen = combinations_with_replacement(grams, 2)
            return [PairKernel(one, other, symmetric=True) for one, other in chosen]
        left = object_grams("left", self.left, first)
        right = object_grams("right", self.right, second)
        if self.form == "kronecker":
            return [PairKernel(one, other) for one, other in product(left, right)]
        made, name = (np.ones, ONE) if self.form == "sum" else (identity, SAME)
        every = tuple(ObjectGram(name, made((n, n))) for n in shape)
        return [
            *(PairKernel(one, every[1]) for one in left),
            *(PairKernel(every[0], one) for one in right),
        ]


def identity(shape: tuple[int, int]) -> np.ndarray:
    """Return the identity matrix of a shape."""
    return np.eye(*shape)


def n_objects(objects: Any) -> int:
    """Return the number of objects of a table."""
    if isinstance(objects, Mapping):
        return len(next(iter(objects.values())))
    features = objects[0] if isinstance(objects, tuple) else objects
    return int(features.shape[0] if hasattr(features, "shape") else len(features))


def object_grams(side: str, objects: Any, used: np.ndarray) -> list[ObjectGram]:
    """Return the Gram matrices of one table.

    Parameters
    ----------
    side : {"left", "right"}
    objects : stack, mapping or (features, family)
        As in `pairs`.
    used : ndarray
        Objects of the training pairs; a family depends on no others.
    """
    if isinstance(objects, tuple):
        features, family = objects
        data = TrainingData(features[np.unique(used)])
        kernels = expand(family, data)
        return [ObjectGram(one.name, one(features)) for one in kernels]
    return [ObjectGram(name, K) for name, K in named_grams(side, objects)]


def named_grams(side: str, objects: Any) -> Iterator[tuple[str, np.ndarray]]:
    """Yield name and Gram matrix of each kernel of a stack or a mapping."""
    if isinstance(objects, Mapping):
        yield from ((str(name), K) for name, K in objects.items())
    else:
        yield from ((f"{side}[{k}]", objects[:, :, k]) for k in range(objects.shape[2]))


def pairs(left: Any, right: Any = None, kind: str = "kronecker") -> Family:
    """Return kernels of pairs of objects, such as a drug and a cell line.

    X is then an integer array of shape (n_pairs, 2): the row of the left object in its table, and
    the row of the right object. The tables contain all objects, also those that occur only in
    pairs to be predicted. No Gram matrix of the pairs is stored.

    Parameters
    ----------
    left : ndarray of shape (n_left, n_left, n_kernels), dict of str to ndarray, or tuple
        Kernels of the left objects: a stack of Gram matrices, Gram matrices by name, or
        ``(features, family)``, with one row of features for each object and kernels as in
        `KernelClassifier`.
    right : same as left, or None, default=None
        Kernels of the right objects. None for ``kind="symmetric"``, where both are left objects.
    kind : {"kronecker", "sum", "cartesian", "symmetric"}, default="kronecker"
        ``"kronecker"``: the product of every left kernel with every right kernel. ``"sum"``: the
        kernels of one object alone, whatever the other is. ``"cartesian"``: the kernels of one
        object, for pairs with the same other object. ``"symmetric"``: products of two left kernels
        for pairs without an order. Families of several kinds can be added.

    Returns
    -------
    Family
        Value for ``kernels=``, alone, in a list or in a sum.

    Examples
    --------
    >>> import numpy as np
    >>> import learnkernels as lk
    >>> rng = np.random.default_rng(0)
    >>> users, items = rng.normal(size=(30, 3)), rng.normal(size=(20, 2))
    >>> X = np.argwhere(rng.random((30, 20)) < 0.5)
    >>> y = users[X[:, 0], 0] * items[X[:, 1], 1]
    >>> kernels = lk.pairs((users, lk.linear()), (items, lk.gaussians([0.1, 1.0])))
    >>> model = lk.KernelRegressor(kernels=kernels).fit(X, y)
    >>> list(model.kernel_names_)
    ['linear x gaussian(0.1)', 'linear x gaussian(2^0)']
    >>> model.predict([[0, 0], [29, 19]]).shape
    (2,)
    """
    require_choice("kind", kind, KINDS)
    if (right is None) != (kind == "symmetric"):
        raise InputError(
            f"pairs() got kind={kind!r} {'without' if right is None else 'with'} right kernels; "
            'kind="symmetric" takes the left ones only, every other kind takes both: '
            f"{'pass right' if right is None else 'leave right out'}."
        )
    sides = [checked("left", left)]
    if right is not None:
        sides.append(checked("right", right))
    return Pairs(sides[0], sides[-1] if right is not None else None, kind)


def checked(side: str, objects: Any) -> Any:
    """Return the kernels of one table in the form of `object_grams`, or raise."""
    if isinstance(objects, tuple) and len(objects) == 2 and not isinstance(objects[1], np.ndarray):
        features, family = objects
        table = features.to_numpy() if hasattr(features, "to_numpy") else features
        return (table if hasattr(table, "tocsr") else np.asarray(table)), family
    with as_input_error(f"the {side} kernels of pairs(): "):
        if isinstance(objects, Mapping):
            found: Any = {name: np.asarray(K, dtype=float) for name, K in objects.items()}
        else:
            found = np.asarray(objects, dtype=float)
    grams = list(found.values()) if isinstance(found, dict) else [found]
    square = grams and all(
        K.ndim == (2 if isinstance(found, dict) else 3)
        and K.shape[0] == K.shape[1] == grams[0].shape[0] > 0
        and K.size
        for K in grams
    )
    if not square:
        shapes = [np.shape(K) for K in grams[:3]]
        raise InputError(
            f"the kernels on the {side} of pairs() have the shapes {shapes}; expected a stack of "
            "shape (n_objects, n_objects, n_kernels), a dict of Gram matrices of one size, or a "
            "tuple (features, family): stack Gram matrices with np.stack([K1, K2], axis=-1)."
        )
    return found

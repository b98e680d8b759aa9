"""Contributions of features to the outputs of a fitted model.

The outputs are a sum over kernels, and kernels that are inner products of known features are sums
over these features:

    f(x) = sum_k f_k(x) + constant,   f_k(x) = sum_c v_c phi_c(x),
    v = factor_k sum_i coef_i phi(x_i)

over the training samples x_i. This holds for columns (linear and per-feature kernels), words
(n-grams, k-mers) and letters at positions (weighted degree). For all other kernels a column is
permuted over the samples.

The importance of a feature is the standard deviation of its contribution over the samples. For a
linear function the root mean square change of the output under a permutation is sqrt(2) times as
large, so both measures have the same unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.estimators.outputs.attributes import keeps_lines
from learnkernels.gram.factors.combination import FactorFunction
from learnkernels.gram.tiles.combination import TileFunction
from learnkernels.gram.tiles.missing import MissingGroup
from learnkernels.kernels import FactorKernel, Linear, Source
from learnkernels.kernels.alphabets import Alphabet
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.table import Standardize
from learnkernels.kernels.tables import n_rows
from learnkernels.kernels.texts import Counts
from learnkernels.kernels.weighted_degree import WeightedDegree

EXACT, PERMUTATION = "exact", "permutation"


@dataclass(frozen=True)
class Term:
    """Features of a kernel or view, and what they contribute to the outputs.

    Attributes
    ----------
    view, kernel : str
        Names; no kernel if the term is of several.
    measure : {"exact", "permutation"}
    features : sequence of str
    importances : ndarray of shape (n_features, n_outputs)
    effects : ndarray of shape (n_features, n_outputs) or None
        Change of the output with a feature, if it is linear in it. For a letter, the mean
        contribution where it occurs.
    positions : ndarray of shape (n_features,) or None
        Positions of letters.
    metric : ndarray of shape (n_features,) or None
        Diagonal of a learned metric.
    contributions : callable or None
        From an output to an array of shape (n_samples, n_features) with the contributions to it,
        whose mean is zero.
    """

    view: str
    kernel: str
    measure: str
    features: Sequence[str]
    importances: np.ndarray
    effects: np.ndarray | None = None
    positions: np.ndarray | None = None
    metric: np.ndarray | None = None
    contributions: Callable[[int], np.ndarray] | None = None


@dataclass(frozen=True)
class Component:
    """The part of a fitted function that belongs to a kernel, or to a group of factors.

    Attributes
    ----------
    kernels : ndarray of int
        Positions in the user's list.
    formula : Kernel or type
        Kernel of the samples of the source; the class `FactorKernel` for a group of factors.
    source : Source or None
    unit_diagonal : bool
        Whether the kernel is scaled to unit diagonal.
    function : TileFunction or FactorFunction
    group : int
        Number of the group in the function.
    """

    kernels: np.ndarray
    formula: Any
    source: Source | None
    unit_diagonal: bool
    function: Any
    group: int

    @property
    def kind(self) -> str:
        """Return ``"letters"``, ``"words"``, ``"columns"``, or ``"other"`` if it is not linear."""
        maps = () if self.source is None else self.source.maps
        if isinstance(self.formula, WeightedDegree) and not maps:
            return "letters"
        if not (self.formula is FactorKernel or isinstance(self.formula, Linear)):
            return "other"
        if len(maps) == 1 and isinstance(maps[0], Kmers | Counts):
            return "words"
        standardized_first = not any(isinstance(step, Standardize) for step in maps[1:])
        linear = keeps_lines(self.source) and standardized_first and not self.unit_diagonal
        return "columns" if linear else "other"

    @property
    def missing(self) -> str:
        """Return whether samples may lack the view: ``"error"`` or ``"neutral"``."""
        if isinstance(self.function, FactorFunction):
            return self.function.groups[self.group].missing
        kernels: Any = self.function.combined.kernels
        return str(kernels.missing)

    def read(self, X: Any) -> tuple[Any, np.ndarray]:
        """Return the observed samples before feature maps, and which samples of X these are."""
        every = np.ones(n_rows(X), dtype=bool)
        if self.source is None:
            return X, every
        data, observed = self.source.read_columns(X, self.missing)
        return data, every if observed is None else observed


def components_of(functions: Sequence[Any]) -> list[Component]:
    """Return the components of fitted functions, without those of pairs."""
    found = []
    for function in functions:
        if isinstance(function, TileFunction):
            found += tile_components(function)
        elif isinstance(function, FactorFunction):
            found += factor_components(function)
    return found


def tile_components(function: TileFunction) -> list[Component]:
    """Return a component for each kernel."""
    kernels: Any = function.combined.kernels
    cosine, start, found = kernels.left_scale is not None, 0, []
    for at, (group, source) in enumerate(zip(kernels.groups, kernels.sources, strict=True)):
        for member, formula in enumerate(group.kernels):
            own = kernels.index[[start + member]]
            found.append(Component(own, formula, source, cosine, function, at))
        start += len(group.kernels)
    return found


def factor_components(function: FactorFunction) -> list[Component]:
    """Return a component for each group of factors with a coefficient."""
    found = []
    for at, (group, primal) in enumerate(zip(function.groups, function.primal, strict=True)):
        owners = np.unique(group.owner[primal.any(axis=1)])
        if len(owners):
            own = function.index[owners]
            found.append(Component(own, FactorKernel, group.source, group.cosine, function, at))
    return found


def exact_term(component: Component, X: Any, names: Sequence[str], owner: tuple[str, str]) -> Term:
    """Return the features of a component that is linear in them.

    Parameters
    ----------
    component : Component
        Of another kind than ``"other"``.
    X
        Validated samples.
    names : sequence of str
        Names of the columns of X.
    owner : (str, str)
        Names of the view and of the kernel.
    """
    data, observed = component.read(X)
    build = {"letters": letters_term, "words": words_term, "columns": columns_term}
    return build[component.kind](component, data, observed, names, owner)


def columns_term(
    component: Component, data: Any, observed: np.ndarray, names: Sequence[str],
    owner: tuple[str, str],
) -> Term:  # fmt: skip
    """Return the columns of a linear kernel, or of kernels of single columns."""
    source = component.source
    maps = () if source is None else source.maps
    if source is not None and source.columns is not None:
        names = source.columns.new_names()
    scale = np.ones(len(names))
    if maps and isinstance(maps[0], Standardize):
        step, maps = maps[0], maps[1:]
        data, names, scale = step(data), [names[k] for k in step.columns], step.scale
    v = coefficients(component, data.shape[1])
    for step in reversed(maps):  # phi(x)'v = (A'x)'v = x'(A v)
        v = step.A[:, None] * v if step.A.ndim == 1 else step.A @ v
    used = np.arange(len(v))
    if component.formula is FactorKernel:
        used = np.flatnonzero(v.any(axis=1))
    found = [names[int(k)] for k in used]
    return linear_term(data[:, used], v[used], observed, found, owner, scale[used])


def coefficients(component: Component, width: int) -> np.ndarray:
    """Return v of the features after all maps, shape (width, n_outputs)."""
    if isinstance(component.function, FactorFunction):
        primal = component.function.primal[component.group]
        v = np.zeros((width, primal.shape[1]))
        np.add.at(v, component.function.groups[component.group].columns, primal)
        return v
    group, parts = support_of(component)
    v = np.sum([samples.A.T @ coef for samples, coef in parts], axis=0)
    if group.raw_linear and group.origin is not None:
        v = v + np.outer(group.origin, np.sum([coef.sum(axis=0) for _, coef in parts], axis=0))
    return np.asarray(v)


def words_term(
    component: Component, data: Any, observed: np.ndarray, names: Sequence[str],
    owner: tuple[str, str],
) -> Term:  # fmt: skip
    """Return the n-grams or k-mers that occur in the samples."""
    step = component.source.maps[0] if component.source is not None else None
    A = step(data) if callable(step) else data
    if isinstance(step, Counts):
        group = component.function.groups[component.group]
        v = component.function.primal[component.group]
        used = np.flatnonzero(v.any(axis=1))
        A = group.arranged(A, None).A[:, used]
        return linear_term(A, v[used], observed, step.vocabulary[group.columns[used]], owner)
    if component.unit_diagonal:
        norms = np.sqrt(A.power(2).sum(axis=1))
        A = sparse.csr_array(sparse.diags_array(1 / np.where(norms > 0, norms, 1.0)) @ A)
    words = np.unique(A.indices)
    _, parts = support_of(component)
    v = np.sum([only_columns(samples.A, words).T @ coef for samples, coef in parts], axis=0)
    return linear_term(only_columns(A, words), v, observed, kmer_names(words, step), owner)


def only_columns(A: sparse.csr_array, columns: np.ndarray) -> sparse.csr_array:
    """Return some columns of a matrix that may have billions, in ascending order."""
    place = np.minimum(np.searchsorted(columns, A.indices), len(columns) - 1)
    kept = columns[place] == A.indices
    ends = np.concatenate([[0], np.cumsum(kept)])[A.indptr]
    return sparse.csr_array((A.data[kept], place[kept], ends), shape=(A.shape[0], len(columns)))


def kmer_names(words: np.ndarray, kmers: Any) -> list[str]:
    """Return the words of columns of `Kmers`, whose digits are the letters."""
    letters = np.array(list(kmers.alphabet.letters))
    digits = words[:, None] // len(letters) ** np.arange(kmers.k - 1, -1, -1) % len(letters)
    return ["".join(word) for word in letters[digits]]


def letters_term(
    component: Component, data: Any, observed: np.ndarray, names: Sequence[str],
    owner: tuple[str, str],
) -> Term:  # fmt: skip
    """Return the letters at each position that occur in the samples."""
    kernel: WeightedDegree = component.formula
    group, parts = support_of(component)
    codes = kernel.codes(data)  # (n, length)
    Z = np.concatenate([group.codes(samples) for samples, _ in parts])
    values = kernel.position_values(codes, Z, np.concatenate([coef for _, coef in parts]))
    if component.unit_diagonal:
        values /= np.sqrt(kernel.diagonal(data))[:, None, None]
    values -= values.mean(axis=0)  # (n, length, n_outputs)
    letters = [*kernel.alphabet.letters, "unknown"]
    number = np.where(codes == Alphabet.UNKNOWN, len(letters) - 1, codes)
    number = number + len(letters) * np.arange(kernel.length)
    used, inverse, counts = np.unique(number, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(codes.shape)

    def sums(of: np.ndarray) -> np.ndarray:
        each = [np.bincount(inverse.ravel(), own.ravel()) for own in np.moveaxis(of, 2, 0)]
        return np.array(each).T  # (n_features, n_outputs)

    return Term(
        *owner,
        measure=EXACT,
        features=[letters[k] for k in used % len(letters)],
        importances=np.sqrt(sums(values**2) / max(len(codes) - 1, 1)),
        effects=sums(values) / counts[:, None],
        positions=used // len(letters),
        contributions=partial(letter_contributions, values, inverse, observed),
    )


def letter_contributions(
    values: np.ndarray, inverse: np.ndarray, observed: np.ndarray, output: int
) -> np.ndarray:
    """Return the contributions of letters to one output, shape (n_samples, n_features)."""
    out = np.zeros((len(observed), inverse.max() + 1))
    out[np.flatnonzero(observed)[:, None], inverse] = values[:, :, output]
    return out


def linear_term(
    A: Any, v: np.ndarray, observed: np.ndarray, features: Sequence[str], owner: tuple[str, str],
    scale: np.ndarray | None = None,
) -> Term:  # fmt: skip
    """Return the term ``A v``.

    Parameters
    ----------
    A : ndarray or CSR matrix of shape (n_observed, n_features)
    v : ndarray of shape (n_features, n_outputs)
    observed : ndarray of bool of shape (n_samples,)
        The samples of A.
    features : sequence of str
    owner : (str, str)
        Names of the view and of the kernel.
    scale : ndarray of shape (n_features,) or None
        Units of the user's columns in which A is given.
    """
    mean = np.asarray(A.mean(axis=0)).ravel()
    squares = np.asarray((A.power(2) if sparse.issparse(A) else (A - mean) ** 2).sum(axis=0))
    if sparse.issparse(A):
        squares = np.maximum(squares.ravel() - A.shape[0] * mean**2, 0.0)
    deviation = np.sqrt(squares / max(A.shape[0] - 1, 1))
    return Term(
        *owner,
        measure=EXACT,
        features=list(map(str, features)),
        importances=deviation[:, None] * np.abs(v),
        effects=v if scale is None else v / scale[:, None],
        contributions=partial(column_contributions, A, mean, v, observed),
    )


def column_contributions(
    A: Any, mean: np.ndarray, v: np.ndarray, observed: np.ndarray, output: int
) -> np.ndarray:
    """Return the contributions of columns to one output, shape (n_samples, n_features)."""
    out = np.zeros((len(observed), len(mean)))
    out[observed] = ((A.toarray() if sparse.issparse(A) else A) - mean) * v[:, output]
    return out


def support_of(component: Component) -> tuple[Any, list[tuple[Any, np.ndarray]]]:
    """Return the group of one tile kernel, and samples with coefficients that span it.

    A training sample without the view has the mean of the others: its coefficient is divided among
    them.

    Returns
    -------
    group : Group
    parts : list of (samples of the group, ndarray of shape (n_samples, n_outputs))
    """
    combined, at = component.function.combined, component.group
    kernels = combined.kernels
    k = int(np.flatnonzero(kernels.index == component.kernels[0])[0])
    coef = combined.factors[k] * component.function.coef
    if kernels.right_scale is not None:
        coef = coef * kernels.right_scale[k][:, None]
    group, samples = kernels.groups[at], kernels.right[at]
    if not isinstance(group, MissingGroup):
        return group, [(samples, coef)]
    present = samples.row >= 0
    parts = [(samples.inner.take(samples.row[present]), coef[present])]
    if not present.all():
        absent = coef[~present].sum(axis=0)
        parts.append((group.anchors, np.outer(group.weights, absent)))
    return group.inner, parts

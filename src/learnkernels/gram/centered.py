"""The centered and scaled base kernels, and their statistics: what weight methods read.

`CenteredKernels` has combinations of the kernels and products with them; `Statistics` has a, M and
the traces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import Backend, require_memory
from learnkernels.gram.learned import LearnedKernel, weighted

NORMALIZATIONS = ("trace", "frobenius", "cosine", None)
# A kernel is constant if its centered trace is at most this fraction of the size of its values.
CONSTANT = 1e-13
# The square of a mean diagonal below this underflows.
TINY = float(np.sqrt(np.finfo(float).tiny))


def not_finite(names: Sequence[str], values: np.ndarray) -> InputError:
    """Return the error for rows of values, one for each kernel and the target, that overflow."""
    row = int(np.argmin(np.isfinite(values).reshape(len(values), -1).all(axis=1)))
    name = [*names, "of the target"][row]
    return InputError(
        f"the values of kernel {name!r} are too large to be summed; scale the columns of X or y, "
        "or lower the kernel's degree."
    )


def require_squares(
    names: Sequence[str], squares: np.ndarray, traces: np.ndarray, magnitude: np.ndarray, W: float
) -> np.ndarray:
    """Return which kernels vary on the samples; raise if one cannot be used.

    Parameters
    ----------
    names : sequence of str
        Of the kernels; the target is the last.
    squares, traces : ndarray of shape (n_kernels + 1,)
        ``|K_kc|_F^2`` and ``tr(K_kc)``.
    magnitude : ndarray of shape (n_kernels + 1,)
        Bound on the absolute values, times W: a trace that is tiny in comparison is rounding error.
    W : float
        Sum of the sample weights.

    Returns
    -------
    ndarray of bool of shape (n_kernels + 1,)
    """
    if not np.isfinite(squares).all():
        raise not_finite(names, squares)
    varies = np.abs(traces) > CONSTANT * magnitude
    small = varies & (np.abs(traces) < TINY * W)
    if small.any():
        name = [*names, "of the target"][int(np.argmax(small))]
        raise InputError(
            f"the values of kernel {name!r} are too small to be squared; scale the columns of X or "
            "y, for example with StandardScaler."
        )
    varies &= squares > 0
    negative = varies[:-1] & (traces[:-1] < 0)
    if negative.any():
        k = int(np.argmax(negative))
        raise InputError(
            f"kernel {names[k]!r} is not positive semi-definite: its centered trace is "
            f"{traces[k]:.3g}, and it must not be negative. Use another kernel, or clip the "
            "negative eigenvalues of its Gram matrix."
        )
    return varies


@dataclass(frozen=True)
class PartStatistics:
    """Statistics of some centered kernels, before scaling.

    Attributes
    ----------
    a : ndarray of shape (n_kernels,)
        ``<K_kc, YY'>_F``.
    squares : ndarray of shape (n_kernels,)
        ``|K_kc|_F^2``.
    traces : ndarray of shape (n_kernels,)
        ``tr(K_kc)``.
    mean_diagonal : ndarray of shape (n_kernels,)
        Mean of k(x, x), not centered.
    observed : ndarray of shape (n_kernels,)
        Total weight of the samples that the kernel's view has values for.
    constant : ndarray of bool of shape (n_kernels,)
        Kernels that are constant on the samples; `a`, `squares` and `traces` are zero there.
    """

    a: np.ndarray
    squares: np.ndarray
    traces: np.ndarray
    mean_diagonal: np.ndarray
    observed: np.ndarray
    constant: np.ndarray

    def keep(self, mask: np.ndarray) -> PartStatistics:
        """Return the statistics of some kernels."""
        return PartStatistics(**{name: values[mask] for name, values in vars(self).items()})


class InnerProducts(ABC):
    """M of some kernels."""

    @property
    @abstractmethod
    def diagonal(self) -> np.ndarray:
        """M_kk, shape (p,)."""

    @abstractmethod
    def block(self, index: np.ndarray) -> np.ndarray:
        """Return M of some kernels, shape (s, s)."""

    @abstractmethod
    def times(self, v: np.ndarray) -> np.ndarray:
        """Return M v, shape (p,)."""

    @abstractmethod
    def form(self, mu: np.ndarray) -> float:
        """Return mu'M mu, the squared norm of the combination."""

    @abstractmethod
    def full(self) -> np.ndarray:
        """Return all of M, shape (p, p)."""

    @abstractmethod
    def scaled(self, factors: np.ndarray) -> InnerProducts:
        """Return M of the kernels multiplied by factors."""

    @abstractmethod
    def keep(self, mask: np.ndarray) -> InnerProducts:
        """Return M of some kernels."""


@dataclass(frozen=True)
class StoredProducts(InnerProducts):
    """M as an array of shape (p, p)."""

    M: np.ndarray

    @property
    def diagonal(self) -> np.ndarray:
        return np.diag(self.M)

    def block(self, index: np.ndarray) -> np.ndarray:
        return self.M[np.ix_(index, index)]

    def times(self, v: np.ndarray) -> np.ndarray:
        return self.M @ v

    def form(self, mu: np.ndarray) -> float:
        return float(mu @ self.M @ mu)

    def full(self) -> np.ndarray:
        return self.M

    def scaled(self, factors: np.ndarray) -> StoredProducts:
        return StoredProducts(self.M * np.outer(factors, factors))

    def keep(self, mask: np.ndarray) -> StoredProducts:
        return StoredProducts(self.M[np.ix_(mask, mask)])


@dataclass(frozen=True)
class Statistics:
    """The statistics of p kernels and a target that two-stage methods read.

    Attributes
    ----------
    a : ndarray of shape (n_kernels,)
        ``<K_kc, YY'>_F`` of the centered and scaled kernels.
    M : ndarray of shape (n_kernels, n_kernels)
        ``<K_kc, K_lc>_F`` of the centered and scaled kernels. For thousands of kernels it is
        computed when it is first read.
    squares : ndarray of shape (n_kernels,)
        The diagonal of M.
    traces : ndarray of shape (n_kernels,)
        ``tr(K_kc)`` of the centered kernels before scaling.
    target_norm : float
        ``|Y_c Y_c'|_F``.
    scales : ndarray of shape (n_kernels,)
        Divisor of each kernel; one for a constant kernel.
    constant : ndarray of bool of shape (n_kernels,)
        Kernels that are constant on the samples; their rows of `M` and `a` are zero.
    mean_diagonal : ndarray of shape (n_kernels,)
        Mean of k(x, x), neither centered nor scaled.
    observed : ndarray of shape (n_kernels,)
        Total weight of the samples that the kernel's view has values for.
    inner : InnerProducts
        M, as much of it as is needed.
    names : list of str
        Names of the kernels.

    Notes
    -----
    With weights w of sum W, ``M_kl = S_kl - (2/W) sum_i w_i r_ki r_li + s_k s_l / W^2``; without
    weights w = 1 and W = n.
    """

    a: np.ndarray
    squares: np.ndarray
    traces: np.ndarray
    target_norm: float
    scales: np.ndarray
    constant: np.ndarray
    mean_diagonal: np.ndarray
    observed: np.ndarray
    inner: InnerProducts
    names: list[str]

    @classmethod
    def of(
        cls, parts: Sequence[Any], inner: InnerProducts, target_norm: float, names: Sequence[str],
        normalize: str | None, center: bool,
    ) -> Statistics:  # fmt: skip
        """Return the statistics of all parts in the user's order, divided by the kernels' scales.

        Parameters
        ----------
        parts : sequence of CenteredTiles or CenteredFactors
        inner : InnerProducts
            Before scaling.
        target_norm, names
            As in the class.
        normalize : {"trace", "frobenius", "cosine", None}
            ``"trace"``: mean diagonal one, over the samples that the kernel's view has values for.
            ``"frobenius"``: Frobenius norm one. ``"cosine"`` kernels have a unit diagonal already.
        center : bool
            Whether the trace is that of the centered kernels.
        """
        found = dict(vars(parts[0].numbers))
        order = np.concatenate([part.index for part in parts])
        if not (order[1:] > order[:-1]).all() or len(parts) > 1:  # copies are needed
            order = np.argsort(order)
            for name in found:
                found[name] = np.concatenate([getattr(p.numbers, name) for p in parts])[order]
        if normalize == "trace":
            scales = found["traces"] / found["observed"] if center else found["mean_diagonal"]
        elif normalize == "frobenius":
            scales = np.sqrt(found["squares"])
        else:
            scales = np.ones(len(names))
        scales = np.where(found["constant"] | ~(scales > 0), 1.0, scales)
        found["a"] = found["a"] / scales
        found["squares"] = found["squares"] / scales / scales
        return cls(
            **found, target_norm=target_norm, scales=scales, inner=inner.scaled(1 / scales),
            names=list(names),
        )  # fmt: skip

    @property
    def M(self) -> np.ndarray:
        return self.inner.full()

    def keep(self, mask: np.ndarray) -> Statistics:
        """Return the statistics of some kernels."""
        kept = {
            name: getattr(self, name)[mask] for name in (*PartStatistics.__annotations__, "scales")
        }
        names = [name for name, used in zip(self.names, mask, strict=True) if used]
        return replace(self, **kept, inner=self.inner.keep(mask), names=names)

    def alignments(self) -> np.ndarray:
        """Return the centered alignment of each kernel with the target, 0 if undefined."""
        norms = np.sqrt(self.squares) * self.target_norm
        return np.divide(self.a, norms, out=np.zeros_like(self.a), where=norms > 0)

    def alignment(self, mu: np.ndarray) -> float:
        """Return the centered alignment of ``sum_k mu_k K_k`` with the target."""
        norm = np.sqrt(max(self.inner.form(mu), 0.0)) * self.target_norm
        found = float(mu @ self.a) / norm if norm > 0 else 0.0
        return min(max(found, -1.0), 1.0)  # rounding; large if weights of both signs cancel


@dataclass(frozen=True)
class CenteredKernels:
    """The scaled base kernels K_k of the training samples, centered unless `center` is False.

    Gram matrices of single kernels are computed when they are needed, never all at once.

    Attributes
    ----------
    parts : tuple of CenteredTiles or CenteredFactors
    statistics : Statistics
        Of all kernels, in the user's order.
    weights : ndarray of shape (n_samples,)
        Sample weights.
    center : bool
    backend : Backend
    factors : ndarray of shape (n_kernels,)
        Factors that turn the kernels of the parts into K_k.
    """

    parts: tuple[Any, ...]
    statistics: Statistics
    weights: np.ndarray
    center: bool
    backend: Backend
    factors: np.ndarray

    @property
    def n_samples(self) -> int:
        return len(self.weights)

    @property
    def n_kernels(self) -> int:
        return len(self.factors)

    @property
    def names(self) -> list[str]:
        return self.statistics.names

    @property
    def traces(self) -> np.ndarray:
        """Trace of each K_k, shape (n_kernels,)."""
        found = self.statistics
        raw = found.traces if self.center else found.mean_diagonal * self.weights.sum()
        return self.factors * raw

    def scaled(self, factors: np.ndarray) -> CenteredKernels:
        """Return the same kernels multiplied by further factors."""
        return replace(self, factors=self.factors * factors)

    def keep(self, mask: np.ndarray) -> CenteredKernels:
        """Return some of the kernels."""
        position = np.cumsum(mask) - 1
        parts = []
        for part in self.parts:
            own = mask[part.index]
            if own.any():
                parts.append(part.keep(own, position[part.index[own]]))
        return replace(
            self, parts=tuple(parts), statistics=self.statistics.keep(mask),
            factors=self.factors[mask],
        )  # fmt: skip

    def kernel(self, mu: np.ndarray) -> LearnedKernel:
        """Return ``sum_k mu_k K_k`` as a kernel."""
        factors = mu * self.factors
        parts = tuple(
            part.combined(factors[part.index], self.center)
            for part in self.parts
            if factors[part.index].any()
        )
        return LearnedKernel(parts, self.weights, self.center)

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """Return ``sum_k mu_k K_k``, shape (n_samples, n_samples)."""
        return self.kernel(mu).gram(self.backend)

    def gram_of(self, k: int) -> np.ndarray:
        """Return K_k, shape (n_samples, n_samples)."""
        return self.gram(self.unit(k))

    def weighted_gram(self, mu: np.ndarray) -> np.ndarray:
        """Return ``W^1/2 K_mu W^1/2``: its spectrum is that of K_mu with repeated samples."""
        return weighted(self.gram(mu), self.weights)

    def unit(self, k: int) -> np.ndarray:
        """Return weights that are one for kernel k and zero for all others."""
        mu = np.zeros(self.n_kernels)
        mu[k] = 1.0
        return mu

    def stack(self) -> np.ndarray:
        """Return all Gram matrices at once, shape (n_kernels, n_samples, n_samples)."""
        p, n = self.n_kernels, self.n_samples
        require_memory(8 * p * n * n, f"{p} Gram matrices of {n} samples")
        found = np.empty((p, n, n))
        for k in range(p):
            found[k] = self.gram_of(k)
        return found

    def products(self, vectors: np.ndarray) -> Products:
        """Return ``K_k vectors`` for every kernel; vectors of shape (n_samples, n_vectors)."""
        found = tuple(part.products(vectors, self.center, self.backend) for part in self.parts)
        return Products(found, tuple(part.index for part in self.parts), self.factors)

    def forms(self, vectors: np.ndarray) -> np.ndarray:
        """Return ``sum_t v_t' K_k v_t`` for every kernel, shape (n_kernels,)."""
        return self.products(vectors).forms()

    def inner(
        self, S: np.ndarray, rows: np.ndarray, columns: np.ndarray | None = None
    ) -> np.ndarray:
        """Return ``sum_ij K_k(rows_i, columns_j) S_ij`` of every kernel, shape (n_kernels,).

        Parameters
        ----------
        S : ndarray of shape (n_rows, n_columns)
        rows : ndarray of shape (n_rows,)
            Training samples.
        columns : ndarray of shape (n_columns,) or None
            None takes the rows again; then S is symmetric.
        """
        columns = rows if columns is None else columns
        found = np.zeros(self.n_kernels)
        for part in self.parts:
            found[part.index] = part.inner(S, rows, columns, self.center, self.backend)
        return self.factors * found

    def tail_sums(self, theta: int) -> np.ndarray:
        """Return the tail sum of each W^1/2 K_k W^1/2 (see `tail_sum`), shape (n_kernels,)."""
        if theta == 0:
            return self.traces
        found = np.zeros(self.n_kernels)
        for part in self.parts:
            found[part.index] = part.tail_sums(theta, self.center, self.backend)
        return self.factors * found


@dataclass(frozen=True)
class Products:
    """K_k v for every kernel and some vectors v.

    Attributes
    ----------
    parts : tuple of TileProducts or FactorProducts
    index : tuple of ndarray
        Positions of the kernels of each part.
    factors : ndarray of shape (n_kernels,)
        Factors of the kernels.
    """

    parts: tuple[Any, ...]
    index: tuple[np.ndarray, ...]
    factors: np.ndarray

    def forms(self) -> np.ndarray:
        """Return sum_t v_t'K_k v_t, shape (n_kernels,)."""
        found = np.empty(len(self.factors))
        for index, part in zip(self.index, self.parts, strict=True):
            found[index] = part.forms()
        return found * self.factors

    def of(self, t: int) -> np.ndarray:
        """Return K_k v_t of every kernel, shape (n_samples, n_kernels)."""
        order = np.argsort(np.concatenate(self.index))
        return np.hstack([part.of(t) for part in self.parts])[:, order] * self.factors

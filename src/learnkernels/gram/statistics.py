"""What the weight methods read: a, M and the traces of the centered kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram.inner import InnerProducts

__all__ = ["CONSTANT", "LEAST", "NORMALIZATIONS", "Numbers", "Part", "Statistics", "require_finite"]

NORMALIZATIONS = ("trace", "frobenius", "cosine", None)
# A kernel whose centered trace is this small a part of its values is constant.
CONSTANT = 1e-13
# A mean diagonal below this cannot be squared, nor divided by twice.
LEAST = float(np.sqrt(np.finfo(float).tiny))


def require_finite(names: list[str], values: np.ndarray) -> None:
    """Raise if a row of values, one for each kernel and the target, is not finite."""
    finite = np.isfinite(values).all(axis=1)
    for name in np.array([*names, "of the target"], dtype=object)[~finite]:
        raise InputError(
            f"the values of kernel {name!r} are too large to be summed; scale the columns of X or "
            "y, or lower the kernel's degree."
        )


@dataclass(frozen=True)
class Numbers:
    """A few numbers for each of some centered kernels, before scaling.

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
        Weight of the samples that the kernel's view has seen: the number of all, as a rule.
    constant : ndarray of bool of shape (n_kernels,)
        Kernels that are constant on the samples; their other numbers are zero.
    """

    a: np.ndarray
    squares: np.ndarray
    traces: np.ndarray
    mean_diagonal: np.ndarray
    observed: np.ndarray
    constant: np.ndarray

    def without_constant(self) -> Numbers:
        """The same with zeros for constant kernels."""
        if not self.constant.any():
            return self
        varies = ~self.constant
        return replace(
            self, a=self.a * varies, squares=self.squares * varies, traces=self.traces * varies
        )

    def keep(self, mask: np.ndarray) -> Numbers:
        """Some of the kernels."""
        return Numbers(**{name: values[mask] for name, values in vars(self).items()})

    @staticmethod
    def joined(parts: Sequence[Part]) -> Numbers:
        """The numbers of all parts, in the user's order."""
        order = np.argsort(np.concatenate([part.positions for part in parts]))
        if len(parts) == 1 and (order == np.arange(len(order))).all():
            return parts[0].numbers
        return Numbers(
            **{
                name: np.concatenate([getattr(part.numbers, name) for part in parts])[order]
                for name in Numbers.__annotations__
            }
        )


class Part(Protocol):
    """Some of the base kernels on a training set."""

    @property
    def positions(self) -> np.ndarray: ...

    @property
    def numbers(self) -> Numbers: ...


@dataclass(frozen=True)
class Statistics:
    """Everything that two-stage methods need of p kernels and a target.

    Attributes
    ----------
    a : ndarray of shape (n_kernels,)
        ``<K_kc, YY'>_F`` of the centered and scaled kernels.
    M : ndarray of shape (n_kernels, n_kernels)
        ``<K_kc, K_lc>_F`` of the centered and scaled kernels. Of thousands of kernels it is not
        formed before it is asked for.
    squares : ndarray of shape (n_kernels,)
        The diagonal of M.
    traces : ndarray of shape (n_kernels,)
        ``tr(K_kc)`` of the centered kernels before scaling.
    target_norm : float
        ``|Y_c Y_c'|_F``.
    scales : ndarray of shape (n_kernels,)
        What each kernel was divided by; one for a constant kernel.
    constant : ndarray of bool of shape (n_kernels,)
        Kernels that are constant on the samples; their rows of `M` and `a` are zero.
    mean_diagonal : ndarray of shape (n_kernels,)
        Mean of k(x, x), neither centered nor scaled.
    observed : ndarray of shape (n_kernels,)
        Weight of the samples that the kernel's view has seen.
    inner : InnerProducts
        M, as much of it as is asked for.
    names : list of str
        Of the kernels.

    Notes
    -----
    With weights w of sum W, ``M_kl = S_kl - (2/W) sum_i w_i r_ki r_li + s_k s_l / W^2``; without
    them w = 1 and W = n.
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
    def of(cls, parts: Sequence[Part], inner: InnerProducts, target_norm: float, names):
        """Statistics of all parts, not scaled."""
        numbers = Numbers.joined(parts)
        return cls(
            a=numbers.a,
            squares=numbers.squares,
            traces=numbers.traces,
            target_norm=target_norm,
            scales=np.ones(len(names)),
            constant=numbers.constant,
            mean_diagonal=numbers.mean_diagonal,
            observed=numbers.observed,
            inner=inner,
            names=list(names),
        )

    @property
    def M(self) -> np.ndarray:
        return self.inner.full()

    def normalized(self, how: str | None, center: bool = True) -> Statistics:
        """The statistics of the kernels divided by their scale.

        Parameters
        ----------
        how : {"trace", "frobenius", "cosine", None}
            ``"trace"``: mean diagonal one, over the samples that the kernel's view has seen.
            ``"frobenius"``: Frobenius norm one. ``"cosine"`` kernels have a unit diagonal already,
            before centering.
        center : bool, default=True
            Whether the trace is that of the centered kernels.
        """
        if how == "trace":
            scales = self.traces / self.observed if center else self.mean_diagonal
        elif how == "frobenius":
            scales = np.sqrt(self.squares)
        else:
            scales = np.ones(len(self.a))
        scales = np.where(self.constant | ~(scales > 0), 1.0, scales)
        return replace(
            self,
            a=self.a / scales,
            squares=self.squares / scales / scales,
            inner=self.inner.scaled(1 / scales),
            scales=self.scales * scales,
        )

    def keep(self, mask: np.ndarray) -> Statistics:
        """The statistics of some of the kernels."""
        names = [name for name, kept in zip(self.names, mask, strict=True) if kept]
        return replace(
            self,
            a=self.a[mask],
            squares=self.squares[mask],
            traces=self.traces[mask],
            scales=self.scales[mask],
            constant=self.constant[mask],
            mean_diagonal=self.mean_diagonal[mask],
            observed=self.observed[mask],
            inner=self.inner.keep(mask),
            names=names,
        )

    def alignments(self) -> np.ndarray:
        """Centered alignment of each kernel with the target, 0 if undefined, shape (n_kernels,)."""
        norms = np.sqrt(self.squares) * self.target_norm
        return np.divide(self.a, norms, out=np.zeros_like(self.a), where=norms > 0)

    def alignment(self, mu: np.ndarray) -> float:
        """Centered alignment of the combination ``sum_k mu_k K_k`` with the target."""
        norm = np.sqrt(max(self.inner.form(mu), 0.0)) * self.target_norm
        found = float(mu @ self.a) / norm if norm > 0 else 0.0
        return min(max(found, -1.0), 1.0)  # weights of either sign may cancel all but rounding

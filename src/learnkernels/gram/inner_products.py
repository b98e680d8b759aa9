"""Inner products M_kl = <K_kc, K_lc>_F of thousands of kernels, computed when they are needed.

M is not formed: `block` computes a part of it, `times` its product with a vector, `form` the norm
of a combination.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.execution import Backend, require_memory
from learnkernels.gram.centered import InnerProducts


class Blocks:
    """M between the kernels of all parts, before scaling; blocks are computed when needed.

    A part provides the block of its own kernels. Between two parts, the one with `quadratics`
    computes <K_k, K> for the Gram matrices K of the other, one at a time.

    Parameters
    ----------
    parts : sequence of CenteredTiles or CenteredFactors
        Of which the last can compute `quadratics`.
    backend : Backend
    """

    def __init__(self, parts: Sequence[Any], backend: Backend):
        self.parts = tuple(parts)
        self.backend = backend
        self.n_kernels = sum(len(part.index) for part in parts)
        self.crosses: dict[tuple[int, int], np.ndarray] = {}
        self.last: tuple[np.ndarray, float] | None = None

    def cross(self, i: int, j: int) -> np.ndarray:
        """Return M of the kernels of part i against those of part j, i < j."""
        if (i, j) not in self.crosses:
            left, right = self.parts[i], self.parts[j]
            units = np.eye(len(left.index))
            self.crosses[i, j] = np.array(
                [right.quadratics(left.gram(unit, self.backend)) for unit in units]
            )
        return self.crosses[i, j]

    def times(self, v: np.ndarray) -> np.ndarray:
        """Return M v, shape (n_kernels,)."""
        out = np.empty(self.n_kernels)
        for part in self.parts:
            out[part.index] = part.inner_times(v[part.index], self.backend)
        for j, right in enumerate(self.parts):
            for i, left in enumerate(self.parts[:j]):
                out[left.index] += self.cross(i, j) @ v[right.index]
                out[right.index] += v[left.index] @ self.cross(i, j)
        return out

    def form(self, v: np.ndarray) -> float:
        """Return v'M v; the last result is kept, since it is often needed twice."""
        if self.last is None or not np.array_equal(self.last[0], v):
            self.last = v, self._form(v)
        return self.last[1]

    def _form(self, v: np.ndarray) -> float:
        """Compute v'M v from M where it is small, from the combined Gram matrix otherwise."""
        if all(part.has_small_products for part in self.parts):
            return float(v @ self.between(np.arange(self.n_kernels)) @ v)
        if len(self.parts) == 1:
            return float(self.parts[0].square(v[self.parts[0].index], self.backend))
        w = self.parts[0].weights
        K = sum(part.gram(v[part.index], self.backend) for part in self.parts)
        np.square(K, out=K)
        return float(w @ K @ w)

    def between(self, index: np.ndarray) -> np.ndarray:
        """Return M of some kernels, shape (s, s)."""
        M = np.empty((len(index), len(index)))
        found = [matches(part.index, index, self.n_kernels) for part in self.parts]
        for j, (right, (at, own)) in enumerate(zip(self.parts, found, strict=True)):
            M[np.ix_(at, at)] = right.inner_block(own)
            for i, (other, others) in enumerate(found[:j]):
                M[np.ix_(other, at)] = self.cross(i, j)[np.ix_(others, own)]
                M[np.ix_(at, other)] = M[np.ix_(other, at)].T
        return M


def matches(part: np.ndarray, index: np.ndarray, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (i, j) such that index[i] == part[j]."""
    position = np.full(p, -1)
    position[part] = np.arange(len(part))
    i = np.flatnonzero(position[index] >= 0)
    return i, position[index[i]]


@dataclass(frozen=True)
class JointProducts(InnerProducts):
    """M of some kernels of `Blocks`, each multiplied by a factor.

    Attributes
    ----------
    blocks : Blocks
    index : ndarray of shape (p,)
        The kernels.
    factors : ndarray of shape (p,)
    squares : ndarray of shape (p,)
        The diagonal, without factors.
    """

    blocks: Blocks
    index: np.ndarray
    factors: np.ndarray
    squares: np.ndarray

    @property
    def diagonal(self) -> np.ndarray:
        return self.squares * self.factors**2

    def block(self, index: np.ndarray) -> np.ndarray:
        M = self.blocks.between(self.index[index])
        M *= self.factors[index]
        M *= self.factors[index][:, None]
        return M

    def times(self, v: np.ndarray) -> np.ndarray:
        return self.factors * self.blocks.times(self.expanded(v))[self.index]

    def form(self, mu: np.ndarray) -> float:
        return self.blocks.form(self.expanded(mu))

    def full(self) -> np.ndarray:
        p = len(self.index)
        require_memory(8 * p * p, f"the {p} x {p} inner products of the kernels")
        return self.block(np.arange(p))

    def scaled(self, factors: np.ndarray) -> JointProducts:
        return replace(self, factors=self.factors * factors)

    def keep(self, mask: np.ndarray) -> JointProducts:
        return replace(
            self, index=self.index[mask], factors=self.factors[mask], squares=self.squares[mask]
        )

    def expanded(self, v: np.ndarray) -> np.ndarray:
        """Return v as weights of all kernels of the blocks."""
        out = np.zeros(self.blocks.n_kernels)
        out[self.index] = v * self.factors
        return out

"""Statistics of a random sample of the training samples, for methods that read few of them.

The pass over pairs takes n^2 evaluations of every kernel. Methods that choose the weights by the
errors of a few hundred samples need the statistics for starting points only, and ridge in the span
of landmarks has its own means. So the pass is over the pairs of some samples, and all kernels are
centered with the means of these: n n_some evaluations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram.centered import CenteredKernels
from learnkernels.gram.kernels import BaseKernels, KernelSums
from learnkernels.gram.tiles.kernels import CenteredTiles, multiplied_rows
from learnkernels.gram.tiles.passes import row_ranges

# Samples that the statistics are of.
SAMPLES = 1000


@dataclass(frozen=True)
class SampledSums(KernelSums):
    """The result of a pass over the pairs of some samples; `sums` are those of `few`.

    Attributes
    ----------
    some : ndarray of shape (n_some,)
        The samples whose pairs were visited.
    few : KernelSums
        Their sums.
    """

    some: np.ndarray
    few: KernelSums

    @classmethod
    def of_some(
        cls, kernels: BaseKernels, Y: np.ndarray, backend: Backend, weights: np.ndarray,
        order: np.ndarray | None = None,
    ) -> SampledSums:  # fmt: skip
        """Run the pass over the pairs of SAMPLES random samples.

        Parameters
        ----------
        kernels : BaseKernels
            On all training samples; `can_sample` is true.
        Y : ndarray of shape (n_samples, n_targets)
            The target of alignment, centered.
        backend : Backend
        weights : ndarray of shape (n_samples,)
            Sample weights.
        order : ndarray or None
            Samples in the order from which they are drawn; None is their own order.
        """
        order = np.arange(len(Y)) if order is None else order
        some = np.sort(order[np.random.RandomState(0).permutation(len(order))[:SAMPLES]])
        w = weights[some]
        target = Y[some] - w @ Y[some] / w.sum()
        few = KernelSums.of(kernels.take(some), target, backend, w)
        every, trained = np.array([0, len(Y)]), np.zeros((1, 1), dtype=bool)
        return cls(kernels, few.sums, Y, weights, every, backend, trained, some, few)

    def centered(self, normalize: str | None, center: bool = True) -> CenteredKernels:
        """Return the kernels on all samples, centered and scaled with the sampled ones."""
        found = self.few.centered(normalize, center)
        parts = tuple(
            self.on_all_samples(part, kernels)
            for part, kernels in zip(found.parts, self.kernels.parts, strict=True)
        )
        return replace(found, parts=parts, weights=self.weights)

    def on_all_samples(self, part: CenteredTiles, kernels: Any) -> CenteredTiles:
        """Return kernels on all samples; the weights of those that do not center them are zero."""
        w = part.weights
        task = partial(multiplied_rows, kernels.facing(part.kernels), w[None] / w.sum())
        rows = row_ranges(len(part.means), (0, len(self.weights)))
        means = np.concatenate(list(self.backend.map(task, rows, "row means")), axis=1)
        center = np.zeros(len(self.weights))
        center[self.some] = w
        return replace(part, kernels=kernels, means=means[:, :, 0], weights=center)


def can_sample(kernels: BaseKernels, n: int) -> bool:
    """Return whether a pass over all pairs of n samples costs more than one over some pairs."""
    return n > 4 * SAMPLES and all(part.kind == "tiles" for part in kernels.parts)

"""Kernels of a view in which some samples are missing: these get the mean of the view.

    phi(x) = mean of phi over the observed training samples,  for a missing sample x

so that k(x, z) = m(z), the mean of k(., z) over them, and k(x, x') = m, the mean of m. The centered
kernel row of such a sample is zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.stored import PrecomputedGroup, observed_in_stack

# Training samples over which means are computed at a time.
PIECE = 1024


@dataclass(frozen=True)
class MissingSamples:
    """Samples of which some are missing.

    Attributes
    ----------
    inner : samples of the group inside
        The observed ones.
    row : ndarray of shape (n_samples,)
        Row of each sample in `inner`, -1 for a missing one.
    means : ndarray of shape (n_members, n_samples)
        m(x) for each kernel.
    """

    inner: Any
    row: np.ndarray
    means: np.ndarray

    def __len__(self) -> int:
        return len(self.row)

    def take(self, index: np.ndarray) -> MissingSamples:
        return MissingSamples(self.inner, self.row[index], self.means[:, index])

    def as_columns(self) -> MissingSamples:
        used = np.flatnonzero(self.row >= 0)
        row = np.full(len(self.row), -1)
        row[used] = np.arange(len(used))
        inner = self.inner.take(self.row[used]).as_columns()
        return MissingSamples(inner, row, self.means)


@dataclass(frozen=True)
class MissingGroup(Group):
    """A group of kernels whose samples may be missing.

    Attributes
    ----------
    inner : Group
        The kernels of observed samples.
    members : ndarray of shape (n_members,)
        Rows of the samples' means and of `totals` for the members.
    anchors : samples of the inner group
        The observed training samples, over which means are taken.
    weights : ndarray of shape (n_anchors,)
        Their weights, of sum one.
    totals : ndarray of shape (n_all_members,)
        The mean of the means.
    complete : bool
        Whether no training sample is missing; then means of new rows are not needed.
    """

    inner: Group
    members: np.ndarray
    anchors: Any
    weights: np.ndarray
    totals: np.ndarray
    complete: bool

    stores_grams = True

    @classmethod
    def of(
        cls, inner: Group, X: Any, samples: Any, observed: np.ndarray | None,
        weights: np.ndarray | None,
    ) -> tuple[MissingGroup, MissingSamples]:  # fmt: skip
        """Return the group around another one, and its training samples.

        Parameters
        ----------
        inner : Group
        X
            What `inner` prepared `samples` from.
        samples
            The observed samples (or all), as `inner` prepared them.
        observed : ndarray of bool of shape (n_samples,) or None
            Which samples are observed; None means all.
        weights : ndarray of shape (n_samples,) or None
            Weights of all samples.
        """
        if isinstance(inner, PrecomputedGroup):
            observed = observed_in_stack(X, inner.kernels[0])
        known = np.ones(len(samples), dtype=bool) if observed is None else observed
        anchors = only_observed(samples, known)
        w = np.ones(len(anchors)) if weights is None else weights[known]
        members = np.arange(len(inner.kernels))
        group = cls(
            inner.kernels, inner, members, anchors, w / w.sum(), np.zeros(len(members)),
            bool(known.all()),
        )  # fmt: skip
        means = group.means_of(anchors)  # (members, n_anchors)
        group = replace(group, totals=means @ group.weights)
        return group, group.arranged(anchors, known, means)

    def keep(self, mask: np.ndarray) -> MissingGroup:
        kept = super().keep(mask)
        return replace(kept, inner=self.inner.keep(mask), members=self.members[mask])

    def without_grams(self) -> MissingGroup:
        """Return the group for prediction."""
        inner: Any = self.inner
        anchors, weights = self.anchors.as_columns(), self.weights
        if self.complete and not isinstance(inner, PrecomputedGroup):  # no means of new rows
            anchors, weights = anchors.take(np.arange(0)), weights[:0]
        inner = inner.without_grams() if inner.stores_grams else inner
        return replace(self, inner=inner, anchors=anchors, weights=weights)

    def prepare(self, X: Any, observed: np.ndarray | None = None) -> MissingSamples:
        samples = self.inner.prepare(X)
        if isinstance(self.inner, PrecomputedGroup):
            observed = observed_in_stack(X, self.kernels[0], self.anchors.index)
        known = np.ones(len(samples), dtype=bool) if observed is None else observed
        samples = only_observed(samples, known)
        means = np.zeros((len(self.totals), len(samples)))
        if not self.complete:
            means[self.members] = self.means_of(samples)
        return self.arranged(samples, known, means)

    def arranged(self, samples: Any, observed: np.ndarray, means: np.ndarray) -> MissingSamples:
        """Return all samples from the observed ones; the mean of a missing one is the total."""
        row = np.full(len(observed), -1)
        row[observed] = np.arange(int(observed.sum()))
        all_means = np.repeat(self.totals[:, None], len(observed), axis=1)
        all_means[:, observed] = means
        return MissingSamples(samples, row, all_means)

    def means_of(self, samples: Any) -> np.ndarray:
        """Return the mean value of each kernel with the anchors, shape (n_members, n_samples)."""
        found = np.zeros((len(self.kernels), len(samples)))
        for start in range(0, len(self.anchors), PIECE):
            columns = slice(start, min(start + PIECE, len(self.anchors)))
            for first in range(0, len(samples), PIECE):
                rows = slice(first, min(first + PIECE, len(samples)))
                values = self.inner.values(samples, self.anchors, rows, columns)
                found[:, rows] += values @ self.weights[columns]
        return found

    def values(
        self, left: MissingSamples, right: MissingSamples, rows: slice, columns: slice
    ) -> np.ndarray:
        i, j = left.row[rows], right.row[columns]
        here, there = i >= 0, j >= 0
        out = np.empty((len(self.kernels), len(i), len(j)))
        out[:] = self.totals[self.members, None, None]
        out[:, here, :] = left.means[self.members][:, rows][:, here, None]
        out[:, :, there] = right.means[self.members][:, columns][:, None, there]
        if here.any() and there.any():
            x = left.inner.take(i[here])
            same = left is right and rows == columns
            z = x if same else right.inner.take(j[there])
            known = self.inner.values(x, z, slice(0, len(x)), slice(0, len(z)))
            out[np.ix_(np.arange(len(out)), here, there)] = known
        return out

    def diagonal(self, samples: MissingSamples) -> np.ndarray:
        observed = samples.row >= 0
        out = np.repeat(self.totals[self.members][:, None], len(observed), axis=1)
        out[:, observed] = self.inner.diagonal(samples.inner.take(samples.row[observed]))
        return out


def only_observed(samples: Any, observed: np.ndarray) -> Any:
    """Return the observed samples, if not only those were prepared."""
    return samples if len(samples) == observed.sum() else samples.take(np.flatnonzero(observed))

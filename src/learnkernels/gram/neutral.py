"""Kernels of a view that has not seen all samples: missing ones stand at the view's mean.

    phi(x) = mean of phi over the training samples seen,  for a sample x that is not

so that k(x, z) = m(z), the mean of k(., z) over them, and k(x, x') = m, the mean of m. The centered
kernel row of such a sample is zero: it neither pulls nor pushes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnkernels.gram.groups import Group

__all__ = ["NeutralGroup", "NeutralSamples"]

# Training samples against which means are taken at a time.
PIECE = 1024


@dataclass(frozen=True)
class NeutralSamples:
    """Samples of which some are missing.

    Attributes
    ----------
    inner : samples of the group behind
        Those that have been seen.
    place : ndarray of shape (n_samples,)
        Where each stands among these, -1 for a missing one.
    means : ndarray of shape (n_members, n_samples)
        m(x) for each kernel.
    """

    inner: Any
    place: np.ndarray
    means: np.ndarray

    def __len__(self):
        return len(self.place)

    def take(self, index):
        return NeutralSamples(self.inner, self.place[index], self.means[:, index])

    def as_columns(self):
        used = np.flatnonzero(self.place >= 0)
        place = np.full(len(self.place), -1)
        place[used] = np.arange(len(used))
        inner = self.inner.take(self.place[used]).as_columns()
        return NeutralSamples(inner, place, self.means)


@dataclass(frozen=True)
class NeutralGroup(Group):
    """A group of kernels whose samples may be missing.

    Attributes
    ----------
    inner : Group
        The kernels of samples that are not.
    slots : ndarray of shape (n_members,)
        The members' places among the means.
    anchors : samples of the inner group
        The training samples seen, over which means are taken.
    weights : ndarray of shape (n_anchors,)
        Their weights, of sum one.
    totals : ndarray of shape (n_all_members,)
        The mean of the means.
    whole : bool
        Whether no training sample is missing; then the mean of a new row drops out.
    """

    inner: Group
    slots: np.ndarray
    anchors: Any
    weights: np.ndarray
    totals: np.ndarray
    whole: bool

    @classmethod
    def of(cls, inner: Group, samples: Any, observed: np.ndarray | None, weights):
        """The group around another one, and its training samples.

        Parameters
        ----------
        inner : Group
        samples
            The samples seen (or all), as `inner` prepared them.
        observed : ndarray of bool of shape (n_samples,) or None
            Which have been seen; None is all.
        weights : ndarray of shape (n_samples,) or None
            Weights of all samples.
        """
        seen = np.ones(len(samples), dtype=bool) if observed is None else observed
        anchors = only_seen(samples, seen)
        w = np.ones(len(anchors)) if weights is None else weights[seen]
        members = np.arange(len(inner.kernels))
        group = cls(
            inner.kernels, inner.positions, replace(inner, positions=members), members, anchors,
            w / w.sum(), np.zeros(len(members)), bool(seen.all()),
        )  # fmt: skip
        means = group.means_of(anchors)  # (members, n_anchors)
        group = replace(group, totals=means @ group.weights)
        return group, group.placed(anchors, seen, means)

    def keep(self, mask):
        chosen = mask[self.positions]
        kept = super().keep(mask)
        inner = self.inner.keep(chosen)
        inner = replace(inner, positions=np.arange(len(kept.kernels)))
        return replace(
            self, kernels=kept.kernels, positions=kept.positions, inner=inner,
            slots=self.slots[chosen],
        )  # fmt: skip

    def prepare(self, X):
        return self.prepare_seen(X, None)

    def prepare_seen(self, data, observed: np.ndarray | None) -> NeutralSamples:
        """New samples: those seen (or all), and which of all these are."""
        samples = self.inner.prepare(data)
        seen = np.ones(len(samples), dtype=bool) if observed is None else observed
        samples = only_seen(samples, seen)
        means = np.zeros((len(self.totals), len(samples)))
        if not self.whole:  # else no training sample asks for it
            means[self.slots] = self.means_of(samples)
        return self.placed(samples, seen, means)

    def placed(self, samples, seen: np.ndarray, means: np.ndarray) -> NeutralSamples:
        """The samples seen among all; the mean of a missing one is the total."""
        place = np.full(len(seen), -1)
        place[seen] = np.arange(int(seen.sum()))
        everybody = np.repeat(self.totals[:, None], len(seen), axis=1)
        everybody[:, seen] = means
        return NeutralSamples(samples, place, everybody)

    def means_of(self, samples) -> np.ndarray:
        """Mean value of each kernel with the anchors, shape (n_members, n_samples)."""
        found = np.zeros((len(self.kernels), len(samples)))
        for start in range(0, len(self.anchors), PIECE):
            columns = slice(start, min(start + PIECE, len(self.anchors)))
            for first in range(0, len(samples), PIECE):
                rows = slice(first, min(first + PIECE, len(samples)))
                values = self.inner.values(samples, self.anchors, rows, columns)
                found[:, rows] += values @ self.weights[columns]
        return found

    def values(self, left, right, rows, columns):
        i, j = left.place[rows], right.place[columns]
        here, there = i >= 0, j >= 0
        out = np.empty((len(self.kernels), len(i), len(j)))
        out[:] = self.totals[self.slots, None, None]
        out[:, here, :] = left.means[self.slots][:, rows][:, here, None]
        out[:, :, there] = right.means[self.slots][:, columns][:, None, there]
        if here.any() and there.any():
            x = left.inner.take(i[here])
            same = left is right and rows == columns
            z = x if same else right.inner.take(j[there])
            known = self.inner.values(x, z, slice(0, len(x)), slice(0, len(z)))
            out[np.ix_(np.arange(len(out)), here, there)] = known
        return out

    def require_samples(self, samples):
        self.inner.require_samples(samples.inner)
        self.inner.require_samples(self.anchors)

    def diagonal(self, samples):
        seen = samples.place >= 0
        out = np.repeat(self.totals[self.slots][:, None], len(seen), axis=1)
        out[:, seen] = self.inner.diagonal(samples.inner.take(samples.place[seen]))
        return out


def only_seen(samples, seen: np.ndarray):
    """The samples seen; nothing to do where only those were prepared."""
    return samples if len(samples) == seen.sum() else samples.take(np.flatnonzero(seen))

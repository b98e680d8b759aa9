"""The Tanimoto kernel, from samples packed into bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.sequence_leaves import count_ones
from learnkernels.gram.tiles.sequences import packed
from learnkernels.jit import compiled
from learnkernels.kernels.tanimoto import as_bits


@dataclass(frozen=True)
class BitSamples:
    """Samples as bits.

    Attributes
    ----------
    words : uint64 array of shape (n_samples, n_words)
        Bit l % 64 of word l // 64 is column l.
    n_set : int64 array of shape (n_samples,)
        Number of bits that are set.
    """

    words: np.ndarray
    n_set: np.ndarray

    @classmethod
    def of(cls, words: np.ndarray) -> BitSamples:
        """Count the bits that are set."""
        return cls(words, np.asarray(counts(words)))

    def __len__(self) -> int:
        return len(self.n_set)

    def take(self, index: np.ndarray) -> BitSamples:
        return BitSamples(self.words[index], self.n_set[index])

    def as_columns(self) -> BitSamples:
        return self


@dataclass(frozen=True)
class TanimotoGroup(Group):
    """The Tanimoto kernel; all members are equal."""

    def prepare(self, X: Any, observed: np.ndarray | None = None) -> BitSamples:
        bits = as_bits(X)
        dense = bits.toarray() if sparse.issparse(bits) else bits
        return BitSamples.of(np.ascontiguousarray(packed(dense != 0).T))

    def values(
        self, left: BitSamples, right: BitSamples, rows: slice, columns: slice
    ) -> np.ndarray:
        X, Z = left.words[rows], right.words[columns]
        out = np.empty((len(self.kernels), len(X), len(Z)))
        fill(X, Z, left.n_set[rows], right.n_set[columns], out[0])
        out[1:] = out[0]
        return out

    def diagonal(self, samples: BitSamples) -> np.ndarray:
        return np.ones((len(self.kernels), len(samples)))


@compiled()
def counts(words: np.ndarray) -> np.ndarray:
    """Return the number of bits that are set in each row, shape (n_samples,)."""
    found = np.zeros(words.shape[0], np.int64)
    for i in range(words.shape[0]):
        for w in range(words.shape[1]):
            found[i] += np.int64(count_ones(words[i, w]))
    return found


@compiled()
def fill(X: np.ndarray, Z: np.ndarray, x: np.ndarray, z: np.ndarray, out: np.ndarray) -> None:
    """Write the number of common bits divided by that of all bits, 1 if no bit is set."""
    for i in range(X.shape[0]):
        for j in range(Z.shape[0]):
            common = np.int64(0)
            for w in range(X.shape[1]):
                common += np.int64(count_ones(X[i, w] & Z[j, w]))
            union = x[i] + z[j] - common
            out[i, j] = common / union if union > 0 else 1.0

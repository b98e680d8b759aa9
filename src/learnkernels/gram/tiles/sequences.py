"""Weighted degree kernels, which share sequences packed into bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.gram.tiles import sequence_leaves
from learnkernels.gram.tiles.group import Group
from learnkernels.gram.tiles.sequence_leaves import WIDTH
from learnkernels.kernels.alphabets import Alphabet


@dataclass(frozen=True)
class SequenceSamples:
    """Sequences as bits.

    Attributes
    ----------
    planes : uint64 array of shape (planes, words, n_samples)
        Bit l % 64 of word l // 64 belongs to position l. The first plane marks the positions that
        hold a letter, the others are the binary digits of the letter's number.
    """

    planes: np.ndarray

    def __len__(self) -> int:
        return self.planes.shape[2]

    def take(self, index: np.ndarray) -> SequenceSamples:
        return SequenceSamples(self.planes[:, :, index])

    def as_columns(self) -> SequenceSamples:
        return self


@dataclass(frozen=True)
class WeightedDegreeGroup(Group):
    """Weighted degree kernels of one alphabet and one length; degrees and shifts may differ."""

    def prepare(self, X: Any, observed: np.ndarray | None = None) -> SequenceSamples:
        codes = self.kernels[0].codes(X)  # (n_samples, length)
        digits = (len(self.kernels[0].alphabet.letters) - 1).bit_length()
        known = codes != Alphabet.UNKNOWN
        return SequenceSamples(
            np.stack([packed(known), *(packed(codes >> digit & 1) for digit in range(digits))])
        )

    def codes(self, samples: SequenceSamples) -> np.ndarray:
        """Return the letter codes of prepared samples, shape (n_samples, length)."""
        known, *digits = (unpacked(plane, self.kernels[0].length) for plane in samples.planes)
        codes = np.zeros(known.shape, dtype=np.uint8)
        for digit, bits in enumerate(digits):
            codes |= bits << np.uint8(digit)
        return np.where(known, codes, np.uint8(Alphabet.UNKNOWN))

    def values(
        self, left: SequenceSamples, right: SequenceSamples, rows: slice, columns: slice
    ) -> np.ndarray:
        X, Z = left.planes[:, :, rows], right.planes[:, :, columns]
        out = np.empty((len(self.kernels), X.shape[2], Z.shape[2]))
        factors = self.factors()
        shifts = range(factors.shape[1])
        moved_left = np.stack([moved(X, s) for s in shifts])
        moved_right = np.stack([in_blocks(moved(Z, s)) for s in shifts])
        sequence_leaves.fill(moved_left, moved_right, self.weights(), factors, out)
        return out

    def diagonal(self, samples: SequenceSamples) -> np.ndarray:
        starts = range(0, len(samples), WIDTH)
        blocks = [slice(start, min(start + WIDTH, len(samples))) for start in starts]
        squares = [self.values(samples, samples, block, block) for block in blocks]
        found = [np.diagonal(square, axis1=1, axis2=2) for square in squares]
        return np.concatenate([np.empty((len(self.kernels), 0)), *found], axis=1)

    def weights(self) -> np.ndarray:
        """Return d - k + 1 for words of k letters, 0 for longer ones, (n_members, letters)."""
        degrees = np.array([kernel.degree for kernel in self.kernels], dtype=float)
        most = min(max(kernel.degree for kernel in self.kernels), self.kernels[0].length)
        return np.maximum(degrees[:, None] - np.arange(most), 0.0)

    def factors(self) -> np.ndarray:
        """Return 2 / (d (d + 1)) delta_s, 0 beyond a member's shift, shape (n_members, shifts)."""
        s = np.arange(max(kernel.shift for kernel in self.kernels) + 1)
        delta = np.where(s == 0, 1.0, 1 / (2 * (s + 1)))  # at s = 0, two equal halves
        return np.array(
            [
                2 / (kernel.degree * (kernel.degree + 1)) * np.where(s <= kernel.shift, delta, 0.0)
                for kernel in self.kernels
            ]
        )


def packed(bits: np.ndarray) -> np.ndarray:
    """Return a row of bits for each sample as 64-bit words, shape (words, n_samples)."""
    found = np.packbits(bits, axis=1, bitorder="little")
    n_samples, used = found.shape
    padded = np.zeros((n_samples, 8 * -(-used // 8)), dtype=np.uint8)
    padded[:, :used] = found
    return padded.view("<u8").astype(np.uint64).T


def unpacked(words: np.ndarray, length: int) -> np.ndarray:
    """Return the bits that `packed` packed, 0 or 1, shape (n_samples, length)."""
    n_words, n_samples = words.shape
    own = np.ascontiguousarray(words.T).astype("<u8").view(np.uint8).reshape(n_samples, 8 * n_words)
    return np.unpackbits(own, axis=1, count=length, bitorder="little")


def moved(planes: np.ndarray, s: int) -> np.ndarray:
    """Shift position l + s to position l; the last s become empty. Shape (planes, words, n)."""
    whole, bits = divmod(s, 64)
    out = np.zeros(planes.shape, dtype=np.uint64)
    rest = planes[:, whole:]
    out[:, : rest.shape[1]] = rest >> np.uint64(bits)
    if bits:
        out[:, : rest.shape[1] - 1] |= rest[:, 1:] << np.uint64(64 - bits)
    return out


def in_blocks(planes: np.ndarray) -> np.ndarray:
    """Return samples in blocks for the compiled function, shape (blocks, planes, words * WIDTH)."""
    n_planes, words, n = planes.shape
    blocks = -(-n // WIDTH)
    padded = np.zeros((n_planes, words, blocks * WIDTH), dtype=np.uint64)
    padded[:, :, :n] = planes
    by_block = padded.reshape(n_planes, words, blocks, WIDTH).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(by_block).reshape(blocks, n_planes, words * WIDTH)

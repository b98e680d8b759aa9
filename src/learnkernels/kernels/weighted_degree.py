"""The weighted degree kernel of sequences of equal length, with or without shifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import is_whole, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.alphabets import Alphabet
from learnkernels.kernels.base import Kernel
from learnkernels.plurals import count_text


@dataclass(frozen=True)
class WeightedDegree(Kernel):
    """The weighted degree kernel: words of up to d letters at equal positions of two sequences.

    ``k(x, z) = sum_{k=1..d} beta_k sum_l I(x[l : l + k] = z[l : l + k])`` with
    ``beta_k = 2 (d - k + 1) / (d (d + 1))`` (Raetsch and Sonnenburg, 2004). With shifts up to S
    (Raetsch, Sonnenburg and Schoelkopf, 2005), the inner sum becomes
    ``sum_{s=0..S} delta_s sum_l [I(x[l + s : l + s + k] = z[l : l + k])
    + I(x[l : l + k] = z[l + s : l + s + k])]``, ``delta_s = 1 / (2 (s + 1))``.

    It is positive semi-definite for every S: the weights of the shifts are a Toeplitz matrix with
    the symbol ``1/2 + 1/2 + sum_s cos(s w) / (s + 1)``, which is positive (Rogosinski and Szego,
    1928). A symbol outside the alphabet is a mismatch, even to itself.

    Parameters
    ----------
    degree : int
        Length d of the longest words, at least 1.
    shift : int
        Largest shift S, at least 0 and less than the length.
    alphabet : Alphabet
        The letters.
    length : int
        Length of every sequence.

    Examples
    --------
    >>> from learnkernels.kernels.alphabets import DNA
    >>> from learnkernels.kernels.weighted_degree import WeightedDegree
    >>> kernel = WeightedDegree(degree=2, shift=0, alphabet=DNA, length=4)
    >>> kernel(["ACGT", "ACTT"]).round(3)
    array([[3.667, 2.333],
           [2.333, 3.667]])
    """

    degree: int
    shift: int
    alphabet: Alphabet
    length: int

    takes = "strings"

    def __post_init__(self) -> None:
        require_whole("the weighted degree kernel", "degree", self.degree, 1)
        if not (is_whole(self.shift) and 0 <= self.shift < self.length):
            raise InputError(
                f"the weighted degree kernel got shift={self.shift!r} for sequences of length "
                f"{self.length}; shift must be a whole number from 0 to below the length."
            )

    @property
    def name(self) -> str:
        shift = f", shift={self.shift}" if self.shift else ""
        return f"weighted_degree({self.degree}{shift})"

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        left = self.codes(X)
        right = left if Z is None else self.codes(Z)
        K = np.empty((len(left), len(right)))
        for i, x in enumerate(left):
            K[i] = self.similarity(x, right)
        return K

    def diagonal(self, X: Any) -> np.ndarray:
        codes = self.codes(X)
        return self.similarity(codes, codes)

    def codes(self, strings: Any) -> np.ndarray:
        """Return the letter codes, shape (n_samples, length)."""
        codes, starts = self.alphabet.encode(strings)
        lengths = np.diff(starts)
        if (lengths != self.length).any():
            row = int(np.argmax(lengths != self.length))
            raise InputError(
                f"row {row} has {count_text(int(lengths[row]), 'letter')}, expected {self.length}; "
                "the weighted degree kernel compares position by position: cut or align all "
                "sequences to the same length, or use the spectrum kernel."
            )
        return codes.reshape(len(lengths), self.length)

    def similarity(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return k(x, z) over the last axis of two arrays of letter codes."""
        total = self.without_shift(x, z)  # s = 0, where 2 delta_0 = 1
        for s in range(1, self.shift + 1):
            total += (
                self.without_shift(x[..., s:], z[..., :-s])
                + self.without_shift(x[..., :-s], z[..., s:])
            ) / (2 * (s + 1))
        return total

    def without_shift(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return sum_k beta_k (number of equal words of k letters at equal positions)."""
        d = self.degree
        equal = (x == z) & (x != Alphabet.UNKNOWN)  # (..., positions)
        words = equal  # whether an equal word of k letters begins at a position
        total = np.zeros(equal.shape[:-1])
        for k in range(1, min(d, equal.shape[-1]) + 1):
            found = np.count_nonzero(words, axis=-1)
            if not found.any():  # longer words are not equal either
                break
            total += 2 * (d - k + 1) / (d * (d + 1)) * found
            words = words[..., :-1] & equal[..., k:]
        return total

    def position_values(self, X: np.ndarray, Z: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Return the terms of ``sum_j coef_j k(x, z_j)`` by position; their sum is the value.

        The value of a word is divided equally among its positions in x.

        Parameters
        ----------
        X, Z : ndarray of shape (n_samples, length) and (n_support, length)
            Letter codes.
        coef : ndarray of shape (n_support, n_outputs)

        Returns
        -------
        ndarray of shape (n_samples, length, n_outputs)
        """
        n, d = len(X), self.degree
        out = np.zeros((n, self.length, coef.shape[1]))
        letters = np.concatenate([X, Z]).astype(np.int64)  # (n + m, length)
        words = np.zeros_like(letters)  # number of the word of k letters at each position
        known = np.ones(letters.shape, dtype=bool)
        for k in range(1, min(d, self.length) + 1):
            ends = letters[:, k - 1 :]
            starts = ends.shape[1]  # positions at which a word of k letters can begin
            known = known[:, :starts] & (ends != Alphabet.UNKNOWN)
            codes = words[:, :starts] * (Alphabet.UNKNOWN + 1) + ends
            words = np.unique(codes, return_inverse=True)[1].reshape(codes.shape)
            values = self.word_values(words[:n], words[n:], known[n:], coef)
            values *= known[:n, :, None] * (2 * (d - k + 1) / (d * (d + 1)) / k)
            for offset in range(k):
                out[:, offset : offset + starts] += values
        return out

    def word_values(
        self, X: np.ndarray, Z: np.ndarray, known: np.ndarray, coef: np.ndarray
    ) -> np.ndarray:
        """Return ``sum_j coef_j sum_s delta_s [word at l of x = word at l + s of z_j]``.

        Parameters
        ----------
        X, Z : ndarray of shape (n_samples, starts) and (n_support, starts)
            Number of the word at each position.
        known : ndarray of bool of shape (n_support, starts)
            Whether a word of Z has letters of the alphabet only.
        coef : ndarray of shape (n_support, n_outputs)

        Returns
        -------
        ndarray of shape (n_samples, starts, n_outputs)
        """
        starts = X.shape[1]
        s = np.arange(-min(self.shift, starts - 1), min(self.shift, starts - 1) + 1)
        delta = np.where(s == 0, 1.0, 1 / (2 * (np.abs(s) + 1)))
        shifts = sparse.diags_array(delta, offsets=s, shape=(starts, starts))
        row, position = np.nonzero(known)
        shape = starts, int(max(X.max(), Z.max(initial=0))) + 1
        where = np.broadcast_to(np.arange(starts), X.shape)
        out = np.empty((*X.shape, coef.shape[1]))
        for t, own in enumerate(coef.T):
            totals = sparse.csr_array((own[row], (position, Z[row, position])), shape=shape)
            out[:, :, t] = at_entries(sparse.csr_array(shifts @ totals), where, X)
        return out


def at_entries(A: sparse.csr_array, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return entries of a sparse matrix, in the shape of `rows`."""
    found = A[rows.ravel(), columns.ravel()]
    return np.asarray(found.toarray() if sparse.issparse(found) else found).reshape(rows.shape)

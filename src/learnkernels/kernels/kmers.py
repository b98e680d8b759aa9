"""Counts of the k-mers of a sequence: the feature map of the spectrum kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.jit import compiled
from learnkernels.kernels.alphabets import Alphabet
from learnkernels.plurals import count_text

MAX_COLUMNS = 2**31 - 1
UNKNOWN = Alphabet.UNKNOWN


@dataclass(frozen=True)
class Kmers:
    """Counts of all words of k letters, ``phi_u(x) = #{l : x[l : l + k] = u}``.

    The inner product of two rows is the spectrum kernel (Leslie, Eskin and Noble, 2002). A word
    with a symbol outside the alphabet is not counted.

    Parameters
    ----------
    k : int
        Length of a word, at least 1.
    alphabet : Alphabet
        The letters.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.kernels.alphabets import DNA
    >>> from learnkernels.kernels.kmers import Kmers
    >>> counts = Kmers(1, DNA)(np.array(["GATTACA", "acgn"], dtype=object))
    >>> counts.toarray()
    array([[3., 1., 1., 2.],
           [1., 1., 1., 0.]])
    """

    k: int
    alphabet: Alphabet

    def __post_init__(self) -> None:
        require_whole("k-mers", "k", self.k, 1)
        letters = len(self.alphabet.letters)
        max_k = int(np.log(MAX_COLUMNS) / np.log(letters))
        if self.k > max_k:
            raise InputError(
                f"k-mers got k={self.k!r}; {count_text(letters, 'letter')} allow k up to {max_k}, "
                "because a sparse matrix has at most 2^31 - 1 columns; choose a smaller k."
            )

    @property
    def n_columns(self) -> int:
        """Number of different words."""
        return int(len(self.alphabet.letters) ** self.k)

    def __call__(self, strings: Any) -> sparse.csr_array:
        """Return the counts, a CSR array of shape (n_strings, n_columns).

        The column of a word is the number in base ``len(letters)`` with its letters as digits.

        Parameters
        ----------
        strings : 1-D array or list of str
            The sequences, of any lengths; one shorter than k gives an empty row.
        """
        codes, starts = self.alphabet.encode(strings)
        # Sparse matrices are fastest with int32 indices, if these can count all entries.
        kind = np.int32 if len(codes) <= MAX_COLUMNS else np.int64
        words = np.empty(len(codes), dtype=kind)
        counts = np.empty(len(codes))
        ends = np.zeros(len(starts), dtype=kind)
        count_words(codes, starts, int(self.k), len(self.alphabet.letters), words, counts, ends)
        used = ends[-1]
        parts = (counts[:used].copy(), words[:used].copy(), ends)
        found = sparse.csr_array(parts, shape=(len(starts) - 1, self.n_columns))
        found.has_canonical_format = True  # rows are sorted, without repetitions
        return found


@compiled()
def count_words(
    codes: np.ndarray, starts: np.ndarray, k: int, letters: int, words: np.ndarray,
    counts: np.ndarray, ends: np.ndarray,
) -> None:  # fmt: skip
    """Compute the distinct words of every string, sorted, and their counts.

    Parameters
    ----------
    codes, starts : uint8 array of shape (total,), int64 array of shape (n + 1,)
        The strings, as returned by `Alphabet.encode`.
    k, letters : int
        Length of a word and of the alphabet.
    words, counts : int32 or int64 array, float64 array of shape (total,)
        Output: codes and counts of the words, string after string.
    ends : int array of shape (n + 1,)
        Output: string i has the words from ``ends[i]`` to ``ends[i + 1]``.
    """
    n_strings = len(starts) - 1
    longest = 0
    for i in range(n_strings):
        longest = max(longest, starts[i + 1] - starts[i])
    found, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    used = 0
    for i in range(n_strings):
        n_found = find_words(codes[starts[i] : starts[i + 1]], k, letters, found)
        ordered = sort(found[:n_found], spare[:n_found], letters**k)
        previous = -1
        for word in ordered:
            if word != previous:
                words[used], counts[used] = word, 0.0
                previous = word
                used += 1
            counts[used - 1] += 1.0
        ends[i + 1] = used


@compiled()
def find_words(codes: np.ndarray, k: int, letters: int, found: np.ndarray) -> int:
    """Write the codes of all words of one string to `found`; return their number."""
    leading = letters ** (k - 1)
    word: Any = 0
    length = n_found = 0  # length: known letters since the last unknown one
    for t in range(len(codes)):
        code = np.int64(codes[t])
        if code == UNKNOWN:
            word = length = 0
            continue
        if length >= k:
            word -= np.int64(codes[t - k]) * leading
        word = word * letters + code
        length += 1
        if length >= k:
            found[n_found] = word
            n_found += 1
    return n_found


@compiled()
def sort(values: np.ndarray, spare: np.ndarray, bound: int) -> np.ndarray:
    """Sort integers from 0 to below bound by radix sort; return one of the two arrays.

    The time is linear in the length.
    """
    starts = np.empty(257, np.int64)
    shift = 0
    while (bound - 1) >> shift > 0:
        starts[:] = 0
        for value in values:
            starts[((value >> shift) & 255) + 1] += 1
        for byte in range(256):
            starts[byte + 1] += starts[byte]
        for value in values:
            byte = (value >> shift) & 255
            spare[starts[byte]] = value
            starts[byte] += 1
        values, spare = spare, values
        shift += 8
    return values

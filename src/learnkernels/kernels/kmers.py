"""How often each k-mer occurs in a sequence: the features of the spectrum kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from learnkernels.checks import require_whole
from learnkernels.errors import InputError
from learnkernels.jit import compiled
from learnkernels.kernels.alphabets import Alphabet

__all__ = ["Kmers"]

MOST_COLUMNS = 2**31 - 1
NOTHING = Alphabet.NOTHING


@dataclass(frozen=True)
class Kmers:
    """Counts of all words of k letters, ``phi_u(x) = #{l : x[l : l + k] = u}``.

    The inner product of two rows is the spectrum kernel (Leslie, Eskin and Noble, 2002). A word
    with a symbol outside the alphabet is not counted.

    Parameters
    ----------
    k : int
        Letters of a word, at least 1.
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

    def __post_init__(self):
        require_whole("k-mers", "k", self.k, 1)
        letters = len(self.alphabet.letters)
        most = int(np.log(MOST_COLUMNS) / np.log(letters))
        if self.k > most:
            raise InputError(
                f"k-mers got k={self.k!r}; {letters} letters allow k up to {most}, beyond which "
                "there are more words than columns of a sparse matrix; choose a smaller k."
            )

    @property
    def n_columns(self) -> int:
        """The number of words."""
        return len(self.alphabet.letters) ** int(self.k)

    def __call__(self, strings) -> sparse.csr_array:
        """Counts, a CSR array of shape (n_strings, n_columns).

        Column of a word: its letters as the digits of a number in base ``len(letters)``.

        Parameters
        ----------
        strings : 1-D array or list of str
            The sequences, of any lengths; one shorter than k gives an empty row.
        """
        codes, starts = self.alphabet.encode(strings)
        # int32 serves a sparse matrix best; it counts to the number of entries.
        kind = np.int32 if len(codes) <= MOST_COLUMNS else np.int64
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
def count_words(codes, starts, k, letters, words, counts, ends):
    """Distinct words of every string in order, and how often each occurs.

    Parameters
    ----------
    codes, starts : uint8 array of shape (total,), int64 array of shape (n + 1,)
        The strings, as `Alphabet.encode` gives them.
    k, letters : int
        Letters of a word and of the alphabet.
    words, counts : int32 or int64 array, float64 array of shape (total,)
        Written: the words' numbers and how often they occur, string after string.
    ends : int array of shape (n + 1,)
        Written: string i has the words from ``ends[i]`` to ``ends[i + 1]``.
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
def find_words(codes, k, letters, found):
    """The numbers of all words of one string, in `found`; returns how many."""
    leading = letters ** (k - 1)
    word = length = n_found = 0  # length: known letters since the last unknown one
    for t in range(len(codes)):
        code = np.int64(codes[t])
        if code == NOTHING:
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
def sort(values, spare, bound):
    """Numbers from 0 to below bound in order, by their bytes from the last to the first.

    Linear in the length, unlike a sort by comparisons. Returns one of the two arrays.
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

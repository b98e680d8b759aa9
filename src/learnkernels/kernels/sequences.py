"""Families of kernels for DNA, RNA and protein sequences.

A symbol outside the alphabet (N, R, X, a gap) matches no symbol, not even itself: a k-mer that
contains one is not counted, and a position with one is a mismatch. This keeps the kernels positive
semi-definite.
"""

from __future__ import annotations

from dataclasses import dataclass

from learnkernels.checks import require_whole
from learnkernels.kernels.alphabets import alphabet_of
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.sources import On, Source
from learnkernels.kernels.weighted_degree import WeightedDegree


@dataclass(frozen=True)
class Spectrum(Family):
    """The spectrum kernel; see `spectrum`."""

    k: int
    alphabet: str | None

    takes = "strings"

    def members(self, data: TrainingData) -> list[Kernel]:
        counts = Kmers(self.k, alphabet_of(data.X, self.alphabet))
        return [On(Source(maps=(counts,)), Linear(), label=f"spectrum({self.k})")]


@dataclass(frozen=True)
class WeightedDegrees(Family):
    """The weighted degree kernel; see `weighted_degree`."""

    degree: int
    shift: int
    alphabet: str | None

    takes = "strings"

    def members(self, data: TrainingData) -> list[Kernel]:
        alphabet = alphabet_of(data.X, self.alphabet)
        return [WeightedDegree(self.degree, self.shift, alphabet, len(data.X[0]))]


def spectrum(k: int, *, alphabet: str | None = None) -> Family:
    """Return the spectrum kernel of sequences: the number of k-mers that two sequences share.

    ``k(x, z) = sum_u count_u(x) count_u(z)`` over all words u of length k, at any position.
    Sequences may differ in length.

    Parameters
    ----------
    k : int
        Length of the words.
    alphabet : {"dna", "protein"}, str of letters or None, default=None
        None decides from the training sequences. Case does not matter, and in DNA U is T. A word
        with a symbol outside the alphabet is not counted.

    Returns
    -------
    Family
        Value for ``kernels=`` with a list of strings, or for `on` with a column of a table.

    Examples
    --------
    >>> import learnkernels as lk
    >>> model = lk.KernelClassifier(kernels=[lk.spectrum(1), lk.spectrum(2)])
    >>> model.fit(["ACACAC", "CACACA", "GTGTGT", "TGTGTG"], [0, 0, 1, 1]).predict(["ACAC", "GTNG"])
    array([0, 1])
    """
    require_whole("spectrum()", "k", k, 1)
    return Spectrum(int(k), alphabet)


def weighted_degree(d: int, shift: int = 0, *, alphabet: str | None = None) -> Family:
    """Return the weighted degree kernel of aligned sequences: words shared at equal positions.

    ``k(x, z) = sum_k beta_k sum_l [x_l..x_{l+k-1} = z_l..z_{l+k-1}]`` over words of length k up to
    d, with ``beta_k = 2 (d - k + 1) / (d (d + 1))`` (Raetsch and Sonnenburg 2004). All sequences
    have the same length.

    Parameters
    ----------
    d : int
        Length of the longest words.
    shift : int, default=0
        Largest shift. Words that match at positions s apart, s up to `shift`, count with weight
        ``1 / (2 (s + 1))`` in each direction.
    alphabet : {"dna", "protein"}, str of letters or None, default=None
        None decides from the training sequences. Case does not matter, and in DNA U is T. A symbol
        outside the alphabet matches no symbol.

    Returns
    -------
    Family
        Value for ``kernels=`` with a list of strings, or for `on` with a column of a table.

    Examples
    --------
    >>> import learnkernels as lk
    >>> model = lk.KernelClassifier(kernels=lk.weighted_degree(3))
    >>> model.fit(["ACGTAC", "ACGTTC", "TTGCAA", "TTGCCA"], [0, 0, 1, 1]).predict(["ACGNAC"])
    array([0])
    """
    require_whole("weighted_degree()", "d", d, 1)
    require_whole("weighted_degree()", "shift", shift, 0)
    return WeightedDegrees(int(d), int(shift), alphabet)

"""Families of kernels for DNA, RNA and protein sequences.

A symbol outside the alphabet (N, R, X, a gap) matches nothing, not even itself: a k-mer that holds
one is not counted, and a position with one is a mismatch. Kernels stay positive semi-definite.
"""

from __future__ import annotations

from dataclasses import dataclass

from learnkernels.checks import require_whole
from learnkernels.kernels.alphabets import alphabet_of
from learnkernels.kernels.families import Family, Training, require_strings
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.sources import On, Source
from learnkernels.kernels.weighted_degree import WeightedDegree

__all__ = ["Sequences", "spectrum", "weighted_degree"]


class Sequences(Family):
    """Recipes that take strings."""


@dataclass(frozen=True)
class Spectrum(Sequences):
    """The spectrum kernel; see `spectrum`."""

    k: int
    alphabet: str | None

    def members(self, data: Training):
        strings = require_strings(data.X, "spectrum()")
        counts = Kmers(self.k, alphabet_of(strings, self.alphabet))
        return [On(Source(maps=(counts,)), Linear(), label=f"spectrum({self.k})")]


@dataclass(frozen=True)
class WeightedDegrees(Sequences):
    """The weighted-degree kernel; see `weighted_degree`."""

    degree: int
    shift: int
    alphabet: str | None

    def members(self, data: Training):
        strings = require_strings(data.X, "weighted_degree()")
        alphabet = alphabet_of(strings, self.alphabet)
        return [WeightedDegree(self.degree, self.shift, alphabet, len(strings[0]))]


def spectrum(k: int, *, alphabet: str | None = None) -> Family:
    """The spectrum kernel of sequences: how many k-mers two of them share, wherever they stand.

    ``k(x, z) = sum_u count_u(x) count_u(z)`` over all words u of length k. Sequences may differ in
    length.

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
        To be given as ``kernels=`` for a list of strings, or to `on` for a column of a table.

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
    """The weighted-degree kernel of aligned sequences: words they share at the same places.

    ``k(x, z) = sum_k beta_k sum_l [x_l..x_{l+k-1} = z_l..z_{l+k-1}]`` over words of length k up to
    d, with ``beta_k = 2 (d - k + 1) / (d (d + 1))`` (Raetsch and Sonnenburg 2004). All sequences
    have one length.

    Parameters
    ----------
    d : int
        Longest words.
    shift : int, default=0
        Words that match s places apart count too, ``1 / (2 (s + 1))`` each way, up to this s.
    alphabet : {"dna", "protein"}, str of letters or None, default=None
        None decides from the training sequences. Case does not matter, and in DNA U is T. A symbol
        outside the alphabet matches nothing.

    Returns
    -------
    Family
        To be given as ``kernels=`` for a list of strings, or to `on` for a column of a table.

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

"""The letters of sequences, and strings as arrays of small numbers.

One rule for everything that is not a letter of the alphabet (N, R, X, a gap): **it matches nothing,
not even itself.** A k-mer that holds one is not counted, a position with one is a mismatch. That
keeps every sequence kernel positive semi-definite, and unknown letters make no samples similar.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnkernels.errors import InputError

__all__ = ["DNA", "PROTEIN", "Alphabet", "alphabet_of"]

# The nucleotides, the IUPAC codes for sets of them, and gaps.
NUCLEOTIDE_CODES = frozenset("ACGTURYSWKMBDHVN-.")
# Sequences with other symbols are nucleotides if so large a part of their letters is one of these.
NUCLEOTIDES, SHARE = "ACGTUN", 0.9
FEWEST, MOST = 2, 32


@dataclass(frozen=True)
class Alphabet:
    """The letters that count, in the order of their numbers.

    Parameters
    ----------
    name : str
        How reports call the alphabet.
    letters : str
        2 to 32 different ASCII characters; upper and lower case are the same. With the letters
        ACGT, ``U`` counts as ``T``.

    Examples
    --------
    >>> from learnkernels.kernels.alphabets import DNA
    >>> codes, starts = DNA.encode(["ACGT", "un"])
    >>> codes
    array([  0,   1,   2,   3,   3, 255], dtype=uint8)
    >>> starts
    array([0, 4, 6])
    """

    name: str
    letters: str

    NOTHING: ClassVar[int] = 255

    def __post_init__(self):
        given = self.letters
        # A question mark stands for characters beyond ASCII in `encode`.
        usable = given.isascii() and given.isprintable() and not set(given) & set("? ")
        if not usable or len(set(given.upper())) != len(given):
            raise InputError(
                f"the alphabet {given!r} repeats a letter (upper and lower case are the same) or "
                "holds a space, a question mark or a character beyond ASCII; give every letter "
                "once, for example 'ACGT'."
            )
        if not FEWEST <= len(given) <= MOST:
            raise InputError(
                f"the alphabet {given!r} has {len(given)} letters; it must have {FEWEST} to "
                f"{MOST}, for example 'ACGT'."
            )

    @property
    def table(self) -> np.ndarray:
        """The number of every byte, `NOTHING` where it is no letter; uint8 of shape (256,)."""
        table = np.full(256, self.NOTHING, dtype=np.uint8)
        for code, letter in enumerate(self.letters):
            table[[ord(letter.upper()), ord(letter.lower())]] = code
        if set(self.letters.upper()) == set("ACGT"):
            table[[ord("U"), ord("u")]] = table[ord("T")]
        return table

    def encode(self, strings: Collection[str]) -> tuple[np.ndarray, np.ndarray]:
        """All strings after each other as numbers, and where each begins.

        Parameters
        ----------
        strings : list or 1-D array of str
            The sequences, of any lengths.

        Returns
        -------
        codes : uint8 array of shape (total length,)
            The place of each character in `letters`, or `NOTHING`.
        starts : int64 array of shape (n + 1,)
            String i has the codes ``codes[starts[i] : starts[i + 1]]``.
        """
        text = joined(strings)
        # One byte a character: those beyond ASCII become a question mark, which is no letter.
        codes = self.table[np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)]
        ends = np.cumsum(np.fromiter(map(len, strings), dtype=np.int64))
        return codes, np.concatenate([np.zeros(1, dtype=np.int64), ends])


DNA = Alphabet("dna", "ACGT")
PROTEIN = Alphabet("protein", "ACDEFGHIKLMNPQRSTVWY")


def alphabet_of(strings: Collection[str], given: str | None = None) -> Alphabet:
    """The alphabet of training sequences.

    Parameters
    ----------
    strings : list or 1-D array of str
        The training sequences.
    given : {"dna", "protein"}, str of other letters, or None
        None decides from the sequences: DNA if they hold nothing but the IUPAC codes of
        nucleotides (ACGTU, RYSWKMBDHVN) and gaps, or if at least nine of ten letters are of
        ACGTUN; else protein. Any other string is an alphabet of its letters.

    Returns
    -------
    Alphabet

    Examples
    --------
    >>> from learnkernels.kernels.alphabets import alphabet_of
    >>> alphabet_of(["ACGT", "acgn"]).name
    'dna'
    >>> alphabet_of(["HHEC", "CCEH"], "HEC")
    Alphabet(name='HEC', letters='HEC')
    """
    text = joined(strings).upper()
    found = set(text)
    if given is None:
        letters = sum(map(str.isalpha, text))
        nucleotides = sum(map(text.count, NUCLEOTIDES))
        is_dna = found <= NUCLEOTIDE_CODES or nucleotides >= SHARE * letters
        alphabet = DNA if is_dna else PROTEIN
    elif not isinstance(given, str):
        raise InputError(
            f"alphabet={given!r}; expected None, 'dna', 'protein' or a string of letters such as "
            "'ACGT'."
        )
    else:
        known = {alphabet.name: alphabet for alphabet in (DNA, PROTEIN)}
        alphabet = known.get(given.lower()) or Alphabet(given.upper(), given.upper())
    if (alphabet.encode([*found])[0] == Alphabet.NOTHING).all():
        shown = "".join(sorted(found)[:20])
        raise InputError(
            f"the sequences hold no letter of the {alphabet.name!r} alphabet "
            f"({alphabet.letters}), only {shown!r}; pass sequences, or the alphabet they are "
            "written in: 'dna', 'protein' or a string of its letters."
        )
    return alphabet


def joined(strings: Any) -> str:
    """All strings after each other; raises if one of them is none."""
    if isinstance(strings, str):
        raise InputError(f"found one string, {strings[:20]!r}; give a list of strings.")
    try:
        return "".join(strings)
    except TypeError:
        row, value = next(pair for pair in enumerate(strings) if not isinstance(pair[1], str))
        raise InputError(
            f"row {row} is {value!r:.60} of type {type(value).__name__}; every sample must be a "
            "string: drop rows without a sequence and decode bytes first."
        ) from None

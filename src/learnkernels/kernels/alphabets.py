"""Alphabets of sequences, and strings as arrays of letter codes.

A symbol that is not a letter of the alphabet (N, R, X, a gap) **matches no symbol, not even
itself.** A k-mer that contains one is not counted, a position with one is a mismatch. This keeps
every sequence kernel positive semi-definite, and unknown letters do not make samples similar.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from learnkernels.errors import InputError
from learnkernels.plurals import count_text

# The nucleotides, the IUPAC codes for sets of them, and gaps.
NUCLEOTIDE_CODES = frozenset("ACGTURYSWKMBDHVN-.")
# Sequences with other symbols are DNA if at least this fraction of their letters is one of these.
NUCLEOTIDES, DNA_FRACTION = "ACGTUN", 0.9
MIN_LETTERS, MAX_LETTERS = 2, 32


@dataclass(frozen=True)
class Alphabet:
    """The letters of sequences; the code of a letter is its index.

    Parameters
    ----------
    name : str
        Name in reports.
    letters : str
        2 to 32 different ASCII characters; upper and lower case are the same. If the letters are
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

    UNKNOWN: ClassVar[int] = 255

    def __post_init__(self) -> None:
        given = self.letters
        # `encode` replaces characters beyond ASCII by a question mark.
        usable = given.isascii() and given.isprintable() and not set(given) & set("? ")
        if not usable or len(set(given.upper())) != len(given):
            raise InputError(
                f"the alphabet {given!r} repeats a letter (upper and lower case are the same) or "
                "contains a space, a question mark or a character beyond ASCII; give every letter "
                "once, for example 'ACGT'."
            )
        if not MIN_LETTERS <= len(given) <= MAX_LETTERS:
            raise InputError(
                f"the alphabet {given!r} has {count_text(len(given), 'letter')}; it must have "
                f"{MIN_LETTERS} to {MAX_LETTERS}. Pass, for example, alphabet='ACGT'."
            )

    @property
    def table(self) -> np.ndarray:
        """The code of every byte, `UNKNOWN` if it is not a letter; uint8 of shape (256,)."""
        table = np.full(256, self.UNKNOWN, dtype=np.uint8)
        for code, letter in enumerate(self.letters):
            table[[ord(letter.upper()), ord(letter.lower())]] = code
        if set(self.letters.upper()) == set("ACGT"):
            table[[ord("U"), ord("u")]] = table[ord("T")]
        return table

    def encode(self, strings: Collection[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the letter codes of all strings, concatenated, and the start of each string.

        Parameters
        ----------
        strings : list or 1-D array of str
            The sequences, of any lengths.

        Returns
        -------
        codes : uint8 array of shape (total length,)
            The index of each character in `letters`, or `UNKNOWN`.
        starts : int64 array of shape (n + 1,)
            The codes of string i are ``codes[starts[i] : starts[i + 1]]``.
        """
        text = joined(strings)
        # One byte per character: those beyond ASCII become a question mark, which is not a letter.
        codes = self.table[np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)]
        ends = np.cumsum(np.fromiter(map(len, strings), dtype=np.int64))
        return codes, np.concatenate([np.zeros(1, dtype=np.int64), ends])


DNA = Alphabet("dna", "ACGT")
PROTEIN = Alphabet("protein", "ACDEFGHIKLMNPQRSTVWY")


def alphabet_of(strings: Collection[str], given: str | None = None) -> Alphabet:
    """Return the alphabet of training sequences.

    Parameters
    ----------
    strings : list or 1-D array of str
        The training sequences.
    given : {"dna", "protein"}, str of other letters, or None
        None decides from the sequences: DNA if they contain only the IUPAC codes of nucleotides
        (ACGTU, RYSWKMBDHVN) and gaps, or if at least nine of ten letters are in ACGTUN; else
        protein. Any other string is an alphabet of its letters.

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
        is_dna = found <= NUCLEOTIDE_CODES or nucleotides >= DNA_FRACTION * letters
        alphabet = DNA if is_dna else PROTEIN
    elif not isinstance(given, str):
        raise InputError(
            f"alphabet={given!r}; expected None, 'dna', 'protein' or a string of letters such as "
            "'ACGT'."
        )
    else:
        known = {alphabet.name: alphabet for alphabet in (DNA, PROTEIN)}
        alphabet = known.get(given.lower()) or Alphabet(given.upper(), given.upper())
    if (alphabet.encode([*found])[0] == Alphabet.UNKNOWN).all():
        symbols = "".join(sorted(found)[:20])
        raise InputError(
            f"the sequences contain no letter of the {alphabet.name!r} alphabet "
            f"({alphabet.letters}), only {symbols!r}; pass sequences, or set alphabet to 'dna', "
            "'protein' or a string of its letters."
        )
    return alphabet


def joined(strings: Any) -> str:
    """Return all strings concatenated; raise if an entry is not a string."""
    if isinstance(strings, str):
        raise InputError(f"found a single string, {strings[:20]!r}; pass a list of strings.")
    try:
        return "".join(strings)
    except TypeError:
        row, value = next(pair for pair in enumerate(strings) if not isinstance(pair[1], str))
        raise InputError(
            f"row {row} is {value!r:.60} of type {type(value).__name__}; every sample must be a "
            "string: drop rows without a sequence and decode bytes first."
        ) from None

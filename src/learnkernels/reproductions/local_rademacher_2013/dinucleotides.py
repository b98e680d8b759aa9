"""Twist angles and stacking energies of B-DNA for each pair of neighbouring bases.

As in the data files Eangles.dat and Eenergy.dat of the program btwisted of EMBOSS 6.6: twist in
degrees after Kabsch, Sander and Trifonov, Nucleic Acids Research 10 (1982); energy in kcal/mol
after Ornstein, Rein, Breen and MacElroy, Biopolymers 17 (1978). A step and its reverse complement
have the same value.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

TWIST = {
    "AA": 35.6, "AC": 34.4, "AG": 27.7, "AT": 31.5, "CA": 34.5, "CC": 33.7, "CG": 29.8, "CT": 27.7,
    "GA": 36.9, "GC": 40.0, "GG": 33.7, "GT": 34.4, "TA": 36.0, "TC": 36.9, "TG": 34.5, "TT": 35.6,
}  # fmt: skip
ENERGY = {
    "AA": -5.37, "AC": -10.51, "AG": -6.78, "AT": -6.57, "CA": -6.57, "CC": -8.26, "CG": -9.69,
    "CT": -6.78, "GA": -9.81, "GC": -14.59, "GG": -8.26, "GT": -10.51, "TA": -3.82, "TC": -9.81,
    "TG": -6.57, "TT": -5.37,
}  # fmt: skip
WINDOW = 20


def profiles(
    sequences: Iterable[str], values: dict[str, float], window: int = WINDOW
) -> np.ndarray:
    """Return means of a property over sliding windows, shape (n_sequences, n_windows).

    The property is standardised over the sixteen steps; a step with an unknown base gets the mean.
    """
    known = np.array(list(values.values()))
    scaled = dict(zip(values, (known - known.mean()) / known.std(), strict=True))
    letters = np.array([list(sequence) for sequence in sequences])
    steps = np.zeros((len(letters), letters.shape[1] - 1))
    for pair, value in scaled.items():
        steps[(letters[:, :-1] == pair[0]) & (letters[:, 1:] == pair[1])] = value
    total: np.ndarray = np.cumsum(np.pad(steps, ((0, 0), (1, 0))), axis=1)
    return np.asarray(total[:, window:] - total[:, :-window]) / window

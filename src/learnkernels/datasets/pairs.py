"""Data sets of pairs of objects: Gram matrices of both kinds of objects, and a target for pairs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from learnkernels.datasets.store import file_checksum
from learnkernels.errors import InputError

FILE = Path("pairs") / "drug_response.npz"
SIDES = ("drug", "cell")
SHA256 = "03947a9f2a36a956e830f2648413a38d761cd146411271c13a01f6eb6fab752c"


@dataclass(frozen=True)
class PairData:
    """Pairs of objects.

    Attributes
    ----------
    left, right : dict of str to ndarray
        Gram matrices of the left and of the right objects, by name.
    X : ndarray of int of shape (n_pairs, 2)
        The left and the right object of each pair.
    y : ndarray of shape (n_pairs,)
        Target.
    fold : ndarray of int of shape (n_pairs,)
        Published fold of each pair.
    """

    left: dict[str, np.ndarray]
    right: dict[str, np.ndarray]
    X: np.ndarray
    y: np.ndarray
    fold: np.ndarray


def drug_response() -> PairData:
    """Load the responses of 124 cancer cell lines to 124 drugs, with 10 and 12 kernels.

    From the repository aalto-ics-kepaco/pairwiseMKL (MIT licence; Cichonska et al., Bioinformatics
    2018). The file ``pairs/drug_response.npz`` is read from the directory ``LEARNKERNELS_DATA``.

    Returns
    -------
    PairData
        All 15,376 pairs, with the ten outer folds of the paper.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.datasets.drug_response().X.shape  # doctest: +SKIP
    (15376, 2)
    """
    folder = os.environ.get("LEARNKERNELS_DATA")
    file = None if not folder else Path(folder) / FILE
    if file is None or not file.is_file():
        raise InputError(
            f"{FILE.as_posix()!r} was not found in LEARNKERNELS_DATA={folder!r}; it has the "
            "arrays drug_kernels, cell_kernels, response and outer_fold of the repository "
            "aalto-ics-kepaco/pairwiseMKL: save them there with numpy.savez."
        )
    if file_checksum(file) != SHA256:
        raise InputError(
            f"{str(file)!r} does not match the checksum of the data set; it is truncated or "
            "modified. Replace it."
        )
    with np.load(file) as data:
        names = [[str(name)[3:] for name in data[f"{side}_kernel_names"]] for side in SIDES]
        left, right = (
            dict(zip(own, data[f"{side}_kernels"], strict=True))
            for own, side in zip(names, SIDES, strict=True)
        )
        y, fold = data["response"], data["outer_fold"]
    return PairData(left, right, np.argwhere(np.isfinite(y)), y[np.isfinite(y)], fold)

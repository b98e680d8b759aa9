"""The Tanimoto kernel of bits, such as the fingerprints of molecules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.errors import InputError
from learnkernels.kernels.base import Kernel
from learnkernels.kernels.row_products import dots, squared_norms


@dataclass(frozen=True)
class Tanimoto(Kernel):
    """The Tanimoto kernel: bits that are set in both samples, as a part of those set in one.

    ``k(x, z) = x'z / (x'x + z'z - x'z)`` for bits x and z, and 1 if no bit is set in both. It is
    the similarity of Jaccard of two sets, and positive semi-definite (Gower, 1971).

    Examples
    --------
    >>> from learnkernels.kernels import Tanimoto
    >>> Tanimoto()([[1, 1, 0]], [[0, 1, 1]]).round(3)
    array([[0.333]])
    """

    takes = "numbers"
    name = "tanimoto"

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        X, Z = as_bits(X), as_bits(X if Z is None else Z)
        common = dots(X, Z)
        union = np.add.outer(squared_norms(X), squared_norms(Z)) - common
        return np.divide(common, union, out=np.ones_like(common), where=union > 0)

    def diagonal(self, X: Any) -> np.ndarray:
        return np.ones(np.shape(X)[0])


def as_bits(X: Any) -> Any:
    """Return X as floats; raise if it has other values than 0 and 1."""
    values = X.data if sparse.issparse(X) else np.asarray(X)
    if not ((values == 0) | (values == 1)).all():
        wrong = values[(values != 0) & (values != 1)].flat[0]
        raise InputError(
            f"tanimoto() compares bits, and X contains {wrong:g}; expected only 0 and 1: pass "
            "X > 0, or use another kernel for counts and real numbers."
        )
    return X.astype(float) if sparse.issparse(X) else np.asarray(X, dtype=float)


def tanimoto() -> Kernel:
    """Return the Tanimoto kernel of columns that are 0 or 1, such as molecular fingerprints.

    Its value is the number of bits that are set in both samples, divided by the number of bits that
    are set in at least one of them. Bits are packed into machine words, so that 64 columns are
    compared at once.

    Returns
    -------
    Kernel
        Value for ``kernels=``, alone, in a list or in a sum; for some of the columns
        ``lk.on(columns, lk.tanimoto())``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(0, 2, (60, 128))
    >>> model = lk.KernelClassifier(lk.tanimoto(), method="unif").fit(X, X[:, 0])
    >>> model.kernel_names_
    array(['tanimoto'], dtype=object)
    """
    return Tanimoto()

"""The inverse of a triangular matrix by products of its blocks.

    [A  0]^-1   [ A^-1            0   ]
    [B  C]    = [-C^-1 B A^-1     C^-1]

Products of large blocks take less time than the columns that LAPACK eliminates one panel at a time.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri

# Up to this size, LAPACK is faster.
LEAF = 128
# Sizes of blocks are multiples of this number, which fit the registers.
ALIGNED = 8


def invert_lower(L: np.ndarray) -> None:
    """Replace the lower triangle of L by its inverse; other entries are not used.

    The products need work space of half the size of L.

    Parameters
    ----------
    L : ndarray of shape (n, n)
        Without zeros on the diagonal.
    """
    n = len(L)
    if n <= LEAF:
        L[:] = dtrtri(L, lower=1)[0]
        return
    half = n // 2 // ALIGNED * ALIGNED
    A, B, C = L[:half, :half], L[half:, :half], L[half:, half:]
    invert_lower(A)
    invert_lower(C)
    B[:] = dtrmm(-1.0, A, dtrmm(1.0, C, B, lower=1), side=1, lower=1, overwrite_b=1)

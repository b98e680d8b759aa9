"""The alignment predictor: the kernel's own vote, nothing to tune.

    h(x) = sum_i w_i z_i K_c(x, x_i) / (W sqrt(E[K_c^2])),   z = (y - mean) / std

2012, section 4.2: its correlation with the target is the alignment of the kernel, and high
alignment bounds its error (theorems 13 to 15).
"""

from __future__ import annotations

import numpy as np

from learnkernels.errors import InputError
from learnkernels.machines.base import Machine, Trained

__all__ = ["AlignmentPredictor"]


class AlignmentPredictor(Machine):
    """Average of the targets weighted by the centered kernel; has no regularisation."""

    def path(self, problem, values):
        if not problem.center:
            raise InputError(
                'machine="alignment" is defined by the centered kernel; use center=True.'
            )
        w = problem.weights / problem.weights.sum()
        centered = problem.Y - problem.means
        # sqrt(E[K_c^2]) over pairs of samples
        size = np.sqrt(w @ np.einsum("ij,ij,j->i", problem.K, problem.K, w))
        coef = w[:, None] * centered / (size if size > 0 else 1.0)
        return [Trained(coef, problem.means, (), None) for _ in values]

"""The alignment predictor: an average of the targets weighted by the kernel, nothing to tune.

    h(x) = sum_i w_i z_i K_c(x, x_i) / (W sqrt(E[K_c^2])),   z = (y - mean) / std

2012, section 4.2: its correlation with the target is the alignment of the kernel, and high
alignment bounds its error (theorems 13 to 15).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnkernels.errors import InputError
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    require_dense,
)


class AlignmentPredictor(Machine, Strategy):
    """Average of the targets weighted by the centered kernel; has no regularisation."""

    name = "alignment"
    has_parameter = False

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        require_dense("the alignment predictor", n, max_memory, n_components, "use fewer samples")

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> AlignmentPredictor:
        return self

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        if not problem.center:
            raise InputError(
                'machine="alignment" is defined by the centered kernel; use center=True.'
            )
        K = problem.kernel.gram(problem.backend)
        w = problem.weights / problem.weights.sum()
        # sqrt(E[K_c^2]) over pairs of samples
        size = np.sqrt(w @ np.einsum("ij,ij,j->i", K, K, w))
        coef = w[:, None] * (problem.Y - problem.means) / (size if size > 0 else 1.0)
        return [Trained(coef, problem.means) for _ in values]

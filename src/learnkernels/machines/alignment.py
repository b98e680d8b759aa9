"""The alignment predictor: an average of the targets weighted by the kernel, nothing to tune.

    h(x) = sum_i w_i (y_i - mean) K_c(x, x_i) / (W sqrt(E[K_c^2]))

2012, section 4.2: its correlation with the target is the alignment of the kernel, and high
alignment bounds its error. Regression predicts mean + h(x) (theorem 14). Classes are the sign of h
or, for several, the largest h (theorem 13): the mean of labels -1 and 1 is not added, since with a
rare class it would exceed every h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from learnkernels.errors import InputError
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    require_dense,
)


@dataclass(frozen=True)
class AlignmentPredictor(Machine, Strategy):
    """Average of the targets weighted by the centered kernel; has no regularisation.

    Attributes
    ----------
    intercept : bool, default=True
        Whether the mean of the target is added: for regression, and not for classes.
    """

    intercept: bool = True

    name: ClassVar[str] = "alignment"

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
        means = problem.means if self.intercept else np.zeros_like(problem.means)
        return [Trained(coef, means) for _ in values]

"""The support vector machine with intercept: binary, and one-against-rest for several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from learnkernels.gram import check_combination
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    require_dense,
)
from learnkernels.solvers import svm_path


@dataclass(frozen=True)
class SVM(Machine, Strategy):
    """Soft-margin SVM with the Gram matrix; the regularisation is C.

    Parameters
    ----------
    tol : float
        Largest violation of the optimality conditions, in units of the margin.
    exact : bool
        Whether solutions are polished to full precision.
    """

    name = "svm"

    tol: float = 1e-3
    exact: bool = True

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        instead = 'use machine="ridge", which streams, or n_components'
        require_dense("the SVM", n, max_memory, n_components, instead)

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> SVM:
        return self

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve every output separately, along the values of C."""
        K = problem.kernel.gram(problem.backend)
        if problem.signed:
            check_combination(K)
        task = partial(
            svm_path, K, weights=problem.weights, values=values, tol=self.tol, exact=self.exact
        )
        by_output = list(
            problem.backend.map(task, list(problem.Y.T), "support vectors", local=True)
        )
        return [
            Trained(
                np.column_stack([path[v][0].beta for path in by_output]),
                np.array([path[v][0].intercept for path in by_output]),
                tuple(path[v][1] for path in by_output),
            )
            for v in range(len(values))
        ]

"""The support vector machine with intercept: binary, and one-against-rest for several classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from learnkernels.errors import InputError
from learnkernels.gram import check_combination
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    require_gram_memory,
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

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> SVM:
        return self

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve every output separately, along the values of C."""
        if problem.n_components is not None and problem.n_components < len(problem.Y):
            raise InputError(
                f"n_components={problem.n_components} is for ridge; use machine="
                '"auto" or "ridge", or leave n_components out.'
            )
        n = len(problem.Y)
        if 8.0 * n * n > problem.max_memory:
            instead = 'use machine="ridge", which streams, or n_components'
            require_gram_memory(n, 1, problem.max_memory, "the SVM", instead)
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

"""Support vector machines with intercept: for classes, and for real targets.

Several classes are solved one against the rest, several targets one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

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
        require_dense(f"the {self.name.upper()}", n, max_memory, n_components, instead)

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> SVM:
        return self

    def options(self) -> dict[str, Any]:
        """Return the options of the solver."""
        return {"tol": self.tol, "exact": self.exact}

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve every output separately, along the values of C."""
        K = problem.kernel.gram(problem.backend)
        if problem.signed:
            check_combination(K)
        task = partial(svm_path, K, weights=problem.weights, values=values, **self.options())
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


@dataclass(frozen=True)
class SVR(SVM):
    """Support vector regression with the Gram matrix.

        min_f  1/2 |f|^2 + C s sum_i w_i max(0, |y_i - f(x_i)| - epsilon s)

    C and epsilon are in units of s, the standard deviation of the target, so that the unit of the
    target does not matter: the target is standardised before training.

    Parameters
    ----------
    tol, exact
        As in `SVM`; tol is in units of the standard deviation.
    epsilon : float
        Residual without loss.
    """

    name = "svr"

    epsilon: float = 0.1

    def options(self) -> dict[str, Any]:
        return super().options() | {"epsilon": self.epsilon}

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Standardise the targets, and solve every one of them along the values of C."""
        w = problem.weights / problem.weights.sum()
        means = w @ problem.Y
        deviations = np.sqrt(w @ (problem.Y - means) ** 2)  # (n_outputs,)
        scales = np.where(deviations > 0, deviations, 1.0)
        standardized = replace(problem, Y=(problem.Y - means) / scales)
        return [
            replace(one, coef=one.coef * scales, intercept=one.intercept * scales + means)
            for one in super().train(standardized, values)
        ]

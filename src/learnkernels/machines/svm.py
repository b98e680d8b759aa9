"""Support vector machines with intercept: for classes, and for real targets.

Several classes are solved one against the rest, several targets one by one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from learnkernels.errors import InputError
from learnkernels.execution import format_bytes
from learnkernels.gram import KernelRows, check_combination
from learnkernels.machines.base import (
    Machine,
    Strategy,
    Trained,
    TrainingProblem,
    gram_bytes,
    needs_all_samples,
    require_gram_memory,
)
from learnkernels.plurals import count_text
from learnkernels.solvers import LEAST_ROWS, Certificate, RowGram, SVMSolution, svm_path

# Solutions for each value of C.
Path = list[tuple[SVMSolution, Certificate]]
Solve = Callable[..., Path]

# Up to this many samples, the Gram matrix in double precision is faster than rows.
FEW = 3000
# Up to this many bytes, all rows of single precision are evaluated at once.
WHOLE = 5e8
# Rows that are kept if it is fast to evaluate them again, as a part of all rows: the operating
# system may take longer to hand out memory than it takes to fill it.
KEPT = 1 / 6
# Part of the memory for rows that are kept; the rest is for those that are being evaluated.
PART = 0.9

logger = logging.getLogger("learnkernels")


@dataclass(frozen=True)
class SVM(Machine, Strategy):
    """Soft-margin SVM; the regularisation is C.

    It is trained with the Gram matrix if that fits into the memory and is faster, else with some of
    its rows at a time.

    Parameters
    ----------
    tol : float
        Largest violation of the optimality conditions, in units of the margin.
    exact : bool
        Whether solutions are polished to full precision. If not, the Gram matrix is of single
        precision where that changes outputs by less than `tol`.
    epsilon : float or None
        Residual without loss, for real targets; None is for labels.
    """

    name = "svm"
    takes_C = True

    tol: float = 1e-3
    exact: bool = True
    epsilon: float | None = None

    def check(self, n: int, max_memory: float, n_components: int | None) -> None:
        who = f"the {self.name.upper()}"
        if n_components is not None and n_components < n:
            raise InputError(needs_all_samples(who, n_components))
        n_rows = min(n, LEAST_ROWS)
        wanted = 8.0 * n * n_rows
        if wanted > max_memory:
            raise InputError(
                f"{who} needs {count_text(n_rows, 'row')} of the Gram matrix of "
                f"{count_text(n, 'sample')}, {format_bytes(wanted)}, more than "
                f"max_memory={format_bytes(max_memory)}; use "
                'machine="ridge", or raise max_memory.'
            )

    def approximate(self) -> SVM:
        return replace(self, exact=False)

    def strategy(self, problem: TrainingProblem, n_values: int = 1) -> SVM:
        return self

    def train(self, problem: TrainingProblem, values: Sequence[float]) -> list[Trained]:
        """Solve every output separately, along the values of C."""
        n, w = len(problem.Y), problem.weights
        solve = partial(
            svm_path, weights=w, values=values, epsilon=self.epsilon, tol=self.tol, exact=self.exact
        )
        single = not self.exact and single_suffices(problem, max(values), self.tol)
        # Rows of single precision are faster than the Gram matrix, unless there are few samples.
        faster = n > FEW and problem.kernel.fast_single and not problem.signed
        dense = gram_bytes(n) <= problem.max_memory and not faster
        if single:
            by_output = dense_paths(problem, solve, np.float32)
        else:
            by_output = (dense_paths if dense else row_paths)(problem, solve)
        return [
            Trained(
                np.column_stack([path[v][0].beta for path in by_output]),
                np.array([path[v][0].intercept for path in by_output]),
                tuple(path[v][1] for path in by_output),
                single=single,
            )
            for v in range(len(values))
        ]


def single_suffices(problem: TrainingProblem, C: float, tol: float) -> bool:
    """Return whether the Gram matrix in single precision is fast, fits, and is precise enough.

    Its rounding errors change outputs by about ``eps |beta|_2 <= eps C |w|_2``, which must not
    exceed the tolerance.
    """
    size = 4.0 * len(problem.Y) ** 2
    if not problem.kernel.fast_single or problem.signed or size > min(WHOLE, problem.max_memory):
        return False
    return bool(np.finfo(np.float32).eps * C * np.linalg.norm(problem.weights) <= tol)


def dense_paths(
    problem: TrainingProblem, solve: Solve, dtype: type[np.floating[Any]] = np.float64
) -> list[Path]:
    """Solve every output with the Gram matrix in the given precision."""
    K = problem.kernel.gram(problem.backend, dtype)
    if problem.signed:
        check_combination(K)
    task = partial(solve, K)
    return list(problem.backend.map(task, list(problem.Y.T), "support vectors", local=True))


def row_paths(problem: TrainingProblem, solve: Solve) -> list[Path]:
    """Solve every output with as many rows of the Gram matrix as fit into the memory."""
    n = len(problem.Y)
    if problem.signed:
        who = "an SVM with weights of both signs"
        require_gram_memory(n, 1, problem.max_memory, who, "use fewer samples")
    memory = max(8.0 * n * LEAST_ROWS, PART * problem.max_memory)
    complete = problem.kernel.fast_single and 4.0 * n**2 <= min(memory, WHOLE)
    if problem.kernel.fast_single and not complete:
        memory = min(memory, 4.0 * n * max(LEAST_ROWS, n * KEPT))
    rows = KernelRows(problem.kernel, problem.backend, memory, complete)
    n_rows = len(rows.values)
    logger.info("%d samples: support vector machine with %d rows of the Gram matrix.", n, n_rows)
    if complete:
        task = partial(solve_by_rows, solve, rows)
        return list(problem.backend.map(task, list(problem.Y.T), "support vectors", local=True))
    return [solve_by_rows(solve, rows, y) for y in problem.Y.T]


def solve_by_rows(solve: Solve, rows: KernelRows, y: np.ndarray) -> Path:
    """Solve one output."""
    return solve(RowGram(rows), y)


@dataclass(frozen=True)
class SVR(SVM):
    """Support vector regression.

        min_f  1/2 |f|^2 + C s sum_i w_i max(0, |y_i - f(x_i)| - epsilon s)

    C and epsilon are in units of s, the standard deviation of the target, so that the unit of the
    target does not matter: the target is standardised before training.

    Parameters
    ----------
    tol, exact, epsilon
        As in `SVM`; tol is in units of the standard deviation.
    """

    name = "svr"

    epsilon: float | None = 0.1

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

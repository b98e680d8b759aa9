"""The support vector machine with intercept: binary, and one-against-rest for several classes."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnkernels.machines.base import Machine, Trained
from learnkernels.solvers import solve_svm
from learnkernels.telling import warn

__all__ = ["SVM"]


class SVM(Machine):
    """Soft-margin SVM; the regularisation is C.

    Parameters
    ----------
    tol : float
        Largest violation of the optimality conditions, in units of the margin.
    exact : bool
        Whether solutions are polished to full precision.
    """

    needs_semidefinite = True

    def __init__(self, tol: float = 1e-3, exact: bool = True):
        self.tol = tol
        self.exact = exact

    def path(self, problem, values):
        """Every output by itself; each solve starts from that of the next smaller C, scaled."""
        task = partial(self._one_output, problem, values)
        outputs = range(problem.Y.shape[1])
        by_output = list(problem.backend.local.map(task, outputs, "support vectors"))
        return [
            Trained(
                np.column_stack([solutions[v].beta for solutions in by_output]),
                np.array([solutions[v].intercept for solutions in by_output]),
                tuple(solutions[v].certificate for solutions in by_output),
                float(value),
            )
            for v, value in enumerate(values)
        ]

    def _one_output(self, problem, values, output):
        y = problem.Y[:, output]
        solutions, last = {}, None
        for v in np.argsort(values):
            C = values[v] * problem.weights
            start = None if last is None else last[1].beta * (values[v] / last[0])
            solution = solve_svm(problem.K, y, C, tol=self.tol, start=start, exact=self.exact)
            if solution.violation > 10 * self.tol:
                warn(
                    f"the SVM with C={values[v]:g} ended with a violation of "
                    f"{solution.violation:.1e} (relative gap {solution.certificate.gap:.1e}); "
                    "scale the data or lower C.",
                    ConvergenceWarning,
                    stacklevel=2,
                )
            solutions[int(v)] = solution
            last = (values[v], solution)
        return solutions

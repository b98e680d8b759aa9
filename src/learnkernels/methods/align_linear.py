"""`align-linear`: the highest alignment with weights of either sign."""

from __future__ import annotations

import numpy as np

from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem
from learnkernels.solvers import Certificate


class AlignLinear(WeightMethod):
    """Weights of either sign whose combined kernel has the highest centered alignment.

    The combined kernel may be indefinite. Ridge then needs a larger ``alpha``, and the SVM raises.

    Weights sum to one; where their sum is not positive, or tiny compared with their absolute
    values, the absolute values sum to one.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(kernels=lk.gaussians([1.0, 100.0]), method="align-linear")
    >>> float(model.fit(X, y).weights_.sum().round(6))
    1.0
    """

    name = "align-linear"
    reads = ("a", "M")
    signed = True

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Solve the linear system of the weights."""
        statistics = problem.kernels.statistics
        # 2012 prop. 8: mu ~ M^-1 a; the least-norm solution if M is singular. Solved with unit
        # diagonal, so that the cut for singular directions does not depend on the kernels' scales.
        alive = np.flatnonzero(statistics.squares > 0)
        root = np.sqrt(statistics.squares[alive])
        M = statistics.M[np.ix_(alive, alive)] / np.outer(root, root)
        v = np.zeros(len(statistics.a))
        v[alive] = (
            np.linalg.pinv(M, rcond=1e-13, hermitian=True) @ (statistics.a[alive] / root) / root
        )
        total = v.sum()
        mu = v / total if total > 1e-3 * np.abs(v).sum() else v / np.abs(v).sum()
        return LearnedWeights(mu, Certificate.closed_form(statistics.alignment(mu), "alignment"))

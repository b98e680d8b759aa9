"""`alignf`: the combination of highest alignment with the target."""

from __future__ import annotations

from dataclasses import replace

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.methods.base import LearnedWeights, WeightMethod, WeightProblem
from learnkernels.solvers import nonnegative_qp, working_set_qp

# Up to this many kernels the matrix of their inner products is formed.
SMALL = 1000


class AlignF(WeightMethod):
    """Non-negative weights whose combined kernel has the highest centered alignment.

    Exact: a quadratic program in p variables, solved by an active set.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier(kernels=lk.gaussians([0.1, 100.0]), method="alignf")
    >>> model.fit(X, y).weights_.round(2)
    array([0.75, 0.25])
    >>> model.certificate_.status
    'optimal'
    """

    name = "alignf"
    reads = ("a", "M")

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Solve the quadratic program of the weights."""
        # 2012 prop. 9: the maximiser of alignment over mu >= 0 has the direction of
        # v = argmin_{v >= 0} v'Mv - 2 v'a.
        statistics = problem.kernels.statistics
        if len(statistics.a) <= SMALL:
            v, certificate = nonnegative_qp(statistics.inner.full(), statistics.a)
        else:
            v, certificate = working_set_qp(statistics.inner, statistics.a)
        if certificate.status != "optimal":
            warn(
                f"alignf did not converge because of rounding: relative gap {certificate.gap:.1e}. "
                "Remove kernels that are nearly equal, or scale those with very different values.",
                ConvergenceWarning,
            )
        return LearnedWeights(v / v.sum(), replace(certificate, criterion="alignment"))

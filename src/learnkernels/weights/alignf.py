"""`alignf`: the combination of highest alignment with the target."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from learnkernels.solvers import nonnegative_qp, working_set_qp
from learnkernels.telling import warn
from learnkernels.weights.base import WeightMethod, sum_to_one

__all__ = ["AlignF"]


# Up to this many kernels all their inner products are formed.
SMALL = 1000


class AlignF(WeightMethod):
    """Non-negative weights whose combined kernel has the highest centered alignment.

    Exact: a quadratic program over p numbers, solved by an active set.

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

    def learn(self, evidence):
        # 2012 prop. 9: the maximiser of alignment over mu >= 0 has the direction of
        # v = argmin_{v >= 0} v'Mv - 2 v'a.
        statistics = evidence.statistics
        if len(statistics.a) <= SMALL:
            v, certificate = nonnegative_qp(statistics.M, statistics.a)
        else:
            v, certificate = working_set_qp(statistics.inner, statistics.a)
        if certificate.status != "optimal":
            warn(
                f"alignf: rounding leaves a relative gap of {certificate.gap:.1e}; are the kernels "
                "of very different scales, or nearly the same?",
                ConvergenceWarning,
                stacklevel=2,
            )
        return sum_to_one(v), certificate

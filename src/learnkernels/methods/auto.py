"""`auto`: the weights of smallest held-out error among those of several methods."""

from __future__ import annotations

from dataclasses import replace

from learnkernels.methods.base import LearnedWeights, WeightProblem
from learnkernels.methods.candidates import Candidate
from learnkernels.methods.leave_one_out import LeaveOneOut, best_alpha
from learnkernels.significance import standard_error
from learnkernels.solvers import AVERAGE


class Auto(LeaveOneOut):
    """Choose among methods by held-out error: the default.

    Uniform weights, `Align`, `AlignF`, the best single kernel and `LeaveOneOut` are compared by
    their exact leave-one-out errors of ridge, each with its best regularisation, on at most 600
    samples. The smallest error is that of `LeaveOneOut`, which starts from the others. Its weights
    are used if they are better than uniform weights by more than one standard error of the
    difference; otherwise the average of both is used.

    If ``cv`` of the estimator is a splitter, or for more than 1,000 pairs of objects (`pairs`),
    uniform weights, `Align`, `AlignF` and, for few samples, `LeaveOneOut` are compared by the folds
    of ``cv`` instead; a simpler one is kept unless another is better by more than one standard
    error of the difference.

    If the estimator has ``kernels=None``, narrower kernels (for one to three columns) and a learned
    metric are compared with the default family too, and used if they are clearly better.

    Parameters are those of `LeaveOneOut`; ``selection_`` of the fitted estimator is the table of
    the candidates.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(kernels=lk.gaussians(), method="auto").fit(X, y)
    >>> [candidate.name for candidate in model.selection_]
    ['unif', 'align', 'alignf', 'single', 'loo', 'average of loo and unif']
    """

    name = "auto"

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Compare the candidates, and return the weights that are chosen."""
        search = self.search(problem)
        uniform = dict(search.starts)["unif"]
        loo = search.point.mu / search.point.mu.sum()
        mean = (loo + uniform.mu / uniform.mu.sum()) / 2
        average = search.few.point(mean / best_alpha(search.fewer, mean)[0])
        gain = uniform.errors - search.screened.errors
        clear = float(gain.mean()) > standard_error(gain)
        rows = [Candidate.of(name, point.errors) for name, point in search.starts]
        reasons = ("lowest", "") if clear else ("", "loo and unif within one standard error")
        rows.append(Candidate.of("loo", search.screened.errors, reasons[0]))
        rows.append(Candidate.of("average of loo and unif", average.errors, reasons[1]))
        if clear:
            return self.learned(search, search.point, rows)
        found = self.learned(search, average, rows)
        if not search.converged:
            return found
        return replace(found, certificate=replace(found.certificate, status=AVERAGE))

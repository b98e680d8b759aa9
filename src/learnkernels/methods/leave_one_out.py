"""`loo`: weights and regularisation of smallest leave-one-out error of ridge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from learnkernels._warnings import ConvergenceWarning, warn
from learnkernels.checks import random_generator, require_whole
from learnkernels.execution import single_threaded_blas
from learnkernels.gram import GramMatrix, PackedGrams, recentered
from learnkernels.machines import DenseRidge, TrainingProblem
from learnkernels.methods.align import Align
from learnkernels.methods.alignf import AlignF
from learnkernels.methods.base import (
    LearnedWeights,
    WeightMethod,
    WeightProblem,
    require_stop,
)
from learnkernels.methods.candidates import Candidate, Selection
from learnkernels.methods.objectives import LeaveOneOutError, LeaveOneOutPoint
from learnkernels.methods.uniform import Uniform
from learnkernels.plurals import count_text
from learnkernels.progress import report, within
from learnkernels.solvers import NOT_STATIONARY, STATIONARY, Certificate

# Samples on which starts are compared and the first steps taken; fewer for the scale of a start and
# for the comparison of single kernels.
SCREENED, SCREENED_SCALE, SCREENED_SINGLE = 600, 300, 150
# Gram matrices that an evaluation holds at once.
GRAMS = 5
# Values of alpha that are tried for the scale of a start.
ALPHAS = (10.0 ** np.arange(-7, 4.1, 0.5)).tolist()
# Range of the sum of the weights, which is 1 / alpha, and the part of it that counts as no weight.
SCALES, NONE = (1e-9, 1e10), 1e-6
# Tolerances in units of `tol` if there are first steps on some samples and last steps on more.
FIRST, LAST = 10.0, 3.0
# Status of L-BFGS-B that ends with its number of iterations.
REACHED_MAX_ITER = 1
# Change of a weight by a gradient step, as a part of all weight, up to which a point is stationary.
SMALL_STEP = 0.01
# Value of log E where it cannot be computed.
UNUSABLE = 1e6


class LeaveOneOut(WeightMethod):
    """Weights and regularisation that minimise the exact leave-one-out error of ridge.

    The problem is not convex. A quasi-Newton method goes from the best of several starts (uniform
    weights, alignments, maximal alignment, the best single kernel) until the error hardly falls.
    Starts are compared, and the first steps taken, on at most 600 samples.

    Parameters
    ----------
    max_samples : int, default=800
        Maximum number of samples that are used. If there are more, this many are chosen at random.
    n_components : int or None, default=None
        If given, the error of more than `max_samples` samples is that of all of them, for ridge
        restricted to the span of this number of random samples (landmarks).
    tol : float, default=1e-4
        Decrease of the logarithm of the error at which to stop.
    max_iter : int, default=100
        Largest number of iterations.
    random_state : int, RandomState or None, default=0
        Chooses the samples that are used, and the landmarks.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(method="loo").fit(X, y)
    >>> model.certificate_.status
    'stationary'
    """

    name = "loo"
    reads = ("a", "M", "Grams")
    machine = "ridge"
    learns_alpha = True

    def __init__(
        self,
        max_samples: int = 800,
        n_components: int | None = None,
        tol: float = 1e-4,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = 0,
    ):
        self.max_samples = max_samples
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def grams(self, n_kernels: int) -> int:
        """Count the inverse, its scaled copy, S and the work space of products."""
        return GRAMS

    def gram_samples(self, n: int) -> int:
        """Return at most `max_samples`."""
        require_whole(type(self).__name__, "max_samples", self.max_samples, 2)
        return min(n, int(self.max_samples))

    def learn(self, problem: WeightProblem) -> LearnedWeights:
        """Minimise the leave-one-out error."""
        search = self.search(problem)
        rows = [Candidate.of(f"start: {name}", point.errors) for name, point in search.starts]
        rows.append(Candidate.of("loo", search.screened.errors, "minimised"))
        return self.learned(search, search.point, rows)

    def search(self, problem: WeightProblem) -> Search:
        """Minimise the error from the best start, first on some of the samples."""
        require_stop(self)
        require_whole(type(self).__name__, "max_samples", self.max_samples, 2)
        if self.n_components is not None:
            require_whole(type(self).__name__, "n_components", self.n_components, 2)
        n = problem.kernels.n_samples
        order = random_generator(self.random_state).permutation(n)
        small = min(n, self.max_samples) <= SCREENED
        with single_threaded_blas():
            last = self.last_error(problem, order)
            few = last
            if len(last.samples) > SCREENED:
                few = part_of(problem, order[: min(SCREENED, self.max_samples)], last)
            fewer = part_of(problem, order[: min(SCREENED_SCALE, self.max_samples)], few)
            fewest = part_of(problem, order[: min(SCREENED_SINGLE, self.max_samples)], fewer)
            with within("first steps"):
                starts = [
                    (name, few.point(mu / best_alpha(fewer, mu)[0]))
                    for name, mu in start_weights(problem, fewest)
                ]
                best = min((point for _, point in starts), key=lambda point: point.value)
                trace, tol = [best.value], self.tol if small else FIRST * self.tol
                screened, converged = self.minimise(few, best.mu, tol, trace)
            if small:
                return Search(tuple(starts), screened, screened, converged, trace, few, fewer)
            trace.clear()
            point, converged = self.minimise(last, screened.mu, LAST * self.tol, trace)
        return Search(tuple(starts), screened, point, converged, trace, few, fewer)

    def last_error(self, problem: WeightProblem, order: np.ndarray) -> LeaveOneOutError:
        """Return the error of the last steps: of all samples, or of some, or by landmarks."""
        n = len(order)
        if n <= self.max_samples or self.n_components is None:
            return part_of(problem, order[: self.max_samples])
        landmarks = np.sort(order[: self.n_components])
        return LeaveOneOutError(problem.kernels, problem.Y, np.arange(n), landmarks)

    def minimise(
        self, objective: LeaveOneOutError, mu: np.ndarray, tol: float, trace: list[float]
    ) -> tuple[LeaveOneOutPoint, bool]:
        """Minimise log E over t and d >= 0, mu = exp(t) d; append the errors to `trace`.

        Return the best point, and whether the steps ended before `max_iter`: they lowered log E by
        at most `tol`, or not at all.
        """
        best: list[LeaveOneOutPoint] = []

        def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
            d, total = x[1:], max(x[1:].sum(), 1e-200)
            scale = min(np.exp(x[0]), SCALES[1] / total)
            point = objective.evaluate(scale * d)
            if point is None or not np.isfinite(point.value):
                return UNUSABLE, np.zeros_like(x)
            if not best or point.value < best[0].value:
                best[:] = [point]
            if not trace:
                trace.append(point.value)
            slope = point.gradient / max(point.value, np.finfo(float).tiny)
            # Relative to the start, because L-BFGS-B compares a decrease with the value.
            log = np.log(np.maximum([point.value, trace[0]], np.finfo(float).tiny))
            along = slope @ d
            if np.exp(x[0]) > scale:  # the sum of the weights is at its bound
                return log[0] - log[1], np.append(0.0, scale * (slope - along / total))
            return log[0] - log[1], np.append(scale * along, scale * slope)

        def after(intermediate_result: OptimizeResult) -> None:
            trace.append(best[0].value)
            report(f"error {best[0].value:.4g}, iteration {len(trace)}")

        total = mu.sum()
        found = minimize(
            evaluate, np.append(np.log(total), mu / total), jac=True, method="L-BFGS-B",
            bounds=[tuple(np.log(SCALES)), *[(0.0, None)] * len(mu)], callback=after,
            options={"ftol": tol, "gtol": 1e-8, "maxiter": self.max_iter},
        )  # fmt: skip
        return best[0], found.status != REACHED_MAX_ITER

    def learned(
        self, search: Search, point: LeaveOneOutPoint, rows: list[Candidate]
    ) -> LearnedWeights:
        """Return weights of sum one, alpha, and the certificate.

        The gap of the certificate is the largest change of a weight, as a part of all weight, by a
        projected gradient step of log E; the point is stationary if it is small.
        """
        total = point.mu.sum()
        d = point.mu / total
        value = max(point.value, np.finfo(float).tiny)
        gap = float(np.abs(np.maximum(d - total * point.gradient / value, 0.0) - d).max())
        status = STATIONARY if gap <= SMALL_STEP else NOT_STATIONARY
        status = status if search.converged else "not converged"
        certificate = Certificate(
            point.value, 0.0, gap, len(search.trace), status, tuple(search.trace),
            criterion="leave-one-out error of ridge", is_local=True,
        )  # fmt: skip
        mu = np.where(d > NONE, point.mu, 0.0)
        if not search.converged:
            warn(
                f"{self.name} did not converge in {count_text(self.max_iter, 'iteration')}: pass "
                f"method=lk.methods.{type(self).__name__}(...) with a larger max_iter or tol.",
                ConvergenceWarning,
            )
        selection = Selection(tuple(rows), "leave-one-out squared error")
        return LearnedWeights(
            mu / mu.sum(), certificate, alpha=float(1 / mu.sum()), selection=selection,
            errors=search.screened.errors,
        )  # fmt: skip


@dataclass(frozen=True)
class Search:
    """A minimisation of the leave-one-out error.

    Attributes
    ----------
    starts : tuple of (str, LeaveOneOutPoint)
        Name and point of each start, on the screened samples.
    screened : LeaveOneOutPoint
        The minimum on the screened samples.
    point : LeaveOneOutPoint
        The minimum on all samples.
    converged : bool
        Whether the last decrease of the error was small enough.
    trace : list of float
        Error of each iteration.
    few, fewer : LeaveOneOutError
        The error of the screened samples, and of those on which the scale of a start is chosen.
    """

    starts: tuple[tuple[str, LeaveOneOutPoint], ...]
    screened: LeaveOneOutPoint
    point: LeaveOneOutPoint
    converged: bool
    trace: list[float]
    few: LeaveOneOutError
    fewer: LeaveOneOutError


def part_of(
    problem: WeightProblem, samples: np.ndarray, whole: LeaveOneOutError | None = None
) -> LeaveOneOutError:
    """Return the leave-one-out error of some of the samples, which may be a part of `whole`."""
    chosen = np.sort(samples)
    if whole is not None and whole.packed is not None:
        packed: PackedGrams | None = whole.packed.take(np.searchsorted(whole.samples, chosen))
    else:
        others = 8.0 * GRAMS * len(chosen) ** 2
        packed = PackedGrams.of(problem.kernels, chosen, problem.max_memory - others)
    return LeaveOneOutError(problem.kernels, problem.Y[chosen], chosen, packed=packed)


def start_weights(
    problem: WeightProblem, few: LeaveOneOutError
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and weights of the starts; given weights replace all but uniform ones."""
    yield "unif", Uniform().learn(problem).weights
    if problem.start is not None and problem.start.any():
        yield "from the choice of kernels", problem.start
        return
    for method in (Align(), AlignF()):
        yield method.name, method.learn(problem).weights
    units = np.eye(problem.kernels.n_kernels)
    errors = [best_alpha(few, unit)[1] for unit in units]
    yield "single", units[int(np.argmin(errors))]


def best_alpha(objective: LeaveOneOutError, mu: np.ndarray) -> tuple[float, float]:
    """Return the alpha of smallest leave-one-out error for fixed weights, and the error."""
    kernels, w = objective.kernels, objective.weights
    K = objective.gram(mu)
    if kernels.center:
        K = recentered(K, w)
    problem = TrainingProblem(GramMatrix(K), objective.Y, w, kernels.center, kernels.backend)
    errors = DenseRidge().leave_one_out(problem, ALPHAS)
    best = int(np.argmin(errors))
    return float(ALPHAS[best]), float(errors[best])

"""`alignment_statistics`: the statistics that two-stage methods read."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import _check_y

from learnkernels import theory
from learnkernels.checks import as_input_error, random_generator, require_positive, require_whole
from learnkernels.errors import InputError
from learnkernels.estimators.base import in_memory
from learnkernels.estimators.fitting import Prepared
from learnkernels.estimators.input.parts import as_parts, counting_rows_of
from learnkernels.estimators.input.samples import Rows
from learnkernels.estimators.transformer import KernelLearner
from learnkernels.execution import Dask, as_backend, require_memory
from learnkernels.execution.dask_clients import connect
from learnkernels.gram import Statistics
from learnkernels.kernels import input_kind, tables
from learnkernels.plurals import count_text

# Samples of subsample="auto": the first, the most, and the precision of the best alignment.
PILOT, MOST, PRECISION = 1000, 50_000, 0.01
# Random halves of the samples, for the standard errors of alignments.
HALVES = 20
# Upper bound on the accepted sample size.
MAX_SAMPLES = 10**15

logger = logging.getLogger("learnkernels")


def alignment_statistics(
    kernels: Any,
    X: Any,
    y: Any,
    normalize: str | None = "trace",
    backend: Any = None,
    task: str = "auto",
    missing: str = "error",
    subsample: int | str | None = None,
    random_state: Any = 0,
    checkpoint: Any = None,
) -> Statistics:
    """Compute centered inner products of base kernels with each other and with the target.

    One symmetric pass over tiles of pairs; memory does not grow with the square of n.

    Parameters
    ----------
    kernels : list, family, kernel, str or None
        The base kernels, as in `KernelClassifier`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples, or a stack of Gram matrices for ``kernels="precomputed"``. With `subsample`,
        a `numpy.memmap`, a table of `open_parquet`, an array of Zarr, HDF5 or Dask and a frame of
        Dask are not read into memory as a whole.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Classes or real targets.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where the pass runs, as in `KernelClassifier`.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes text, booleans, and whole numbers with two different values
        or at most 20 that occur five times on average, as classes.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that are missing in a view, as in `KernelClassifier`.
    subsample : int, "auto" or None, default=None
        Number of random samples to compute from. Sums are scaled to the number of all samples, and
        alignments have standard errors. ``"auto"`` is the number that knows the alignment of the
        best aligned kernel to 0.01 (two standard errors), from 1,000 to 50,000; it is logged.
    random_state : int, RandomState or None, default=0
        Draws the subsample.
    checkpoint : path-like or None, default=None
        A file for the sums of an unfinished pass: the same call continues from there. It is
        removed at the end of the pass; a file of other data is refused.

    Returns
    -------
    Statistics
        ``.a`` of shape (n_kernels,) and ``.M`` of shape (n_kernels, n_kernels), of the centered and
        normalised kernels; ``.traces`` of shape (n_kernels,), of the centered ones before
        normalising. With `subsample`, `SampledStatistics`.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> statistics = lk.alignment_statistics(lk.gaussians([0.1, 1.0]), X, y)
    >>> statistics.M.shape
    (2, 2)
    >>> statistics.alignments().round(2)
    array([0.77, 0.74])
    >>> some = lk.alignment_statistics(lk.gaussians([0.1, 1.0]), X, y, subsample=60)
    >>> bool((abs(some.alignments() - statistics.alignments()) < 3 * some.standard_errors).all())
    True
    """
    learner = KernelLearner(
        kernels, normalize=normalize, backend=backend, missing=missing, task=task,
        checkpoint=checkpoint,
    )  # fmt: skip
    random = random_generator(random_state)
    with workers_of(backend):
        if subsample is None:
            return exact_statistics(learner, X, y)
        y = in_memory(y)
        require_rows("X", X)
        require_rows("y", y)
        n = as_parts(X).n_rows
        if tables.n_rows(y) != n:
            raise InputError(
                f"X has {count_text(n, 'row')} and y has {tables.n_rows(y)}; pass one target for "
                "each row."
            )
        if isinstance(subsample, str):
            subsample = automatic_size(learner, X, y, n, subsample, random)
        require_whole("alignment_statistics", "subsample", subsample, 4)
        if subsample > n:
            raise InputError(
                f"subsample={subsample}, but X has {count_text(n, 'sample')}; pass a smaller "
                "number, or None to use all samples."
            )
        return sampled_statistics(learner, X, y, n, subsample, random)


def require_rows(name: str, data: Any) -> None:
    """Raise unless the data have rows: None and single numbers have none."""
    shape = getattr(data, "shape", None)
    if shape == () or (shape is None and not hasattr(data, "__len__")):
        raise InputError(
            f"{name}={data!r}; expected one row for each sample. Pass an array or a table."
        )


def workers_of(backend: Any) -> AbstractContextManager[Any]:
    """Let the workers of a Dask backend read rows of Dask arrays and frames."""
    found = as_backend(backend)
    return connect(found.client).as_current() if isinstance(found, Dask) else nullcontext()


def exact_statistics(learner: KernelLearner, X: Any, y: Any) -> Statistics:
    """Return the statistics of all samples, which are read into memory."""
    if tables.is_lazy(X):
        parts = as_parts(X)
        n_columns = tables.n_columns(parts.read(slice(0, 1)))
        what = f"X with {count_text(parts.n_rows, 'row')}"
        require_memory(8.0 * parts.n_rows * n_columns, what, 'pass subsample="auto"')
        X = parts.read(slice(0, parts.n_rows))
    X, y = learner._validate(X, y, multi_output=True)
    target, task = learner._target(y)
    n = len(target)
    rows = Rows.as_given(np.ones(n), np.arange(n), n)
    return learner._prepare(X, target, target, rows, task).centered().statistics


def automatic_size(
    learner: KernelLearner, X: Any, y: Any, n: int, given: str, random: np.random.RandomState
) -> int:
    """Return the number of samples of ``subsample="auto"``."""
    if given != "auto":
        raise InputError(f'subsample={given!r}; expected a number of samples, "auto" or None.')
    if n <= PILOT:
        return n
    first = copy(learner)
    first.checkpoint = None  # the file is for the pass over the samples that are chosen
    some = sampled_statistics(first, X, y, n, PILOT, random)
    wanted = some.needed(PRECISION).bootstrap if np.isfinite(some.ratios).all() else PILOT
    found = int(min(max(wanted, PILOT), MOST, n))
    logger.info(
        "the alignment of the best aligned kernel has a standard error of %.3g with %d samples; "
        "%g needs %d, and %d of %d are used.",
        some.standard_errors[int(np.argmax(some.alignments()))], PILOT, PRECISION, wanted, found, n,
    )  # fmt: skip
    return found


def sampled_statistics(
    learner: KernelLearner, X: Any, y: Any, n: int, m: int, random: np.random.RandomState
) -> SampledStatistics:
    """Return the statistics of m random samples of n; of a lazy X only these are read."""
    chosen = np.sort(sample_without_replacement(n, m, random_state=random))
    if tables.is_lazy(X) or isinstance(X, np.memmap):
        with as_input_error():
            every = np.asarray(_check_y(y, multi_output=True))
        target, task = learner._target(every)
        some = as_parts(X).take(chosen)
        some = some[:, chosen] if input_kind(learner.kernels) == "precomputed" else some
        with counting_rows_of(chosen):
            X, _ = learner._validate(some, every[chosen], multi_output=True)
        rows = Rows.as_given(np.ones(m), np.arange(m), m)
    else:
        X, y = learner._validate(X, y, multi_output=True)
        target, task = learner._target(y)
        rows = Rows.as_given(np.ones(m), chosen, n)
    target = target[chosen]
    prepared = learner._prepare(X, target, target, rows, task)
    return sampled(prepared.centered().statistics, prepared, n, random)


class Needed(NamedTuple):
    """Samples needed for a precision of the alignments.

    Attributes
    ----------
    bootstrap : int
        From the standard error over random halves of the samples.
    bound : int
        From the concentration bound (2012, theorem 12), which holds for every distribution.
    """

    bootstrap: int
    bound: int


@dataclass(frozen=True)
class SampledStatistics(Statistics):
    """Statistics of a subsample, scaled to all samples.

    The alignment of m samples includes the diagonal of the Gram matrix, so that it exceeds that of
    many samples by a bias of order 1 / m besides its standard error.

    Attributes
    ----------
    n_samples : int
        Number of all samples.
    subsample : int
        Number of samples that were used.
    standard_errors : ndarray of shape (n_kernels,)
        Of the alignments, from random halves of the subsample.
    ratios : tuple of (float, float)
        R^4 / E[K_c^2] of the best aligned kernel and of the target, which scale the bound.
    """

    n_samples: int
    subsample: int
    standard_errors: np.ndarray
    ratios: tuple[float, float]

    def needed(self, precision: float = 0.01, delta: float = 0.05) -> Needed:
        """Return the samples needed to know the alignment of the best aligned kernel.

        Parameters
        ----------
        precision : float, default=0.01
            Distance from the alignment of infinitely many samples.
        delta : float, default=0.05
            Probability of a larger distance. The first number uses two standard errors.
        """
        require_positive("precision", precision, "needed()")
        if not np.isfinite(self.ratios).all():
            raise InputError(
                "the target or every kernel is constant, so no alignment is defined; pass a target "
                "that varies, and kernels whose parameters fit the scale of X."
            )
        best = self.standard_errors[int(np.argmax(self.alignments()))]
        by_halves = self.subsample * (2 * best / precision) ** 2

        def distance(m: int) -> float:
            squares = 1 / self.ratios[0], 1 / self.ratios[1]
            return theory.alignment_concentration(m, 1.0, 1.0, *squares, delta)

        low, high = 1, 2
        while distance(high) > precision:
            low, high = high, 2 * high
            if high > MAX_SAMPLES:
                raise InputError(
                    f"precision={precision:g} needs more than {MAX_SAMPLES:g} samples; pass "
                    "a larger precision."
                )
        while high - low > max(1, low // 1000):
            middle = (low + high) // 2
            low, high = (middle, high) if distance(middle) > precision else (low, middle)
        return Needed(int(np.ceil(by_halves)), high)


def sampled(
    found: Statistics, prepared: Prepared, n: int, random: np.random.RandomState
) -> SampledStatistics:
    """Return the statistics of a subsample, scaled to all n samples, with standard errors."""
    m = len(prepared.Y)
    times = n / m
    halves = [random.choice(m, m // 2, replace=False) for _ in range(HALVES)]
    # Halves drawn without replacement vary as much as the whole subsample.
    drawn = [prepared.take(np.sort(half)).centered().statistics.alignments() for half in halves]
    best = int(np.argmax(found.alignments()))
    K, Y = prepared.centered().gram_of(best), prepared.sums.Y
    ratios = (
        largest_ratio(np.diag(K), float(np.linalg.norm(K)) / m),
        largest_ratio(np.sum(Y**2, axis=1), float(np.linalg.norm(Y.T @ Y)) / m),
    )
    scaled = replace(
        found,
        a=times**2 * found.a,
        squares=times**2 * found.squares,
        traces=times * found.traces,
        target_norm=times * found.target_norm,
        observed=times * found.observed,
        inner=found.inner.scaled(np.full(len(found.a), times)),
    )
    return SampledStatistics(
        **vars(scaled),
        n_samples=n,
        subsample=m,
        standard_errors=np.std(drawn, axis=0, ddof=1),
        ratios=ratios,
    )


def largest_ratio(diagonal: np.ndarray, size: float) -> float:
    """Return R^4 / E[K_c^2], infinite for a constant kernel."""
    return (float(diagonal.max()) / size) ** 2 if size > 0 else np.inf

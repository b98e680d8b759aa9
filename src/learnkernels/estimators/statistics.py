"""`alignment_statistics`: the statistics that two-stage methods read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from learnkernels import theory
from learnkernels.checks import random_generator, require_positive, require_whole
from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Prepared
from learnkernels.estimators.input.rows import Rows
from learnkernels.estimators.transformer import KernelLearner
from learnkernels.gram import Statistics
from learnkernels.plurals import count_text

# Random halves of the samples, for the standard errors of alignments.
HALVES = 20
# Upper bound on the accepted sample size.
MAX_SAMPLES = 10**15


def alignment_statistics(
    kernels: Any,
    X: Any,
    y: Any,
    normalize: str | None = "trace",
    backend: Any = None,
    task: str = "auto",
    missing: str = "error",
    subsample: int | None = None,
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
        The samples, or a stack of Gram matrices for ``kernels="precomputed"``.
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
    subsample : int or None, default=None
        Number of random samples to compute from. Sums are scaled to the number of all samples, and
        alignments have standard errors.
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
    X, y = learner._validate(X, y, multi_output=True)
    target, task = learner._target(y)
    n, samples = len(target), np.arange(len(target))
    random = random_generator(random_state)
    if subsample is not None:
        require_whole("alignment_statistics", "subsample", subsample, 4)
        if subsample > n:
            raise InputError(
                f"subsample={subsample}, but X has {count_text(n, 'sample')}; pass a smaller "
                "number, or None to use all samples."
            )
        samples = np.sort(random.choice(n, subsample, replace=False))
        target = target[samples]
    prepared = learner._prepare(
        X, target, target, Rows.as_given(np.ones(len(target)), samples, n), task
    )
    found = prepared.centered().statistics
    return found if subsample is None else sampled(found, prepared, n, random)


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

    The alignment of m samples includes the diagonal of the Gram, so that it exceeds that of many
    samples by a bias of order 1 / m besides its standard error.

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

"""`alignment_statistics`: the numbers behind the two-stage methods, for those who want them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from learnkernels import theory
from learnkernels.checks import random_generator, require_positive, require_whole
from learnkernels.errors import InputError
from learnkernels.estimators.learner import KernelLearner
from learnkernels.estimators.learning import Stage
from learnkernels.gram import Statistics

__all__ = ["Needed", "SampledStatistics", "alignment_statistics"]

# Random halves of the samples that tell how alignments vary.
HALVES = 20
# No more are asked for.
MOST_SAMPLES = 10**15


def alignment_statistics(
    kernels,
    X,
    y,
    normalize="trace",
    backend=None,
    task="auto",
    missing="error",
    subsample=None,
    random_state=0,
    checkpoint=None,
) -> Statistics:
    """Centered inner products of base kernels with each other and with the target.

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
        Where the pass runs: all cores of this process (None), a Dask cluster
        (``"dask"``, the address of a scheduler, a client), or `Threads` or `Dask`.
    task : {"auto", "classification", "regression"}, default="auto"
        How y is read. ``"auto"`` takes text, booleans and at most 20 different whole numbers as
        classes.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that a view has not seen, as in `KernelClassifier`.
    subsample : int or None, default=None
        Compute from so many samples, drawn at random, what stands for all: sums are scaled to the
        number of all samples, and come with standard errors.
    random_state : int, RandomState or None, default=0
        Draws the subsample.
    checkpoint : path-like or None, default=None
        A file for the sums of an unfinished pass: the same call goes on from there. It is removed
        at the end of the pass; a file of other data is refused.

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
    X, y = learner._validated(X, y, multi_output=True)
    target = learner._targets(y)
    n, samples = len(target), None
    random = random_generator(random_state)
    if subsample is not None:
        require_whole("alignment_statistics", "subsample", subsample, 4)
        if subsample > n:
            raise InputError(f"subsample={subsample}, but there are only {n} samples.")
        samples = np.sort(random.choice(n, subsample, replace=False))
        target = target[samples]
    stage = learner._stage(X, target, target, np.ones(len(target)), "regression", samples)
    found = stage.sums.statistics().normalized(normalize)
    return found if samples is None else sampled(found, stage, n, random)


class Needed(NamedTuple):
    """How many samples a precision of the alignments takes.

    Attributes
    ----------
    bootstrap : int
        By how alignments vary over random halves of the samples.
    bound : int
        By the concentration bound (2012, theorem 12), which holds for every distribution.
    """

    bootstrap: int
    bound: int


@dataclass(frozen=True)
class SampledStatistics(Statistics):
    """Statistics of some samples that stand for all.

    An alignment of m samples counts each sample's likeness to itself, so that it exceeds that of
    many by a bias of order 1 / m beside its standard error.

    Attributes
    ----------
    n_samples : int
        All samples.
    subsample : int
        Those that were looked at.
    standard_errors : ndarray of shape (n_kernels,)
        Of the alignments, from random halves of the subsample.
    size : float
        R^2 R'^2 / sqrt(E[K_c^2] E[K'_c^2]) of the best aligned kernel, what its bound grows with.
    """

    n_samples: int
    subsample: int
    standard_errors: np.ndarray
    size: float

    def needed(self, precision: float = 0.01, delta: float = 0.05) -> Needed:
        """Samples for which the best aligned kernel's alignment is known to a precision.

        Parameters
        ----------
        precision : float, default=0.01
            The distance from the alignment of infinitely many samples.
        delta : float, default=0.05
            How often it may be larger. Standard errors are taken twice.
        """
        require_positive("precision", precision, "needed()")
        if not np.isfinite(self.size):
            raise InputError("the target or every kernel is constant, so no alignment is defined.")
        best = self.standard_errors[int(np.argmax(self.alignments()))]
        by_halves = self.subsample * (2 * best / precision) ** 2

        def distance(m: int) -> float:
            return theory.alignment_concentration(m, self.size, 1.0, 1.0, 1.0, delta)

        low, high = 1, 2
        while distance(high) > precision:
            low, high = high, 2 * high
            if high > MOST_SAMPLES:
                raise InputError(
                    f"precision={precision:g} would take more than {MOST_SAMPLES:g} samples; give "
                    "a larger one."
                )
        while high - low > max(1, low // 1000):
            middle = (low + high) // 2
            low, high = (middle, high) if distance(middle) > precision else (low, middle)
        return Needed(int(np.ceil(by_halves)), high)


def sampled(found: Statistics, stage: Stage, n: int, random) -> SampledStatistics:
    """The statistics of a subsample, scaled to all n samples, with standard errors."""
    m = len(stage.Y)
    times = n / m
    halves = [random.choice(m, m // 2, replace=False) for _ in range(HALVES)]
    # The spread of a half, drawn without replacement, is that of the whole subsample.
    drawn = [stage.take(np.sort(half)).sums.statistics().alignments() for half in halves]
    best = int(np.argmax(found.alignments()))
    K, Y = stage.oracle().gram_of(best), stage.sums.Y
    square = float(np.linalg.norm(K) / m) * float(np.linalg.norm(Y.T @ Y) / m)
    bound = float(np.diag(K).max()) * float(np.sum(Y**2, axis=1).max())
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
        size=bound / square if square > 0 else np.inf,
    )

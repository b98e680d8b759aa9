"""Prediction of samples that lack views: the machine is trained on the views that they have.

Let O be the base kernels of the views that a sample has. The weights of all others are shared by
the kernels in O in proportion to their alignments a with the target:

    mu'_k = mu_k + (sum_{l not in O} |mu_l|) a_k / sum_{l in O} a_l,   k in O

The machine is trained with the kernel sum_k mu'_k K_k, on all training samples, when a sample with
this pattern of missing views is predicted for the first time. The alpha of ridge has the smallest
leave-one-out error among values around that of the model and around the mean diagonal of the
kernel; C of a support vector machine stays. Training samples that lack all of O have the same
features and different targets, so alpha is often much larger than that of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Learned, Predictor, Prepared, regularization
from learnkernels.execution import Backend, as_backend
from learnkernels.gram import LearnedKernel
from learnkernels.gram.factors.combination import CombinedFactors
from learnkernels.gram.learned import Function
from learnkernels.gram.tiles.combination import CombinedTiles, TileFunction
from learnkernels.kernels import Source, input_kind
from learnkernels.kernels.tables import n_rows, rows
from learnkernels.machines import (
    DenseRidge,
    Machine,
    Ridge,
    Trained,
    TrainingProblem,
    dense_subproblem,
)
from learnkernels.methods import as_method

# Multiples of alpha and of the mean diagonal that are compared, on at most SAMPLES samples.
AROUND, SCALES, SAMPLES = 10.0 ** np.arange(-2, 3.1, 0.5), 10.0 ** np.arange(-3, 2.1, 0.5), 600
# Patterns whose predictors are kept at once.
KEPT = 256
# Names in a message.
LISTED = 10


@dataclass(frozen=True, eq=False)
class TrainingViews:
    """The training samples in all views, to train the machine on some of the views.

    Attributes
    ----------
    kernel : LearnedKernel
        All base kernels that are not constant, each with weight one, on the training samples.
    targets : ndarray of shape (n_samples, n_outputs)
        Of the machine: labels -1 and 1, or real targets.
    values : ndarray of shape (n_values,)
        Values of alpha around that of the model, one if the user gave it; or C of the machine.
    """

    kernel: LearnedKernel
    targets: np.ndarray
    values: np.ndarray

    @classmethod
    def of(
        cls, prepared: Prepared, learned: Learned, machine: Machine, value: float, searched: bool
    ) -> TrainingViews:
        """Return the training samples of a learned kernel.

        Parameters
        ----------
        prepared : Prepared
        learned : Learned
        machine : Machine
        value : float
            The regularisation, as the user gives it.
        searched : bool
            Whether `fit` chose it.
        """
        kernels = learned.kernels
        units = kernels.kernel(np.ones(len(kernels.factors)))
        around = AROUND if searched and isinstance(machine, Ridge) else np.ones(1)
        values = regularization(machine, value, prepared.task) * around
        return cls(units.as_columns(np.arange(len(prepared.Y))), prepared.Y, values)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the predictors, which are trained again."""
        return {name: value for name, value in vars(self).items() if name != "_predictors"}

    def sources(self) -> Iterator[tuple[Source, np.ndarray]]:
        """Yield each source that selects columns, and the positions of its kernels."""
        for part in self.kernel.parts:
            for source, kernels in kernels_of_sources(part):
                if source is not None and source.columns is not None:
                    yield source, kernels

    def observed(self, X: Any, n_kernels: int) -> np.ndarray:
        """Return which samples have values in the view of each kernel, (n_kernels, n_samples)."""
        found = np.ones((n_kernels, n_rows(X)), dtype=bool)
        known: dict[int, np.ndarray | None] = {}
        for source, kernels in self.sources():
            if id(source) not in known:
                known[id(source)] = source.read_columns(X, "neutral")[1]
            has_values = known[id(source)]
            if has_values is not None:
                found[kernels] = has_values
        return found

    def trained(
        self, mu: np.ndarray, machine: Machine, backend: Backend, **settings: Any
    ) -> tuple[LearnedKernel, Trained, float]:
        """Return the kernel with weights mu, the machine with it, and its alpha or C.

        Parameters
        ----------
        mu : ndarray of shape (n_kernels,)
        machine : Machine
        backend : Backend
        **settings
            Further fields of `TrainingProblem`.
        """
        kernel = self.kernel.reweighted(mu, backend)
        problem = TrainingProblem(
            kernel, self.targets, kernel.weights, kernel.center, backend,
            bool((mu < 0).any()), **settings,
        )  # fmt: skip
        value = best_alpha(problem, self.values) if len(self.values) > 1 else float(self.values[0])
        (trained,) = machine.strategy(problem).train(problem, [value])
        return kernel, trained, value


def kernels_of_sources(part: Any) -> Iterator[tuple[Source | None, np.ndarray]]:
    """Yield the source of each group of a combination, and the positions of its kernels."""
    if isinstance(part, CombinedFactors):
        yield from ((group.source, part.index[group.owner]) for group in part.groups)
        return
    start = 0
    for group, source in zip(part.kernels.groups, part.kernels.sources, strict=True):
        stop = start + len(group.kernels)
        yield source, part.kernels.index[start:stop]
        start = stop


class MissingViews:
    """Mixin: predictors for samples that lack views."""

    weights_: np.ndarray
    view_weights_: dict[str, float]
    kernel_views_: np.ndarray
    kernel_alignments_: np.ndarray

    def _store_training_views(
        self, prepared: Prepared, predictor: Predictor, machine: Machine, value: float,
        searched: bool,
    ) -> None:  # fmt: skip
        """Keep what samples that lack views are predicted with; see `TrainingViews`."""
        if keeps_views(self, predictor):
            self._training_views = TrainingViews.of(
                prepared, predictor.learned, machine, value, searched
            )

    def weights_without(self, views: Any) -> np.ndarray:
        """Return the weights with which samples that lack some views are predicted.

        With ``missing="neutral"``, the kernels of the other views keep their weights and share
        those of the missing views in proportion to their alignments with the target. The machine
        is trained with these weights when such a sample is predicted for the first time.
        ``certificate_`` is about ``weights_`` and not about these.

        Parameters
        ----------
        views : str or list of str
            Names of the missing views, as in ``view_weights_``.

        Returns
        -------
        ndarray of shape (n_kernels,)
            The weights; zero for kernels of the missing views.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> views = [lk.on([0, 1], name="age, sex"), lk.on(slice(2, 10), name="blood")]
        >>> model = lk.KernelRegressor(views, missing="neutral").fit(X[:200], y[:200])
        >>> weights = model.weights_without("blood")
        >>> bool(abs(weights.sum() - model.weights_.sum()) < 1e-9)
        True
        """
        check_is_fitted(self)
        missing = [views] if isinstance(views, str) else list(views)
        unknown = [view for view in missing if view not in self.view_weights_]
        if unknown:
            raise InputError(
                f"the model has no view {unknown[0]!r}; pass names among "
                f"{list(self.view_weights_)[:LISTED]}."
            )
        if not hasattr(self, "_training_views"):
            raise InputError(
                "the model has no weights for samples that lack views; fit it with "
                'missing="neutral", kernels of several views that are not precomputed, and one '
                "machine."
            )
        observed = ~np.isin(self.kernel_views_, missing)
        return weights_of_observed(self.weights_, self.kernel_alignments_, observed)


def best_alpha(problem: TrainingProblem, alphas: np.ndarray) -> float:
    """Return the value of smallest leave-one-out error on some samples.

    Parameters
    ----------
    problem : TrainingProblem
    alphas : ndarray of shape (n_values,)
        Values around that of the model; those around the mean diagonal of the kernel are added.
    """
    few = dense_subproblem(problem, SAMPLES)
    diagonal = np.abs(np.diag(few.kernel.gram(few.backend)))  # weights may be negative
    alphas = np.unique(np.append(alphas, diagonal.mean() * SCALES))
    return float(alphas[int(np.argmin(DenseRidge().leave_one_out(few, alphas.tolist())))])


def keeps_views(model: Any, predictor: Predictor) -> bool:
    """Return whether a fitted model trains predictors for samples that lack views.

    Not for Gram matrices, whose training samples are not kept, and for several machines (ensembles,
    weights of each target).
    """
    several = len(model.view_weights_) > 1
    return (
        several
        and predictor.learned.result.offset is None
        and input_kind(model.kernels) != "precomputed"
    )


def weights_of_observed(mu: np.ndarray, alignments: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return the weights for samples that lack views, shape (n_kernels,).

    Parameters
    ----------
    mu : ndarray of shape (n_kernels,)
        Weights for complete samples.
    alignments : ndarray of shape (n_kernels,)
        NaN for constant kernels.
    observed : ndarray of bool of shape (n_kernels,)
        The kernels of the views that the samples have.
    """
    constant = np.isnan(alignments)
    a = np.where(observed & ~constant, np.maximum(np.nan_to_num(alignments), 0.0), 0.0)
    if not a.any():
        a = (observed & ~constant).astype(float)
    lost = np.abs(mu[~observed]).sum()
    return np.where(observed, mu, 0.0) + lost * a / max(a.sum(), np.finfo(float).tiny)


def by_views(model: Any, X: Any, compute: Callable[[Any, Any], np.ndarray]) -> np.ndarray:
    """Return ``compute(model, X)``, by another model for samples that lack views.

    Parameters
    ----------
    model : fitted estimator
        It has `TrainingViews`.
    X
        Validated samples.
    compute : callable
        Called with a model and the samples that it predicts; returns one row for each.
    """
    stored = model._training_views
    if n_rows(X) == 0:
        return compute(model, X)
    observed = stored.observed(X, len(model.kernel_names_))
    if observed.all():
        return compute(model, X)
    patterns, which = np.unique(observed, axis=1, return_inverse=True)
    members = [np.flatnonzero(which.ravel() == at) for at in range(patterns.shape[1])]
    parts = [
        compute(without_views(model, pattern), rows(X, own))
        for pattern, own in zip(patterns.T, members, strict=True)
    ]
    joined = np.concatenate(parts)
    found = np.empty_like(joined)
    found[np.concatenate(members)] = joined
    return found


def model_of(model: Any, X: Any) -> Any:
    """Return the model that predicts all samples of X: another one if all lack the same views.

    If samples lack different views, it is the model of complete samples.

    Parameters
    ----------
    model : fitted estimator
    X
        Validated samples.
    """
    stored = getattr(model, "_training_views", None)
    if stored is None or n_rows(X) == 0:
        return model
    observed = stored.observed(X, len(model.kernel_names_))
    same = (observed == observed[:, :1]).all()
    return without_views(model, observed[:, 0]) if same else model


def without_views(model: Any, observed: np.ndarray) -> Any:
    """Return the model for samples with a pattern of missing views.

    Parameters
    ----------
    model : fitted estimator
    observed : ndarray of bool of shape (n_kernels,)
        The kernels of the views that the samples have.
    """
    if observed.all():
        return model
    known = model._training_views.__dict__.setdefault("_predictors", {})
    key = observed.tobytes()
    found = known.get(key)
    if found is None:  # two threads at once may both train it
        found = retrained(model, observed)
        if len(known) >= KEPT:
            known.clear()
        known[key] = found
    return found


def retrained(model: Any, observed: np.ndarray) -> Any:
    """Return a copy of a model that is trained on some of its views."""
    stored, found = model._training_views, copy(model)
    del found._training_views
    found.weights_ = weights_of_observed(model.weights_, model.kernel_alignments_, observed)
    if not found.weights_.any():  # no view is left
        w = stored.kernel.weights
        found._functions, found._intercept = (), w @ stored.targets / w.sum()
        return found
    backend = as_backend(model.backend, model.n_jobs)
    settings = model._memory() | {model.WANTED: True}
    machine = model._machine(as_method(model.method, model.TASK), len(stored.targets))
    kernel, trained, value = stored.trained(found.weights_, machine, backend, **settings)
    found._functions = functions_of(kernel, trained)
    found._intercept = trained.intercept
    found._describe_retrained(kernel, trained, value, stored.targets)
    return found


def functions_of(kernel: LearnedKernel, trained: Trained) -> tuple[Function, ...]:
    """Return functions whose sum is the trained one; they share the stored samples if possible."""
    every = bool((trained.coef != 0).any(axis=1).all())
    return tuple(
        TileFunction(part, trained.coef)
        if every and isinstance(part, CombinedTiles)
        else part.function(trained.coef, trained.primal)
        for part in kernel.parts
    )

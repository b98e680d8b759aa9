"""Base class of the estimators: validation of the data, and the fitted attributes."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight

from learnkernels.checks import (
    as_input_error,
    is_number,
    require_truth,
    require_whole,
)
from learnkernels.errors import InputError
from learnkernels.estimators.families import FamilyChoice, choose_family
from learnkernels.estimators.fitting import Learned, Prepared, prepare, resolve_on
from learnkernels.estimators.guarantees import Guarantees, guarantees_of
from learnkernels.estimators.input.arrays import require_single_targets, validated_numbers
from learnkernels.estimators.input.parts import require_one_table
from learnkernels.estimators.input.samples import Rows
from learnkernels.estimators.input.tables import (
    is_mixed,
    validated_table,
    warn_about_columns,
)
from learnkernels.estimators.outputs.html import LearnedKernelHTML
from learnkernels.execution import Backend, as_backend, parse_bytes
from learnkernels.kernels import input_kind, tables
from learnkernels.machines import MAX_MEMORY
from learnkernels.methods import Candidate, as_method
from learnkernels.plurals import count_text
from learnkernels.progress import showing

# Range of sample weights whose products with each other, and with C, do not overflow.
WEIGHT_RANGE = 1e-50, 1e50


class BaseKernelEstimator(LearnedKernelHTML, BaseEstimator):
    """Validation of X, and the attributes that every fitted estimator has."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kind = input_kind(self.kernels)
        tags.input_tags.pairwise = kind == "precomputed"
        tags.input_tags.three_d_array = kind == "precomputed"
        tags.input_tags.sparse = kind != "precomputed"
        tags.input_tags.string = kind in ("table", "encoded")
        tags.input_tags.categorical = kind == "encoded"
        neutral = kind in ("precomputed", "table") and self.missing == "neutral"
        tags.input_tags.allow_nan = kind == "encoded" or neutral
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether `fit` has ended: one that raised may have set other attributes."""
        return hasattr(self, "weights_")

    def _progress(self) -> AbstractContextManager[None]:
        """Show progress if the user asks for it."""
        require_truth("verbose", self.verbose)
        return showing(True) if self.verbose else nullcontext()

    def _validate(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Return X (and y in `fit`) as arrays, or raise an error that says how to fix them."""
        fitting, kind = options.get("reset", True), input_kind(self.kernels)
        require_one_table(X)
        X, y = in_memory(X), in_memory(y)
        if fitting:
            require_single_targets(y)
            self._reads_tables = kind == "table" or (kind == "encoded" and is_mixed(X))
        read = validated_table if self._reads_tables else validated_numbers
        found = read(self, X, y, **options)
        if fitting and tables.is_frame(X):
            warn_about_columns(X, found[1], kind == "encoded")
        return found

    def _sample_weights(self, sample_weight: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the positive sample weights, and the samples that have them."""
        with as_input_error():
            w = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self._weighted = bool((w != 1).any())
        kept = np.flatnonzero(w)
        self._check_weights(len(kept), w[kept].min(initial=np.inf), w[kept].max(initial=0.0))
        return w[kept], kept

    def _check_weights(self, n_kept: int, low: float, high: float) -> None:
        """Raise unless enough weights are positive, and these are in a range that can be used."""
        if n_kept < 2:
            raise InputError(
                f"sample_weight is positive for {count_text(n_kept, 'sample')}; at least 2 are "
                "needed. Give more samples a positive weight."
            )
        if low < WEIGHT_RANGE[0] or high > WEIGHT_RANGE[1]:
            raise InputError(
                f"sample_weight goes from {low:.3g} to {high:.3g}; weights must be zero, or from "
                f"{WEIGHT_RANGE[0]:g} to {WEIGHT_RANGE[1]:g}: divide them by their mean."
            )

    def _memory(self) -> dict[str, Any]:
        """Return the parameters that bound training, checked."""
        given = MAX_MEMORY if self.max_memory is None else self.max_memory
        max_memory = parse_bytes(given) if isinstance(given, str) else given
        if not (is_number(max_memory) and max_memory > 0):
            raise InputError(
                f"max_memory={given!r}; expected a positive number of bytes: pass a number, a "
                'size such as "2GB" or "2GiB", or None for 8 GB.'
            )
        if self.n_components is not None:
            require_whole(type(self).__name__, "n_components", self.n_components, 1)
        return {
            "max_memory": float(max_memory),
            "n_components": self.n_components,
            "random_state": self.random_state,
        }

    def _prepare(
        self, X: Any, target: np.ndarray, Y: np.ndarray, rows: Rows, task: str,
        **settings: Any,
    ) -> Prepared:  # fmt: skip
        """Resolve the kernels and run the pass over pairs of the trained samples.

        Parameters
        ----------
        X, target, Y, task
            As in `prepare`.
        rows : Rows
        **settings
            Further arguments of `prepare`.
        """
        backend = self._pass_backend(X, target, rows.weights, rows.samples)
        return prepare(
            self.__dict__.get("_family", self.kernels), X, target, Y, task=task,
            normalize=self.normalize, center=self.center, sample_weight=rows.weights,
            backend=backend, samples=rows.samples, rank=rows.rank,
            names=getattr(self, "feature_names_in_", None), missing=self.missing, **settings,
        )  # fmt: skip

    def _pass_backend(self, *data: Any) -> Backend:
        """Return the backend of the pass over pairs of these data."""
        return as_backend(self.backend, self.n_jobs)

    def _prepare_again(
        self, X: Any, target: np.ndarray, Y: np.ndarray, w: np.ndarray, task: str, **settings: Any
    ) -> Prepared:
        """Run the pass over all samples in the user's order, with the kernels of `fit`."""
        every, method = np.arange(len(Y)), as_method(self.method)
        rows = self._rows(X, Y, w, every, method)
        kernels = resolve_on(
            self.__dict__.get("_family", self.kernels), X, Y[rows.samples], rows.weights,
            rows.samples, task, as_backend(self.backend, self.n_jobs),
            getattr(self, "feature_names_in_", None), self.missing,
        )  # fmt: skip
        again = copy(self)
        again._family = kernels
        given = Rows.as_given(w, every, len(Y))
        few_pairs = rows.samples if method.learns_alpha else None
        return again._prepare(X, target, Y, given, task, few_pairs=few_pairs, **settings)

    def _choose_family(
        self, X: Any, Y: np.ndarray, rows: Rows, task: str, automatic: bool
    ) -> FamilyChoice:
        """Choose the kernels if the user gives none, and leaves the choice to the method."""
        if self.kernels is not None or not automatic:
            return FamilyChoice(self.kernels)
        backend = as_backend(self.backend, self.n_jobs)
        choice = choose_family(tables.rows(X, rows.samples), Y, rows.weights, task, backend)
        self._family = choice.kernels
        return choice

    def _store(
        self, prepared: Prepared, learned: Learned, candidates: tuple[Candidate, ...] = ()
    ) -> None:
        """Set the attributes of the learned kernel; `candidates` are those of other choices."""
        names = prepared.sums.kernels
        self.weights_ = learned.result.weights
        self.kernel_names_ = np.array(names.names, dtype=object)
        self.kernel_views_ = np.array(names.views, dtype=object)
        self.view_weights_ = dict.fromkeys(names.views, 0.0)
        for view, weight in zip(names.views, self.weights_, strict=True):
            self.view_weights_[view] += float(weight)
        self.alignment_ = learned.alignment
        self.kernel_alignments_ = learned.alignments
        self.certificate_ = learned.result.certificate
        for name in ("tail_sums", "selection"):
            self.__dict__.pop(f"{name}_", None)
            if getattr(learned.result, name) is not None:
                setattr(self, f"{name}_", getattr(learned.result, name))
        if candidates and learned.result.selection is not None:
            candidates = (*candidates, *learned.result.selection.candidates)
            self.selection_ = replace(learned.result.selection, candidates=candidates)

    def guarantees(self, X: Any, y: Any, delta: float = 0.05, random_state: Any = 0) -> Guarantees:
        """Return bounds of the papers for the fitted model, and how to read them.

        Alignment with its concentration bound and a bootstrap interval, the training error of the
        alignment predictor with this kernel, the excess risk of least squares over all combinations
        of the base kernels, and for ridge how far a prediction can move if one sample is replaced.
        Bounds that hold for every distribution are loose; one that is not better than the trivial
        bound is marked vacuous, and one that does not apply is listed with the reason. Bounds over
        all possible samples (distances in feature space, the range of y) use the training samples,
        2,000 of them if there are more.

        Parameters
        ----------
        X, y
            The training data, which a model does not keep.
        delta : float, default=0.05
            Probability with which a bound may fail.
        random_state : int, RandomState or None, default=0
            Of the bootstrap.

        Returns
        -------
        Guarantees
            Prints as a table; ``to_dict()`` gives plain values.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = lk.KernelRegressor(lk.gaussians(), "unif", alpha=1000.0).fit(X, y)
        >>> found = model.guarantees(X, y)
        >>> [entry.name for entry in found.entries if not entry.vacuous]
        ['alignment', 'alignment, lowest', 'alignment, highest', 'change of a prediction']
        """
        return guarantees_of(self, X, y, delta, random_state)


def in_memory(data: Any) -> Any:
    """Return all rows of Dask data, or of a table that is read by slices; other data as it is."""
    if hasattr(data, "__dask_graph__"):
        return data.compute()
    only_slices = tables.is_lazy(data) and not hasattr(data, "__array__")
    return data[0 : data.shape[0]] if only_slices else data

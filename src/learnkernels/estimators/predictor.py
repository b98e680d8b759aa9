"""The fit of `KernelClassifier` and `KernelRegressor`: read, choose, learn, train.

    read      validated samples in an order of their own             X, y -> samples, targets
    choose    kernels, method and regularisation by held-out error
    learn     weights and their certificate                          statistics -> weights
    train     the machine with the learned kernel                    weights -> predictor

The two estimators differ in how they read targets, in the loss that is held out, and in what they
derive from a trained machine: probabilities, or standard deviations.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import is_whole
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.fitting import Learned, Predictor, Prepared, learn, train
from learnkernels.estimators.input.parts import by_parts
from learnkernels.estimators.input.samples import Rows, Targets
from learnkernels.estimators.large.streaming import fit_subsample, require_memory_for
from learnkernels.estimators.outputs.attributes import MachineAttributes
from learnkernels.estimators.outputs.held_out import Loss
from learnkernels.estimators.outputs.missing_views import MissingViews, by_views
from learnkernels.estimators.search import (
    Search,
    contiguous_folds,
    is_searched,
    regularization_name,
)
from learnkernels.estimators.selection import Chosen, choose
from learnkernels.execution import as_backend
from learnkernels.folds import require_folds
from learnkernels.gram.learned import Function
from learnkernels.kernels import input_kind
from learnkernels.kernels.tables import is_lazy
from learnkernels.machines import Machine
from learnkernels.methods import Auto, WeightMethod, as_method

logger = logging.getLogger(__name__)

# Attributes that a fit does not always set.
OPTIONAL = (
    "C_", "C_errors_", "C_scores_", "alpha_", "alpha_errors_", "alpha_scores_", "temperature_",
    "subsample_", "_family", "_posterior", "_training_views",
)  # fmt: skip


@dataclass(frozen=True)
class Fitted:
    """Result of a fit in memory.

    Attributes
    ----------
    prepared : Prepared
    learned : Learned
    machine : Machine
    rows : Rows
    value : float
        The regularisation parameter `C` or `alpha` of the estimator.
    """

    prepared: Prepared
    learned: Learned
    machine: Machine
    rows: Rows
    value: float


class KernelPredictor(MachineAttributes, MissingViews, BaseKernelEstimator):
    """Base class of the estimators that train a machine with the learned kernel.

    Attributes
    ----------
    TASK : {"classification", "regression"}
    LOSS : str
        Name of the loss that chooses the regularisation.
    WANTED : {"left_out", "posterior"}
        What is derived from the trained machine; see `TrainingProblem`.
    TARGET_OPTIONS : dict
        Of scikit-learn's validation of y.
    """

    TASK: ClassVar[str]
    LOSS: ClassVar[str]
    WANTED: ClassVar[str]
    TARGET_OPTIONS: ClassVar[dict[str, Any]] = {}

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise if a parameter of the estimator itself is invalid."""

    @abstractmethod
    def _targets(self, y: np.ndarray) -> Targets:
        """Return the targets of some samples, and keep what later ones must agree with."""

    @abstractmethod
    def _known_targets(self, y: np.ndarray) -> Targets:
        """Return the targets of samples for a fitted model."""

    @abstractmethod
    def _class_weights(self, y: np.ndarray) -> Any:
        """Return the factor of each sample's weight."""

    @abstractmethod
    def _machine(self, method: WeightMethod, n: int) -> Machine:
        """Return the machine that ``machine=`` names, for n samples."""

    @abstractmethod
    def _loss(self, targets: Targets) -> Loss:
        """Return the held-out loss by which the regularisation is chosen."""

    @abstractmethod
    def _scores(self, prepared: Prepared, targets: Targets, outputs: np.ndarray) -> np.ndarray:
        """Return the user's score of held-out outputs of each value, shape (n_values,)."""

    @abstractmethod
    def _store_comparison(self, chosen: Chosen) -> None:
        """Set the errors or scores of the values that were compared."""

    @abstractmethod
    def _learned_value(self, learned: Learned, machine: Machine) -> float:
        """Return the regularisation if the method learns it."""

    @abstractmethod
    def _store_trained(
        self, prepared: Prepared, predictor: Predictor, machine: Machine, value: float, rows: Rows,
        held_out: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Store the predictor, the regularisation, and what is derived from them.

        Parameters
        ----------
        prepared, predictor, machine
        value : float
            C or alpha.
        rows : Rows
            The samples of `prepared` among those that the user gave.
        held_out : ndarray of shape (n_samples, n_outputs) or None
            Outputs for held-out samples, if folds were compared.
        """

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit to samples in memory, or to more of them with the kernel from a subsample."""
        self._check_parameters()
        if self.cv is not None:
            require_folds(self.cv)
        if self.subsample is not None:
            fit_subsample(self, X, y, sample_weight)
            return
        if self.checkpoint is not None:
            raise InputError(
                f"checkpoint={self.checkpoint!r} is for a fit with a subsample, and none is given; "
                'pass subsample="auto", or leave checkpoint out.'
            )
        if is_lazy(X) or isinstance(X, np.memmap):
            require_memory_for(self, X)
        self._fit_in_memory(X, y, sample_weight)

    def _fit_in_memory(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        """Learn the weights and train the machine on samples that are in memory."""
        method = as_method(self.method, self.TASK)
        X, targets, rows = self._read(X, y, sample_weight, method)
        memory, n = self._memory(), len(rows.samples)
        machine = self._machine(method, n)
        with rows.explaining_count():
            machine.check(n, memory["max_memory"], self.n_components)
        if self.n_components is not None and self.n_components >= n:
            logger.info("%d landmarks for %d samples: all samples are used.", self.n_components, n)
        search = Search.of(self, method, machine, n, targets.codes, memory["max_memory"])
        settings: dict[str, Any] = {"few_pairs": np.arange(n) if method.learns_alpha else None}
        if search.by_folds:
            order, settings = contiguous_folds(rows, targets.codes, self.cv, self.random_state, X)
            rows, targets = rows.take(order), targets.take(order)
        self._forget()
        with self._progress():
            automatic = isinstance(method, Auto) and not search.methods
            family = self._choose_family(X, targets.machine, rows, self.TASK, automatic)
            prepared = self._prepare(
                X, targets.alignment, targets.machine, rows, self.TASK, **settings, **memory
            )
            score = None if self.scoring is None else partial(self._scores, prepared, targets)
            chosen = choose(prepared, search, self._loss(targets), self.LOSS, score, family.start)
            self._store_comparison(chosen)
            learned = chosen.learned or learn(
                prepared, chosen.method, machine, chosen.value or 1.0, start=family.start,
                selection=chosen.selection,
            )  # fmt: skip
            value = chosen.value or self._learned_value(learned, machine)
            wanted = {self.WANTED: chosen.outputs is None or self.WANTED == "posterior"}
            (predictor,) = train(learned, machine, [value], **wanted)
            self._store(prepared, learned, family.candidates)
            self._store_trained(prepared, predictor, machine, value, rows, chosen.outputs)
        if self.missing == "neutral":
            searched = is_searched(getattr(self, regularization_name(self)))
            self._store_training_views(prepared, predictor, machine, value, searched)
        return Fitted(prepared, learned, machine, rows, value)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, method: WeightMethod
    ) -> tuple[Any, Targets, Rows]:
        """Return validated samples, and the targets of those to train on, in their order."""
        X, y = self._validate(X, y, **self.TARGET_OPTIONS)
        w, kept = self._sample_weights(sample_weight, X)
        targets = self._targets(y[kept])
        w = w * self._class_weights(y[kept])
        rows = self._rows(X, targets.machine, w, kept, method)
        return X, targets.take(np.searchsorted(kept, rows.samples)), rows

    def _rows(
        self, X: Any, Y: np.ndarray, w: np.ndarray, kept: np.ndarray, method: WeightMethod
    ) -> Rows:
        """Return the samples to train on, in an order that does not depend on that of X.

        Stacks of Gram matrices, and rows that the user assigns to folds, stay in the user's order.
        """
        given = getattr(self, regularization_name(self))
        searched = is_searched(given) or method.learns_alpha
        by_folds = searched and (isinstance(method, Auto) or not method.learns_alpha)
        own_folds = (by_folds and not is_whole(self.cv)) or (
            method.holds_out and not is_whole(getattr(method, "cv", 0))
        )
        if input_kind(self.kernels) == "precomputed" or own_folds:
            return Rows.as_given(w, kept, X.shape[0])
        held_out = searched or method.holds_out
        return Rows.of(X, Y, w, kept, "unambiguous" if held_out else "always")

    def _forget(self) -> None:
        """Remove attributes of an earlier fit that this one may not set."""
        for name in OPTIONAL:
            self.__dict__.pop(name, None)

    def _store_predictor(self, predictor: Predictor, rows: Rows) -> None:
        """Set the attributes that describe the machine, and keep what predictions need."""
        self.machine_certificates_ = predictor.certificates
        self.solver_ = predictor.solver
        self._intercept = predictor.intercept
        self._functions = tuple(
            function
            for kernel, coef, primal in predictor.terms
            for function in kernel.functions(coef, primal)
        )
        self.__dict__.pop("_coefficients", None)
        if len(predictor.terms) == 1:
            spread = sparse.coo_array(rows.spread)
            # Only the rows of trained samples: there may be many more rows than these.
            held, place = np.unique(spread.row, return_inverse=True)
            shape = len(held), spread.shape[1]
            few = sparse.csr_array((spread.data, (place, spread.col)), shape=shape)
            coef = few @ predictor.terms[0][1]  # (n_held, n_outputs)
            used = (coef != 0).any(axis=1)
            self._coefficients = held[used], coef[used], spread.shape[0]

    def _training(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Prepared, Machine]:
        """Return the training data again after the pass over pairs, and the machine."""
        X, y = self._validate(X, y, **self.TARGET_OPTIONS)
        w, _ = self._sample_weights(sample_weight, X)
        targets = self._known_targets(y)
        w = w * self._class_weights(y)
        prepared = self._prepare_again(
            X, targets.alignment, targets.machine, w, self.TASK, **self._memory()
        )
        return prepared, self._machine(as_method(self.method, self.TASK), len(y))

    def _is_lazy(self, X: Any) -> bool:
        """Return whether predictions of X are lazy: of Dask data, but not of Gram matrices."""
        return hasattr(X, "__dask_graph__") and input_kind(self.kernels) != "precomputed"

    def _outputs(
        self, X: Any, compute: Callable[[Any, Any], np.ndarray] | None = None
    ) -> np.ndarray:
        """Return the outputs for new samples, shape (n_samples, n_outputs), or what is asked for.

        Samples that are not in memory are read in parts; the model of samples that lack views is
        the one that was trained without them.

        Parameters
        ----------
        X
            New samples, as the user gives them.
        compute : callable or None
            ``compute(model, X)`` of validated samples, one row for each; None is `_outputs_of`.
        """
        check_is_fitted(self)
        if is_lazy(X):
            return np.concatenate(by_parts(partial(self._outputs, compute=compute), X))
        X, compute = self._validate(X, reset=False), compute or type(self)._outputs_of
        return by_views(self, X, compute) if hasattr(self, "_training_views") else compute(self, X)

    def _outputs_of(self, X: Any) -> np.ndarray:
        """Return the outputs for validated samples that lack no view, (n_samples, n_outputs)."""
        return self._intercept + self._evaluated(self._functions, X)

    def _evaluated(self, functions: Sequence[Function], X: Any) -> np.ndarray:
        """Return the sum of some functions at validated samples, (n_samples, n_outputs)."""
        with self._progress():
            backend = as_backend(self.backend, self.n_jobs)
            outputs = np.zeros((X.shape[0], len(self._intercept)))
            for function in functions:
                outputs += function.outputs(X, backend)
        if not np.isfinite(outputs).all():
            raise InputError(
                "predictions overflow: X contains values far outside those of the training data; "
                "check its scale."
            )
        return outputs

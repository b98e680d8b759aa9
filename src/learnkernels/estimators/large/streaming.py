"""Fits of more rows than memory holds: the kernel from a subsample, the machine from all rows.

    subsample   kernels, their scales, weights and regularisation      some rows, in memory
    machine     ridge or SVM in the span of landmarks, sums over rows   all rows, read in parts

Both steps are those of a fit in memory. The regularisation of ridge is chosen again with the sums
of all rows, by exact leave-one-out errors of the rows of the subsample that are not landmarks. The
SVM keeps the C of the subsample, because every C needs passes of its own.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import _check_y

from learnkernels._warnings import suppressed
from learnkernels.checks import as_input_error, positive_values, random_generator, require_whole
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.fitting import (
    Predictor,
    regularization,
)
from learnkernels.estimators.input.arrays import require_single_targets, require_two_dimensions
from learnkernels.estimators.input.parts import (
    as_parts,
    counting_rows_from,
    counting_rows_of,
    require_one_table,
    state_of,
)
from learnkernels.estimators.input.samples import Rows, balanced_weights, class_codes
from learnkernels.estimators.large.dask_rows import RowsOnWorkers
from learnkernels.estimators.large.precision import PILOT, needed_rows
from learnkernels.estimators.outputs.lazy import is_dask
from learnkernels.estimators.outputs.probability import decide
from learnkernels.estimators.regularization import AROUND, class_loss
from learnkernels.estimators.search import regularization_name
from learnkernels.execution import (
    Dask,
    as_backend,
    checkpoint_path,
    format_bytes,
    saving_backend,
)
from learnkernels.kernels import input_kind
from learnkernels.machines import (
    LocalRowSums,
    Ridge,
    RowSums,
    SquaredHingeSVM,
    StreamedRidge,
    StreamedSVM,
)
from learnkernels.methods import Ensemble, as_method
from learnkernels.plurals import count_text

# Least rows of subsample="auto" besides the landmarks, which choose the regularisation, and least
# rows for each landmark.
AUTO_ROWS, ROWS_FOR_LANDMARK = 4000, 2
# A class with fewer than EXPECTED_ROWS expected rows among the random rows gets CLASS_ROWS rows
# that are drawn separately, or all its rows if it has fewer.
CLASS_ROWS, EXPECTED_ROWS = 5, 50

logger = logging.getLogger("learnkernels")


def fit_subsample(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit an estimator with the kernel from a subsample of the rows.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
    X, y, sample_weight
        As in `fit`.
    """
    require_landmarks(model)
    if model.checkpoint is not None:
        checkpoint_path(model.checkpoint)  # raises before the kernel is learned
    rows = training_rows(model, X, y, sample_weight)
    size = subsample_size(model, rows)
    if size is None:
        model._fit_in_memory(*rows.read_all())
        return
    require_machine(model, size)
    chosen, *few = rows.take(*draw(model, rows, size))
    logger.info("%d of %d rows are used to learn the kernel.", len(chosen), rows.n_rows)
    with counting_rows_of(chosen):
        fitted = model._fit_in_memory(*few)
    try:
        require_others(model, len(fitted.prepared.Y))
        with model._progress():
            predictor, value = train_on_all(model, fitted, rows)
    except BaseException:
        del model.weights_  # what was fitted to the subsample alone is not the model
        raise
    model.subsample_, model._weighted = chosen, rows.weighted
    for name in ("C_scores_", "C_errors_", "alpha_errors_", "alpha_scores_"):
        model.__dict__.pop(name, None)  # of the subsample alone
    samples = embedded(fitted.rows, chosen, rows.n_rows)
    model._store_trained(fitted.prepared, predictor, fitted.machine, value, samples)


class TrainingRows(Protocol):
    """All rows of a fit, with their targets and weights.

    Attributes
    ----------
    n_rows, n_kept : int
        Number of rows, and of those with a positive weight.
    weighted : bool
        Whether a weight is not one.
    """

    n_rows: int
    n_kept: int
    weighted: bool

    def class_counts(self) -> np.ndarray | None:
        """Return how many rows of each class are kept, (n_classes,); None for regression."""

    def take(self, kept: np.ndarray, members: dict[int, np.ndarray]) -> tuple[Any, ...]:
        """Return rows in ascending order: their indices, X, y and weights.

        Parameters
        ----------
        kept : ndarray of int
            Positions among the rows that are kept.
        members : dict from the number of a class to ndarray of int
            Positions among the rows of this class that are kept.
        """

    def read_all(self) -> tuple[Any, ...]:
        """Return X, y and weights of all rows."""

    def row_sums(self, model: Any) -> RowSums:
        """Return sums over the rows with targets of the machine, after the fit of the subsample."""


class RowsInParts:
    """Rows that this process reads in parts; targets and weights are in memory."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.parts, self.state = as_parts(X), state_of(X)
        self.n_rows = self.parts.n_rows
        self.y, self.w = validated(model, self.n_rows, y, sample_weight)
        self.kept = np.flatnonzero(self.w)
        self.n_kept, self.weighted = len(self.kept), bool((self.w != 1).any())
        self.codes = class_codes(self.y[self.kept])[1] if is_classifier(model) else None

    def class_counts(self) -> np.ndarray | None:
        return None if self.codes is None else np.bincount(self.codes)

    def take(self, kept: np.ndarray, members: dict[int, np.ndarray]) -> tuple[Any, ...]:
        found = [kept, *(np.flatnonzero(self.codes == k)[at] for k, at in members.items())]
        index = self.kept[np.unique(np.concatenate(found))]
        return index, self.parts.take(index), self.y[index], self.w[index]

    def read_all(self) -> tuple[Any, ...]:
        return self.parts.read(slice(0, self.n_rows)), self.y, self.w

    def row_sums(self, model: Any) -> RowSums:
        y, w = self.y[self.kept], self.w.copy()
        some = model._known_targets(y).machine
        Y = np.zeros((self.n_rows, some.shape[1]))
        Y[self.kept] = some
        w[self.kept] *= model._class_weights(y)
        backend = as_backend(model.backend, model.n_jobs)
        backend = saving_backend(backend, model.checkpoint, self.n_rows, Y, w, self.state)
        return LocalRowSums(partial(read_validated, model, self.parts), Y, w, backend)


def training_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """Return all rows: on the workers if X is a Dask array or frame and Dask is the backend."""
    require_one_table(X)
    if isinstance(X, list | tuple):
        with as_input_error("X: "):
            X = np.asarray(X)
    require_two_dimensions(X)
    backend = as_backend(model.backend, model.n_jobs)
    if is_dask(X) and isinstance(backend, Dask):
        return RowsOnWorkers(model, X, y, sample_weight, backend.client)
    return RowsInParts(model, X, y, sample_weight)


def require_landmarks(model: Any) -> None:
    """Raise if a parameter has no meaning for a fit with a subsample."""
    if input_kind(model.kernels) == "precomputed":
        raise InputError(
            f'subsample={model.subsample!r} cannot be used with kernels="precomputed", which needs '
            "the Gram matrices of all samples; leave subsample out, or pass samples and other "
            "kernels."
        )
    if model.scoring is not None:
        raise InputError(
            f"scoring={model.scoring!r} compares folds, and a fit with subsample= has none; leave "
            "scoring or subsample out."
        )


def require_others(model: Any, n: int) -> None:
    """Raise unless the subsample, of n different rows, has rows that are not landmarks."""
    if n <= model.n_components:
        raise InputError(
            f"the subsample has {count_text(n, 'different row')}, not more than n_components="
            f"{model.n_components}; pass a smaller n_components, or a larger subsample."
        )


def require_machine(model: Any, n: int) -> None:
    """Raise unless all rows can train the machine: ridge or an SVM with one learned kernel."""
    method = as_method(model.method)
    machine = model._machine(method, n)
    per_target = getattr(model, "weights", None) == "per_target"
    if isinstance(method, Ensemble):
        found, remedy = f"method {method.name!r}", "another method"
    elif per_target:
        found, remedy = 'weights="per_target"', 'weights="shared"'
    elif not isinstance(machine, Ridge | SquaredHingeSVM):
        found = f"machine {machine.name!r}"
        remedy = 'machine="ridge"' + (' or "svm"' if is_classifier(model) else "")
    else:
        return
    raise InputError(
        f"subsample={model.subsample!r} trains one machine in the span of landmarks, with one "
        f"learned kernel, which {found} does not; pass {remedy}, or leave subsample out."
    )


def require_memory_for(model: Any, X: Any) -> None:
    """Raise if X would have to be read into memory as a whole, and is larger than `max_memory`."""
    if len(X.shape) < 2:
        return  # the validation of X raises
    n = as_parts(X).n_rows
    wanted, allowed = 8.0 * n * float(np.prod(X.shape[1:])), model._memory()["max_memory"]
    if wanted > allowed:
        raise InputError(
            f"X has {count_text(n, 'row')} and needs {format_bytes(wanted)}, more than "
            f'max_memory={format_bytes(allowed)}; pass subsample="auto" and n_components=1000 '
            "to read it in parts, or raise max_memory."
        )


def validated(model: Any, n: int, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the targets and the weights of all rows, both of length n."""
    y = y.compute() if hasattr(y, "__dask_graph__") else y
    require_targets(y)
    with as_input_error():
        y = _check_y(y, multi_output=is_regressor(model), y_numeric=is_regressor(model))
    if len(y) != n:
        raise InputError(
            f"X has {count_text(n, 'row')} and y has {len(y):,}; pass one target for each row."
        )
    kept, samples = model._sample_weights(sample_weight, np.broadcast_to(0.0, (n, 1)))
    w = np.zeros(n)
    w[samples] = kept
    return y, w


def require_targets(y: Any) -> None:
    """Raise if real targets are missing in some rows."""
    require_single_targets(y)
    values = np.asarray(y)
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return
    rows = np.flatnonzero(np.isnan(values.reshape(len(values), -1)).any(axis=1))
    raise InputError(
        f"y is missing in {count_text(len(rows), 'row')} (the first is row {rows[0]}); leave these "
        "rows out of X and y."
    )


def subsample_size(model: Any, rows: TrainingRows) -> int | None:
    """Return the number of rows of the subsample; None if all rows are used."""
    given, m, n = model.subsample, model.n_components, rows.n_rows
    if m is None:
        raise InputError(
            f"subsample={given!r} needs n_components, the number of landmarks of the machine that "
            "is trained on all rows; pass n_components=1000, for example."
        )
    require_whole(type(model).__name__, "n_components", m, 1)
    if isinstance(given, str) and given == "auto":
        size = automatic_size(model, rows, max(AUTO_ROWS + m, ROWS_FOR_LANDMARK * m))
    elif isinstance(given, str):
        raise InputError(f'subsample={given!r}; expected a number of rows, "auto" or None.')
    else:
        require_whole(type(model).__name__, "subsample", given, 4)
        size = int(given)
    if size >= n:
        return None
    if size <= m:
        raise InputError(
            f"subsample={size} is not more than n_components={m}; the landmarks are rows of the "
            f"subsample, and its other rows choose the regularisation: pass at least "
            f"{ROWS_FOR_LANDMARK * m}."
        )
    return size


def automatic_size(model: Any, rows: TrainingRows, least: int) -> int:
    """Return the rows of ``subsample="auto"``: at least `least`, more if the weights need them."""
    if least >= rows.n_kept:
        return rows.n_rows
    require_machine(model, least)
    chosen, *few = rows.take(*draw(model, rows, PILOT))
    with counting_rows_of(chosen):
        size = max(needed_rows(model, as_method(model.method, model.TASK), tuple(few)), least)
    logger.info('subsample="auto": %d of %d rows.', min(size, rows.n_rows), rows.n_rows)
    return size


def draw(model: Any, rows: TrainingRows, size: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Draw random rows, some of every class.

    Returns
    -------
    kept : ndarray of int
        Positions among the rows that are kept, in ascending order.
    members : dict from the number of a class to ndarray of int
        For each class that may have too few of them, positions among its rows, in ascending order.
    """
    random = random_generator(model.random_state)

    def some(n: int, size: int) -> np.ndarray:
        found = sample_without_replacement(n, min(n, size), random_state=random)
        return np.sort(found)

    kept, counts = some(rows.n_kept, size), rows.class_counts()
    if counts is None:
        return kept, {}
    rare = np.flatnonzero(counts * size < EXPECTED_ROWS * rows.n_kept).tolist()
    return kept, {k: some(int(counts[k]), CLASS_ROWS) for k in rare}


def train_on_all(model: Any, fitted: Any, rows: TrainingRows) -> tuple[Predictor, float]:
    """Train the machine with the sums of all rows; return it with its regularisation."""
    learned, machine, value = fitted.learned, fitted.machine, fitted.value
    learned.problem.known.clear()  # frees the solution of the subsample
    weights = learned.problem.weights * class_ratios(model, fitted, rows)
    problem = replace(learned.problem, weights=weights, left_out=True, posterior=True)
    sums = rows.row_sums(model)
    if isinstance(machine, SquaredHingeSVM):
        alpha = regularization(machine, value, learned.task)
        (trained,) = StreamedSVM(sums).train(problem, [alpha])
    else:
        given = getattr(model, regularization_name(model))
        automatic = isinstance(given, str)
        values = (value * AROUND).tolist() if automatic else positive_values("", given, "")
        alphas = [regularization(machine, one, learned.task) for one in values]
        solution = StreamedRidge(sums).solve(problem)
        best = 0
        if len(alphas) > 1 and is_classifier(model):
            losses = [class_loss(held, learned.problem) for held in solution.outputs(alphas)]
            best = int(np.argmin(losses))
        elif len(alphas) > 1:
            best = int(np.argmin(solution.errors(alphas)))
        value, trained = values[best], solution.trained(alphas[best])
    terms = ((problem.kernel, trained.coef, trained.primal),)
    predictor = Predictor(
        learned, terms, trained.intercept, trained.certificates, "landmarks", trained.left_out,
        trained.posterior,
    )  # fmt: skip
    return predictor, value


def class_ratios(model: Any, fitted: Any, rows: TrainingRows) -> np.ndarray | float:
    """Return the class weight in the fit of all rows, relative to the fit of the subsample.

    Balanced class weights depend on the counts of rows, and a subsample has more rows of rare
    classes. Leave-one-out outputs of the machine of all rows need its weights.
    """
    if not isinstance(getattr(model, "class_weight", None), str):
        return 1.0
    codes, spread = decide(fitted.prepared.Y), sparse.coo_array(fitted.rows.spread)
    few = np.bincount(codes[spread.coords[1]])  # rows of the subsample; equal ones count each
    ratios = balanced_weights(np.asarray(rows.class_counts())) / balanced_weights(few)
    return np.asarray(ratios[codes])


def read_validated(model: Any, parts: Any, rows: slice) -> Any:
    """Return a range of rows of X, validated for the kernels."""
    with suppressed(TableWarning), counting_rows_from(rows.start):
        return model._validate(parts.read(rows), reset=False)


def embedded(rows: Rows, chosen: np.ndarray, n: int) -> Rows:
    """Return the training samples of a subsample, with their indices among all n rows."""
    few = sparse.coo_array(rows.spread)
    spread = sparse.coo_array((few.data, (chosen[few.row], few.col)), shape=(n, few.shape[1]))
    return replace(rows, samples=chosen[rows.samples], spread=spread)

"""Fits of more rows than memory holds: the kernel from a subsample, the machine from all rows.

    subsample   kernels, their scales, weights and regularisation   some rows, in memory
    machine     ridge in the span of landmarks, sums over rows       all rows, read in parts

Both steps are those of a fit in memory. The regularisation is chosen again with the sums of all
rows, by exact leave-one-out errors of the rows of the subsample that are not landmarks.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import _check_y

from learnkernels._warnings import suppressed
from learnkernels.checks import as_input_error, positive_values, random_generator, require_whole
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.fitting import (
    Learned,
    Predictor,
    Prepared,
    regularization,
    training_problem,
)
from learnkernels.estimators.parts import as_parts, is_lazy
from learnkernels.estimators.rows import Rows
from learnkernels.estimators.selection import AROUND, class_loss, regularization_name
from learnkernels.execution import as_backend, format_bytes, saving_backend
from learnkernels.kernels.tables import is_frame
from learnkernels.machines import Machine, StreamedRidge
from learnkernels.methods import Ensemble, as_method
from learnkernels.plurals import count_text

# Least rows of subsample="auto", in all and for each landmark: leave-one-out needs other rows.
AUTO_ROWS, ROWS_FOR_LANDMARK = 10_000, 2
# Least rows of each class in a subsample; a smaller class has all its rows there.
CLASS_ROWS = 5

logger = logging.getLogger("learnkernels")


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


def fit_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit an estimator, in memory or with a subsample of the rows.

    Parameters
    ----------
    model : KernelClassifier or KernelRegressor
    X, y, sample_weight
        As in `fit`.
    """
    model.__dict__.pop("subsample_", None)
    if model.subsample is None:
        if model.checkpoint is not None:
            raise InputError(
                f"checkpoint={model.checkpoint!r} saves the sums of a fit with subsample=, but "
                "subsample is None; pass a subsample, or leave checkpoint out."
            )
        require_memory_for(model, X)
        model._fit_in_memory(X, y, sample_weight)
        return
    require_landmarks(model)
    parts = as_parts(X)
    y, w = validated(model, parts.n_rows, y, sample_weight)
    size = subsample_size(model, parts.n_rows)
    if size is None:
        model._fit_in_memory(parts.read(slice(0, parts.n_rows)), y, w)
        return
    require_ridge(model, size)
    chosen = draw(model, y, w, size)
    logger.info("%d of %d rows are used to learn the kernel.", len(chosen), len(y))
    fitted = model._fit_in_memory(parts.take(chosen), y[chosen], w[chosen])
    try:
        require_others(model, len(fitted.prepared.Y))
        with model._progress():
            predictor, value = train_on_all(model, fitted, parts, y, w)
    except BaseException:
        del model.weights_  # what was fitted to the subsample alone is not the model
        raise
    model.subsample_, model._weighted = chosen, bool((w != 1).any())
    model._store_streamed(predictor, value, embedded(fitted.rows, chosen, len(y)), fitted)


def require_landmarks(model: Any) -> None:
    """Raise if a parameter has no meaning for a fit with a subsample."""
    if model._pairwise():
        raise InputError(
            'subsample is for samples, and kernels="precomputed" takes Gram matrices of all of '
            "them; leave subsample out."
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


def require_ridge(model: Any, n: int) -> None:
    """Raise unless the machine is ridge in the span of landmarks, with one kernel."""
    machine, method = model._machine_for(n), as_method(model.method)
    per_target = getattr(model, "weights", None) == "per_target"
    if not machine.takes_alpha or isinstance(method, Ensemble) or per_target:
        other = 'weights="per_target"' if per_target else f"machine {machine.name!r}"
        raise InputError(
            f"subsample={model.subsample!r} trains ridge in the span of landmarks with one learned "
            f'kernel, not method {method.name!r} with {other}; pass machine="ridge", shared '
            "weights and a method other than ensemble, or leave subsample out."
        )


def require_memory_for(model: Any, X: Any) -> None:
    """Raise if X would have to be read into memory as a whole, and is larger than `max_memory`."""
    if not is_lazy(X) or is_frame(X):  # the length of a Dask frame is not known
        return
    wanted, allowed = 8.0 * float(np.prod(X.shape)), model._memory()["max_memory"]
    if wanted > allowed:
        raise InputError(
            f"X has {count_text(X.shape[0], 'row')} and needs {format_bytes(wanted)}, more than "
            f'max_memory={format_bytes(allowed)}; pass subsample="auto" and n_components=1000 '
            "to read it in parts, or raise max_memory."
        )


def validated(model: Any, n: int, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the targets and the weights of all rows, both of length n."""
    y = y.compute() if hasattr(y, "__dask_graph__") else y
    with as_input_error():
        y = _check_y(y, multi_output=is_regressor(model), y_numeric=is_regressor(model))
    if len(y) != n:
        raise InputError(
            f"X has {count_text(n, 'row')} and y has {len(y)}; pass one target for each row."
        )
    kept, samples = model._sample_weights(sample_weight, np.broadcast_to(0.0, (n, 1)))
    w = np.zeros(n)
    w[samples] = kept
    return y, w


def subsample_size(model: Any, n: int) -> int | None:
    """Return the number of rows of the subsample; None if all rows are used."""
    given, m = model.subsample, model.n_components
    if m is None:
        raise InputError(
            f"subsample={given!r} needs n_components, the number of landmarks of the ridge that "
            "is trained on all rows; pass n_components=1000, for example."
        )
    require_whole(type(model).__name__, "n_components", m, 1)
    if isinstance(given, str) and given == "auto":
        size = max(AUTO_ROWS, ROWS_FOR_LANDMARK * m)
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


def draw(model: Any, y: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    """Return the indices of random rows in ascending order, some of every class."""
    random, rows = random_generator(model.random_state), np.flatnonzero(w)
    codes = model._class_codes(y[rows])
    picked = random.choice(len(rows), min(size, len(rows)), replace=False)
    if codes is not None:
        counts, found = np.bincount(codes), np.bincount(codes[picked], minlength=codes.max() + 1)
        for k in np.flatnonzero(found < np.minimum(counts, CLASS_ROWS)):
            few = random.permutation(np.flatnonzero(codes == k))[:CLASS_ROWS]
            picked = np.union1d(picked, few)
    return np.sort(rows[picked])


def train_on_all(
    model: Any, fitted: Fitted, parts: Any, y: np.ndarray, w: np.ndarray
) -> tuple[Predictor, float]:
    """Train ridge with the sums of all rows; return it with its regularisation."""
    prepared, learned, machine = fitted.prepared, fitted.learned, fitted.machine
    learned.known.clear()  # frees the solution of the subsample
    given = getattr(model, regularization_name(model))
    automatic = isinstance(given, str)
    values = (fitted.value * AROUND).tolist() if automatic else positive_values("", given, "")
    alphas = [regularization(machine, value, prepared.task) for value in values]
    kept = np.flatnonzero(w)
    some = model._machine_targets(y[kept])
    Y = np.zeros((len(w), some.shape[1]))
    Y[kept] = some
    w = w.copy()
    w[kept] *= model._class_weights(y[kept])
    backend = as_backend(model.backend, model.n_jobs)
    backend = saving_backend(backend, model.checkpoint, parts.n_rows, Y, w)
    strategy = StreamedRidge(partial(read_validated, model, parts), Y, w, backend)
    problem = replace(training_problem(prepared, learned), left_out=True, posterior=True)
    solution = strategy.solve(problem)
    if is_classifier(model):
        losses = [class_loss(outputs, problem) for outputs in solution.outputs(alphas)]
    else:
        losses = list(solution.errors(alphas))
    best = int(np.argmin(losses))
    trained = solution.trained(alphas[best])
    terms = ((learned.kernel, trained.coef, trained.primal),)
    predictor = Predictor(
        learned, terms, trained.intercept, (), strategy.name, trained.left_out, trained.posterior
    )
    return predictor, values[best]


def read_validated(model: Any, parts: Any, rows: slice) -> Any:
    """Return a range of rows of X, validated for the kernels."""
    with suppressed(TableWarning):
        return model._validate(parts.read(rows), reset=False)


def embedded(rows: Rows, chosen: np.ndarray, n: int) -> Rows:
    """Return the training samples of a subsample, with their indices among all n rows."""
    ones = np.ones(len(chosen)), (chosen, np.arange(len(chosen)))
    spread = sparse.csr_array(ones, shape=(n, len(chosen))) @ rows.spread
    return replace(rows, samples=chosen[rows.samples], spread=spread)

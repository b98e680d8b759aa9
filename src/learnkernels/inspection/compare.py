"""Weight methods side by side, by the protocol of the alignment papers.

The samples are cut into folds. In each trial one fold tests, the next one validates the
regularisation, and all others train: weights and machine alike. All methods of a trial share one
pass over the pairs of training samples.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_y

from learnkernels._warnings import counted_unconverged, warn
from learnkernels.checks import (
    as_input_error,
    is_several,
    is_whole,
    positive_values,
    require_choice,
)
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators import Predictor, Prepared, prepare
from learnkernels.estimators.base import in_memory
from learnkernels.estimators.fitting import fit_values
from learnkernels.estimators.input.samples import class_codes, class_targets, warn_about_copies
from learnkernels.estimators.input.tables import as_table, is_mixed, warn_about_columns
from learnkernels.estimators.outputs.held_out import held_out_outputs
from learnkernels.estimators.outputs.probability import decide, fit_temperature, log_probabilities
from learnkernels.estimators.outputs.scoring import class_scores
from learnkernels.execution import Backend, as_backend
from learnkernels.folds import folds as folds_of
from learnkernels.gram import Statistics
from learnkernels.inspection.comparison import (
    BaselineResult,
    Comparison,
    Trial,
    means_of,
    results_of,
)
from learnkernels.kernels import input_kind, kernel_names, resolve
from learnkernels.kernels.tables import is_frame
from learnkernels.machines import SVM, Machine, Ridge
from learnkernels.methods import METHODS, WeightMethod, as_method
from learnkernels.plurals import count_text
from learnkernels.progress import report, showing, track, within

MethodLike = str | WeightMethod

# Compared by default: they learn the weights once, before the machine is trained.
CHEAP = ("unif", "align", "alignf", "single", "auto")
# Regularisation parameters that the validation fold chooses from.
C_GRID = tuple(10.0**power for power in range(-2, 5))
ALPHA_GRID = tuple(10.0**power for power in range(-4, 4))


@dataclass(frozen=True)
class Task:
    """Everything that differs between classification and regression."""

    name: str
    machine: Machine
    grid: tuple[float, ...]
    alignment_target: np.ndarray  # (n_samples, n_targets)
    machine_target: np.ndarray  # (n_samples, n_outputs)
    losses: Callable[[np.ndarray, np.ndarray], np.ndarray]  # outputs, samples -> (n_samples,)
    codes: np.ndarray | None  # classes, (n_samples,)
    splits: list[np.ndarray]

    def error(self, outputs: np.ndarray, samples: np.ndarray) -> float:
        """Return the misclassification rate, or the root mean squared error."""
        mean = float(np.mean(self.losses(outputs, samples)))
        return mean if self.codes is not None else float(np.sqrt(mean))


@dataclass(frozen=True)
class Fold:
    """The data that all methods share in one trial."""

    prepared: Prepared  # the training part
    held_out: Statistics  # of the test part
    parts: list[Any]  # the samples that train, validate and test
    indices: tuple[np.ndarray, np.ndarray]  # of those that validate and test
    seconds: float  # of the pass over the training part


def compare(
    X: Any,
    y: Any,
    methods: str | Sequence[MethodLike] | Mapping[str, MethodLike | Sequence[MethodLike]] = CHEAP,
    *,
    kernels: Any = None,
    task: str = "classification",
    cv: Any = 5,
    random_state: Any = 0,
    grid: Sequence[float] | None = None,
    preprocess: Any = None,
    backend: Any = None,
    n_jobs: int | None = None,
    missing: str = "error",
    verbose: bool = False,
) -> Comparison:
    """Compare weight methods with each other and with a constant prediction by cross-validation.

    Parameters
    ----------
    X : array or DataFrame of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        Labels or real targets.
    methods : "all", sequence of str or WeightMethod, or dict
        The methods; by default ``"unif"``, ``"align"``, ``"alignf"``, ``"single"`` and ``"auto"``.
        ``"all"`` takes every method of the library that fits the task. A dict
        maps a name to one method or to several, among which the validation fold chooses, together
        with the regularisation.
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    task : {"classification", "regression"}, default="classification"
        Classification with the SVM (with ridge for the methods that minimise its loss), or ridge
        regression.
    cv : int, splitter or iterable, default=5
        At least 3 folds: one tests, one validates, the others train.
    random_state : int, RandomState or None, default=0
        Shuffles the samples into folds.
    grid : sequence of float or None, default=None
        Values of C or alpha to choose from; None takes powers of ten.
    preprocess : transformer or None, default=None
        Fitted to the training part of each trial.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where passes over pairs of samples run, as in `KernelClassifier`.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn; None and -1 take all cores. Only without `backend`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that are missing in a view, as in `KernelClassifier`.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    Comparison
        Errors, alignments, weights and times of each method; prints as a table that marks the
        method with the lowest error, and those that are significantly worse.

    Examples
    --------
    >>> from learnkernels.inspection import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare(X, y, ["unif", "alignf"])
    >>> [result.method for result in found.methods], found.best
    (['unif', 'alignf'], 'unif')
    >>> round(found.baseline.error_mean, 2)
    0.67
    """
    if isinstance(kernels, str) and kernels == "precomputed":
        raise InputError(
            'compare does not take kernels="precomputed"; pass samples and kernels that are '
            "computed from them."
        )
    require_choice("task", task, ("classification", "regression"))
    if not (preprocess is None or hasattr(preprocess, "transform")):
        raise InputError(
            f"preprocess={preprocess!r}; expected a scikit-learn transformer, or None."
        )
    X, y = in_memory(X), in_memory(y)
    kind = input_kind(kernels)
    encoded = kind == "encoded"
    table = kind == "table" or (encoded and preprocess is None and is_mixed(X))
    if (table and preprocess is None) or not hasattr(X, "shape"):
        X = as_table(X)
    with as_input_error():
        check_consistent_length(X, y)
        y = _check_y(y, multi_output=task == "regression", y_numeric=task == "regression")
    if is_frame(X):
        warn_about_columns(X, y, encoded)
    if is_whole(cv):
        warn_about_copies(X, y)
    setting = task_of(task, y, cv, random_state, grid)
    n_folds = len(setting.splits)
    if n_folds < 3:
        raise InputError(
            f"cv={cv!r} has {count_text(n_folds, 'fold')}; compare needs at least 3: one to test, "
            "one to choose the regularisation parameter, the others to train. Pass a larger cv."
        )
    learners, skipped = {}, {}
    if isinstance(methods, str) and methods == "all":
        methods = [name for name, kind in METHODS.items() if task in kind().tasks]
    for label, alternatives in named_methods(methods).items():
        try:
            learners[label] = [as_method(method, task) for method in alternatives]
        except InputError as error:
            skipped[label] = str(error)
    if not learners:
        raise InputError(
            "no method to compare; " + (" ".join(skipped.values()) or "pass at least one.")
        )
    runs: dict[str, list[Trial]] = {label: [] for label in learners}
    names: list[str] = []
    constant: list[Constant] = []
    unconverged: Counter[str] = Counter()
    with showing(verbose):
        where = as_backend(backend, n_jobs)
        for fold, test in track(enumerate(setting.splits), n_folds, "comparing"):
            validation = setting.splits[(fold + 1) % n_folds]
            train = np.setdiff1d(np.arange(len(y)), np.concatenate([test, validation]))
            parts = prepared_parts(X, preprocess, table, encoded, train, validation, test)
            constant.append(constant_trial(setting, train, test))
            if not names:  # families see the data once: all folds combine the same kernels
                kernels = resolve(kernels, parts[0], missing=missing)
                names = kernel_names(kernels)
            start = time.perf_counter()
            training = on_samples(setting, kernels, parts[0], train, "trace", where, missing)
            seconds = time.perf_counter() - start
            held_out = on_samples(setting, kernels, parts[2], test, None, where, missing)
            one = Fold(training, held_out.centered().statistics, parts, (validation, test), seconds)
            for label, alternatives in list(learners.items()):
                with within(f"fold {fold + 1} of {n_folds}"):
                    report(label)
                    try:
                        with counted_unconverged() as found:
                            runs[label].append(one_trial(one, alternatives, setting))
                        unconverged[label] += found.count
                    except InputError as error:  # for example a spectrum without a tail
                        skipped[label] = str(error)
                        del learners[label], runs[label]
    if not runs:
        raise InputError(
            "no method could be compared; change the data or the methods: "
            + " ".join(skipped.values())
        )
    name = "mean" if setting.codes is None else "most frequent class"
    baseline = BaselineResult(name, **means_of(constant))
    return Comparison(task, len(y), baseline, results_of(runs), names, skipped, dict(+unconverged))


def named_methods(methods: Any) -> dict[str, list[WeightMethod]]:
    """Return the alternatives of each name."""
    if isinstance(methods, str) or not is_several(methods):
        raise InputError(
            f"methods={methods!r}; expected a list of names or methods, a dict, or 'all'."
        )
    if not isinstance(methods, Mapping):
        return {
            method if isinstance(method, str) else str(method): [as_method(method)]
            for method in methods
        }
    return {label: alternatives_of(label, given) for label, given in methods.items()}


def alternatives_of(label: str, given: Any) -> list[WeightMethod]:
    """Return the methods of one name."""
    if isinstance(given, str | WeightMethod):
        return [as_method(given)]
    if not isinstance(given, Sequence) or len(given) == 0:
        raise InputError(f"methods[{label!r}]={given!r}; expected a method or a list of methods.")
    return [as_method(one) for one in given]


def on_samples(
    setting: Task, kernels: Any, X: Any, samples: np.ndarray, normalize: str | None,
    backend: Backend, missing: str,
) -> Prepared:  # fmt: skip
    """Run the pass over some samples of the data."""
    return prepare(
        kernels, X, setting.alignment_target[samples], setting.machine_target[samples],
        task=setting.name, normalize=normalize, center=True, sample_weight=np.ones(len(samples)),
        backend=backend, missing=missing,
    )  # fmt: skip


def one_trial(fold: Fold, alternatives: Sequence[WeightMethod], setting: Task) -> Trial:
    """Learn and train on the first part, choose on the second, test on the third."""
    parts, (validation, test) = fold.parts, fold.indices
    start = time.perf_counter()
    trained = [
        fit_values(
            fold.prepared, method, Ridge() if method.machine == "ridge" else setting.machine,
            () if method.learns_alpha else setting.grid,
        )
        for method in alternatives
    ]  # fmt: skip
    seconds = time.perf_counter() - start + fold.seconds
    backend = fold.prepared.sums.backend

    def outputs_of(predictors: Sequence[Predictor], X: Any) -> list[np.ndarray]:
        return held_out_outputs(predictors, lambda kernel, coef: kernel.products(X, coef, backend))

    held = [outputs_of(predictors, parts[1]) for predictors in trained]
    validated = [[setting.error(values, validation) for values in found] for found in held]
    which = int(np.argmin([min(found) for found in validated]))
    chosen = int(np.argmin(validated[which]))
    best = trained[which][chosen]
    (outputs,) = outputs_of([best], parts[2])
    scores = {}
    if setting.codes is not None:
        codes, weights = setting.codes, np.ones(len(validation))
        factor = fit_temperature(held[which][chosen], codes[validation], weights) or 1.0
        scores = class_scores(codes[test], log_probabilities(outputs, factor))
    learned = best.learned
    mu = learned.result.weights
    on_test = fold.held_out.alignment(mu * learned.kernels.factors)  # scaled as in training
    return Trial(
        setting.losses(outputs, test), setting.error(outputs, test), scores,
        validated[which][chosen], learned.alignment, on_test, mu, seconds,
    )  # fmt: skip


@dataclass(frozen=True)
class Constant:
    """A constant prediction on one fold."""

    error: float
    scores: dict[str, float]


def constant_trial(setting: Task, train: np.ndarray, test: np.ndarray) -> Constant:
    """Predict the mean, or the most frequent class with the frequencies as probabilities."""
    if setting.codes is None:
        outputs = np.tile(setting.machine_target[train].mean(axis=0), (len(test), 1))
        return Constant(setting.error(outputs, test), {})
    classes = int(setting.codes.max()) + 1
    # A class may be absent from the training part: add one sample to each.
    counts = np.bincount(setting.codes[train], minlength=classes) + 1.0
    logs = np.tile(np.log(counts / counts.sum()), (len(test), 1))
    return Constant(
        float(np.mean(logs.argmax(axis=1) != setting.codes[test])),
        class_scores(setting.codes[test], logs),
    )


def task_of(task: str, y: np.ndarray, cv: Any, random_state: Any, grid: Any) -> Task:
    """Return the machine, grid, targets, error and folds of a task."""
    if is_whole(cv) and not 3 <= cv <= len(y):
        raise InputError(
            f"cv={cv!r}; expected an integer from 3 (one fold to train, one to choose the "
            f"regularisation parameter, one to test) to the number of samples, {len(y)}."
        )
    if task == "classification":
        classes, codes = class_codes(y)
        if len(classes) < 2:
            raise InputError(
                "y contains a single class; comparing classifiers needs at least two: add samples "
                "of another class."
            )
        advice = 'Is this regression? Pass task="regression".'
        if np.asarray(y).dtype.kind not in "iuf":
            advice = "Remove the class, or merge it with another one."
        smallest = int(np.bincount(codes).min())
        if is_whole(cv) and 3 <= smallest < cv:
            warn(
                f"the smallest class has {count_text(smallest, 'sample')}, so that the number of "
                f"folds is {smallest} instead of {cv}; add samples, or remove the class.",
                TableWarning,
            )
            cv = smallest
        splits = folds_of(codes, cv, random_state, fewer=False, advice=advice)
        target, Y = class_targets(codes, len(classes))
        return Task(
            task, SVM(exact=False), grid_of(grid, C_GRID), target, Y,
            lambda values, i: decide(values) != codes[i], codes, splits,
        )  # fmt: skip
    Y = np.asarray(y, dtype=float).reshape(len(y), -1)
    return Task(
        task, Ridge(), grid_of(grid, ALPHA_GRID), Y, Y,
        lambda values, i: np.mean((values - Y[i]) ** 2, axis=1), None,
        folds_of(len(Y), cv, random_state),
    )  # fmt: skip


def grid_of(given: Any, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return the user's grid, or the default."""
    return default if given is None else tuple(positive_values("grid", given))


def prepared_parts(
    X: Any, preprocess: Any, table: bool, encoded: bool, train: np.ndarray,
    validation: np.ndarray, test: np.ndarray,
) -> list[Any]:  # fmt: skip
    """Return the three parts, preprocessed as fitted on the first; arrays, or tables for views."""
    parts = [X.iloc[part] if hasattr(X, "iloc") else X[part] for part in (train, validation, test)]
    if preprocess is not None:
        transformer = clone(preprocess).fit(parts[0])
        parts = [transformer.transform(part) for part in parts]
    if table:
        return [as_table(part) for part in parts]
    with as_input_error():
        return [
            check_array(
                part, accept_sparse="csr", dtype=np.float64, order="C",
                ensure_all_finite="allow-nan" if encoded else True,
            )
            for part in parts
        ]  # fmt: skip

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

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_y

from learnkernels.checks import (
    as_input_error,
    is_several,
    positive_values,
    random_generator,
    require_choice,
)
from learnkernels.errors import InputError
from learnkernels.estimators.classifier import KernelClassifier
from learnkernels.estimators.learning import Stage
from learnkernels.estimators.models import outputs_of_all
from learnkernels.estimators.tables import as_table, in_memory
from learnkernels.estimators.targets import alignment_targets, class_codes_of, signed_targets
from learnkernels.gram import Statistics, as_backend
from learnkernels.inspect.comparison import Comparison, Trial, result_of
from learnkernels.inspect.heard import listening
from learnkernels.kernels import kernel_names, resolve, takes_tables
from learnkernels.machines import SVM, Machine, Ridge
from learnkernels.progress import shown
from learnkernels.weights import WeightMethod, as_method, check_task

__all__ = ["compare"]

MethodLike = str | WeightMethod

# Regularisation that the validation fold chooses from.
C_GRID = tuple(10.0**power for power in range(-2, 5))
ALPHA_GRID = tuple(10.0**power for power in range(-4, 4))


@dataclass(frozen=True)
class Task:
    """What differs between classification and regression."""

    name: str
    machine: Machine
    grid: tuple[float, ...]
    alignment_target: np.ndarray  # (n_samples, n_targets)
    machine_target: np.ndarray  # (n_samples, n_outputs)
    error: Callable[[np.ndarray, np.ndarray], float]  # decision values, samples -> error
    splits: list[np.ndarray]


@dataclass(frozen=True)
class Fold:
    """What the methods share in one trial."""

    stage: Stage  # of the training part
    held_out: Statistics  # of the test part
    parts: list  # the samples that train, validate and test
    indices: tuple[np.ndarray, np.ndarray]  # of those that validate and test
    shared: float  # seconds


def compare(
    X,
    y,
    methods: Sequence[MethodLike] | Mapping[str, MethodLike | Sequence[MethodLike]] = (
        "unif",
        "align",
        "alignf",
    ),
    *,
    kernels=None,
    task: str = "classification",
    folds: int = 5,
    seed: int = 0,
    grid: Sequence[float] | None = None,
    preprocess=None,
    backend=None,
    missing: str = "error",
    verbose: bool = False,
) -> Comparison:
    """Compare weight methods by cross-validation.

    Parameters
    ----------
    X : array or DataFrame of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        Labels or real targets.
    methods : sequence of str or WeightMethod, or dict, default=("unif", "align", "alignf")
        What to compare. A dict gives names of your own, and to a name one method or several: of
        several the validation fold chooses, together with the regularisation.
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    task : {"classification", "regression"}, default="classification"
        Classification with the SVM, or ridge regression.
    folds : int, default=5
        At least 3: one tests, one validates, the others train.
    seed : int, default=0
        Shuffles the samples into folds.
    grid : sequence of float or None, default=None
        Values of C or alpha to choose from; None takes powers of ten.
    preprocess : transformer or None, default=None
        Fitted to the training part of each trial.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where the passes run: all cores of this process (None), a Dask cluster
        (``"dask"``, the address of a scheduler, a client), or `Threads` or `Dask`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that a view has not seen, as in `KernelClassifier`.
    verbose : bool, default=False
        Show a bar, the fold and the method on a terminal.

    Returns
    -------
    Comparison
        Errors, alignments, weights and times of each method.

    Examples
    --------
    >>> from learnkernels.inspect import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> [result.method for result in compare(X, y, ["unif", "alignf"]).methods]
    ['unif', 'alignf']
    """
    if isinstance(kernels, str) and kernels == "precomputed":
        raise InputError('compare takes samples; kernels="precomputed" is for the estimators.')
    require_choice("task", task, ("classification", "regression"))
    if not (preprocess is None or hasattr(preprocess, "transform")):
        raise InputError(
            f"preprocess={preprocess!r}; expected a transformer, as scikit-learn's are."
        )
    X, y = in_memory(X), in_memory(y)
    table = takes_tables(kernels)
    if (table and preprocess is None) or not hasattr(X, "shape"):
        X = as_table(X)
    with as_input_error():
        check_consistent_length(X, y)
        y = _check_y(y, multi_output=task == "regression", y_numeric=task == "regression")
    setting = task_of(task, y, folds, seed, grid)
    learners, skipped = {}, {}
    for label, alternatives in named_methods(methods).items():
        try:
            for method in alternatives:
                check_task(method, task)
            learners[label] = alternatives
        except InputError as error:
            skipped[label] = str(error)
    if not learners:
        raise InputError(
            "no method to compare; " + (" ".join(skipped.values()) or "give at least one.")
        )
    runs: dict[str, list[Trial]] = {label: [] for label in learners}
    names: list[str] = []
    unconverged: Counter[str] = Counter()
    with shown(verbose) as progress:
        for fold, test in progress.track(enumerate(setting.splits), folds, "comparing"):
            part = progress.within(f"fold {fold + 1} of {folds}")
            validation = setting.splits[(fold + 1) % folds]
            train = np.setdiff1d(np.arange(len(y)), np.concatenate([test, validation]))
            parts = prepared(X, preprocess, table, train, validation, test)
            if not names:  # recipes look at the data once: all folds combine the same kernels
                kernels = resolve(kernels, parts[0], missing=missing)
                names = kernel_names(kernels)
            options = {"backend": as_backend(backend, part), "missing": missing, "progress": part}
            start = time.perf_counter()
            stage = stage_of(setting, kernels, parts[0], train, "trace", **options)
            shared = time.perf_counter() - start
            held_out = stage_of(setting, kernels, parts[2], test, None, **options)
            one = Fold(stage, held_out.oracle().statistics, parts, (validation, test), shared)
            for label, alternatives in list(learners.items()):
                part.say(label)
                try:
                    with listening() as heard:
                        runs[label].append(one_trial(one, alternatives, setting))
                    unconverged[label] += heard.unproved
                except InputError as error:  # a kernel that is none, a spectrum without a tail
                    skipped[label] = str(error)
                    del learners[label], runs[label]
    if not runs:
        raise InputError("no method could be compared: " + " ".join(skipped.values()))
    baseline = runs.get("unif")
    results = [result_of(label, trials, baseline) for label, trials in runs.items()]
    return Comparison(task, len(y), results, names, skipped, dict(+unconverged))


def named_methods(methods) -> dict[str, list[WeightMethod]]:
    """The alternatives of each name, one where a method stands alone."""
    if isinstance(methods, str) or not is_several(methods):
        raise InputError(f"methods={methods!r}; expected a list of names or methods, or a dict.")
    if not isinstance(methods, Mapping):
        return {
            method if isinstance(method, str) else str(method): [as_method(method)]
            for method in methods
        }
    return {label: alternatives_of(label, given) for label, given in methods.items()}


def alternatives_of(label: str, given) -> list[WeightMethod]:
    if isinstance(given, str | WeightMethod):
        return [as_method(given)]
    if not isinstance(given, Sequence) or len(given) == 0:
        raise InputError(f"methods[{label!r}]={given!r}; expected a method, or a list of some.")
    return [as_method(one) for one in given]


def stage_of(setting: Task, kernels, X, samples, normalize, **options) -> Stage:
    """The pass over some samples of the data."""
    return Stage.of(
        kernels, X, setting.alignment_target[samples], setting.machine_target[samples],
        task=setting.name, normalize=normalize, center=True, sample_weight=np.ones(len(samples)),
        **options,
    )  # fmt: skip


def one_trial(fold: Fold, alternatives, setting: Task) -> Trial:
    """Learn and train on the first part, choose on the second, test on the third."""
    stage, parts, (validation, test) = fold.stage, fold.parts, fold.indices
    start = time.perf_counter()
    trained = [
        stage.train(method, Ridge() if method.machine == "ridge" else setting.machine, setting.grid)
        for method in alternatives
    ]
    seconds = time.perf_counter() - start + fold.shared

    def errors(models, X, samples):
        outputs = outputs_of_all(
            models, lambda kernel, coef: kernel.products(X, coef, stage.backend)
        )
        return [setting.error(values, samples) for values in outputs]

    validated = [errors(models, parts[1], validation) for models in trained]
    which, value = np.unravel_index(np.argmin(validated), np.shape(validated))
    best = trained[which][value]
    (error,) = errors([best], parts[2], test)
    mu = best.learned.weights
    on_test = fold.held_out.alignment(mu * stage.oracle().factors)  # scaled as in training
    return Trial(error, best.learned.alignment, on_test, mu, seconds)


def task_of(task: str, y: np.ndarray, folds: int, seed: int, grid) -> Task:
    """The machine, grid, targets, error and folds of a task."""
    if not (isinstance(folds, int) and 3 <= folds <= len(y)):
        raise InputError(
            f"folds={folds!r}; it must be a whole number from 3 (one part trains, one validates, "
            f"one tests) to the number of samples, {len(y)}."
        )
    random = random_generator(seed)
    if task == "classification":
        classes, codes = class_codes_of(y)
        smallest = int(np.bincount(codes).min())
        if len(classes) < 2 or smallest < folds:
            raise InputError(
                f"the rarest of {len(classes)} classes has {smallest} samples; comparing with "
                f"{folds} folds needs at least 2 classes of {folds} samples each."
            )
        splitter = StratifiedKFold(folds, shuffle=True, random_state=random)
        return Task(
            task, SVM(exact=False), grid_of(grid, C_GRID), alignment_targets(codes, len(classes)),
            signed_targets(codes, len(classes)),
            lambda values, i: float(np.mean(KernelClassifier._decide(values) != codes[i])),
            [test for _, test in splitter.split(codes, codes)],
        )  # fmt: skip
    Y = np.asarray(y, dtype=float).reshape(len(y), -1)
    splitter = KFold(folds, shuffle=True, random_state=random)
    return Task(
        task, Ridge(), grid_of(grid, ALPHA_GRID), Y, Y,
        lambda values, i: float(np.sqrt(np.mean((values - Y[i]) ** 2))),
        [test for _, test in splitter.split(Y)],
    )  # fmt: skip


def grid_of(given, default) -> tuple[float, ...]:
    return default if given is None else tuple(positive_values("grid", given))


def prepared(X, preprocess, table: bool, train, validation, test):
    """The three parts, preprocessed by what is known from the first; arrays, tables for views."""
    parts = [X.iloc[part] if hasattr(X, "iloc") else X[part] for part in (train, validation, test)]
    if preprocess is not None:
        transformer = clone(preprocess).fit(parts[0])
        parts = [transformer.transform(part) for part in parts]
    if table:
        return [as_table(part) for part in parts]
    with as_input_error():
        return [
            check_array(part, accept_sparse="csr", dtype=np.float64, order="C") for part in parts
        ]

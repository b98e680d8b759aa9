"""Estimators, methods and pipelines in a model file.

To add a parameter or a fitted attribute, add its name and field to the table of its estimator. To
add a method, register it in `methods.registry`: its parameters are found by `get_params`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.metrics import get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from learnkernels.checks import positive_values
from learnkernels.errors import InputError
from learnkernels.estimators import KernelClassifier, KernelLearner, KernelRegressor
from learnkernels.estimators.outputs.missing_views import TrainingViews
from learnkernels.estimators.per_target import WEIGHTS
from learnkernels.execution import Threads, parse_bytes
from learnkernels.gram import NORMALIZATIONS
from learnkernels.gram.pairs.combination import PairFunction
from learnkernels.kernels import MISSING
from learnkernels.methods import METHODS
from learnkernels.methods.candidates import Candidate, Selection
from learnkernels.model_selection import SETTINGS, PairFold
from learnkernels.persistence.fields import (
    NUMBER,
    POSITIVE,
    TEXT,
    TRUTH,
    Absent,
    Array,
    ByName,
    Choice,
    ClassField,
    Field,
    FieldError,
    Labels,
    Nothing,
    Number,
    Optional,
    Plain,
    Record,
    Several,
    Texts,
    Union,
    Whole,
    require,
    short,
    within,
)
from learnkernels.persistence.functions import (
    COEFFICIENTS,
    FUNCTION,
    INDEX,
    LARGEST_OUTPUT,
    LEARNED,
)
from learnkernels.persistence.inputs import check_inputs
from learnkernels.persistence.kernels import ARGUMENT, SEED, SMALLEST_SCALE, check_scales
from learnkernels.persistence.posteriors import POSTERIOR, check_posterior
from learnkernels.solvers import Certificate

MAX_THREADS = 4096
SMALLEST_ALPHA = 1e-300
MAX_SAMPLES = 10**9
MAX_COLUMNS = 2**31 - 1  # of a sparse matrix with 32-bit indices
# Parameters of a pipeline, which no step may be named after.
RESERVED = ("", "steps", "memory", "verbose", "transform_input")
EXTERNAL = "refers to a resource outside of this process; set it to None with set_params"


@dataclass(frozen=True)
class Estimator(ClassField):
    """A fitted estimator: the parameters of its constructor, and its fitted attributes.

    Parameters
    ----------
    cls : type
    params, fitted : dict of str to Field
    check : callable
        Raises `FieldError` if the attributes do not fit together.
    """

    cls: type
    params: Mapping[str, Field]
    fitted: Mapping[str, Field]
    check: Callable[[Any], None]

    def write_fields(self, value: Any, arrays: Any) -> dict[str, Any]:
        kind = self.cls.__name__
        required = [name for name, one in self.fitted.items() if not isinstance(one, Absent)]
        absent = [name for name in required if not hasattr(value, name)]
        require(not absent, f"{kind} is not fitted; call fit first")
        unknown = sorted(vars(value).keys() - self.params.keys() - self.fitted.keys())
        require(not unknown, f"{kind} has the attributes {unknown}, which lk.save does not write")
        written = {
            "params": Record(self.cls, self.params).write_fields(value, arrays),
            "fitted": Record(self.cls, self.fitted).write_fields(value, arrays),
        }
        self.check(value)
        return written

    def read(self, found: Any, arrays: Any) -> Any:
        require(type(found) is dict and found.keys() == {"params", "fitted"}, "not an estimator")
        made = self.cls(**Record(self.cls, self.params).read_fields(found["params"], arrays))
        attributes = Record(self.cls, self.fitted).read_fields(found["fitted"], arrays)
        for name, value in attributes.items():
            setattr(made, name, value)
        self.check(made)
        return made


NO_RESOURCE = Nothing(EXTERNAL)


class MethodArgument(Field):
    """The argument ``method=``: a name, or a method of this library."""

    def write(self, value: Any, arrays: Any) -> Any:
        return (NAME if isinstance(value, str) else METHOD).write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        return (NAME if isinstance(found, str) else METHOD).read(found, arrays)


class SplitterArgument(Field):
    """The argument ``cv=``: a number, a splitter of scikit-learn, or lists of samples."""

    def write(self, value: Any, arrays: Any) -> Any:
        if hasattr(value, "get_n_splits"):
            return {"splitter": SPLITTER.write(value, arrays)}
        return Plain().write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if isinstance(found, dict) and found.keys() == {"splitter"}:
            return SPLITTER.read(found["splitter"], arrays)
        return Plain().read(found, arrays)


class Regularization(Field):
    """The argument ``C=`` or ``alpha=``: ``"auto"``, a positive number, or a list of numbers."""

    def write(self, value: Any, arrays: Any) -> Any:
        return Plain().write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        value = Plain().read(found, arrays)
        if not (isinstance(value, str) and value == "auto"):
            try:
                positive_values("it", value)
            except InputError as error:
                raise FieldError(str(error)) from error
        return value


class Subsample(Field):
    """The argument ``subsample=``: ``"auto"``, a number of rows, or None."""

    def write(self, value: Any, arrays: Any) -> Any:
        return value if value == "auto" else Optional(Whole(1)).write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        return found if found == "auto" else Optional(Whole(1)).read(found, arrays)


class Memory(Field):
    """The argument ``max_memory=``: a number of bytes, a size such as ``"2GB"``, or None."""

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, str):
            return self.read(value, arrays)
        return Optional(POSITIVE).write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if not isinstance(found, str):
            return Optional(POSITIVE).read(found, arrays)
        require(parse_bytes(found), f"{short(found)} is not a size")
        return found


@dataclass(frozen=True)
class OneOrSeveral(Field):
    """A value, or an array with one row or number for each target.

    Parameters
    ----------
    one : Field
    several : Array
    """

    one: Field
    several: Array

    def write(self, value: Any, arrays: Any) -> Any:
        if np.ndim(value) == self.several.ndim:
            return {"targets": self.several.write(value, arrays)}
        return self.one.write(value, arrays)

    def read(self, found: Any, arrays: Any) -> Any:
        if isinstance(found, dict) and found.keys() == {"targets"}:
            return self.several.read(found["targets"], arrays)
        return self.one.read(found, arrays)


class ScoringArgument(Field):
    """The argument ``scoring=``: None, or the name of a score of scikit-learn."""

    def write(self, value: Any, arrays: Any) -> str | None:
        named = value is None or isinstance(value, str)
        require(named, f"{short(value)} is a function; pass the name of a score")
        return None if value is None else TEXT.write(value, arrays)

    def read(self, found: Any, arrays: Any) -> str | None:
        return Optional(Choice(tuple(get_scorer_names()))).read(found, arrays)


class ClassWeights(Field):
    """The argument ``class_weight=``: None, ``"balanced"``, or a dictionary of labels."""

    def write(self, value: Any, arrays: Any) -> Any:
        if not isinstance(value, dict):
            return Choice((None, "balanced")).write(value, arrays)
        labels, weights = list(value), list(value.values())
        return {
            "labels": Plain().write(labels, arrays),
            "weights": Several(POSITIVE).write(weights, arrays),
        }

    def read(self, found: Any, arrays: Any) -> Any:
        if not isinstance(found, dict):
            return Choice((None, "balanced")).read(found, arrays)
        require(found.keys() == {"labels", "weights"}, "not weights of classes")
        labels = Plain().read(found["labels"], arrays)
        weights = Several(POSITIVE).read(found["weights"], arrays)
        scalars = isinstance(labels, list) and all(
            isinstance(one, (str, float, int)) for one in labels
        )
        require(
            scalars and len(labels) == len(set(labels)) == len(weights), "not weights of classes"
        )
        return dict(zip(labels, weights, strict=True))


class SampleCoefficients(Field):
    """The training samples with a coefficient, their coefficients, and the number of samples."""

    def write(self, value: Any, arrays: Any) -> dict[str, Any]:
        support, coef, n = value
        return {
            "support": INDEX.write(support, arrays),
            "coef": COEFFICIENTS.write(coef, arrays),
            "samples": Whole(1, MAX_SAMPLES).write(n, arrays),
        }

    def read(self, found: Any, arrays: Any) -> tuple[np.ndarray, np.ndarray, int]:
        require(
            type(found) is dict and found.keys() == {"support", "coef", "samples"},
            "not coefficients of samples",
        )
        support, coef = (
            INDEX.read(found["support"], arrays),
            COEFFICIENTS.read(found["coef"], arrays),
        )
        n = Whole(1, MAX_SAMPLES).read(found["samples"], arrays)
        rising = (np.diff(support) > 0).all() and (support < n).all()
        require(rising and len(support) == len(coef), "not coefficients of samples")
        return support, coef, n


class BackendArgument(Field):
    """The argument ``backend=``: threads of this process, since addresses cannot be saved."""

    def write(self, value: Any, arrays: Any) -> Any:
        if isinstance(value, Threads):
            return {"threads": Optional(Whole(1, MAX_THREADS)).write(value.n_threads, arrays)}
        internal = value is None or (isinstance(value, str) and value == "threads")
        require(internal, f"{short(value)} {EXTERNAL}")
        return value

    def read(self, found: Any, arrays: Any) -> Any:
        if isinstance(found, dict) and found.keys() == {"threads"}:
            return Threads(Optional(Whole(1, MAX_THREADS)).read(found["threads"], arrays))
        return Choice((None, "threads")).read(found, arrays)


def check_certificate(certificate: Certificate) -> None:
    require(certificate.history or not certificate.is_local, "a local solution without its history")


def check_fitted(model: Any) -> None:
    """Raise unless the attributes of an estimator fit together, and to its input."""
    p = len(model.kernel_names_)
    lengths = {model.weights_.shape[-1], len(model.kernel_views_), len(model.kernel_alignments_)}
    lengths |= {len(model.tail_sums_)} if hasattr(model, "tail_sums_") else set()
    require(p > 0 and lengths == {p}, "weights and kernels differ in number")
    require(
        set(model.view_weights_) == set(model.kernel_views_),
        "views with other names than the kernels",
    )
    threads = model.n_jobs is None or (model.n_jobs != 0 and model.backend is None)
    require(threads, "both backend and n_jobs, or n_jobs of zero")
    check_inputs(model)


def check_predictor(model: Any) -> None:
    """Raise unless the functions and the intercept have the same number of outputs."""
    check_fitted(model)
    outputs = {n_outputs(function) for function in model._functions}
    outputs |= {model._coefficients[1].shape[1]} if hasattr(model, "_coefficients") else set()
    if hasattr(model, "_training_views"):
        outputs.add(model._training_views.targets.shape[1])
        require(model.missing == "neutral", "views of samples that cannot be missing")
        require(model._training_views.kernel.center == model.center, "another value of center=")
    require(outputs == {len(model._intercept)}, "functions and intercept differ in outputs")


def check_training_views(found: TrainingViews) -> None:
    same = found.targets.shape[0] == len(found.kernel.weights) and len(found.values) > 0
    require(same, "targets and samples differ in number, or no alpha or C")
    require((found.kernel.weights > 0).all(), "a weight of 0")


def n_outputs(function: Any) -> int:
    """Return the number of outputs of a function."""
    if isinstance(function, PairFunction):
        return len(function.table)
    found: np.ndarray = function.coef if hasattr(function, "coef") else function.primal[0]
    return found.shape[1]


def check_classifier(model: KernelClassifier) -> None:
    check_predictor(model)
    n = len(model.classes_)
    require(n >= 2 and len(model._intercept) == (1 if n == 2 else n), "classes differ in number")


def check_regressor(model: KernelRegressor) -> None:
    check_predictor(model)
    n = len(model._intercept)
    require(n == 1 or not model._flat, "several outputs of one target")
    own = model.weights == "per_target"
    expected = (n, len(model.kernel_names_)) if own else (len(model.kernel_names_),)
    require(model.weights_.shape == expected, "weights of another shape")
    shape = (n,) if own else ()
    require(model.alpha_ is None or np.shape(model.alpha_) == shape, "alphas of another shape")
    require(not (own and hasattr(model, "_posterior")), "a posterior of several machines")
    check_posterior(model)


def check_scaler(scaler: StandardScaler) -> None:
    n = scaler.n_features_in_
    for name, used in (("mean_", scaler.with_mean), ("scale_", scaler.with_std)):
        values = getattr(scaler, name)
        require(values is None or len(values) == n, "features differ in number")
        require(values is not None or not used, "no means or scales")
    require(len(getattr(scaler, "feature_names_in_", range(n))) == n, "features differ in number")
    if scaler.with_mean and scaler.with_std:
        check_scales(scaler.mean_, scaler.scale_)


@dataclass(frozen=True)
class PipelineRecord(ClassField):
    """A pipeline of preprocessing steps and an estimator."""

    cls: type = Pipeline

    def write_fields(self, value: Pipeline, arrays: Any) -> dict[str, Any]:
        within("memory", NO_RESOURCE.write, value.memory, arrays)
        require(value.steps, "no steps")
        *first, (name, last) = value.steps
        steps = [
            [TEXT.write(key, arrays), within(key, STEP.write, one, arrays)] for key, one in first
        ]
        steps.append([TEXT.write(name, arrays), within(name, ESTIMATOR.write, last, arrays)])
        return {"steps": steps, "verbose": TRUTH.write(value.verbose, arrays)}

    def read(self, found: Any, arrays: Any) -> Pipeline:
        require(type(found) is dict and found.keys() == {"steps", "verbose"}, "not a pipeline")
        steps = found["steps"]
        require(isinstance(steps, list) and steps, "not a pipeline")
        require(all(isinstance(one, list) and len(one) == 2 for one in steps), "not a pipeline")
        names = [TEXT.read(name, arrays) for name, _ in steps]
        require(len(set(names)) == len(names), "a name of a step twice")
        require(
            not any("__" in name or name in RESERVED for name in names),
            "a step with an invalid name",
        )
        made: list[Any] = [STEP.read(step, arrays) for _, step in steps[:-1]]
        made.append(ESTIMATOR.read(steps[-1][1], arrays))
        check_steps(made)
        verbose = TRUTH.read(found["verbose"], arrays)
        return Pipeline(list(zip(names, made, strict=True)), verbose=verbose)


def check_steps(steps: list[Any]) -> None:
    """Raise unless every step takes the columns that the one before it returns."""
    for before, after in pairwise(steps):
        require(before.n_features_in_ == after.n_features_in_, "a step of other columns")


NAME: Field = Choice(tuple(METHODS))
METHOD: Field = Union("a method", {
    method.name: Record(type(method), {
        name: SplitterArgument() if name == "cv" else SEED if name == "random_state" else Plain()
        for name in method.get_params()
    })
    for method in (make() for make in METHODS.values())
})  # fmt: skip
SHUFFLED = {"n_splits": Whole(2), "shuffle": TRUTH, "random_state": SEED}
DRAWN = {"n_splits": Whole(1), "test_size": Plain(), "train_size": Plain(), "random_state": SEED}
SPLITTER = Union("a splitter", {
    "pairs": Record(PairFold, {
        "n_splits": Whole(2), "setting": Choice(SETTINGS), "random_state": SEED}),
    "k-fold": Record(model_selection.KFold, SHUFFLED),
    "stratified k-fold": Record(model_selection.StratifiedKFold, SHUFFLED),
    "shuffle": Record(model_selection.ShuffleSplit, DRAWN),
    "stratified shuffle": Record(model_selection.StratifiedShuffleSplit, DRAWN),
    "leave one out": Record(model_selection.LeaveOneOut),
    "time series": Record(model_selection.TimeSeriesSplit, {
        "n_splits": Whole(2), "max_train_size": Optional(Whole(1)),
        "test_size": Optional(Whole(1)), "gap": Whole()}),
})  # fmt: skip
CERTIFICATE = Record(
    Certificate,
    {
        "primal": NUMBER, "dual": NUMBER, "gap": NUMBER, "iterations": Whole(), "status": TEXT,
        "history": Several(NUMBER), "gaps": Several(NUMBER), "violation": NUMBER,
        "last_step": NUMBER, "criterion": TEXT, "is_local": TRUTH,
    },
    check=check_certificate,
)  # fmt: skip
CANDIDATE = Record(Candidate, {
    "name": TEXT, "error": NUMBER, "standard_error": NUMBER, "chosen": TRUTH, "reason": TEXT,
    "question": TEXT})  # fmt: skip
SELECTION = Record(Selection, {"candidates": Several(CANDIDATE, at_least=1), "criterion": TEXT})
OUTPUT_CONFIG = Absent(ByName(Choice(("default", "pandas", "polars"))))
INPUT = {
    "n_features_in_": Whole(1, MAX_COLUMNS), "feature_names_in_": Absent(Texts()),
    "_sklearn_output_config": OUTPUT_CONFIG,
}  # fmt: skip
PARAMS = {
    "kernels": ARGUMENT, "method": MethodArgument(), "center": TRUTH,
    "normalize": Choice(NORMALIZATIONS), "backend": BackendArgument(), "missing": Choice(MISSING),
    "n_jobs": Optional(Whole(-MAX_THREADS, MAX_THREADS)), "verbose": TRUTH,
}  # fmt: skip
FITTED = INPUT | {
    "weights_": Array(), "kernel_names_": Texts(), "kernel_views_": Texts(),
    "view_weights_": ByName(NUMBER), "alignment_": NUMBER,
    "kernel_alignments_": Array(finite=False), "certificate_": CERTIFICATE,
    "tail_sums_": Absent(Array(finite=False)), "selection_": Absent(SELECTION),
    "_reads_tables": TRUTH, "_on_strings": Absent(TRUTH), "_family": Absent(ARGUMENT),
}  # fmt: skip
TRAINING_VIEWS = Record(
    TrainingViews,
    {"kernel": LEARNED, "targets": COEFFICIENTS, "values": Array(low=SMALLEST_ALPHA)},
    check=check_training_views,
)
PREDICTOR_PARAMS = PARAMS | {
    "max_memory": Memory(), "n_components": Optional(Whole(1)),
    "subsample": Subsample(), "cv": SplitterArgument(), "random_state": SEED,
    "scoring": ScoringArgument(), "checkpoint": NO_RESOURCE,
}  # fmt: skip
PREDICTOR = FITTED | {
    "machine_certificates_": Several(CERTIFICATE), "solver_": TEXT,
    "_intercept": Array(size=LARGEST_OUTPUT), "_coefficients": Absent(SampleCoefficients()),
    "_functions": Several(FUNCTION, at_least=1), "_weighted": TRUTH,
    "subsample_": Absent(INDEX),
    "_training_views": Absent(TRAINING_VIEWS),
}  # fmt: skip
ESTIMATORS = {
    "classifier": Estimator(
        KernelClassifier,
        PREDICTOR_PARAMS | {
            "C": Regularization(), "machine": Choice(KernelClassifier.MACHINES), "tol": POSITIVE,
            "class_weight": ClassWeights()},
        PREDICTOR | {
            "classes_": Labels(), "machine_": Choice(KernelClassifier.MACHINES[1:]),
            "C_": POSITIVE, "C_scores_": Absent(Array(finite=False)),
            "temperature_": Absent(Number(1e-50, 1e50))},
        check_classifier,
    ),
    "regressor": Estimator(
        KernelRegressor,
        PREDICTOR_PARAMS | {
            "alpha": Regularization(), "machine": Choice(KernelRegressor.MACHINES),
            "C": Regularization(), "epsilon": Number(0.0, 1e300), "weights": Choice(WEIGHTS)},
        PREDICTOR | {
            "weights_": OneOrSeveral(Array(), Array(2)),
            "alpha_": OneOrSeveral(Optional(POSITIVE), Array(low=SMALLEST_ALPHA)),
            "alpha_errors_": Absent(Array(finite=False)),
            "alpha_scores_": Absent(Array(finite=False)), "C_": Absent(POSITIVE),
            "C_errors_": Absent(Array(finite=False)), "C_scores_": Absent(Array(finite=False)),
            "_flat": TRUTH, "_posterior": Absent(POSTERIOR)},
        check_regressor,
    ),
    "learner": Estimator(
        KernelLearner,
        PARAMS | {
            "task": Choice(("auto", "classification", "regression")), "checkpoint": NO_RESOURCE},
        FITTED | {"_kernel": LEARNED},
        check_fitted,
    ),
}  # fmt: skip
ESTIMATOR = Union("an estimator", ESTIMATORS)
STEP = Union("a preprocessing step", {
    "standard scaler": Estimator(
        StandardScaler,
        {"copy": TRUTH, "with_mean": TRUTH, "with_std": TRUTH},
        INPUT | {"mean_": Optional(Array()), "var_": Optional(Array(low=0.0)),
                 "scale_": Optional(Array(low=SMALLEST_SCALE)), "n_samples_seen_": Plain()},
        check_scaler,
    ),
})  # fmt: skip
MODEL = Union("an estimator", ESTIMATORS | {"pipeline": PipelineRecord()})

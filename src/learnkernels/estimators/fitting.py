"""One fit in three steps, on arrays: prepare, learn, train.

    prepare   kernels on the training samples, and the pass over pairs   X -> statistics
    learn     weights and their certificate                              statistics -> weights
    train     the machine with the learned kernel                        weights -> predictor

scikit-learn's conventions are in the classes beside this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels import progress
from learnkernels._warnings import captured, suppressed, warn
from learnkernels.checks import require_choice, require_truth
from learnkernels.errors import ConstantKernelWarning, InputError, UndefinedAlignmentWarning
from learnkernels.execution import Backend
from learnkernels.gram import (
    NORMALIZATIONS,
    BaseKernels,
    CenteredKernels,
    KernelSums,
    LearnedKernel,
    SampledSums,
    can_sample,
    gradients,
)
from learnkernels.kernels import MISSING, Kernel, input_kind, resolve
from learnkernels.machines import (
    MAX_MEMORY,
    Machine,
    Ridge,
    TrainingProblem,
    prefers_products,
    require_gram_memory,
)
from learnkernels.methods import (
    LearnedWeights,
    LeaveOneOut,
    Selection,
    WeightMethod,
    WeightProblem,
    learn_weights,
)
from learnkernels.plurals import count_text
from learnkernels.solvers import Certificate

# Sizes of a target that alignment can read: sums of fourth powers neither over- nor underflow.
TARGET_SIZES = 1e-75, 1e72
# Samples that train the predictor of a learned metric, learn its weights, and where its gradient
# is taken.
METRIC_SAMPLES, METRIC_WEIGHTS, METRIC_POINTS = 1500, 400, 500


@dataclass(frozen=True)
class Prepared:
    """The training data after the pass over pairs.

    Attributes
    ----------
    sums : KernelSums
    Y : ndarray of shape (n_samples, n_outputs)
        Targets of the machine: labels -1 and 1, or real targets.
    task : {"classification", "regression"}
    normalize : {"trace", "frobenius", "cosine", None}
    center : bool
    max_memory : float
        Bytes for Gram matrices.
    n_components : int or None
    random_state : int, RandomState or None
    """

    sums: KernelSums
    Y: np.ndarray
    task: str
    normalize: str | None
    center: bool
    max_memory: float = MAX_MEMORY
    n_components: int | None = None
    random_state: Any = 0

    def centered(self) -> CenteredKernels:
        """Return the centered, scaled kernels, which several methods may share."""
        if "_centered" not in self.__dict__:
            self.__dict__["_centered"] = self.sums.centered(self.normalize, self.center)
        found: CenteredKernels = self.__dict__["_centered"]
        return found

    def without(self, fold: int) -> Prepared:
        """Return the samples that a fold trains on; their sums need no further pass."""
        samples, sums = self.sums.without(fold)
        return replace(self, sums=sums, Y=self.Y[samples])

    def folds(self) -> list[np.ndarray]:
        """Return the samples of all folds."""
        return np.split(np.arange(len(self.Y)), self.sums.borders[1:-1])

    def take(self, samples: np.ndarray) -> Prepared:
        """Return the same for some of the samples, with a pass over their pairs."""
        sums, w = self.sums, self.sums.weights[samples]
        target = centered(sums.Y[samples], w)
        kernels = sums.kernels.take(samples)
        return replace(
            self, sums=KernelSums.of(kernels, target, sums.backend, w), Y=self.Y[samples]
        )


@dataclass(frozen=True)
class Learned:
    """The learned kernel, its weights and their certificate.

    Attributes
    ----------
    result : LearnedWeights
        Weights of the centered, scaled base kernels and their certificate.
    kernels : CenteredKernels
        The base kernels.
    problem : TrainingProblem
        What the machine is trained on: the learned kernel, and the targets of the same samples.
    task : {"classification", "regression"}
    alignment : float
        Of the learned kernel with the target.
    alignments : ndarray of shape (n_kernels,)
        Of each base kernel alone.
    value : float
        The regularisation, as the user gives it: that of the weights, or the one that the method
        learned.
    """

    result: LearnedWeights
    kernels: CenteredKernels
    problem: TrainingProblem
    task: str
    alignment: float
    alignments: np.ndarray
    value: float


@dataclass(frozen=True)
class Predictor:
    """A trained predictor, ``x -> sum_terms K(x, samples) coef + intercept``.

    Attributes
    ----------
    learned : Learned
    terms : tuple of (LearnedKernel, ndarray of shape (n_samples, n_outputs), ndarray or None)
        Kernel, coefficients, and their primal form if it is known (see `Trained`): one term, or
        one for each base kernel of an ensemble.
    intercept : ndarray of shape (n_outputs,)
    certificates : tuple of Certificate
        Of the machine, one for each output if it iterates.
    solver : str
        Name of the training strategy.
    left_out : ndarray of shape (n_samples, n_outputs) or None
        Outputs for held-out samples, as in `Trained`.
    posterior : FactorPosterior, LandmarkPosterior or None
        As in `Trained`.
    single : bool
        As in `Trained`.
    """

    learned: Learned
    terms: tuple[tuple[LearnedKernel, np.ndarray, np.ndarray | None], ...]
    intercept: np.ndarray
    certificates: tuple[Certificate, ...]
    solver: str
    left_out: np.ndarray | None = None
    posterior: Any = None
    single: bool = False


def prepare(
    kernels: Any, X: Any, target: np.ndarray, Y: np.ndarray, *, task: str, normalize: str | None,
    center: bool, sample_weight: np.ndarray, backend: Backend, samples: np.ndarray | None = None,
    rank: np.ndarray | None = None, borders: np.ndarray | None = None,
    trained: np.ndarray | None = None,
    names: Sequence[str] | None = None, missing: str = "error", few_pairs: np.ndarray | None = None,
    **settings: Any,
) -> Prepared:  # fmt: skip
    """Resolve the kernels and run the pass over pairs.

    Parameters
    ----------
    kernels : as given by the user
    X : ndarray, CSR matrix, table, strings or precomputed stack
        All samples.
    target : ndarray of shape (n_samples, n_targets)
        The target of alignment.
    Y, task, normalize, center
        As in `Prepared`.
    sample_weight : ndarray of shape (n_samples,)
    backend : Backend
    samples : ndarray or None
        The training samples, ordered by folds, as rows of X; None is all of them. All other
        arguments are about these.
    rank : ndarray of shape (n_samples,) or None
        Position of each sample in the order in which families see them; None is this order.
    borders : ndarray of shape (n_folds + 1,) or None
        Folds that may be left out later.
    trained : ndarray of bool of shape (n_folds, n_folds) or None
        Which folds each trains on; None is all others.
    names : sequence of str or None
        Names of the columns of X.
    missing : {"error", "neutral"}
        Whether samples may be missing in a view.
    few_pairs : ndarray or None
        Samples in the order from which some are drawn, if the pass may be over their pairs only:
        it is if ridge is trained with landmarks, and there are no folds or missing samples.
    **settings
        Further fields of `Prepared`.
    """
    require_choice("normalize", normalize, NORMALIZATIONS)
    require_choice("missing", missing, MISSING)
    require_truth("center", center)
    seen = np.arange(len(Y)) if rank is None else np.argsort(rank)
    resolved = resolve_on(
        kernels, X, Y[seen], sample_weight[seen], None if samples is None else samples[seen], task,
        backend, names, missing,
    )  # fmt: skip
    X, samples = in_order(kernels, X, samples)
    weights = sample_weight if samples is None else filled(sample_weight, samples, X.shape[0])
    base = BaseKernels.of(
        resolved, X, raw=not center,
        cosine=normalize == "cosine", missing=missing, weights=weights,
        max_memory=settings.get("max_memory", np.inf),
    )  # fmt: skip
    if missing == "neutral" and not (observed := base.observed()).all():
        absent = np.flatnonzero(~observed)
        raise InputError(
            f"X contains {count_text(len(absent), 'sample')} without a value in any view (the "
            f"first is row {absent[0]}); drop samples without values."
        )
    if samples is not None and not np.array_equal(samples, np.arange(X.shape[0])):
        base = base.take(samples)
    goal = centered(target, sample_weight)
    landmarks = (settings.get("n_components") or len(Y)) < len(Y)
    complete = missing == "error" and borders is None
    if few_pairs is not None and landmarks and complete and can_sample(base, len(Y)):
        sums: KernelSums = SampledSums.of_some(base, goal, backend, sample_weight, few_pairs)
    else:
        sums = KernelSums.of(base, goal, backend, sample_weight, borders, trained)
    return Prepared(sums, Y, task, normalize, center, **settings)


def resolve_on(
    kernels: Any, X: Any, Y: np.ndarray, w: np.ndarray, samples: np.ndarray | None, task: str,
    backend: Backend, names: Sequence[str] | None, missing: str,
) -> list[Kernel]:  # fmt: skip
    """Return the base kernels that the user's `kernels` specify on the training samples.

    Parameters
    ----------
    kernels, X, Y, samples, task, backend, names, missing
        As in `prepare`.
    w : ndarray of shape (n_samples,)
        Sample weights.
    """
    X, samples = in_order(kernels, X, samples)
    if samples is not None:
        w, Y = filled(w, samples, X.shape[0]), filled(Y, samples, X.shape[0])
    messages: list[str] = []  # several families may warn about the same columns
    with captured(messages.append, ConstantKernelWarning):
        found = resolve(
            kernels, X, w, names=names, missing=missing, target=Y,
            gradient_products=partial(gradient_products, task=task, backend=backend),
        )  # fmt: skip
    for message in dict.fromkeys(messages):
        warn(message, ConstantKernelWarning)
    return found


def in_order(kernels: Any, X: Any, samples: np.ndarray | None) -> tuple[Any, np.ndarray | None]:
    """Return the training samples themselves if X is an array, else X and where they are.

    Tables keep their rows, because messages about them name the row.
    """
    matrix = sparse.issparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2)
    if samples is None or not matrix or input_kind(kernels) == "table":
        return X, samples
    return X[samples], None


def filled(values: np.ndarray, samples: np.ndarray, n: int) -> np.ndarray:
    """Return an array of n rows with these values for the samples, and zero for all others."""
    found = np.zeros((n, *values.shape[1:]))
    found[samples] = values
    return found


def gradient_products(
    kernels: list[Kernel], X: np.ndarray, Y: np.ndarray, w: np.ndarray | None,
    start: np.ndarray | None, *, task: str, backend: Backend,
) -> np.ndarray:  # fmt: skip
    """Return the average gradient outer product of a ridge predictor, (n_features, n_features).

    Weights and regularisation have the smallest leave-one-out error on some samples; at most
    METRIC_SAMPLES train, and the average is over some of them.
    """
    w = np.ones(len(X)) if w is None else w
    chosen = np.random.RandomState(0).permutation(np.flatnonzero(w))[:METRIC_SAMPLES]
    X, Y, w = X[chosen], Y[chosen], w[chosen]
    prepared = prepare(
        kernels, X, Y, Y, task=task, normalize="trace", center=True, sample_weight=w,
        backend=backend,
    )  # fmt: skip
    learned = learn(prepared, LeaveOneOut(METRIC_WEIGHTS, tol=1e-3), Ridge(), start=start)
    (predictor,) = train(learned, Ridge(), [learned.value])
    ((_, coef, _),) = predictor.terms
    factors = learned.result.weights * learned.kernels.factors
    used = np.flatnonzero(factors)
    m = min(len(X), METRIC_POINTS)
    g = gradients([kernels[k] for k in used], factors[used], X[:m], X, coef)
    return np.asarray(np.einsum("jdt,jet,j->de", g, g, w[:m]) / w[:m].sum())


def learn(
    prepared: Prepared, method: WeightMethod, machine: Machine, value: float = 1.0,
    start: np.ndarray | None = None, selection: Selection | None = None,
) -> Learned:  # fmt: skip
    """Learn the weights.

    Parameters
    ----------
    prepared : Prepared
    method, machine
        The two stages.
    value : float, default=1.0
        The user's regularisation: C for classes and support vector machines, else alpha. Only
        one-stage methods use it.
    start : ndarray of shape (n_kernels,) or None
        Initial weights, learned with the choice of kernels, for methods that use them.
    selection : Selection or None
        The candidates among which the method was chosen.
    """
    kernels, Y = prepared.centered(), prepared.Y
    if "Grams" in method.reads and needs_grams(prepared, method):
        what = "learns weights and machine together" if method.one_stage else "compares errors"
        who = f"method {method.name!r}, which {what},"
        count, instead = method.grams(len(kernels.factors)), 'use method="alignf"'
        n = method.gram_samples(len(Y))
        require_gram_memory(n, count, prepared.max_memory, who, instead)
    other = 1 / (2 * value)
    gives_C = prepared.task == "classification" or machine.takes_C
    C, alpha = (value, other) if gives_C else (other, value)
    problem = WeightProblem(
        kernels, Y, kernels.weights, prepared.task, C, alpha, machine,
        regularization(machine, value, prepared.task), np.ones(len(kernels.factors), dtype=bool),
        start, prepared.max_memory,
    )  # fmt: skip
    result = learn_weights(method, problem)
    if selection is not None:
        result = replace(result, selection=selection)
    mu, statistics = result.weights, kernels.statistics
    if result.alpha is not None:
        value = 1 / (2 * result.alpha) if gives_C else result.alpha
    training = TrainingProblem(
        kernels.kernel(mu), Y, kernels.weights, prepared.center, kernels.backend,
        bool((mu < 0).any()), prepared.max_memory, prepared.n_components, prepared.random_state,
    )  # fmt: skip
    alignments = statistics.alignment(mu), statistics.alignments()
    return Learned(result, kernels, training, prepared.task, *alignments, value)


def needs_grams(prepared: Prepared, method: WeightMethod) -> bool:
    """Return whether a method that reads Gram matrices forms them, and not products with them."""
    parts = prepared.sums.kernels.parts
    if all(part.fast_products for part in parts):
        ridge = method.machine == "ridge" and not method.learns_alpha
        return not (ridge and prefers_products(len(prepared.Y)))
    return any(part.kind != "factors" for part in parts)


def train(
    learned: Learned, machine: Machine, values: Sequence[float], left_out: bool = False,
    posterior: bool = False,
) -> list[Predictor]:  # fmt: skip
    """Train the machine with a learned kernel, for each value of the regularisation.

    With `left_out`, predictors have the outputs for held-out samples if these have a
    closed form; with `posterior`, the posterior if it is not computed from the Gram matrix.
    """
    problem = replace(learned.problem, left_out=left_out, posterior=posterior)
    values = [regularization(machine, value, learned.task) for value in values]
    if learned.result.offset is not None:
        return [train_ensemble(problem, learned, machine, value) for value in values]
    strategy = machine.strategy(problem, len(values))
    return [
        Predictor(
            learned, ((problem.kernel, trained.coef, trained.primal),), trained.intercept,
            trained.certificates, strategy.name, trained.left_out, trained.posterior,
            trained.single,
        )
        for trained in strategy.train(problem, values)
    ]  # fmt: skip


def regularization(machine: Machine, value: float, task: str) -> float:
    """Return the user's C or alpha in the machine's own terms."""
    return 1 / (2 * value) if machine.takes_alpha and task == "classification" else value


def train_ensemble(
    problem: TrainingProblem, learned: Learned, machine: Machine, value: float
) -> Predictor:
    """Train one machine for each kernel with a weight, and combine their predictions."""
    weights, kernels = learned.result.weights, learned.kernels
    terms, intercept = [], np.array(learned.result.offset)
    certificates: list[Certificate] = []
    for k in np.flatnonzero(weights).tolist():
        kernel = kernels.kernel(kernels.unit(k))
        alone = replace(problem, kernel=kernel, signed=False)
        strategy = machine.strategy(alone)
        (trained,) = strategy.train(alone, [value])
        primal = None if trained.primal is None else weights[k] * trained.primal
        terms.append((kernel, weights[k] * trained.coef, primal))
        intercept = intercept + weights[k] * trained.intercept
        certificates.extend(trained.certificates)
    return Predictor(learned, tuple(terms), intercept, tuple(certificates), strategy.name)


def fit_values(
    prepared: Prepared, method: WeightMethod, machine: Machine, values: Sequence[float]
) -> list[Predictor]:
    """Learn and train for each value; weights of two-stage methods are learned once.

    Without values, the one that the method learns is used.
    """
    if not method.one_stage:
        learned = learn(prepared, method, machine)
        return train(learned, machine, values or [learned.value])
    name = "C" if prepared.task == "classification" or machine.takes_C else "alpha"
    found = []
    # Suppress the warning if several values are compared: another value is chosen then.
    with suppressed(UndefinedAlignmentWarning) if len(values) > 1 else nullcontext():
        for value in values:
            with progress.within(f"{name} {value:g}"):
                learned = learn(prepared, method, machine, value)
                found += train(learned, machine, [value])
    return found


def centered(target: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return a target of shape (n_samples, n_targets) minus its weighted mean; check its size."""
    varies = (target != target[:1]).any(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        # The mean of equal numbers may differ from them in its last digit.
        once = np.where(varies, target - w @ target / w.sum(), 0.0)
        found = once - w @ once / w.sum()  # a second time: a large mean has lost digits
        largest = float(np.abs(found).max(initial=0.0))
    if not (largest == 0 or TARGET_SIZES[0] <= largest <= TARGET_SIZES[1]):
        raise InputError(
            f"y varies by {largest:.3g}, too {'little' if largest < 1 else 'much'} for squares of "
            "its inner products; divide it by its standard deviation."
        )
    return found

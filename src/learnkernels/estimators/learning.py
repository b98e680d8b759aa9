"""One fit, top to bottom: X -> kernels -> statistics -> weights -> machine -> predictor.

Functions on arrays; scikit-learn's conventions are the business of the classes beside this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dpotrf

from learnkernels.checks import require_choice, require_truth
from learnkernels.errors import InputError, UndefinedAlignmentWarning
from learnkernels.estimators.budget import DENSE, FACTORS, LANDMARKS, UNBOUNDED, Budget
from learnkernels.estimators.models import Learned, Model, Part, Predictor, model_of
from learnkernels.gram import (
    NORMALIZATIONS,
    Backend,
    Bank,
    Oracle,
    PairSums,
    pair_sums,
)
from learnkernels.kernels import MISSING, resolve
from learnkernels.machines import Machine, Problem, Ridge, is_thin
from learnkernels.progress import SILENT, Progress
from learnkernels.telling import unheard
from learnkernels.weights import Evidence, WeightMethod, learn_weights

__all__ = ["Stage"]

# Sizes of a target that alignment can read: sums of fourth powers are numbers of this machine.
TARGETS = 1e-75, 1e72


@dataclass(frozen=True)
class Stage:
    """Stage one on training data: all sums over pairs are done, weights can be learned.

    Attributes
    ----------
    bank : Bank
        The base kernels on the training samples, in order of their blocks.
    sums : PairSums
    Y : ndarray of shape (n_samples, n_outputs)
        What machines are trained on: labels -1 and 1, or real targets.
    task : {"classification", "regression"}
    normalize : {"trace", "frobenius", "cosine", None}
    center : bool
    sample_weight : ndarray of shape (n_samples,)
    backend : Backend
    progress : Progress
    budget : Budget
        What training may take.
    """

    bank: Bank
    sums: PairSums
    Y: np.ndarray
    task: str
    normalize: str | None
    center: bool
    sample_weight: np.ndarray
    backend: Backend
    progress: Progress = SILENT
    budget: Budget = UNBOUNDED

    @classmethod
    def of(
        cls, kernels, X, target, Y, *, task, normalize, center, sample_weight, backend,
        samples=None, borders=None, names=None, missing="error", progress=SILENT,
        budget=UNBOUNDED,
    ) -> Stage:  # fmt: skip
        """Resolve the kernels and run the pass over pairs.

        Parameters
        ----------
        kernels : as given by the user
        X : ndarray, CSR matrix or precomputed stack
            All samples.
        samples : ndarray or None
            The training samples in order of their blocks, as rows of X; None is all of them. All
            other arguments are about these.
        target : ndarray of shape (n_samples, n_targets)
            The target of alignment.
        Y, task, normalize, center, sample_weight, backend, progress, budget
            As in the class.
        borders : sequence of int or None
            Blocks of samples that may be left out later.
        names : sequence of str or None
            Names of the columns of X.
        missing : {"error", "neutral"}
            What happens to samples that a view has not seen.
        """
        require_choice("normalize", normalize, NORMALIZATIONS)
        require_choice("missing", missing, MISSING)
        require_truth("center", center)
        everybody = sample_weight
        if samples is not None:
            everybody = np.zeros(X.shape[0])
            everybody[samples] = sample_weight
        base = resolve(kernels, X, everybody, names=names, missing=missing)
        bank = Bank.of(
            base, X, raw=not center, cosine=normalize == "cosine", missing=missing,
            weights=everybody, room=budget.room,
        )  # fmt: skip
        if missing == "neutral" and not bank.seen().all():
            gone = np.flatnonzero(~bank.seen())
            raise InputError(
                f"{len(gone)} samples are missing in every view (the first is row {gone[0]}), so "
                "there is nothing to learn from them; drop them."
            )
        if samples is not None and not np.array_equal(samples, np.arange(bank.n_rows)):
            bank = bank.take(samples)
        target = centered(target, sample_weight)
        require_target_size(target)
        sums = pair_sums(bank, target, backend, sample_weight, borders)
        return cls(bank, sums, Y, task, normalize, center, sample_weight, backend, progress, budget)

    @property
    def borders(self) -> np.ndarray:
        return self.sums.borders

    def within(self, *where: str) -> Stage:
        """The same, as a part of a job that says where it is."""
        return replace(self, progress=self.progress.within(*where))

    def way(self, learned: Learned, machine: Machine, n: int, many: bool = False) -> str:
        """How the machine is trained on n samples, for one or many values."""
        signed = bool((learned.weights < 0).any())
        if machine.takes_factors and is_thin(learned.kernel) and not signed:
            return FACTORS
        return self.budget.way(n, many) if machine.takes_products and not signed else DENSE

    def take(self, samples: np.ndarray) -> Stage:
        """The same kernels on some of the samples, with sums over their pairs."""
        w = self.sample_weight[samples]
        bank = self.bank.take(samples)
        sums = pair_sums(bank, centered(self.sums.Y[samples], w), self.backend, w)
        return replace(self, bank=bank, sums=sums, Y=self.Y[samples], sample_weight=w)

    def inside(self, block: int) -> np.ndarray:
        """Samples of a block."""
        return self.sums.inside(block)

    def outside(self, block: int | None) -> np.ndarray:
        """Samples of all other blocks."""
        return self.sums.outside(block)

    def learn(
        self, method: WeightMethod, machine: Machine, value: float, without: int | None = None
    ) -> Learned:
        """The kernel learned from all samples, or from those outside one block.

        Parameters
        ----------
        method, machine
            The two stages.
        value : float
            The user's regularisation: C for classes, alpha for regression.
        without : int or None
            The block to leave out.
        """
        oracle = self.oracle(without)
        samples = self.outside(without)
        if method.one_stage and self.bank.tiled is not None:
            who = f"method {method.name!r} learns weights together with the machine and"
            count = method.grams(oracle.n_kernels)
            self.budget.require_grams(len(samples), count, who, "use a method by alignment")
        other = 1 / (2 * value)
        C, alpha = (value, other) if self.task == "classification" else (other, value)
        evidence = Evidence(
            oracle.statistics, oracle, self.Y[samples], self.sample_weight[samples], self.task, C,
            alpha, machine, self.setting(machine, value), np.ones(oracle.n_kernels, dtype=bool),
            self.progress.within(method.name).say,
        )  # fmt: skip
        mu, certificate = learn_weights(method, evidence)
        return Learned(
            oracle.kernel(mu),
            mu,
            certificate,
            oracle.statistics.alignment(mu),
            oracle.statistics.alignments(),
        )

    def oracle(self, without: int | None = None) -> Oracle:
        """The centered, scaled kernels on all samples, or on those outside one block."""
        return self.sums.oracle(self.normalize, self.center, without)

    def setting(self, machine: Machine, value: float) -> float:
        """The user's regularisation in the machine's own terms."""
        converted = isinstance(machine, Ridge) and self.task == "classification"
        return 1 / (2 * value) if converted else value

    def problem(
        self, learned: Learned, machine: Machine, without: int | None = None, many: bool = False
    ) -> Problem:
        """What the machine is trained on: the learned Gram and the targets.

        Parameters
        ----------
        learned : Learned
        machine : Machine
        without : int or None
            The block to leave out.
        many : bool, default=False
            Whether for several values of the regularisation, which takes more room.
        """
        self.progress.say("training the machine")
        samples = self.outside(without)
        Y, w = self.Y[samples], self.sample_weight[samples]
        way = self.way(learned, machine, len(samples), many)
        empty = np.empty((0, 0))
        if way == FACTORS:
            return Problem(empty, Y, w, self.center, self.backend, learned.kernel.root())
        if way != DENSE:
            self.budget.tell(len(samples), way)
            chosen = self.budget.landmarks(len(samples)) if way == LANDMARKS else None
            return Problem(
                empty, Y, w, self.center, self.backend, None, learned.kernel, self.budget.room,
                chosen, self.progress.say,
            )  # fmt: skip
        self.budget.require_dense(len(samples), many and machine.takes_products, machine)
        K = learned.kernel.gram(self.backend)
        if machine.needs_semidefinite and (learned.weights < 0).any():
            check_semidefinite(K)
        return Problem(K, Y, w, self.center, self.backend)

    def train(
        self,
        method: WeightMethod,
        machine: Machine,
        values: Sequence[float],
        without: int | None = None,
    ) -> list[Model]:
        """A model for each value of the regularisation; two-stage weights are learned once."""
        if method.one_stage:
            name = "C" if self.task == "classification" else "alpha"
            # Of several values one for which no kernel helps is no news: another is chosen.
            with unheard(UndefinedAlignmentWarning) if len(values) > 1 else nullcontext():
                return [
                    self.within(f"{name} {value:g}")._train_one(method, machine, value, without)
                    for value in values
                ]
        learned = self.learn(method, machine, values[0], without)
        settings = [self.setting(machine, value) for value in values]
        problem = self.problem(learned, machine, without, len(values) > 1)
        path = machine.path(problem, settings)
        return [model_of(learned, trained) for trained in path]

    def _train_one(self, method, machine, value, without) -> Model:
        learned = self.learn(method, machine, value, without)
        if method.ensemble:
            return self._train_ensemble(learned, method.offset_, machine, value, without)
        setting = self.setting(machine, value)
        (trained,) = machine.path(self.problem(learned, machine, without), [setting])
        return model_of(learned, trained)

    def _train_ensemble(self, learned, offset, machine, value, without) -> Model:
        """One machine for each kernel with a weight, their predictions combined."""
        oracle = self.oracle(without)
        parts, intercept, certificates = [], np.array(offset), []
        for k in np.flatnonzero(learned.weights).tolist():
            unit = oracle.unit(k)
            kernel = oracle.kernel(unit)
            alone = Learned(kernel, unit, learned.certificate, 0.0, learned.alignments)
            problem = self.problem(alone, machine, without)
            (trained,) = machine.path(problem, [self.setting(machine, value)])
            parts.append(Part.of(kernel, trained, learned.weights[k]))
            intercept = intercept + learned.weights[k] * trained.intercept
            certificates.extend(trained.certificates)
        return Model(learned, Predictor(tuple(parts), intercept), tuple(certificates))


def require_target_size(target: np.ndarray) -> None:
    """Raise where a centered target varies by too much or too little to be squared twice."""
    with np.errstate(invalid="ignore"):
        largest = float(np.abs(target).max(initial=0.0))
    if not (largest == 0 or TARGETS[0] <= largest <= TARGETS[1]):
        raise InputError(
            f"y varies by {largest:.3g}, too {'little' if largest < 1 else 'much'} for squares of "
            "its inner products; divide it by its standard deviation."
        )


def centered(target: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A target of shape (n_samples, n_targets) without its weighted mean."""
    varies = (target != target[:1]).any(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # `require_target_size` says it
        # The mean of equal numbers may differ from them in its last digit.
        once = np.where(varies, target - w @ target / w.sum(), 0.0)
        return once - w @ once / w.sum()  # the digits that a mean far from zero has not


def check_semidefinite(K: np.ndarray) -> None:
    """Raise if a combination with negative weights is not a kernel."""
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += 1e-8 * max(np.trace(K) / len(K), np.finfo(float).tiny)
    _, failed = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise InputError(
            "the combination learned with weights of either sign is not positive semi-definite, "
            'which the SVM needs; use method="alignf", or machine="ridge" with a small C.'
        )

"""What the three estimators share: validation, stage one, and what is stored."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from learnkernels.checks import as_input_error, require_range
from learnkernels.errors import InputError
from learnkernels.estimators.budget import UNBOUNDED, Budget
from learnkernels.estimators.guarantees import Guarantees, guarantees_of
from learnkernels.estimators.html import learned_html
from learnkernels.estimators.learning import Stage
from learnkernels.estimators.models import Learned, Model
from learnkernels.estimators.tables import canonical, in_memory, validated_table
from learnkernels.gram import Bank, Checkpointed, Oracle, as_backend, digest
from learnkernels.kernels import takes_tables
from learnkernels.machines import Machine, Ridge
from learnkernels.progress import SILENT, shown
from learnkernels.theory.checks import fraction
from learnkernels.weights import WeightMethod

__all__ = ["BaseKernelEstimator"]

# Weights of samples whose products with each other, and with C, are numbers.
WEIGHTS = 1e-50, 1e50


class BaseKernelEstimator(BaseEstimator):
    """Validation of X, and the attributes that every fitted estimator has."""

    _weighted = False  # whether samples had weights in `fit`

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernels, str) and self.kernels == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.three_d_array = precomputed
        tags.input_tags.sparse = not precomputed
        tags.input_tags.string = takes_tables(self.kernels)
        absent = precomputed or takes_tables(self.kernels)
        tags.input_tags.allow_nan = absent and self.missing == "neutral"
        tags.target_tags.required = True
        return tags

    def _repr_html_inner(self):
        """In notebooks: scikit-learn's diagram, and once fitted the learned kernel."""
        return super()._repr_html_inner() + self._learned_html()

    def _repr_mimebundle_(self, **options):
        found = super()._repr_mimebundle_(**options)
        if "text/html" in found:
            found["text/html"] += self._learned_html()
        return found

    def _learned_html(self) -> str:
        return learned_html(self) if hasattr(self, "weights_") else ""

    def _validated(self, X, y="no_validation", **options):
        """X (and y) as arrays, with a sentence where they cannot be used."""
        fitting = options.get("reset", True)
        X, y = in_memory(X), in_memory(y)
        if takes_tables(self.kernels):
            return validated_table(self, X, y, **options)
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        if pairwise:
            finite = "allow-nan" if self.missing == "neutral" else True
            options |= {"allow_nd": True, "ensure_all_finite": finite}
        else:
            options |= {"accept_sparse": "csr", "ensure_min_samples": 2 if fitting else 1}
        with as_input_error():
            try:
                validated = validate_data(self, X, y, dtype=np.float64, order="C", **options)
            except ValueError as error:
                if "could not convert" in str(error):
                    raise InputError(text_found(X, error)) from error
                raise
        X, *y = validated if fitting else (validated,)
        if sparse.issparse(X):
            X = canonical(X)
        if not pairwise:
            require_range(X, "X")
        else:
            check_stack(X, fitting)
            if not fitting and X.shape[2] != len(self.weights_):
                raise InputError(
                    f"the stack holds {X.shape[2]} kernels, but the model was trained on "
                    f"{len(self.weights_)} kernels; give the same ones in the same order."
                )
        return (X, *y) if fitting else X

    def _weights_of_samples(self, sample_weight, X):
        """Sample weights, and the samples whose weight is not zero."""
        with as_input_error():
            w = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self._weighted = bool((w != 1).any())
        kept = np.flatnonzero(w)
        if len(kept) < 2:
            raise InputError(f"only {len(kept)} samples have a positive weight; 2 are needed.")
        low, high = float(w[kept].min()), float(w[kept].max())
        if low < WEIGHTS[0] or high > WEIGHTS[1]:
            raise InputError(
                f"sample_weight goes from {low:.3g} to {high:.3g}; weights must be zero, or from "
                f"{WEIGHTS[0]:g} to {WEIGHTS[1]:g}: divide them by their mean."
            )
        return w[kept], kept

    def _stage(
        self, X, target, Y, sample_weight, task, samples=None, borders=None, progress=SILENT,
        budget=UNBOUNDED,
    ) -> Stage:  # fmt: skip
        backend = self.backend
        if getattr(self, "checkpoint", None) is not None:
            data = digest(X, target, sample_weight, samples)
            with as_input_error("checkpoint: "):
                path = Path(os.fsdecode(os.fsencode(self.checkpoint)))
            backend = Checkpointed(as_backend(backend), path, data)
        return Stage.of(
            self.kernels, X, target, Y, task=task, normalize=self.normalize, center=self.center,
            sample_weight=sample_weight, backend=as_backend(backend, progress),
            samples=samples, borders=borders, names=getattr(self, "feature_names_in_", None),
            missing=self.missing, progress=progress, budget=budget,
        )  # fmt: skip

    def _budget(self) -> Budget:
        """What training may take."""
        return Budget.of(self, self.max_memory, self.n_components, self.random_state)

    def _store(self, learned: Learned, bank: Bank, method: WeightMethod) -> None:
        self.weights_ = learned.weights
        self.kernel_names_ = np.array(bank.names, dtype=object)
        self.kernel_views_ = np.array(bank.views, dtype=object)
        self.view_weights_ = dict.fromkeys(bank.views, 0.0)
        for view, weight in zip(bank.views, learned.weights, strict=True):
            self.view_weights_[view] += float(weight)
        self.alignment_ = learned.alignment
        self.kernel_alignments_ = learned.alignments
        self.certificate_ = learned.certificate
        self.__dict__.pop("tail_sums_", None)
        if hasattr(method, "tail_sums_"):
            self.tail_sums_ = method.tail_sums_

    def _store_model(self, model: Model, bank: Bank, method: WeightMethod) -> None:
        self._store(model.learned, bank, method)
        self._predictor = model.predictor.function()
        self.machine_certificates_ = model.certificates

    def guarantees(self, X, y, delta=0.05, random_state=0) -> Guarantees:
        """What can be promised of the fitted model: bounds of the papers, and how to read them.

        Alignment with its concentration bound and a bootstrap interval, the error of a predictor
        that exists, the stability bound where the machine is ridge, and the excess risk by local
        Rademacher complexity. Bounds that hold for every distribution are loose; one that is no
        better than what is trivially true is marked vacuous. Quantities that bounds ask of all
        possible samples (the largest k(x, x) and y) are those of the training samples, of 2,000 of
        them where there are more.

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
        >>> found = lk.KernelRegressor().fit(X, y).guarantees(X, y)
        >>> [entry.name for entry in found.entries if not entry.vacuous]
        ['alignment', 'alignment, lowest', 'alignment, highest', 'excess risk']
        """
        check_is_fitted(self)
        fraction("delta", delta)
        stage, oracle, machine = self._again(X, y)
        if oracle.statistics.target_norm == 0:
            raise InputError("the target is constant, so there is nothing to promise of a model.")
        alpha = residual = None
        if isinstance(machine, Ridge):
            alpha = stage.setting(machine, getattr(self, "alpha_", getattr(self, "C_", 1.0)))
            residual = float(np.mean((stage.Y - self._outputs(X)) ** 2))
        return guarantees_of(
            stage, self.alignment_, self.weights_, machine, alpha, residual, delta, random_state
        )

    def _again(self, X, y) -> tuple[Stage, Oracle, Machine | None]:
        """Stage one on the training data again, the kernels there, and the machine."""
        if self._weighted:
            raise InputError(
                "the model was fitted with sample weights, which neither guarantees nor reports "
                "nor pictures of the training data take into account; fit it without."
            )
        stage, machine = self._training(X, y)
        oracle = stage.oracle()
        mu = self.weights_
        same = len(mu) == oracle.n_kernels
        if not same or abs(oracle.statistics.alignment(mu) - self.alignment_) > 1e-6:
            raise InputError(
                "X and y are not the data that the model was trained on: its kernel has another "
                "alignment there; give the training data."
            )
        return stage, oracle, machine

    def _outputs(self, X) -> np.ndarray:
        """What the machine puts out for new samples, shape (n_samples, n_outputs)."""
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        with shown(self.verbose) as progress:
            outputs = self._predictor.outputs(X, as_backend(self.backend, progress))
        if not np.isfinite(outputs).all():
            raise InputError(
                "predictions overflow: X holds values far outside those of the training data; "
                "check its scale."
            )
        return outputs


def check_stack(X, fitting: bool) -> None:
    """Raise unless X is a stack of Gram matrices."""
    if X.ndim != 3:
        raise InputError(
            f'kernels="precomputed" needs X of shape (n_samples, n_samples_train, n_kernels), '
            f"found {X.shape}; stack the Gram matrices with np.stack([K1, K2], axis=-1)."
        )
    if X.shape[2] == 0:
        raise InputError("the precomputed stack holds no kernel: its last axis has length 0.")
    if fitting and X.shape[0] != X.shape[1]:
        raise InputError(
            f"training needs square Gram matrices, found a stack of shape {X.shape}; "
            "give the similarities of all training samples with each other."
        )
    if fitting and X.shape[0] < 2:
        raise InputError(f"found a stack for {X.shape[0]} sample; at least 2 are needed.")


def text_found(X, error) -> str:
    """A sentence about columns that hold text."""
    names = []
    for name in getattr(X, "columns", []):
        try:
            np.asarray(X[name], dtype=float)
        except (TypeError, ValueError):
            names.append(str(name))
    where = f"columns {names} hold" if names else "X holds"
    return (
        f"{where} text where numbers are expected ({error}); give texts and sequences a view of "
        "their own, lk.on(column, lk.ngrams()) for one, encode categories, for example with "
        "OneHotEncoder in a ColumnTransformer, or drop them."
    )

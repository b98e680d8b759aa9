"""`KernelClassifier`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from learnkernels.checks import as_input_error, require_choice, require_positive
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.fitting import Prepared, learn, train
from learnkernels.estimators.selection import (
    chooses_by_folds,
    chosen_by_folds,
    contiguous_folds,
    learned_value,
    mean_losses,
    values_of,
)
from learnkernels.kernels import has_fast_products
from learnkernels.kernels.tables import is_missing
from learnkernels.machines import SVM, AlignmentPredictor, Machine, Ridge
from learnkernels.methods import Auto, WeightMethod, as_method


class KernelClassifier(ClassifierMixin, BaseKernelEstimator):
    """Classification with a learned kernel.

    Learns non-negative weights of base kernels from the labels, then trains kernel ridge on the
    labels, or a support vector machine, with the combined kernel.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels: families such as ``lk.gaussians()``, views ``lk.on(columns, ...)``,
        kernels for texts and sequences, names of scikit-learn kernel metrics,
        ``gaussian_process`` kernels or functions ``f(X, Z)``, alone or in a list.
        ``"precomputed"`` takes X as a stack of Gram matrices of shape (n_samples, n_samples_train,
        n_kernels). None takes `table`: Gaussians, Laplacians and the linear kernel on standardised
        columns.
    method : str or WeightMethod, default="auto"
        How the weights are learned. ``"auto"`` compares several methods by held-out error,
        ``"loo"`` minimises the leave-one-out error of ridge. Two-stage methods learn weights by
        alignment, then train the machine: ``"unif"``, ``"align"``, ``"alignf"``,
        ``"align-linear"``. One-stage methods learn weights and machine together: ``"l1-svm"``,
        ``"l2-svm"``, ``"lp-svm"``, ``"conv"``, ``"dc"``, ``"ufo"``, ``"l1-krr"``, ``"l2-krr"``,
        ``"align-single"``. Baselines: ``"single"``, ``"ensemble"``. Or an object of
        `learnkernels.methods` with parameters.
    C : float, list of float or "auto", default="auto"
        Regularisation parameter; smaller is stronger. From a list, the best value is chosen by
        stratified cross-validation in `fit`, with weights learned on each training part.
        ``"auto"`` takes the value that the methods ``"auto"`` and ``"loo"`` learn together with the
        weights; for all others it is a list of powers of ten (1 if a class has a single sample).
    machine : {"auto", "svm", "ridge", "alignment"}, default="auto"
        The second stage. ``"auto"`` is ridge for the methods that minimise its loss (``"auto"`` and
        ``"loo"`` among them), the SVM for all others (several classes: one against the rest), and
        ridge if `n_components` is smaller than the number of samples. ``"ridge"`` is kernel ridge
        on the labels -1 and 1 with ``alpha = 1 / (2 C)``, ``"alignment"`` the alignment predictor,
        which has no parameter.
    center : bool, default=True
        Center the base kernels in feature space.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels: mean diagonal one, Frobenius norm one, unit diagonal (before
        centering), or unchanged.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where passes over pairs of samples run: all cores of this process (None), a Dask cluster
        (``"dask"``, the address of a scheduler, a client), or `Threads` or `Dask`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that are missing in a view (no value in any of its columns; for a
        precomputed stack, NaN in the row and column of a matrix). ``"neutral"`` gives them the
        mean of the view in feature space; new tables may lack the columns of the view.
    max_memory : float or None, default=None
        Bytes that Gram matrices may take; None is 8 GB. Beyond it ridge is solved by conjugate
        gradients whose products stream over tiles, to the same solution, and the SVM raises.
    n_components : int or None, default=None
        Number of random samples (landmarks) that span the predictor: normal equations of that
        size are accumulated over all samples. None is the span of all samples.
    tol : float, default=1e-3
        Tolerance of the SVM, in units of the margin. The tolerance of the weights is a parameter of
        the method.
    cv : int, splitter or iterable, default=5
        Folds that choose among several C. A splitter or an iterable defines what held-out means:
        it is used for every choice, also for that among methods, instead of leave-one-out errors;
        the default kernels are then those of `table`.
    random_state : int, RandomState or None, default=0
        Shuffles the folds and chooses the components.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn; None and -1 take all cores. Only without `backend`.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    kernel_views_ : ndarray of shape (n_kernels,)
        The view that each belongs to.
    view_weights_ : dict of str to float
        Sum of the weights of each view's kernels.
    alignment_ : float
        Centered alignment of the learned kernel with the target.
    kernel_alignments_ : ndarray of shape (n_kernels,)
        Centered alignment of each base kernel alone.
    certificate_ : Certificate
        Optimality of the weights.
    machine_certificates_ : tuple of Certificate
        Duality gap of the machine for each output, if it iterates.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    machine_ : {"svm", "ridge", "alignment"}
        The machine that was trained.
    solver_ : {"dense", "factors", "conjugate gradients", "landmarks", "svm", "alignment"}
        How it was trained: with the Gram matrix, with factors of it, without it, or approximately.
    intercept_ : ndarray of shape (n_outputs,)
        Constant added to the outputs of the kernel expansion.
    C_ : float
        The value that was used.
    C_scores_ : ndarray of shape (n_values,)
        Accuracy of each value of C in cross-validation; only for a list.
    selection_ : Selection
        The candidates and their held-out errors; only for the methods ``"auto"`` and ``"loo"``.
    tail_sums_ : ndarray of shape (n_kernels,)
        Tail sum of the spectrum of each kernel; only for the methods ``"conv"`` and ``"dc"``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if X has names.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = lk.KernelClassifier().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    MACHINES: ClassVar[tuple[str, ...]] = ("auto", "svm", "ridge", "alignment")

    def __init__(
        self,
        kernels: Any = None,
        method: Any = "auto",
        C: Any = "auto",
        machine: str = "auto",
        center: bool = True,
        normalize: str | None = "trace",
        backend: Any = None,
        missing: str = "error",
        max_memory: float | None = None,
        n_components: int | None = None,
        tol: float = 1e-3,
        cv: Any = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.C = C
        self.machine = machine
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.missing = missing
        self.max_memory = max_memory
        self.n_components = n_components
        self.tol = tol
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights and train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, in both stages: a weight of 2 counts as the sample twice (but a
            fold of the choice among several C takes a sample whole).

        Returns
        -------
        self : KernelClassifier
            The fitted estimator.
        """
        X, y = self._validate(X, y)
        w, samples = self._sample_weights(sample_weight, X)
        self.classes_, codes = class_codes(y[samples])
        if len(self.classes_) < 2:
            raise InputError(
                f"y contains a single class ({self.classes_.tolist()[0]}); a classifier needs at "
                "least two."
            )
        require_positive("tol", self.tol, "KernelClassifier")
        method = as_method(self.method, "classification")
        memory = self._memory()
        split: dict[str, np.ndarray] = {}
        machine = self._machine(method, len(codes))
        fast = has_fast_products(self.kernels) and machine.takes_alpha
        by_folds = chooses_by_folds(self.cv, method, len(codes), fast)
        compare = by_folds and isinstance(method, Auto)
        values = values_of("C", self.C, method, machine, by_folds)
        if isinstance(self.C, str) and len(values) > 1 and np.bincount(codes).min() < 2:
            values = [1.0]  # a class of one sample has no folds
        machine.check(len(codes), memory["max_memory"], self.n_components)
        if compare or len(values) > 1:
            order, split = contiguous_folds(X, samples, codes, self.cv, self.random_state)
            samples, codes, w = samples[order], codes[order], w[order]
        target, Y = class_targets(codes, len(self.classes_))
        self.machine_ = machine.name
        self.__dict__.pop("C_scores_", None)
        with self._progress():
            rows = self._choose_family(X, Y, w, "classification", samples, by_folds)
            prepared = self._prepare(X, target, Y, w, "classification", samples, **split, **memory)
            trained = prepared, method, self._machine(method, len(codes), exact=False), values
            selection = None
            if compare:
                method, values, losses, selection = chosen_by_folds(*trained, wrong(codes), "error")
            elif len(values) > 1:
                values, losses = mean_losses(*trained, wrong(codes), "C", "error")
            if len(values) > 1:
                self.C_scores_ = 1 - losses
                values = [values[int(np.argmax(self.C_scores_))]]
            learned = learn(prepared, method, machine, (values or [1.0])[0], selection=selection)
            self.C_ = values[0] if values else learned_value(prepared, learned, machine)
            (predictor,) = train(prepared, learned, machine, [self.C_])
        self._store(prepared, learned, rows)
        self._store_predictor(predictor)
        return self

    def _training(self, X: Any, y: Any) -> tuple[Prepared, Machine]:
        """Return the training data again after the pass over pairs, and the machine."""
        X, y = self._validate(X, y)
        known = np.isin(y, self.classes_)
        if not known.all():
            raise InputError(f"y holds {y[~known][0]}, which is not a class of the model.")
        target, Y = class_targets(np.searchsorted(self.classes_, y), len(self.classes_))
        prepared = self._prepare(X, target, Y, np.ones(len(Y)), "classification", **self._memory())
        return prepared, self._machine(as_method(self.method, "classification"), len(Y))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the signed distance to the decision boundary, in units of the margin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, or their similarities to the training samples, of shape (n_samples,
            n_samples_train, n_kernels).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` with two classes, else one column for each class.
        """
        decision = self._outputs(X)
        return decision[:, 0] if len(self.classes_) == 2 else decision

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            The labels.
        """
        codes = decide(self._outputs(X))  # raises NotFittedError before classes_ is read
        return self.classes_[codes]

    def _machine(self, method: WeightMethod, n: int, exact: bool = True) -> Machine:
        """Return the machine that ``machine=`` names, for n samples."""
        require_choice("machine", self.machine, self.MACHINES)
        name = self.machine
        if name == "auto":
            landmarks = self.n_components is not None and self.n_components < n
            name = method.machine or "svm"
            name = "ridge" if landmarks and name == "svm" else name
        if name == "svm":
            return SVM(float(self.tol), exact)
        return Ridge() if name == "ridge" else AlignmentPredictor()


def wrong(codes: np.ndarray) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return the zero-one loss of outputs for some samples of known classes."""
    return lambda outputs, test: (decide(outputs) != codes[test]).astype(float)


def decide(outputs: np.ndarray) -> np.ndarray:
    """Return class codes from decision values of shape (n_samples, n_outputs)."""
    return (outputs[:, 0] > 0).astype(int) if outputs.shape[1] == 1 else outputs.argmax(axis=1)


def class_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order, and the number of each sample's class."""
    try:
        with np.errstate(invalid="ignore"):  # numbers beyond the range of integers
            check_classification_targets(y)
    except ValueError as error:
        raise InputError(
            f"{str(error).split('. Maybe')[0]}. y must hold class labels for KernelClassifier; use "
            "KernelRegressor, or discretise y."
        ) from error
    missing = np.isnat(y) if y.dtype.kind in "mM" else y.dtype == object and map(is_missing, y)
    if missing is not False and any(missing):
        raise InputError("labels are missing in y; drop those samples.")
    with as_input_error("y: "):
        return np.unique(y, return_inverse=True)


def class_targets(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the target of alignment and the labels -1 and 1 of the machine.

    For two classes both are one column of -1 and 1; for more, one column for each class: one-hot
    for alignment, -1 and 1 for the machine.
    """
    if n_classes == 2:
        signed = np.where(codes == 1, 1.0, -1.0)[:, None]
        return signed, signed
    return np.eye(n_classes)[codes], np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)

"""`KernelClassifier`."""

from __future__ import annotations

import warnings
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from learnkernels.checks import positive_values, require_choice, require_positive
from learnkernels.errors import InputError, MemoryWarning
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.budget import DENSE, ITERATIVE, LANDMARKS, Budget
from learnkernels.estimators.folds import fold_losses, stratified_order
from learnkernels.estimators.targets import alignment_targets, class_codes_of, signed_targets
from learnkernels.gram import sized
from learnkernels.machines import SVM, AlignmentPredictor, Machine, Ridge
from learnkernels.progress import shown
from learnkernels.weights import as_method

__all__ = ["KernelClassifier"]


class KernelClassifier(ClassifierMixin, BaseKernelEstimator):
    """Learn a kernel from labels, then classify with it.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels: families such as ``lk.gaussians()``, views ``lk.on(columns, ...)``,
        kernels for texts and sequences, names of scikit-learn kernel metrics,
        ``gaussian_process`` kernels or functions ``f(X, Z)``, alone or in a list.
        ``"precomputed"`` takes X as a stack of Gram matrices of shape (n_samples, n_samples_train,
        n_kernels). None takes ten Gaussians around the median distance, and the linear kernel.
    method : str or WeightMethod, default="alignf"
        How the weights are learned. Two stages, weights by alignment, then the machine:
        ``"unif"``, ``"align"``, ``"alignf"``, ``"align-linear"``. One stage, weights and machine
        at once: ``"l1-svm"``, ``"l2-svm"``, ``"lp-svm"``, ``"conv"``, ``"dc"``, ``"ufo"``,
        ``"l1-krr"``, ``"l2-krr"``, ``"align-single"``. Rivals: ``"single"``, ``"ensemble"``. Or an
        object of `learnkernels.methods` with parameters.
    C : float or list of float, default=1.0
        Regularisation of the machine; smaller is stronger. A list is chosen from by stratified
        cross-validation inside `fit`; the weights of each fold are learned without it.
    machine : {"auto", "svm", "ridge", "alignment"}, default="auto"
        The second stage. ``"auto"`` is the SVM (several classes: one against the rest), and ridge
        for the one-stage methods that minimise its loss.
        ``"ridge"`` is kernel ridge on the labels -1 and 1 with ``alpha = 1 / (2 C)``,
        ``"alignment"`` the alignment predictor, which has nothing to tune.
    center : bool, default=True
        Center the base kernels in feature space.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels: mean diagonal one, Frobenius norm one, unit diagonal (before
        centering), or as they are.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where the passes over pairs of samples run: all cores of this process (None), a Dask cluster
        (``"dask"``, the address of a scheduler, a client), or `Threads` or `Dask`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that a view has not seen (no value in any of its columns; of a
        precomputed stack, NaN in a matrix's row and column). ``"neutral"`` puts them at the view's
        mean in feature space, in training and prediction; new tables may lack the view's columns.
    max_memory : float or None, default=None
        Bytes that Gram matrices may take; None is half of what is free. Beyond it ridge is solved
        by conjugate gradients whose products stream over tiles, to the same solution.
    n_components : int or None, default=None
        Look for the predictor in the span of so many samples, chosen at random: normal equations
        of that size are accumulated over all samples, however many. None is the span of
        all. Either is ridge on the labels -1 and 1: the SVM needs the Gram matrix.
    tol : float, default=1e-3
        Tolerance of the SVM, in units of the margin.
    folds : int, default=5
        Folds that choose among several C.
    random_state : int, RandomState or None, default=0
        Shuffles the folds and chooses the components.
    verbose : bool, default=False
        Show progress on the terminal.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    kernel_views_ : ndarray of shape (n_kernels,)
        The view that each belongs to.
    view_weights_ : dict of str to float
        Sum of the weights of each view's kernels; their sum is that of all weights, which is one
        for the methods by alignment and ``"l1-svm"``.
    alignment_ : float
        Centered alignment of the learned kernel with the target.
    kernel_alignments_ : ndarray of shape (n_kernels,)
        Centered alignment of each base kernel alone.
    certificate_ : Certificate
        Proof of the weights' optimality.
    machine_certificates_ : tuple of Certificate
        Duality gap of the SVM for each output.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    machine_ : {"svm", "ridge", "alignment"}
        The machine that was trained.
    solver_ : {"dense", "factors", "conjugate gradients", "landmarks"}
        How it was solved: by the Gram matrix, by factors of it, without it, or approximately.
    C_ : float
        The value that was used.
    C_scores_ : ndarray of shape (n_values,)
        Accuracy of each value of C in cross-validation; only for a list.
    tail_sums_ : ndarray of shape (n_kernels,)
        What each kernel costs; only for the methods ``"conv"`` and ``"dc"``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X has them.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), lk.KernelClassifier(C=[1, 10, 100]))
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    """

    MACHINES: ClassVar[tuple[str, ...]] = ("auto", "svm", "ridge", "alignment")

    def __init__(
        self,
        kernels=None,
        method="alignf",
        C=1.0,
        machine="auto",
        center=True,
        normalize="trace",
        backend=None,
        missing="error",
        max_memory=None,
        n_components=None,
        tol=1e-3,
        folds=5,
        random_state=0,
        verbose=False,
    ):
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
        self.folds = folds
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None) -> Self:
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
        X, y = self._validated(X, y)
        w, samples = self._weights_of_samples(sample_weight, X)
        self.classes_, codes = class_codes_of(y[samples])
        if len(self.classes_) < 2:
            raise InputError(
                f"y holds one class only ({self.classes_[0]!r}); a classifier needs at least 2."
            )
        values = positive_values("C", self.C)
        require_positive("tol", self.tol, "KernelClassifier")
        method = as_method(self.method, "classification")
        if len(values) > 1:
            order, borders = stratified_order(codes, self.folds, self.random_state)
            samples, codes, w = samples[order], codes[order], w[order]
        else:
            borders = None
        n_classes = len(self.classes_)
        target, Y = alignment_targets(codes, n_classes), signed_targets(codes, n_classes)
        budget = self._budget()
        self.machine_ = self._machine_name(method, len(codes), budget)
        self.C_ = values[0]
        self.__dict__.pop("C_scores_", None)
        with shown(self.verbose) as progress:
            stage = self._stage(
                X, target, Y, w, "classification", samples, borders, progress, budget
            )
            if len(values) > 1:
                machine = self._machine(exact=False)
                self.C_scores_ = 1 - fold_losses(
                    stage, method, machine, values,
                    lambda outputs, test: self._decide(outputs) != codes[test], "choosing C",
                )  # fmt: skip
                self.C_ = values[int(np.argmax(self.C_scores_))]
            (model,) = stage.train(method, self._machine(), [self.C_])
        self._store_model(model, stage.bank, method)
        self.solver_ = stage.way(model.learned, self._machine(), len(codes))
        return self

    def _training(self, X, y):
        """Stage one and the machine on the training data again."""
        X, y = self._validated(X, y)
        known = np.isin(y, self.classes_)
        if not known.all():
            raise InputError(f"y holds {y[~known][0]}, which is none of the model's classes.")
        codes = np.searchsorted(self.classes_, y)
        n_classes = len(self.classes_)
        target, Y = alignment_targets(codes, n_classes), signed_targets(codes, n_classes)
        stage = self._stage(X, target, Y, np.ones(len(codes)), "classification")
        return stage, self._machine()

    def decision_function(self, X) -> np.ndarray:
        """Signed distance to the decision boundary, in units of the margin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, or their similarities to the training samples, of shape (n_samples,
            n_samples_train, n_kernels).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]`` with two classes, else one column a class.
        """
        decision = self._outputs(X)
        return decision[:, 0] if len(self.classes_) == 2 else decision

    def predict(self, X) -> np.ndarray:
        """Predicted labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            The labels.
        """
        codes = self._decide(self._outputs(X))
        return self.classes_[codes]

    @staticmethod
    def _decide(decision):
        """Class codes from decision values of shape (n_samples, n_outputs)."""
        if decision.shape[1] == 1:
            return (decision[:, 0] > 0).astype(int)
        return decision.argmax(axis=1)

    def _machine_name(self, method, n: int, budget: Budget) -> str:
        """The machine that ``machine=`` stands for on n samples."""
        require_choice("machine", self.machine, self.MACHINES)
        name = (method.machine or "svm") if self.machine == "auto" else self.machine
        if name == "ridge" or budget.way(n) == DENSE:
            return name
        if self.machine == "auto" and name == "svm":
            if budget.way(n) == ITERATIVE:
                warnings.warn(
                    f"the Gram matrix of {n} samples, {sized(budget.grams(n))}, is more than "
                    f"the {sized(budget.room)} that may be used, and the SVM needs it; ridge "
                    "on the labels -1 and 1 is trained instead, by conjugate gradients. "
                    'machine="ridge" says so without a warning; max_memory sets the bound.',
                    MemoryWarning,
                    stacklevel=3,
                )
            return "ridge"
        if budget.way(n) == LANDMARKS:
            raise InputError(
                f"machine={self.machine!r} does not take n_components, which is for ridge; use "
                'machine="auto" or "ridge".'
            )
        budget.require_grams(n, 1, f"machine={name!r}", 'use machine="ridge" or n_components')
        return name

    def _machine(self, exact=True) -> Machine:
        if self.machine_ == "svm":
            return SVM(float(self.tol), exact)
        return Ridge() if self.machine_ == "ridge" else AlignmentPredictor()

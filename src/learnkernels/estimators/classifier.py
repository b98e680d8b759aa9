"""`KernelClassifier`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from learnkernels.checks import positive_values
from learnkernels.errors import InputError
from learnkernels.estimators.base import BaseKernelEstimator, rows_of
from learnkernels.estimators.folds import fold_scores, stratified_order
from learnkernels.machines import SVM, AlignmentPredictor, Machine, Ridge
from learnkernels.weights import as_method

__all__ = ["KernelClassifier", "signed_targets"]


class KernelClassifier(ClassifierMixin, BaseKernelEstimator):
    """Learn a kernel from labels, then classify with it.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels: families such as ``lk.gaussians()``, kernels, names of scikit-learn
        kernel metrics, ``gaussian_process`` kernels or functions ``f(X, Z)``, alone or in a list.
        ``"precomputed"`` takes X as a stack of Gram matrices of shape (n_samples, n_samples_train,
        n_kernels). None takes ten Gaussians around the median distance, and the linear kernel.
    method : str or WeightMethod, default="alignf"
        How the weights are learned: ``"unif"``, ``"align"``, ``"alignf"``, ``"align-linear"``, or
        an object of `learnkernels.methods`.
    C : float or list of float, default=1.0
        Regularisation of the machine; smaller is stronger. A list is chosen from by stratified
        cross-validation inside `fit`; the weights of each fold are learned without it.
    machine : {"auto", "svm", "ridge", "alignment"}, default="auto"
        The second stage. ``"auto"`` is the SVM (several classes: one against the rest).
        ``"ridge"`` is kernel ridge on the labels -1 and 1 with ``alpha = 1 / (2 C)``,
        ``"alignment"`` the alignment predictor, which has nothing to tune.
    center : bool, default=True
        Center the base kernels in feature space.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels: mean diagonal one, Frobenius norm one, unit diagonal (before
        centering), or as they are.
    backend : None or Backend, default=None
        Where the passes over pairs of samples run; None is all cores of this process.
    tol : float, default=1e-3
        Tolerance of the SVM, in units of the margin.
    folds : int, default=5
        Folds that choose among several C.
    random_state : int, RandomState or None, default=0
        Shuffles the folds.
    verbose : bool, default=False
        Show progress on the terminal.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights of the centered and normalised base kernels.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
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
    C_ : float
        The value that was used.
    C_scores_ : ndarray of shape (n_values,)
        Accuracy of each value of C in cross-validation; only for a list.
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
        self.tol = tol
        self.folds = folds
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Learn the weights and train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, in both stages: a weight of 2 counts as the sample twice.

        Returns
        -------
        self : KernelClassifier
            The fitted estimator.
        """
        X, y = self._validated(X, y)
        check_classification_targets(y)
        w, kept = self._weights_of_samples(sample_weight, X)
        pairwise = self.__sklearn_tags__().input_tags.pairwise
        X, y = rows_of(X, kept, pairwise), y if kept is None else y[kept]
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"y holds one class only ({self.classes_[0]!r}); a classifier needs at least 2."
            )
        values = positive_values("C", self.C)
        method, machine = as_method(self.method), self._machine()

        if len(values) > 1:
            order, borders = stratified_order(codes, self.folds, self.random_state)
            X, codes, w = rows_of(X, order, pairwise), codes[order], w[order]
        else:
            borders = None
        Y = signed_targets(codes, len(self.classes_))
        stage = self._stage(X, alignment_targets(codes, len(self.classes_)), w, borders)
        self.C_ = values[0]
        if len(values) > 1:
            quick = self._machine(exact=False)
            settings = self._settings(values)
            self.C_scores_ = fold_scores(stage, method, quick, Y, codes, settings, self._decide)
            self.C_ = values[int(np.argmax(self.C_scores_))]
        learned = stage.learn(method)
        problem = stage.problem(learned, Y, machine)
        (trained,) = machine.path(problem, self._settings([self.C_]))
        self._store(learned, stage.bank.names)
        self._store_trained(learned, trained)
        return self

    def decision_function(self, X):
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

    def predict(self, X):
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

    def _machine(self, exact=True) -> Machine:
        if self.machine in ("auto", "svm"):
            return SVM(self.tol, exact)
        if self.machine == "ridge":
            return Ridge()
        if self.machine == "alignment":
            return AlignmentPredictor()
        raise InputError(f"machine={self.machine!r}; expected one of {list(self.MACHINES)}.")

    def _settings(self, values):
        """C in the machine's own terms."""
        return [1 / (2 * value) for value in values] if self.machine == "ridge" else list(values)


def signed_targets(codes, n_classes) -> np.ndarray:
    """Labels -1 and 1, one column for two classes and one a class for more."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def alignment_targets(codes, n_classes) -> np.ndarray:
    """The target of alignment: -1 and 1 for two classes, one-hot for more."""
    if n_classes == 2:
        return signed_targets(codes, n_classes)
    return np.eye(n_classes)[codes]

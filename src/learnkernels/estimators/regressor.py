"""`KernelRegressor`."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from learnkernels.checks import as_input_error, positive_values, require_choice
from learnkernels.estimators.base import BaseKernelEstimator
from learnkernels.estimators.budget import ITERATIVE
from learnkernels.estimators.folds import fold_losses, shuffled_order
from learnkernels.estimators.learning import Stage
from learnkernels.machines import AlignmentPredictor, Machine, Ridge, leave_one_out
from learnkernels.progress import shown
from learnkernels.weights import WeightMethod, as_method

__all__ = ["KernelRegressor"]


class KernelRegressor(RegressorMixin, BaseKernelEstimator):
    """Learn a kernel from targets, then predict with kernel ridge regression.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    method : str or WeightMethod, default="alignf"
        How the weights are learned, as in `KernelClassifier`.
    alpha : float or list of float, default=1.0
        Regularisation of ridge; larger is stronger. A list is chosen from inside `fit`: for
        two-stage methods by exact leave-one-out errors, at the price of one eigendecomposition; for
        one-stage methods, whose weights fit the targets more closely the smaller alpha is, by folds
        whose weights are learned without them.
    machine : {"auto", "ridge", "alignment"}, default="auto"
        The second stage: ``"auto"`` is ridge, ``"alignment"`` the alignment predictor.
    center : bool, default=True
        Center the base kernels in feature space and the targets: ridge with an intercept. Without
        it ridge has none.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels, as in `KernelClassifier`.
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
        of that size are accumulated over all samples, however many. None is the span of all.
    folds : int, default=5
        Folds that choose among several alpha, for one-stage methods and by conjugate gradients.
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
    alpha_ : float
        The value that was used.
    solver_ : {"dense", "factors", "conjugate gradients", "landmarks"}
        How ridge was solved: by the Gram matrix, by factors of it, without it, or approximately.
    alpha_errors_ : ndarray of shape (n_values,)
        Mean squared error of each alpha on samples left out, one by one or by folds; only for a
        list.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X has them.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor(alpha=[0.1, 1, 10, 100]).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    MACHINES: ClassVar[tuple[str, ...]] = ("auto", "ridge", "alignment")

    def __init__(
        self,
        kernels=None,
        method="alignf",
        alpha=1.0,
        machine="auto",
        center=True,
        normalize="trace",
        backend=None,
        missing="error",
        max_memory=None,
        n_components=None,
        folds=5,
        random_state=0,
        verbose=False,
    ):
        self.kernels = kernels
        self.method = method
        self.alpha = alpha
        self.machine = machine
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.missing = missing
        self.max_memory = max_memory
        self.n_components = n_components
        self.folds = folds
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, sample_weight=None) -> Self:
        """Learn the weights and train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; several share one learned kernel.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, in both stages: a weight of 2 counts as the sample twice (but
            the choice among several alpha leaves it out whole).

        Returns
        -------
        self : KernelRegressor
            The fitted estimator.
        """
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        w, samples = self._weights_of_samples(sample_weight, X)
        values = positive_values("alpha", self.alpha)
        method, machine = as_method(self.method, "regression"), self._machine()
        budget, borders = self._budget(), None
        iterative = budget.way(len(samples), len(values) > 1) == ITERATIVE
        if len(values) > 1 and (method.one_stage or iterative) and isinstance(machine, Ridge):
            order, borders = shuffled_order(len(samples), self.folds, self.random_state)
            samples, w = samples[order], w[order]
        with as_input_error("y: "):
            y = np.asarray(y[samples], dtype=float)
        Y = y[:, None] if y.ndim == 1 else y
        self.__dict__.pop("alpha_errors_", None)
        self.alpha_ = values[0] if isinstance(machine, Ridge) else None
        with shown(self.verbose) as progress:
            stage = self._stage(X, Y, Y, w, "regression", samples, borders, progress, budget)
            if len(values) > 1 and isinstance(machine, Ridge):
                self.alpha_errors_ = alpha_errors(stage, method, machine, values)
                self.alpha_ = values[int(np.argmin(self.alpha_errors_))]
            (model,) = stage.train(method, machine, [self.alpha_ or values[0]])
        self._store_model(model, stage.bank, method)
        self.solver_ = stage.way(model.learned, machine, len(samples))
        self._flat = y.ndim == 1
        return self

    def _training(self, X, y):
        """Stage one and the machine on the training data again."""
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        Y = np.asarray(y, dtype=float).reshape(len(y), -1)
        return self._stage(X, Y, Y, np.ones(len(Y)), "regression"), self._machine()

    def predict(self, X) -> np.ndarray:
        """Predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, or their similarities to the training samples, of shape (n_samples,
            n_samples_train, n_kernels).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if self._flat else outputs

    def _machine(self) -> Machine:
        require_choice("machine", self.machine, self.MACHINES)
        return AlignmentPredictor() if self.machine == "alignment" else Ridge()


def alpha_errors(stage: Stage, method: WeightMethod, machine: Ridge, values) -> np.ndarray:
    """Squared error of each alpha on samples left out, shape (n_values,).

    One by one where the weights do not depend on alpha and the errors have a closed form, else by
    folds.
    """
    if not method.one_stage:
        learned = stage.learn(method, machine, values[0])
        if stage.way(learned, machine, len(stage.Y), many=True) != ITERATIVE:
            return leave_one_out(stage.problem(learned, machine, many=True), values)[0]
    return fold_losses(
        stage, method, machine, values,
        lambda outputs, test: np.mean((outputs - stage.Y[test]) ** 2, axis=1), "choosing alpha",
    )  # fmt: skip

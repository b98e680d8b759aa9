"""`KernelClassifier`."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from learnkernels._warnings import warn
from learnkernels.checks import is_number, require_choice, require_positive
from learnkernels.errors import InputError, NeverPredictedWarning
from learnkernels.estimators.fitting import Learned, Predictor, Prepared
from learnkernels.estimators.input.samples import Rows, Targets, class_codes, class_targets
from learnkernels.estimators.outputs.class_map import ClassMap, fit_class_map
from learnkernels.estimators.outputs.held_out import Loss, machine_fold_outputs
from learnkernels.estimators.outputs.lazy import Result, lazy_prediction
from learnkernels.estimators.outputs.missing_views import functions_of
from learnkernels.estimators.outputs.probability import decide, fit_temperature, log_probabilities
from learnkernels.estimators.outputs.scoring import fold_scores, require_scoring
from learnkernels.estimators.predictor import KernelPredictor
from learnkernels.estimators.regularization import learned_C
from learnkernels.estimators.search import is_searched
from learnkernels.estimators.selection import Chosen
from learnkernels.folds import folds
from learnkernels.gram import LearnedKernel
from learnkernels.machines import (
    SVM,
    AlignmentPredictor,
    Machine,
    Ridge,
    SquaredHingeSVM,
    Trained,
    gram_bytes,
)
from learnkernels.methods import Ensemble, WeightMethod, as_method

# Warn if at least this many held-out samples belong to a class that is never predicted.
OFTEN = 5
# Folds that give outputs for held-out samples, if C was not chosen by any.
FOLDS = 5
# The folds are trained only if this many Gram matrices fit into `max_memory`: for more samples they
# would dominate the time of the fit.
FOLD_GRAMS = 3
# Labels that a message lists.
LISTED = 10


def has_probabilities(model: Any) -> bool:
    """Return True, or raise AttributeError for a fitted model without probabilities."""
    if isinstance(as_method(model.method), Ensemble) and not is_searched(model.C):
        raise AttributeError(
            'method="ensemble" has probabilities only if C is chosen in fit; pass several values '
            "of C."
        )
    if hasattr(model, "weights_") and not hasattr(model, "temperature_"):
        raise AttributeError(
            "probabilities need outputs for held-out samples, and machine "
            f"{model.machine_!r} (solver {model.solver_!r}) with C={model.C_:g} has none; pass "
            "several values of C, n_components, or a larger max_memory."
        )
    return True


class KernelClassifier(ClassifierMixin, KernelPredictor):
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
        ``"align-single"``, ``"align-constrained"``. Baselines: ``"single"``, ``"ensemble"``. Or an
        object of `learnkernels.methods` with parameters.
    C : float, list of float or "auto", default="auto"
        Regularisation parameter; smaller is stronger. From a list, the best value is chosen by
        stratified cross-validation in `fit`, with weights learned on each training part.
        For ``"auto"``, the methods ``"auto"`` and ``"loo"`` learn it together with the weights. For
        two classes, or ridge with `n_components`, values around the learned one are then compared
        by the product of misclassification and log loss on held-out samples: at most 800, or all
        that are not landmarks. For the SVM with `n_components`, values around the mean diagonal of
        the kernel are compared on at most 4,000 samples with at most 500 landmarks. C is chosen
        before outputs are mapped (see `machine`). For all other methods ``"auto"`` is a list of
        powers of ten (1 if a class has a single sample).
    machine : {"auto", "svm", "ridge", "alignment"}, default="auto"
        The second stage; several classes are trained one against the rest.

        - ``"svm"`` has the hinge loss, and with fewer `n_components` than samples the squared hinge
          loss.
        - ``"ridge"`` is kernel ridge on the labels -1 and 1 with ``alpha = 1 / (2 C)``.
        - ``"alignment"`` is the alignment predictor h_S of 2012 (the class is its sign), which has
          no parameter.
        - ``"auto"`` is ridge for the methods that minimise its loss, ``"auto"`` and ``"loo"`` among
          them, and the SVM for all others. With fewer `n_components` than samples it is the SVM,
          except for one-stage methods that minimise the loss of ridge.

        For more than two classes, ``"auto"`` maps the outputs of ridge, and of the SVM with
        `n_components`, by a multinomial logistic regression on held-out outputs, so that a class
        between two others is predicted. The map needs ten held-out samples per class on average.
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
        mean of the view in feature space in training; new ones are predicted by the machine
        trained on the views that they have (`weights_without`), and new tables may lack the
        columns of the view.
    max_memory : float, str or None, default=None
        Bytes that Gram matrices may take, or a size such as ``"2GB"``, ``"2GiB"`` (2 * 2^30 bytes)
        or ``"1e9"``; None is 8 GB. Beyond it ridge is solved by conjugate gradients whose products
        stream over tiles, and the SVM is trained with some rows of the Gram matrix at a time, to
        the same solutions.
    n_components : int or None, default=None
        Number of random samples (landmarks) that span the predictor: normal equations of that
        size are accumulated over all samples. None, or a number that is not smaller than that of
        the samples, is the span of all samples. See `machine`.
    subsample : int, "auto" or None, default=None
        Number of random rows from which the kernel is learned, for more rows than memory holds;
        needs `n_components`. All rows then train the machine, and X is read in parts, so that it
        may be a `numpy.memmap`, an array of Zarr, HDF5 or Dask, a frame of Dask, or a table of
        `open_parquet`. ``"auto"`` is as many rows as the weights need for a kernel that is within
        5 % of that of all rows (logged at level INFO; at most 50,000, or 10,000 for one-stage
        methods), at least 4,000 more than landmarks, and at least two for each landmark. None
        learns the kernel from all rows.
    class_weight : "balanced", dict or None, default=None
        Factors of the sample weights for each class: a dict from labels to numbers, or
        ``"balanced"`` for numbers inversely proportional to the frequency of the classes.
    scoring : str, callable or None, default=None
        Score by which C is chosen, as in scikit-learn's `GridSearchCV`; higher is better. None is
        accuracy, or the error that the method itself minimises.
    tol : float, default=1e-3
        Tolerance of the SVM with the hinge loss, in units of the margin. With `n_components`, the
        relative duality gap of the SVM is 1e-7 (1e-5 with `subsample`). The tolerance of the
        weights is a parameter of the method.
    cv : int, splitter or iterable, default=5
        Folds that choose among several C. A splitter or an iterable defines what held-out means:
        it is used for every choice, also for that among methods, instead of leave-one-out errors;
        the default kernels are then those of `table`.
    random_state : int, RandomState or None, default=0
        Shuffles the folds and chooses the landmarks.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn; None and -1 take all cores. Only without `backend`.
    verbose : bool, default=False
        Show progress.
    checkpoint : path-like or None, default=None
        With `subsample`, a file for the sums of an unfinished pass over all rows and, for the SVM,
        its coefficients: the same call continues from there. It is removed at the end.

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
        How the machine was trained: with the Gram matrix, its factors, products with it,
        landmarks, or as SVM or alignment predictor.
    support_ : ndarray of shape (n_support,)
        Rows of X that are support vectors; only if ``solver_`` is ``"svm"``.
    dual_coef_ : ndarray of shape (n_outputs, n_support), or (n_samples,) or (n_samples, n_outputs)
        Coefficients of the support vectors if ``solver_`` is ``"svm"``, else of all samples, as in
        SVC and KernelRidge. Not for the method ``"ensemble"``.
    intercept_ : ndarray of shape (n_outputs,)
        Constant of ``X @ coef_.T + intercept_`` where `coef_` is defined, else of the expansion in
        the learned kernel, centered if `center`.
    coef_ : ndarray of shape (n_outputs, n_features)
        Coefficients of the features; only if all kernels with a weight are linear.
    n_iter_ : ndarray of shape (n_outputs,) or None
        Iterations of the machine; None if it has a closed form.
    C_ : float
        The value that was used.
    C_scores_ : ndarray of shape (n_values,)
        Accuracy, or the score that `scoring` names, of each value of C in cross-validation; only
        if there are several.
    temperature_ : float
        Factor of the decision values in `predict_proba`, of smallest log loss on held-out samples.
        Absent if no held-out decision values were computed.
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

    TASK = "classification"
    LOSS = "error"
    WANTED = "left_out"
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
        max_memory: float | str | None = None,
        n_components: int | None = None,
        subsample: int | str | None = None,
        class_weight: Any = None,
        scoring: Any = None,
        tol: float = 1e-3,
        cv: Any = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: Any = None,
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
        self.subsample = subsample
        self.class_weight = class_weight
        self.scoring = scoring
        self.tol = tol
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights and train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``. With the
            kernels of `table`, the default, also a frame with categories, dates and missing cells.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, in both stages: a weight of 2 counts as the sample twice. The
            two differ for held-out errors if equal rows of X have different labels: a sample of
            weight 2 is held out as a whole, two equal samples one at a time.

        Returns
        -------
        self : KernelClassifier
            The fitted estimator.
        """
        self._fit(X, y, sample_weight)
        return self

    def _check_parameters(self) -> None:
        """Raise if a parameter of the classifier is invalid."""
        require_positive("tol", self.tol, "KernelClassifier")
        require_choice("machine", self.machine, self.MACHINES)
        if self.scoring is not None:
            require_scoring(self.scoring)

    def _targets(self, y: np.ndarray) -> Targets:
        """Set ``classes_``; return the targets of some samples."""
        self.classes_, codes = class_codes(y)
        if len(self.classes_) < 2:
            raise InputError(
                f"y contains a single class ({self.classes_.tolist()[0]}); a classifier needs at "
                "least two. Add samples of another class."
            )
        return Targets(y, *class_targets(codes, len(self.classes_)), codes)

    def _known_targets(self, y: np.ndarray) -> Targets:
        """Return the targets of some samples, whose labels are among ``classes_``."""
        known = np.isin(y, self.classes_)
        if not known.all():
            raise InputError(
                f"y contains {y[~known][0]}, which is not a class of the model; pass the training "
                "data."
            )
        codes = np.searchsorted(self.classes_, y)
        return Targets(y, *class_targets(codes, len(self.classes_)), codes)

    def _class_weights(self, y: np.ndarray) -> np.ndarray:
        """Return the factor of each sample's weight, shape (n_samples,)."""
        given = self.class_weight
        if isinstance(given, dict):
            unknown = [label for label in given if label not in self.classes_.tolist()]
            values = [value for value in given.values() if not (is_number(value) and value > 0)]
            if unknown or values:
                found = f"the label {unknown[0]!r}" if unknown else f"the weight {values[0]!r}"
                raise InputError(
                    f"class_weight has {found}; expected labels among "
                    f"{self.classes_.tolist()[:LISTED]}: pass a positive number for each."
                )
        elif given is not None and not (isinstance(given, str) and given == "balanced"):
            raise InputError(
                f'class_weight={given!r}; expected "balanced", a dict of labels and weights, or '
                "None."
            )
        return compute_sample_weight(given, y)

    def _loss(self, targets: Targets) -> Loss:
        """Return the zero-one loss of outputs for these samples."""
        return lambda outputs: decide(outputs) != targets.codes

    def _scores(self, prepared: Prepared, targets: Targets, outputs: np.ndarray) -> np.ndarray:
        """Return the user's score of held-out outputs of each value, shape (n_values,)."""
        return fold_scores(
            outputs, targets.y, prepared.folds(), self.scoring, self.classes_,
            prepared.sums.weights,
        )  # fmt: skip

    def _store_comparison(self, chosen: Chosen) -> None:
        """Set ``C_scores_`` if values were compared."""
        if chosen.losses is not None:
            self.C_scores_ = 1 - chosen.losses if chosen.scores is None else chosen.scores

    def _learned_value(self, learned: Learned, machine: Machine) -> float:
        """Return C if the method learns the regularisation."""
        return learned_C(learned, machine)

    def _store_trained(
        self, prepared: Prepared, predictor: Predictor, machine: Machine, value: float, rows: Rows,
        held_out: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.machine_, self.C_ = machine.name, value
        codes, w = decide(prepared.Y), prepared.sums.weights
        if held_out is None:
            held_out = self._left_out(prepared, predictor, machine, codes)
        class_map = self._class_map(predictor.solver, held_out, codes, w)
        if class_map is not None and held_out is not None:
            predictor, held_out = class_map.predictor(predictor), class_map.outputs(held_out)
        self._store_predictor(predictor, rows)
        self._calibrate(held_out, codes, w)

    def _left_out(
        self, prepared: Prepared, predictor: Predictor, machine: Machine, codes: np.ndarray
    ) -> np.ndarray | None:
        """Return outputs for held-out samples, if no folds chose C; None if unknown."""
        if predictor.left_out is not None or len(predictor.terms) > 1:
            return predictor.left_out
        few = np.bincount(codes).min() < 2
        large = gram_bytes(len(codes), FOLD_GRAMS) > prepared.max_memory
        if few or large or isinstance(machine, Ridge):  # by conjugate gradients
            return None
        tests = folds(codes, FOLDS, self.random_state)
        return machine_fold_outputs(predictor.learned, machine, self.C_, tests)

    def _class_map(
        self, solver: str, held: np.ndarray | None, codes: np.ndarray, w: np.ndarray
    ) -> ClassMap | None:
        """Return the map of the outputs, if ``machine="auto"`` is ridge or trained by landmarks."""
        if self.machine != "auto" or not (self.machine_ == "ridge" or solver == "landmarks"):
            return None
        return fit_class_map(held, codes, w)

    def _calibrate(self, held: np.ndarray | None, codes: np.ndarray, w: np.ndarray) -> None:
        """Fit the probabilities, and warn about classes that are never predicted."""
        self.__dict__.pop("temperature_", None)  # of a subsample
        found = None if held is None else fit_temperature(held, codes, w)
        if held is None or found is None:
            return
        self.temperature_ = found
        known = np.isfinite(held).all(axis=1)
        counts = np.bincount(codes[known], minlength=len(self.classes_))
        predicted = np.bincount(decide(held[known]), minlength=len(self.classes_))
        never = self.classes_[(counts >= OFTEN) & (predicted == 0)].tolist()
        if never:
            warn(
                f"class {never[0]!r} is never predicted for held-out samples, although "
                f"{counts[self.classes_.tolist().index(never[0])]} of them belong to it; pass "
                'class_weight="balanced" if it matters as much as the others.',
                NeverPredictedWarning,
            )

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision values.

        These are the outputs of the machine, which are mapped for more than two classes (see
        `machine`).

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
        if self._is_lazy(X):
            check_is_fitted(self)
            width = None if len(self.classes_) == 2 else len(self.classes_)
            result = Result.of(width, self.classes_.tolist())
            return lazy_prediction(self, "decision_function", X, result)
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
        if self._is_lazy(X):
            check_is_fitted(self)
            return lazy_prediction(self, "predict", X, Result(self.classes_[:0]))
        codes = decide(self._outputs(X))  # raises NotFittedError before classes_ is read
        return self.classes_[codes]

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class.

        They are those of the decision values times one factor, which was fitted to held-out
        samples, so that the most probable class is the one that `predict` returns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> model = lk.KernelClassifier().fit(X[::2], y[::2])
        >>> int(model.predict_proba(X[:1]).argmax())
        0
        """
        if self._is_lazy(X):
            return self._lazy_probabilities("predict_proba", X)
        return np.exp(self.predict_log_proba(X))

    @available_if(has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class, as in `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        if self._is_lazy(X):
            return self._lazy_probabilities("predict_log_proba", X)
        return self._outputs(X, type(self)._log_probabilities)

    def _lazy_probabilities(self, method: str, X: Any) -> Any:
        """Return probabilities of a Dask array or frame, lazy."""
        check_is_fitted(self)
        result = Result.of(len(self.classes_), self.classes_.tolist())
        return lazy_prediction(self, method, X, result)

    def _log_probabilities(self, X: Any) -> np.ndarray:
        """Return log probabilities of validated samples that lack no view."""
        return log_probabilities(self._outputs_of(X), self.temperature_)

    def _describe_retrained(
        self, kernel: LearnedKernel, trained: Trained, value: float, targets: np.ndarray
    ) -> None:
        """Set the attributes of a machine that is trained on some views; see `TrainingViews`."""
        if self.machine_ == "ridge":
            self.C_ = 1 / (2 * value)
        class_map = self._class_map(self.solver_, trained.left_out, decide(targets), kernel.weights)
        if class_map is not None:
            trained = class_map.trained(trained)
            self._functions, self._intercept = functions_of(kernel, trained), trained.intercept
        if trained.left_out is not None and hasattr(self, "temperature_"):
            found = fit_temperature(trained.left_out, decide(targets), kernel.weights)
            self.temperature_ = self.temperature_ if found is None else found

    def _machine(self, method: WeightMethod, n: int) -> Machine:
        """Return the machine that ``machine=`` names, for n samples."""
        name, m = self.machine, self.n_components
        landmarks = m is not None and m < n
        if name == "auto":
            name = method.machine or "svm"
            if landmarks and not method.one_stage:
                name = "svm"
        if name == "svm":
            return SquaredHingeSVM() if landmarks else SVM(float(self.tol))
        return Ridge() if name == "ridge" else AlignmentPredictor(intercept=False)

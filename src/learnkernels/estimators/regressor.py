"""`KernelRegressor`."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from learnkernels.checks import (
    as_input_error,
    positive_values,
    require_choice,
    require_not_negative,
)
from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Learned, Predictor, Prepared
from learnkernels.estimators.input.samples import Rows, Targets
from learnkernels.estimators.outputs.held_out import Loss, squared_loss
from learnkernels.estimators.outputs.lazy import Result, lazy_prediction
from learnkernels.estimators.outputs.scoring import fold_scores, require_scoring
from learnkernels.estimators.outputs.uncertainty import (
    by_pieces,
    posterior_of,
    posterior_or_training,
    require_coverage,
    require_some_view,
)
from learnkernels.estimators.outputs.view_scores import (
    kernels_by_view,
    score_terms,
    validated_targets,
)
from learnkernels.estimators.per_target import WEIGHTS, check_per_target, fit_targets
from learnkernels.estimators.predictor import Fitted, KernelPredictor
from learnkernels.estimators.regularization import learned_value
from learnkernels.estimators.search import regularization_name
from learnkernels.estimators.selection import Chosen
from learnkernels.execution import as_backend
from learnkernels.gram import LearnedKernel
from learnkernels.kernels import input_kind
from learnkernels.machines import (
    SVR,
    AlignmentPredictor,
    Machine,
    Ridge,
    Trained,
)
from learnkernels.methods import WeightMethod, as_method


class KernelRegressor(RegressorMixin, KernelPredictor):
    """Regression with a learned kernel.

    Learns non-negative weights of base kernels from the targets, then fits kernel ridge regression
    or support vector regression with the combined kernel.

    Parameters
    ----------
    kernels : list, family, kernel, str or None, default=None
        The base kernels, as in `KernelClassifier`.
    method : str or WeightMethod, default="auto"
        How the weights are learned, as in `KernelClassifier`.
    alpha : float, list of float or "auto", default="auto"
        Regularisation parameter; larger is stronger. From a list, the best value is chosen in
        `fit`: for two-stage methods by exact leave-one-out errors (one Cholesky decomposition for
        each of up to five values, or one eigendecomposition); for one-stage methods by folds, with
        weights learned on each training part. ``"auto"`` takes the value that the methods
        ``"auto"`` and ``"loo"`` learn together with the weights; for all others it is a list of
        powers of ten. Not for ``machine="svr"``.
    machine : {"auto", "ridge", "svr", "alignment"}, default="auto"
        The second stage: ``"auto"`` is ridge, ``"svr"`` support vector regression, ``"alignment"``
        the alignment predictor.
    C : float, list of float or "auto", default="auto"
        Regularisation parameter of ``machine="svr"``, in units of the standard deviation of y;
        smaller is stronger. From a list, the best value is chosen by folds, with weights learned on
        each training part; ``"auto"`` is a list from 0.03 to 100.
    epsilon : float, default=0.1
        Residual that ``machine="svr"`` does not penalise, in units of the standard deviation of y.
    weights : {"shared", "per_target"}, default="shared"
        Whether several targets share the weights and alpha, or each has its own: an average of
        candidates, weighted by their errors of generalised cross-validation. ``"per_target"`` is
        for ridge and ``method="auto"``, and costs one eigendecomposition for each candidate: 21
        for four kernels, at most 60.
    center : bool, default=True
        Center the base kernels in feature space and the targets: ridge with an intercept. Without
        it ridge has none; support vector regression always has one.
    normalize : {"trace", "frobenius", "cosine", None}, default="trace"
        Scale of the base kernels, as in `KernelClassifier`.
    backend : None, "threads", "dask", str, distributed.Client or Backend, default=None
        Where passes over pairs of samples run, as in `KernelClassifier`.
    missing : {"error", "neutral"}, default="error"
        What happens to samples that are missing in a view, as in `KernelClassifier`.
    max_memory : float, str or None, default=None
        Bytes that Gram matrices may take, or a size such as ``"2GB"``, ``"2GiB"`` (2 * 2^30 bytes)
        or ``"1e9"``; None is 8 GB. Beyond it ridge is solved by conjugate gradients whose products
        stream over tiles, to the same solution.
    n_components : int or None, default=None
        Number of random samples (landmarks) that span the predictor: normal equations of that
        size are accumulated over all samples. None, or a number that is not smaller than that of
        the samples, is the span of all samples.
    subsample : int, "auto" or None, default=None
        Number of random rows from which the kernel is learned, for more rows than memory holds;
        needs `n_components`. All rows then train the machine, and X is read in parts, so that it
        may be a `numpy.memmap`, an array of Zarr, HDF5 or Dask, a frame of Dask, or a table of
        `open_parquet`. ``"auto"`` is as many rows as the weights need for a kernel that is within
        5 % of that of all rows (logged at level INFO; at most 50,000, or 10,000 for one-stage
        methods), at least 4,000 more than landmarks, and at least two for each landmark. None
        learns the kernel from all rows.
    scoring : str, callable or None, default=None
        Score by which alpha or C is chosen in folds, as in scikit-learn's `GridSearchCV`; higher is
        better. None is the squared error.
    cv : int, splitter or iterable, default=5
        Folds that choose among several C, and among several alpha for one-stage methods, conjugate
        gradients and `scoring`. A splitter or an iterable defines what held-out means: it is used
        for every choice, also for that among methods, instead of leave-one-out errors; the default
        kernels are then those of `table`.
    random_state : int, RandomState or None, default=0
        Shuffles the folds and chooses the landmarks.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn; None and -1 take all cores. Only without `backend`.
    verbose : bool, default=False
        Show progress.
    checkpoint : path-like or None, default=None
        With `subsample`, a file for the sums of an unfinished pass over all rows: the same call
        continues from there. It is removed at the end of the pass.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,), or (n_targets, n_kernels)
        Weights of the centered and normalised base kernels; of each target for
        ``weights="per_target"``, where they are averages over the candidates.
    kernel_names_ : ndarray of shape (n_kernels,)
        Their names.
    kernel_views_ : ndarray of shape (n_kernels,)
        The view that each belongs to.
    view_weights_ : dict of str to float
        Sum of the weights of each view's kernels; the mean over targets if each has its own.
    alignment_ : float
        Centered alignment of the learned kernel with the target; of the kernel with mean weights if
        each target has its own.
    kernel_alignments_ : ndarray of shape (n_kernels,)
        Centered alignment of each base kernel alone.
    certificate_ : Certificate
        Optimality of the weights.
    machine_certificates_ : tuple of Certificate
        Duality gap for each output, of ridge if it was solved by conjugate gradients, and of
        support vector regression for the standardised target.
    alpha_ : float, ndarray of shape (n_targets,) or None
        The value that was used; None if the machine is not ridge. For ``weights="per_target"`` that
        of the best candidate of each target.
    C_ : float
        The value that was used; only for ``machine="svr"``.
    solver_ : {"dense", "factors", "conjugate gradients", "landmarks", "svr", "alignment"}
        How the machine was trained: with the Gram matrix, its factors, products with it,
        landmarks, or as support vector regression or alignment predictor.
    support_ : ndarray of shape (n_support,)
        Rows of the training data that are support vectors; only for ``machine="svr"``.
    dual_coef_ : ndarray of shape (n_samples,), (n_samples, n_targets) or (n_targets, n_support)
        Coefficients of the samples, as in KernelRidge, or those of the support vectors, as in SVR.
        Not for the method ``"ensemble"`` and for ``weights="per_target"``.
    intercept_ : ndarray of shape (n_targets,)
        Constant of ``X @ coef_.T + intercept_`` where `coef_` is defined, else of the expansion in
        the learned kernel, centered if `center`.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        Coefficients of the features; only if all kernels with a weight are linear.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations of the solver; None if ridge was solved directly.
    alpha_errors_, C_errors_ : ndarray of shape (n_values,)
        Held-out mean squared error of each alpha or C, by leave-one-out or folds; only if there are
        several.
    alpha_scores_, C_scores_ : ndarray of shape (n_values,)
        Mean score of each alpha or C in folds; only with `scoring`.
    tail_sums_ : ndarray of shape (n_kernels,)
        Tail sum of the spectrum of each kernel; only for the methods ``"conv"`` and ``"dc"``.
    selection_ : Selection
        The candidates and their held-out errors; only for the methods ``"auto"`` and ``"loo"``, and
        not for a constant target. For ``weights="per_target"`` their errors of generalised
        cross-validation, relative to the variance of a target, and their shares in the averages,
        means over targets.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if X has names.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = lk.KernelRegressor().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    TASK = "regression"
    LOSS = "squared error"
    WANTED = "posterior"
    TARGET_OPTIONS: ClassVar[dict[str, Any]] = {"multi_output": True, "y_numeric": True}
    MACHINES: ClassVar[tuple[str, ...]] = ("auto", "ridge", "svr", "alignment")

    alpha_: Any

    def __init__(
        self,
        kernels: Any = None,
        method: Any = "auto",
        alpha: Any = "auto",
        machine: str = "auto",
        C: Any = "auto",
        epsilon: float = 0.1,
        weights: str = "shared",
        center: bool = True,
        normalize: str | None = "trace",
        backend: Any = None,
        missing: str = "error",
        max_memory: float | str | None = None,
        n_components: int | None = None,
        subsample: int | str | None = None,
        scoring: Any = None,
        cv: Any = 5,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
        checkpoint: Any = None,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.alpha = alpha
        self.machine = machine
        self.C = C
        self.epsilon = epsilon
        self.weights = weights
        self.center = center
        self.normalize = normalize
        self.backend = backend
        self.missing = missing
        self.max_memory = max_memory
        self.n_components = n_components
        self.subsample = subsample
        self.scoring = scoring
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights and train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training data, or the stack of Gram matrices for ``kernels="precomputed"``. With the
            kernels of `table`, the default, also a frame with categories, dates and missing cells.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; several share one learned kernel, and C or alpha, unless
            ``weights="per_target"``.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples, in both stages: a weight of 2 counts as the sample twice. The
            two differ for held-out errors if equal rows of X have different targets: a sample of
            weight 2 is held out as a whole, two equal samples one at a time.

        Returns
        -------
        self : KernelRegressor
            The fitted estimator.
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit_in_memory(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        if self.weights == "per_target":
            return self._fit_targets(X, y, sample_weight)
        return super()._fit_in_memory(X, y, sample_weight)

    def _fit_targets(self, X: Any, y: Any, sample_weight: Any) -> Fitted:
        """Learn weights and alpha of each target."""
        check_per_target(self)
        X, targets, rows = self._read(X, y, sample_weight, as_method(self.method))
        Y, memory = targets.machine, self._memory()
        automatic = isinstance(self.alpha, str) and self.alpha == "auto"
        alphas = [] if automatic else positive_values("alpha", self.alpha, '"auto"')
        self._forget()
        with self._progress():
            family = self._choose_family(X, Y, rows, self.TASK, automatic=True)
            prepared = self._prepare(X, Y, Y, rows, self.TASK, **memory)
            predictor, models = fit_targets(prepared, alphas)
        self._store(prepared, predictor.learned, family.candidates)
        self.weights_, self.alpha_ = models.weights, models.alpha
        self._store_predictor(predictor, rows)
        return Fitted(prepared, predictor.learned, Ridge(), rows, np.nan)

    def _check_parameters(self) -> None:
        """Raise if a parameter of its own is invalid.

        An alpha that is not read is accepted: scikit-learn's checks set it.
        """
        if self.scoring is not None:
            require_scoring(self.scoring)
        require_choice("weights", self.weights, WEIGHTS)
        require_choice("machine", self.machine, self.MACHINES)
        require_not_negative("epsilon", self.epsilon, "KernelRegressor")
        automatic = isinstance(self.C, str) and self.C == "auto"
        if regularization_name(self) == "alpha" and not automatic:
            raise InputError(
                f"C={self.C!r} does not apply to machine={self.machine!r}; pass alpha, or "
                'machine="svr".'
            )

    def _targets(self, y: np.ndarray) -> Targets:
        """Return the targets of some samples; keep whether they have an axis of targets."""
        self._flat = y.ndim == 1
        return self._known_targets(y)

    def _known_targets(self, y: np.ndarray) -> Targets:
        """Return the targets of some samples."""
        with as_input_error("y: "):
            Y = np.asarray(y, dtype=float)
        Y = Y[:, None] if Y.ndim == 1 else Y
        return Targets(y, Y, Y)

    def _class_weights(self, y: np.ndarray) -> float:
        """Return one: there are no classes."""
        return 1.0

    def _loss(self, targets: Targets) -> Loss:
        """Return the squared loss of outputs for these samples."""
        return squared_loss(targets.machine)

    def _scores(self, prepared: Prepared, targets: Targets, outputs: np.ndarray) -> np.ndarray:
        """Return the user's score of held-out outputs of each value, shape (n_values,)."""
        return fold_scores(outputs, targets.y, prepared.folds(), self.scoring)

    def _store_comparison(self, chosen: Chosen) -> None:
        """Set the errors or scores of the values that were compared."""
        name = regularization_name(self)
        if chosen.scores is not None:
            setattr(self, f"{name}_scores_", chosen.scores)
        elif chosen.losses is not None:
            setattr(self, f"{name}_errors_", chosen.losses)

    def _learned_value(self, learned: Learned, machine: Machine) -> float:
        """Return alpha if the method learns the regularisation."""
        return learned_value(learned, machine)

    def _store_trained(
        self, prepared: Prepared, predictor: Predictor, machine: Machine, value: float, rows: Rows,
        held_out: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self._store_predictor(predictor, rows)
        self.alpha_ = value if machine.takes_alpha else None
        if machine.takes_C:
            self.C_ = value
        self.__dict__.pop("_posterior", None)  # of a subsample
        ridge = self.alpha_ is not None and predictor.learned.result.offset is None
        if ridge and input_kind(self.kernels) != "precomputed":
            ((kernel, coef, _),) = predictor.terms
            kept = posterior_or_training(
                kernel, coef, predictor.posterior, value, self._functions, prepared.max_memory
            )
            if kept is not None:
                self._posterior = kept

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict targets, and their standard deviations if asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, or their similarities to the training samples, of shape (n_samples,
            n_samples_train, n_kernels).
        return_std : bool, default=False
            Whether to return standard deviations too.

        Returns
        -------
        predictions : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        std : ndarray of the same shape
            Only with `return_std`: the standard deviation of a new observation of weight 1, noise
            included, as `GaussianProcessRegressor` with a `WhiteKernel` returns it.

        Notes
        -----
        The variance is ``s2 v(x) + noise``. v is the posterior variance of the Gaussian process
        whose covariance is the learned kernel, with noise of variance alpha (divided by the sample
        weight) and a flat prior on the intercept. The factor s2 and the variance of the noise, at
        least ``s2 alpha``, maximise the likelihood of the leave-one-out residuals of each target:
        an alpha that predicts well may be far below the noise. Weights and alpha are taken as
        known.

        With `n_components` the process is that of the features of the landmarks, and the variance
        that these features lack, K(x, x) minus their squared norm, is added. Only samples that are
        not landmarks are then left out. Of more than 2,000 samples (1,000 with landmarks), random
        ones are left out.

        The first call factorises the Gram matrix, unless the kernels are held as factors or there
        are landmarks. For the method ``"ensemble"``, the machine ``"alignment"``, precomputed
        kernels, and more samples than `max_memory` allows, an error is raised.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = lk.KernelRegressor().fit(X[::2], y[::2])
        >>> mean, std = model.predict(X[1::2], return_std=True)
        >>> inside = abs(y[1::2] - mean) < std
        >>> bool(0.6 < inside.mean() < 0.8)  # 0.68 if errors are normal
        True
        """
        if self._is_lazy(X):
            check_is_fitted(self)
            results = [self._lazy_result()] * (2 if return_std else 1)
            return lazy_prediction(self, "predict", X, *results, return_std=return_std)
        if not return_std:
            return self._shaped(self._outputs(X))
        both = self._outputs(X, type(self)._outputs_and_deviations)  # (n, n_outputs, 2)
        return self._shaped(both[..., 0]), self._shaped(both[..., 1])

    def _outputs_and_deviations(self, X: Any) -> np.ndarray:
        """Return both for validated samples that lack no view, (n_samples, n_outputs, 2)."""
        return np.stack([self._outputs_of(X), self._standard_deviations(X)], axis=-1)

    def _standard_deviations(self, X: Any) -> np.ndarray:
        """Return those of validated samples that lack no view, (n_samples, n_outputs)."""
        require_some_view(self)
        backend = as_backend(self.backend, self.n_jobs)
        posterior = posterior_of(self, backend)
        return by_pieces(partial(posterior.std, backend=backend), X, posterior.width)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """Return an interval for each target that contains it with a given probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples.
        coverage : float, default=0.9
            The part of new targets that the intervals should contain.

        Returns
        -------
        ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper end.

        Notes
        -----
        These are the jackknife+ intervals of Barber, Candes, Ramdas and Tibshirani (2021):
        quantiles of ``f_-i(x) - abs(r_i)`` and ``f_-i(x) + abs(r_i)`` over the training samples i,
        where ``f_-i`` is ridge without sample i and ``r_i`` its error for it. Both have a closed
        form, so nothing is fitted again. Samples count by their weights. With `n_components` f
        takes the place of ``f_-i`` (the jackknife), and there is no guarantee.

        If the samples are exchangeable, and weights of the kernels and alpha do not depend on them,
        a new target is in its interval with probability at least ``1 - 2 (1 - coverage)``, for
        every distribution and any number of samples; usually the probability is close to
        `coverage`. Weights and alpha that were learned on the same samples void the guarantee;
        the documentation shows the coverage that was measured with them.

        What `predict` notes about `return_std` holds here too. With a number of samples so small
        that `coverage` cannot be reached, an error is raised.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = lk.KernelRegressor().fit(X[::2], y[::2])
        >>> lower, upper = model.predict_interval(X[1::2], coverage=0.9).T
        >>> inside = (lower <= y[1::2]) & (y[1::2] <= upper)
        >>> bool(0.85 < inside.mean() < 0.95)
        True
        """
        check_is_fitted(self)
        coverage = require_coverage(coverage)
        if self._is_lazy(X):
            result = self._lazy_result("low", "high")
            return lazy_prediction(self, "predict_interval", X, result, coverage=coverage)
        compute = partial(type(self)._intervals, coverage=coverage)
        return self._shaped(self._outputs(X, compute))

    def _intervals(self, X: Any, coverage: float) -> np.ndarray:
        """Return those of validated samples that lack no view, (n_samples, n_outputs, 2)."""
        require_some_view(self)
        outputs = self._outputs_of(X)
        backend = as_backend(self.backend, self.n_jobs)
        posterior = posterior_of(self, backend)
        interval = partial(posterior.interval, coverage=coverage, backend=backend)
        return by_pieces(interval, X, posterior.width, outputs)

    def _describe_retrained(
        self, kernel: LearnedKernel, trained: Trained, value: float, targets: np.ndarray
    ) -> None:
        """Set the attributes of a machine that is trained on some views; see `TrainingViews`."""
        if self.alpha_ is None:  # not ridge
            return
        self.alpha_ = value
        self.__dict__.pop("_posterior", None)
        kept = posterior_or_training(
            kernel, trained.coef, trained.posterior, value, self._functions,
            self._memory()["max_memory"],
        )  # fmt: skip
        if kept is not None:
            self._posterior = kept

    def _lazy_result(self, *names: str) -> Result:
        """Describe predictions of a Dask array or frame; `names` are those of an inner axis."""
        n_targets = len(self._intercept)
        targets = [""] if self._flat else [f"target {k}" for k in range(n_targets)]
        columns = [f"{one} {name}".strip() for one in targets for name in names or ("",)]
        shape = (*(() if self._flat else (n_targets,)), *((len(names),) if names else ()))
        return Result(np.empty((0, *shape)), columns if shape else None)

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        """Return values without the axis of targets if y had none."""
        return values[:, 0] if self._flat else values

    def score_by_view(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, Any]:
        """Return the part of R^2 that each view explains.

        The product measure: with ``r`` the targets and ``f_v`` the predictions of the views, all
        minus their means, and ``f`` the sum of ``f_v``, the score of a view is ``sum(f_v * (2 r -
        f)) / sum(r**2)``. The scores add up to R^2. A view that makes the predictions worse has a
        negative score, and views with the same information share its score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, as in `predict`.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the samples.

        Returns
        -------
        dict of str to float or ndarray of shape (n_targets,)
            Score of each view of `on`, and of each kernel outside of views. ``"mean error"``, the
            last entry, is the loss because the mean of the predictions is not that of y: at most
            zero. NaN for targets that are constant.

        Examples
        --------
        >>> import learnkernels as lk
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> views = [lk.on([0, 1], name="age, sex"), lk.on(slice(2, 10), name="blood")]
        >>> model = lk.KernelRegressor(views).fit(X[::2], y[::2])
        >>> scores = model.score_by_view(X[1::2], y[1::2])
        >>> list(scores)
        ['age, sex', 'blood', 'mean error']
        >>> abs(sum(scores.values()) - model.score(X[1::2], y[1::2])) < 1e-9
        True
        """
        outputs = self._outputs(X)
        Y, w = validated_targets(y, sample_weight, self._shaped(outputs).shape)
        parts = self._outputs(X, type(self)._view_outputs)
        by_name = zip(kernels_by_view(self), np.moveaxis(parts, 1, 0), strict=True)
        terms = score_terms(outputs, by_name, Y, w)
        return {name: float(part[0]) if self._flat else part for name, part in terms.items()}

    def _view_outputs(self, X: Any) -> np.ndarray:
        """Return the part of each view in the outputs, (n_samples, n_views, n_outputs).

        The samples lack no view. The parts add up to the outputs: every view has the same share of
        the constant.
        """
        found = []
        for kernels in kernels_by_view(self).values():
            parts = [function.restricted(kernels) for function in self._functions]
            found.append(self._evaluated([part for part in parts if part is not None], X))
        joined = np.stack(found, axis=1)
        constant = self._outputs_of(X) - joined.sum(axis=1)
        return joined + constant[:, None] / len(found)

    def _machine(self, method: WeightMethod, n: int) -> Machine:
        """Return the machine that ``machine=`` names."""
        if self.machine == "svr":
            return SVR(epsilon=float(self.epsilon))
        return AlignmentPredictor() if self.machine == "alignment" else Ridge()

"""Choices of `fit` by held-out error: the method, values of C or alpha, and the folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.checks import is_whole, positive_values
from learnkernels.errors import InputError
from learnkernels.estimators.input.samples import Rows
from learnkernels.folds import splits
from learnkernels.kernels import has_fast_products
from learnkernels.machines import Machine, has_closed_form, prefers_products
from learnkernels.methods import Auto, WeightMethod

# Values that "auto" chooses from where they are not learned together with the weights.
GRIDS: dict[str, np.ndarray] = {"C": 10.0 ** np.arange(-1, 4), "alpha": 10.0 ** np.arange(-5, 3)}
# Those of support vector regression, where larger ones are slow and follow the noise. Warm starts
# make the smaller ones cheap.
SVR_VALUES = 10.0 ** np.arange(-1.5, 2.1, 0.5)
# Finer ones from strong to weak regularisation, for ridge with two-stage methods: several values
# cost little more than the weakest one. They are continued while the weakest one is the best.
PATHS: dict[str, np.ndarray] = {
    "C": 10.0 ** np.arange(-2.5, 1.1, 0.5), "alpha": 10.0 ** np.arange(2.5, -1.1, -0.5),
}  # fmt: skip


def regularization_name(estimator: Any) -> str:
    """Return the name of the regularisation parameter of an estimator's machine."""
    ridge = hasattr(estimator, "alpha") and estimator.machine != "svr"
    return "alpha" if ridge else "C"


def fitted_regularization(fitted: Any) -> float:
    """Return the regularisation parameter that was used, or 1."""
    return float(getattr(fitted, "C_", getattr(fitted, "alpha_", None)) or 1.0)


def grid_of(estimator: Any) -> list[float]:
    """Return the values that ``"auto"`` chooses from for the machine of an estimator."""
    svr = estimator.machine == "svr"
    return (SVR_VALUES if svr else GRIDS[regularization_name(estimator)]).tolist()


def values_of(
    estimator: Any, method: WeightMethod, machine: Machine, by_folds: bool
) -> list[float]:
    """Return the values of C or alpha to choose from; none if the method learns it.

    With `scoring`, values are compared instead of the one that was learned. Parameters are those
    of `Search.of`; for `by_folds` see `chooses_by_folds`.
    """
    name = regularization_name(estimator)
    given = getattr(estimator, name)
    if not (isinstance(given, str) and given == "auto"):
        return positive_values(name, given, '"auto"')
    if not (machine.takes_C or machine.takes_alpha):
        return [1.0]
    if by_folds and machine.takes_alpha and not method.one_stage:
        return PATHS[name].tolist()
    learned = method.learns_alpha and machine.takes_alpha and estimator.scoring is None
    return [] if learned else grid_of(estimator)


def is_searched(regularization: Any) -> bool:
    """Return whether the regularisation is chosen from several values."""
    # As in `positive_values`, which raises if the list contains other lists.
    return isinstance(regularization, str) or np.asarray(regularization, dtype=object).size > 1


@dataclass(frozen=True)
class Search:
    """Choices of `fit` by held-out error: the method, and C or alpha.

    Attributes
    ----------
    method : WeightMethod
    machine : Machine
    parameter : {"C", "alpha"}
    values : list of float
        Values of the parameter to choose from; none if the method learns it.
    several : bool
        Whether several values are compared.
    methods : bool
        Whether the candidates of ``method="auto"`` are compared by folds.
    only_folds : bool
        Whether folds are used even if leave-one-out errors have a closed form.
    by_folds : bool
        Whether folds are needed.
    """

    method: WeightMethod
    machine: Machine
    parameter: str
    values: list[float]
    several: bool
    methods: bool
    only_folds: bool
    by_folds: bool

    @classmethod
    def of(
        cls, estimator: Any, method: WeightMethod, machine: Machine, n: int,
        codes: np.ndarray | None, max_memory: float,
    ) -> Search:  # fmt: skip
        """Return what an estimator chooses for n samples.

        Parameters
        ----------
        estimator : KernelClassifier or KernelRegressor
            Its parameter C or alpha is a number, a list of numbers or ``"auto"``.
        method, machine
            The two stages.
        n : int
        codes : ndarray of shape (n_samples,) or None
            Classes; None for regression.
        max_memory : float
            Bytes for Gram matrices.
        """
        fast = not machine.takes_C and has_fast_products(estimator.kernels)
        own_folds = chooses_by_folds(estimator.cv, method, n, fast)
        methods = own_folds and isinstance(method, Auto)
        values = values_of(estimator, method, machine, own_folds)
        parameter = regularization_name(estimator)
        given = getattr(estimator, parameter)
        if codes is not None and isinstance(given, str) and np.bincount(codes).min() < 2:
            values = values if len(values) < 2 else [1.0]  # a class of one sample has no folds
        error_rate = codes is not None or estimator.scoring is not None or machine.takes_C
        only_folds = own_folds or error_rate or method.one_stage
        closed_form = not only_folds and has_closed_form(
            n, max_memory, estimator.n_components, fast
        )
        several = len(values) > 1 and (machine.takes_C or machine.takes_alpha)
        by_folds = methods or (several and not closed_form)
        return cls(method, machine, parameter, values, several, methods, only_folds, by_folds)


def chooses_by_folds(cv: Any, method: WeightMethod, n: int, fast_products: bool) -> bool:
    """Return whether everything is chosen by the folds of `cv`, and not by leave-one-out errors.

    A splitter or an iterable defines what held-out means for ``"auto"``. Leave-one-out errors of
    many samples need their Gram matrix, which kernels with fast products avoid.
    """
    if is_whole(cv) and not (fast_products and prefers_products(n)):
        return False
    if method.learns_alpha and not isinstance(method, Auto):
        if not fast_products:  # the method is defined by leave-one-out errors
            return False
        reason = f"cv={cv!r} defines folds"
        if is_whole(cv):
            reason = f"those of {n} samples need a Gram matrix, which these kernels avoid"
        raise InputError(
            f"method {method.name!r} minimises leave-one-out errors, but {reason}; use "
            'method="auto", which compares methods by folds.'
        )
    return True


def contiguous_folds(
    rows: Rows, codes: np.ndarray | None, cv: Any, random_state: Any, X: Any = None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return an order of the trained samples in which folds are contiguous, and the folds.

    Parameters
    ----------
    rows : Rows
    codes : ndarray of shape (n_trained,) or None
        Classes of the trained samples, for stratified folds.
    cv, random_state
        As in `learnkernels.folds.folds`. A splitter or an iterable refers to the rows of X, those
        of weight zero included.
    X : array or table of n_samples rows, or None
        All samples, for splitters that read them.

    Returns
    -------
    order : ndarray of shape (n_trained,)
    split : dict
        Arguments `borders` and `trained` of `prepare`.
    """
    n, n_trained = rows.spread.shape
    if is_whole(cv):
        tests, trained = splits(n_trained if codes is None else codes, cv, random_state)
    else:
        every = n
        if codes is not None:
            every = np.zeros(n, dtype=codes.dtype)
            every[rows.samples] = codes
        position = np.full(n, -1)
        position[rows.samples] = np.arange(n_trained)
        tests, trained = splits(every, cv, random_state, X=X)
        tests = [kept[kept >= 0] for kept in (position[test] for test in tests)]
        used = np.array([len(test) > 0 for test in tests])
        tests, trained = [test for test in tests if len(test)], trained[np.ix_(used, used)]
        if not trained.any(axis=1).all():
            raise InputError(
                f"cv={cv!r}: all training samples of fold {int(np.argmin(trained.any(axis=1)))} "
                "have weight zero; use fewer folds, or leave out samples of weight zero."
            )
    borders = np.cumsum([0] + [len(test) for test in tests])
    return np.concatenate(tests), {"borders": borders, "trained": trained}

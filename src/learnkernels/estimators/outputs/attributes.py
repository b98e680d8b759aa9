"""Fitted attributes that users of SVC, SVR and KernelRidge look for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnkernels.execution import Threads
from learnkernels.gram.factors.combination import FactorFunction
from learnkernels.gram.pairs.combination import PairFunction
from learnkernels.gram.tiles.combination import TileFunction
from learnkernels.kernels import Linear, Source, kernels_by_source
from learnkernels.kernels.learned_metric import LinearMap
from learnkernels.kernels.table import Standardize

# Solvers whose coefficients are zero except for support vectors.
SUPPORT_VECTORS = ("svm", "svr")
# Numbers in a piece of the matrix at whose rows a linear function is evaluated.
PIECE = 4_000_000
# Largest entry of that matrix.
LARGEST = 1e12


class MachineAttributes:
    """Mixin: coefficients of the machine, derived from what prediction needs.

    With C the combined kernel, centered unless ``center=False``, the outputs are
    ``C(X, X_train) @ coefficients + constant``.
    """

    n_features_in_: int
    machine_certificates_: tuple[Any, ...]
    solver_: str
    _functions: tuple[Any, ...]
    _intercept: np.ndarray
    _flat: bool
    # Rows of X with a coefficient, their coefficients, and the number of rows.
    _coefficients: tuple[np.ndarray, np.ndarray, int]

    def _coefficients_of(self, attribute: str) -> tuple[np.ndarray, np.ndarray, int]:
        """Return what was kept, or raise because there is no one vector of coefficients."""
        if "_coefficients" not in self.__dict__:
            raise AttributeError(
                f"{attribute} is not defined: the model is not fitted, or has one "
                "machine for each kernel (method 'ensemble', or weights='per_target'). Use "
                "decision_function or predict."
            )
        return self._coefficients

    @property
    def support_(self) -> np.ndarray:
        """Rows of the training data that are support vectors, shape (n_support,)."""
        support, _, _ = self._coefficients_of("support_")
        if self.solver_ not in SUPPORT_VECTORS:
            raise AttributeError(
                "support_ is defined for machine='svr', and machine='svm' without n_components; "
                f"this machine was trained by {self.solver_!r}. Read dual_coef_."
            )
        return support

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of the training samples, in the shapes of SVC, SVR and KernelRidge."""
        support, coef, n = self._coefficients_of("dual_coef_")
        if self.solver_ in SUPPORT_VECTORS:
            return coef.T
        found = np.zeros((n, coef.shape[1]))
        found[support] = coef
        return found[:, 0] if self._is_flat() else found

    @property
    def n_iter_(self) -> np.ndarray | None:
        """Iterations of the machine for each output, None if it has a closed form."""
        counts = [certificate.iterations for certificate in self.machine_certificates_]
        return np.array(counts, dtype=np.int32) if counts else None

    @property
    def intercept_(self) -> np.ndarray:
        """Constant of the outputs, shape (n_outputs,)."""
        if all(map(is_linear, self._functions)):
            return self._affine(np.zeros((1, self.n_features_in_)))[0]
        return self._intercept

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of the features if all kernels with a weight are linear."""
        if not all(map(is_linear, self._functions)):
            raise AttributeError(
                "coef_ is defined if all kernels with a weight are linear: lk.linear() or "
                "lk.per_feature(), also in views. Read dual_coef_ for other kernels."
            )
        at_zero = self.intercept_
        unit = np.ones(self.n_features_in_)
        slopes = self._slopes(unit, at_zero)  # (n_features, n_outputs)
        # Again with steps that change the outputs as much as the constant, to keep the digits.
        with np.errstate(divide="ignore"):
            steps = np.abs(at_zero).max() / np.abs(slopes).max(axis=1)
        slopes = self._slopes(np.clip(steps, 1.0, LARGEST), at_zero).T
        return slopes[0] if self._is_flat() and self._is_regression() else slopes

    def _slopes(self, steps: np.ndarray, at_zero: np.ndarray) -> np.ndarray:
        """Return the differences of a linear function along each feature, for these steps."""
        values = [self._affine(piece) for piece in diagonal_pieces(steps)]
        return (np.concatenate(values) - at_zero) / steps[:, None]

    def _affine(self, X: np.ndarray) -> np.ndarray:
        """Return the outputs at the rows of X without validating it, shape (n, n_outputs)."""
        backend = Threads(1)
        return self._intercept + sum(f.outputs(X, backend) for f in self._functions)

    def _is_regression(self) -> bool:
        return not hasattr(self, "classes_")

    def _is_flat(self) -> bool:
        """Return whether scikit-learn has no axis for the outputs."""
        return self._flat if self._is_regression() else len(self._intercept) == 1


def diagonal_pieces(steps: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the rows of a diagonal matrix, dense, some at a time."""
    d = len(steps)
    height = max(1, PIECE // d)
    for start in range(0, d, height):
        rows = np.arange(start, min(start + height, d))
        piece = np.zeros((len(rows), d))
        piece[np.arange(len(rows)), rows] = steps[rows]
        yield piece


def is_linear(function: TileFunction | PairFunction | FactorFunction) -> bool:
    """Return whether a function is linear in the features, up to a constant."""
    if isinstance(function, FactorFunction):
        return all(not group.cosine and keeps_lines(group.source) for group in function.groups)
    if isinstance(function, PairFunction):
        return False
    kernels: Any = function.combined.kernels
    formulas, _ = kernels_by_source(kernels.kernels)
    return (
        kernels.left_scale is None
        and all(isinstance(formula, Linear) for formula in formulas)
        and all(map(keeps_lines, kernels.sources))
    )


def keeps_lines(source: Source | None) -> bool:
    """Return whether a source reads numbers and maps them by affine functions."""
    if source is None:
        return True
    columns = source.columns
    numbers = columns is None or not (columns.text or columns.encodings)
    return numbers and all(
        isinstance(step, LinearMap) or (isinstance(step, Standardize) and not len(step.indicators))
        for step in source.maps
    )

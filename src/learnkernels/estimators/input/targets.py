"""Targets in the forms that alignment and the machine read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError
from learnkernels.kernels.tables import is_missing


@dataclass(frozen=True)
class Targets:
    """The targets of some samples, in the forms that the steps of a fit read.

    Attributes
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels or numbers, validated.
    alignment : ndarray of shape (n_samples, n_targets)
        The target of alignment.
    machine : ndarray of shape (n_samples, n_outputs)
        Targets of the machine: labels -1 and 1, or numbers.
    codes : ndarray of shape (n_samples,) or None
        Number of each sample's class; None for regression.
    """

    y: np.ndarray
    alignment: np.ndarray
    machine: np.ndarray
    codes: np.ndarray | None = None

    def take(self, index: np.ndarray) -> Targets:
        """Return those of some samples, in this order."""
        codes = None if self.codes is None else self.codes[index]
        return Targets(self.y[index], self.alignment[index], self.machine[index], codes)


def class_codes(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in order, and the number of each sample's class."""
    missing = np.isnat(y) if y.dtype.kind in "mM" else y.dtype == object and map(is_missing, y)
    if missing is not False and any(missing):
        raise InputError("labels are missing in y; drop those samples.")
    try:
        with np.errstate(invalid="ignore"):  # numbers beyond the range of integers
            check_classification_targets(y)
    except ValueError as error:
        raise InputError(
            f"{str(error).split('. Maybe')[0]}. KernelClassifier needs class labels; use "
            "KernelRegressor, or discretise y."
        ) from error
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

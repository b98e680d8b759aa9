"""What a target is: classes or numbers, and the matrices that stand for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets

from learnkernels.checks import as_input_error
from learnkernels.errors import InputError

__all__ = ["alignment_targets", "class_codes_of", "looks_like_classes", "signed_targets"]

# Whole numbers with at most this many different values are taken as classes.
MOST_CLASSES = 20


def class_codes_of(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and of each sample the number of its class."""
    with as_input_error("y holds labels that cannot be told apart: "):
        check_classification_targets(y)
        if pd.isna(y).any():
            raise InputError("labels are missing in y; drop those samples.")
        return np.unique(y, return_inverse=True)


def looks_like_classes(y: np.ndarray) -> bool:
    """Whether y is text, booleans, or at most 20 different whole numbers, in one column."""
    if y.ndim > 1 and y.shape[1] > 1:
        return False
    if y.dtype.kind not in "iuf":
        return True
    return bool(np.equal(np.mod(y, 1), 0).all()) and len(np.unique(y)) <= MOST_CLASSES


def signed_targets(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Labels -1 and 1, one column for two classes and one a class for more."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def alignment_targets(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """The target of alignment: -1 and 1 for two classes, one-hot for more."""
    if n_classes == 2:
        return signed_targets(codes, n_classes)
    return np.eye(n_classes)[codes]

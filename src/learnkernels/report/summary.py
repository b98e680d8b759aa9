"""A fitted model as a dictionary of plain values: the one source of every report."""

from __future__ import annotations

import platform
from typing import Any

import numba
import numpy as np
import scipy
import sklearn

from learnkernels.inspect import Comparison

__all__ = ["summary"]


def summary(model, comparison: Comparison | None = None, data: str = "") -> dict[str, Any]:
    """What a reader of a report wants to know.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator.
    comparison : Comparison or None, default=None
        How methods fared on the same data.
    data : str, default=""
        What the data is called.

    Returns
    -------
    dict
        Plain strings, numbers and lists, ready for JSON.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.report import summary
    >>> from sklearn.datasets import load_iris
    >>> model = lk.KernelClassifier(kernels="linear").fit(*load_iris(return_X_y=True))
    >>> summary(model)["kernels"][0]["name"]
    'linear'
    """
    certificate = model.certificate_
    order = np.argsort(-np.abs(model.weights_), kind="stable")
    return {
        "data": data,
        "estimator": type(model).__name__,
        "method": model.method if isinstance(model.method, str) else str(model.method),
        "regularization": getattr(model, "C_", getattr(model, "alpha_", None)),
        "alignment": model.alignment_,
        "kernels": [
            {
                "name": str(model.kernel_names_[k]),
                "weight": float(model.weights_[k]),
                "alignment": float(model.kernel_alignments_[k]),
            }
            for k in order
        ],
        "certificate": {
            "status": certificate.status,
            "primal": certificate.primal,
            "dual": certificate.dual,
            "gap": certificate.gap,
            "iterations": certificate.iterations,
        },
        "comparison": None if comparison is None else comparison.to_dict(),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
            "numba": numba.__version__,
        },
    }

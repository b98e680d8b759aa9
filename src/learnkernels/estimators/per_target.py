"""One weight vector and one alpha for each target: ``KernelRegressor(weights="per_target")``."""

from __future__ import annotations

import reprlib
from typing import Any, cast

import numpy as np

from learnkernels.checks import is_whole
from learnkernels.errors import InputError
from learnkernels.estimators.fitting import Predictor, Prepared, learn
from learnkernels.execution import format_bytes
from learnkernels.machines import Ridge
from learnkernels.methods import Auto, as_method
from learnkernels.methods.base import TargetModels
from learnkernels.methods.per_target import PerTarget
from learnkernels.plurals import count_text

WEIGHTS = ("shared", "per_target")


def check_per_target(estimator: Any) -> None:
    """Raise if a parameter of an estimator does not apply to weights of each target."""
    expected = {
        "method": ("auto", isinstance(as_method(estimator.method), Auto)),
        "machine": ("ridge", estimator.machine in ("auto", "ridge")),
        "n_components": (None, estimator.n_components is None),
        "scoring": (None, estimator.scoring is None),
        "cv": (5, is_whole(estimator.cv)),
    }
    for name, (value, applies) in expected.items():
        if not applies:
            found = reprlib.repr(getattr(estimator, name))
            raise InputError(
                f'{name}={found} does not apply to weights="per_target", which averages candidates '
                f"of ridge by generalised cross-validation; pass {name}={value!r}, or "
                'weights="shared".'
            )


def fit_targets(prepared: Prepared, alphas: list[float]) -> tuple[Predictor, TargetModels]:
    """Return the predictor of all targets, and their weights and alphas.

    Parameters
    ----------
    prepared : Prepared
    alphas : list of float
        Values to choose from; an empty list leaves them to the method.
    """
    method = PerTarget(alphas or None, prepared.random_state)
    p = len(prepared.sums.kernels.names)
    wanted = method.memory(p, *prepared.Y.shape)
    if wanted > prepared.max_memory:
        limit = format_bytes(prepared.max_memory)
        raise InputError(
            f'weights="per_target" needs {format_bytes(wanted)} for {count_text(p, "kernel")} and '
            f"y of shape {prepared.Y.shape}, more than max_memory={limit}; fit some targets at a "
            'time, use weights="shared", or raise max_memory.'
        )
    learned = learn(prepared, method, Ridge())
    kernels, models = learned.kernels, cast(TargetModels, learned.result.targets)
    used = np.flatnonzero(models.weights.any(axis=0)).tolist()
    terms = tuple((kernels.kernel(kernels.unit(k)), models.coef[k], None) for k in used)
    return Predictor(learned, terms, learned.problem.means, (), "dense"), models

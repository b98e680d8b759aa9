"""Uncertainty of a fitted regressor: its posterior, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnkernels.checks import is_number
from learnkernels.errors import InputError
from learnkernels.execution import Backend, format_bytes
from learnkernels.gram import LearnedKernel
from learnkernels.kernels import input_kind
from learnkernels.kernels.tables import n_rows, rows
from learnkernels.machines import Posterior, Training, posterior_bytes
from learnkernels.methods import Ensemble, as_method

# Numbers in an array of some new samples and what belongs to each.
PIECE = 2_000_000


def posterior_or_training(
    kernel: LearnedKernel, coef: np.ndarray, posterior: Posterior | None, alpha: float,
    functions: tuple[Any, ...], max_memory: float,
) -> Posterior | Training | None:  # fmt: skip
    """Return the posterior of ridge if it is known, else what it is computed from.

    Parameters
    ----------
    kernel : LearnedKernel
    coef : ndarray of shape (n_samples, n_outputs)
    posterior : Posterior or None
        As in `Trained`.
    alpha : float
    functions : tuple of Function
        The trained ones.
    max_memory : float
        Bytes; None is returned if the Gram matrix needs more.
    """
    if posterior is not None:
        return posterior
    fits = posterior_bytes(len(coef)) <= max_memory
    return Training.of(kernel, coef, alpha, functions) if fits else None


def posterior_of(model: Any, backend: Backend) -> Posterior:
    """Return the posterior of a fitted regressor, or raise with the reason why it has none."""
    kept = getattr(model, "_posterior", None)
    if kept is None:
        why, advice = reason(model)
        raise InputError(f"the model has no standard deviations or intervals: {why}; {advice}.")
    return kept.posterior(model._functions, backend) if isinstance(kept, Training) else kept


def reason(model: Any) -> tuple[str, str]:
    """Return why a fitted regressor has no posterior, and how to fit one that has."""
    if model.alpha_ is None:
        return f"machine {model.solver_!r} is not ridge", 'fit it with machine="ridge"'
    if input_kind(model.kernels) == "precomputed":
        why = 'kernels="precomputed" does not give K(x, x) of new samples'
        advice = "pass kernels as formulas, such as lk.gaussians(), and the table that they read"
        return why, advice
    if isinstance(as_method(model.method), Ensemble):
        return 'method "ensemble" averages several machines', "fit it with another method"
    if np.ndim(model.alpha_):
        why = 'weights="per_target" averages several machines'
        return why, 'fit it with weights="shared"'
    n = model._coefficients[2]
    why = (
        f"the matrices of {n} samples need {format_bytes(posterior_bytes(n))}, more than "
        f"max_memory={format_bytes(model._memory()['max_memory'])}"
    )
    return why, "fit it with n_components=1000, or with a larger max_memory"


def by_pieces(
    compute: Callable[..., np.ndarray], X: Any, width: int, *arrays: np.ndarray
) -> np.ndarray:
    """Return the results of a function of some new samples, joined.

    Parameters
    ----------
    compute : callable
        Called with some rows of X, and the same rows of the arrays.
    X
        New samples.
    width : int
        Numbers that `compute` holds for each sample.
    *arrays : ndarray
    """
    n, height = n_rows(X), max(1, PIECE // width)
    found = []
    for start in range(0, n, height):
        piece = slice(start, min(start + height, n))
        with np.errstate(over="ignore", invalid="ignore"):  # checked below
            found.append(compute(rows(X, piece), *(one[piece] for one in arrays)))
    joined = np.concatenate(found)
    if not np.isfinite(joined).all():
        raise InputError(
            "standard deviations or intervals overflow: X contains values far outside those of the "
            "training data; check its scale."
        )
    return joined


def require_some_view(model: Any) -> None:
    """Raise if a model is for samples that lack all views."""
    if not model._functions:
        raise InputError(
            "X contains samples without a value in any view, which have no standard deviations or "
            "intervals; drop these samples."
        )


def require_coverage(coverage: Any) -> float:
    """Return the coverage, or raise unless it is a number between 0 and 1."""
    if not (is_number(coverage) and 0 < coverage < 1):
        raise InputError(
            f"coverage={coverage!r}; expected a number between 0 and 1, for example 0.9."
        )
    return float(coverage)

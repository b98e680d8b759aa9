"""Posteriors of a regressor in a model file, and agreement with its functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.gram import LearnedKernel
from learnkernels.gram.factors.combination import FactorFunction
from learnkernels.gram.tiles.combination import TileFunction
from learnkernels.machines import FactorPosterior, LandmarkPosterior, LeftOut, Training
from learnkernels.persistence.fields import (
    FINITE,
    NUMBER,
    POSITIVE,
    TRUTH,
    Array,
    Optional,
    Record,
    Several,
    Union,
    require,
)
from learnkernels.persistence.functions import (
    COEFFICIENTS,
    COMBINED,
    FUNCTION,
    LARGEST_OUTPUT,
    LEARNED,
    check_learned,
)

SIZES = Array(size=LARGEST_OUTPUT)
LEFT_OUT = Record(LeftOut, {
    "weights": Array(low=0.0), "residuals": Array(2, size=LARGEST_OUTPUT),
    "variances": Array(low=0.0), "rows": Optional(Array(2, size=LARGEST_OUTPUT))})  # fmt: skip


def check_left_out(posterior: Any) -> None:
    """Raise unless the held-out samples have one value of everything."""
    found, n = posterior.left_out, len(posterior.left_out.weights)
    lengths = {len(found.residuals), len(found.variances)}
    require(n > 0 and lengths == {n}, "held-out samples differ in number")
    require(found.rows is None or found.rows.shape == (n, posterior.rank), "rows of another shape")
    require((found.weights > 0).all(), "a weight of 0")
    require(posterior.total > 0, "a sum of weights that is not positive")


def check_factors(posterior: FactorPosterior) -> None:
    check_left_out(posterior)
    require(posterior.left_out.rows is not None, "held-out samples without rows")
    same = all(
        isinstance(one, FactorFunction) and one.primal[0].shape[1] == posterior.rank
        for one in posterior.functions
    )
    require(same, "coordinates of another number")


def check_landmarks(posterior: LandmarkPosterior) -> None:
    check_left_out(posterior)
    require(posterior.left_out.rows is None, "held-out samples with rows")
    m, rank = posterior.T.shape
    require(m == len(posterior.kernel.weights), "landmarks differ in number")
    vectors = posterior.mean, posterior.origin, posterior.shrinkage
    require(all(one.shape == (rank,) for one in vectors), "features differ in number")


def check_training(training: Training) -> None:
    n = len(training.weights)
    require(n > 0 and (training.weights > 0).all(), "no samples, or a weight of 0")
    require(bool(training.parts) == (training.coef is not None), "samples without coefficients")
    if training.coef is not None:
        require(len(training.coef) == n, "samples and coefficients differ in number")
        check_learned(LearnedKernel(training.parts, training.weights, training.center))


POSTERIOR = Union("a posterior", {
    "training": Record(
        Training,
        {"weights": Array(low=0.0), "center": TRUTH, "alpha": POSITIVE,
         "parts": Several(COMBINED), "coef": Optional(COEFFICIENTS)},
        check=check_training,
    ),
    "factors": Record(
        FactorPosterior,
        {"left_out": LEFT_OUT, "alpha": POSITIVE, "total": NUMBER,
         "functions": Several(FUNCTION, at_least=1)},
        check=check_factors,
    ),
    "landmarks": Record(
        LandmarkPosterior,
        {"left_out": LEFT_OUT, "alpha": POSITIVE, "total": NUMBER, "kernel": LEARNED,
         "T": Array(2, size=LARGEST_OUTPUT), "mean": SIZES, "origin": SIZES, "level": FINITE,
         "shrinkage": SIZES},
        check=check_landmarks,
    ),
})  # fmt: skip


def check_posterior(model: Any) -> None:
    """Raise unless the posterior of a regressor, if it has one, agrees with its functions."""
    found = getattr(model, "_posterior", None)
    if found is None:
        return
    precomputed = isinstance(model.kernels, str) and model.kernels == "precomputed"
    require(not precomputed, "a posterior of precomputed kernels")
    require(found.alpha == model.alpha_, "a posterior of another alpha")
    if not isinstance(found, Training):
        require(np.isfinite(found.total) == model.center, "an intercept without centering")
        outputs = found.left_out.residuals.shape[1]
    elif found.coef is not None:
        outputs = found.coef.shape[1]
    else:
        n = len(found.weights)
        inside = all(isinstance(f, TileFunction) and len(f.coef) == n for f in model._functions)
        require(inside, "training samples that the functions do not contain")
        outputs = len(model._intercept)
    if isinstance(found, Training):
        require(found.center == model.center, "an intercept without centering")
    require(outputs == len(model._intercept), "a posterior of another number of outputs")


def parts_of_posterior(model: Any) -> tuple[Any, ...]:
    """Return the parts and functions of a posterior, which read the input of the model."""
    found = getattr(model, "_posterior", None)
    if isinstance(found, Training):
        return found.parts
    if isinstance(found, LandmarkPosterior):
        return found.kernel.parts
    return () if found is None else found.functions

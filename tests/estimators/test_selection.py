"""Choice of the regularisation by held-out error."""

import numpy as np

import learnkernels as lk
from learnkernels.estimators.fitting import fit_values, prepare
from learnkernels.estimators.selection import contiguous, held_out_outputs
from learnkernels.execution import Threads
from learnkernels.machines import Ridge
from learnkernels.methods import Ensemble


def test_contiguous_returns_order_and_borders_of_folds():
    order, borders = contiguous([np.array([2, 0]), np.array([1, 3, 4])])
    assert order.tolist() == [2, 0, 1, 3, 4] and borders.tolist() == [0, 2, 5]


def test_held_out_outputs_equal_predictions_of_ensemble_with_one_kernel(curve):
    X, y = curve
    Y = y[:, None]
    prepared = prepare(
        lk.gaussians([1.0]), X, Y, Y, task="regression", normalize="trace", center=True,
        sample_weight=np.ones(len(y)), backend=Threads(1),
    )  # fmt: skip
    (predictor,) = fit_values(prepared, Ensemble(), Ridge(), [10.0])
    (kernel, coef, _), *rest = predictor.terms
    assert not rest and predictor.learned.result.weights[0] != 1
    expected = kernel.products(X, coef, Threads(1)) + predictor.intercept
    (found,) = held_out_outputs([predictor], lambda k, c: k.products(X, c, Threads(1)))
    assert np.allclose(found, expected)


def test_chosen_alpha_has_lowest_leave_one_out_error(curve):
    X, y = curve
    values = [1e-3, 1e-1, 10.0]
    model = lk.KernelRegressor(lk.gaussians([0.5, 2.0]), alpha=values).fit(X, y)
    assert model.alpha_ == values[int(np.argmin(model.alpha_errors_))]
    assert model.alpha_errors_.shape == (3,)

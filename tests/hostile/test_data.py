"""Generated data and parameters give valid weights and finite predictions, or an `InputError`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import learnkernels as lk
from tests.hostile import strategies as hostile
from tests.hostile.checks import check_fit_and_predict, several

SHARED = ["center", "normalize", "backend", "missing", "verbose"]
MACHINE = ["max_memory", "n_components", "cv", "random_state"]
NAMES = {
    lk.KernelClassifier: [*SHARED, *MACHINE, "C", "tol", "machine"],
    lk.KernelRegressor: [*SHARED, *MACHINE, "alpha"],
    lk.KernelLearner: SHARED,
}
# With these and ordinary data a fit must succeed.
PLAIN_METHODS = ("unif", "align", "alignf")
PLAIN_KERNELS = (None, "gaussians", "laplacians", "polynomials", "linear", "precomputed")
ARGUMENTS = ["X", "y", "weights", "kernels", "method", "settings", "new"]


@st.composite
def cases(draw, tables, kernels):
    """Draw a model, training data and new data, with up to two strange arguments.

    If all were strange, only the first check would ever be reached.
    """
    strange = draw(st.sets(st.sampled_from(ARGUMENTS), max_size=2))
    n = draw(hostile.SAMPLES)
    kind = draw(st.sampled_from(list(NAMES)))
    task = "regression" if kind is lk.KernelRegressor else "classification"
    methods = hostile.TWO_STAGES if kind is lk.KernelLearner else hostile.METHOD_NAMES[task]
    model = kind(
        draw(hostile.NO_KERNELS if "kernels" in strange else kernels),
        draw(hostile.METHOD_OBJECTS if "method" in strange else methods),
        **(draw(hostile.settings_of(NAMES[kind])) if "settings" in strange else {}),
    )
    X = draw(tables(n, "X" in strange))
    y = draw(hostile.targets(n, task, "y" in strange))
    new = draw(tables(strange=True)) if "new" in strange else X
    weights = draw(hostile.weights_of(n, "weights" in strange))
    must = (
        not strange - {"new"}
        and model.method in PLAIN_METHODS
        and any(model.kernels is kernels for kernels in PLAIN_KERNELS)
        and tables in (hostile.dense, hostile.stacks)
    )
    return model, X, y, new, weights, must


@several
@given(cases(hostile.dense, hostile.NUMBER_KERNELS))
def test_dense_arrays_fit_or_raise_input_error(case):
    check_fit_and_predict(*case)


@several
@given(cases(hostile.sparse_rows, hostile.NUMBER_KERNELS))
def test_sparse_matrices_fit_or_raise_input_error(case):
    check_fit_and_predict(*case)


@several
@given(cases(hostile.frames, hostile.FRAME_KERNELS))
def test_data_frames_fit_or_raise_input_error(case):
    check_fit_and_predict(*case)


@several
@given(cases(hostile.strings, hostile.STRING_KERNELS))
def test_strings_fit_or_raise_input_error(case):
    check_fit_and_predict(*case)


@several
@given(cases(hostile.stacks, st.just("precomputed")))
def test_precomputed_stacks_fit_or_raise_input_error(case):
    check_fit_and_predict(*case)

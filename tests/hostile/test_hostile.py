"""Whatever a user brings: a fit with sound weights and finite predictions, or a sentence.

LEARNKERNELS_CASES is the number of generated cases of each test (60 if it is not set).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import learnkernels as lk
from tests.hostile import strategies as hostile
from tests.hostile.promise import keeps_its_promise

CASES = int(os.environ.get("LEARNKERNELS_CASES", "60"))
several = settings(
    max_examples=CASES,
    deadline=None,
    derandomize="LEARNKERNELS_CASES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
SHARED = ["center", "normalize", "backend", "missing", "verbose"]
MACHINE = ["max_memory", "n_components", "folds", "random_state"]
NAMES = {
    lk.KernelClassifier: [*SHARED, *MACHINE, "C", "tol", "machine"],
    lk.KernelRegressor: [*SHARED, *MACHINE, "alpha"],
    lk.KernelLearner: SHARED,
}
# With nothing strange about it, such a fit must succeed.
PLAIN_METHODS = ("unif", "align", "alignf")
PLAIN_KERNELS = (None, "gaussians", "laplacians", "polynomials", "linear", "precomputed")
PLACES = ["X", "y", "weights", "kernels", "method", "settings", "new"]


@st.composite
def cases(draw, tables, kernels):
    """A model, training data and new data, of which up to two are strange.

    If everything were, all would be refused for the first thing that is looked at.
    """
    strange = draw(st.sets(st.sampled_from(PLACES), max_size=2))
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
def test_arrays(case):
    keeps_its_promise(*case)


@several
@given(cases(hostile.sparse_rows, hostile.NUMBER_KERNELS))
def test_sparse_matrices(case):
    keeps_its_promise(*case)


@several
@given(cases(hostile.frames, hostile.FRAME_KERNELS))
def test_frames(case):
    keeps_its_promise(*case)


@several
@given(cases(hostile.strings, hostile.STRING_KERNELS))
def test_strings(case):
    keeps_its_promise(*case)


@several
@given(cases(hostile.stacks, st.just("precomputed")))
def test_precomputed_stacks(case):
    keeps_its_promise(*case)

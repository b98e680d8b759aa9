"""What every call keeps to, whatever it is given: a sound result, or a sentence."""

from __future__ import annotations

import signal
import warnings
from contextlib import contextmanager

import numpy as np
from hypothesis import event
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import learnkernels as lk

# Warnings that a user may get; any other, and above all one of NumPy, is a failure.
EXPECTED = (
    lk.ConstantKernelWarning,
    lk.MemoryWarning,
    lk.UndefinedAlignmentWarning,
    ConvergenceWarning,
    DataConversionWarning,
)
SECONDS = 60
SUM_IS_ONE = {"unif", "align", "alignf", "l1-krr", "l1-svm", "ufo", "single"}
SIGNED = {"align-linear"}


def keeps_its_promise(model, X, y, new, sample_weight=None, must=False) -> None:
    """Fit and predict, and check what comes out; or find a documented error, unless it must fit."""
    with limited(), watched():
        try:
            if isinstance(model, lk.KernelLearner):
                model.fit(X, y)
            else:
                model.fit(X, y, sample_weight)
        except lk.InputError as error:
            if must:
                raise
            refused(error, "fit")
            return
        sound_weights(model)
        event("fitted")
        for rows in (X, new):
            try:
                outputs = model.transform(rows) if isinstance(model, lk.KernelLearner) else (
                    model.predict(rows)
                )  # fmt: skip
            except lk.InputError as error:
                refused(error, "predict")
                continue
            sound_outputs(model, outputs)
            event("predicted")


@contextmanager
def limited():
    """A call that does not come back is a failure."""

    def late(signum, frame):
        raise AssertionError(f"no answer after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def watched():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", "X (has|does not have valid) feature names")
        yield


def refused(error, where) -> None:
    message = str(error)
    event(f"refused in {where}")
    assert len(message) > 15, message
    assert len(message) < 2000, message[:300]


def sound_weights(model) -> None:
    mu = model.weights_
    name = model.method if isinstance(model.method, str) else model.method.name
    assert mu.shape == model.kernel_names_.shape
    assert np.isfinite(mu).all()
    assert mu.any()
    assert (mu >= 0).all() or name in SIGNED
    if name in SUM_IS_ONE and isinstance(model.method, str):
        assert np.isclose(mu.sum(), 1.0, atol=1e-6), mu
    assert np.isfinite(model.alignment_)
    assert -1 - 1e-9 <= model.alignment_ <= 1 + 1e-9
    assert np.isfinite(model.kernel_alignments_).all()
    assert np.isclose(sum(model.view_weights_.values()), mu.sum())
    assert np.isfinite([model.certificate_.primal, model.certificate_.dual]).all()


def sound_outputs(model, outputs) -> None:
    if isinstance(model, lk.KernelClassifier):
        assert np.isin(outputs, model.classes_).all()
    else:
        assert np.isfinite(outputs).all()

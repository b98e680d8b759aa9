"""Checks that hold for every input: a valid result, or an `InputError`.

LEARNKERNELS_CASES sets the number of generated cases of each test (default 40).
"""

from __future__ import annotations

import os
import signal
import warnings
from contextlib import contextmanager

import numpy as np
from hypothesis import HealthCheck, event, settings
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import learnkernels as lk

# Documented warnings; any other, above all one of NumPy, is a failure.
EXPECTED = (
    lk.ConstantKernelWarning,
    lk.MemoryWarning,
    lk.NeverPredictedWarning,
    lk.TableWarning,
    lk.UndefinedAlignmentWarning,
    lk.UniformBetterWarning,
    ConvergenceWarning,
    DataConversionWarning,
)
CASES = int(os.environ.get("LEARNKERNELS_CASES", "40"))
SECONDS = 60
SUM_IS_ONE = {"unif", "align", "alignf", "l1-krr", "l1-svm", "ufo", "single"}
SIGNED = {"align-linear"}
several = settings(max_examples=CASES, suppress_health_check=list(HealthCheck))


def check_fit_and_predict(model, X, y, new, sample_weight=None, must=False) -> None:
    """Fit and predict, and check the results; accept an `InputError` unless `must` is true."""
    with time_limit(), only_documented_warnings():
        try:
            if isinstance(model, lk.KernelLearner):
                model.fit(X, y)
            else:
                model.fit(X, y, sample_weight)
        except lk.InputError as error:
            if must:
                raise
            check_message(error, "fit")
            return
        check_weights(model)
        event("fitted")
        for rows in (X, new):
            try:
                outputs = model.transform(rows) if isinstance(model, lk.KernelLearner) else (
                    model.predict(rows)
                )  # fmt: skip
            except lk.InputError as error:
                check_message(error, "predict")
                continue
            check_outputs(model, outputs)
            event("predicted")


@contextmanager
def time_limit():
    """Fail if the block takes more CPU time than `SECONDS`; Windows has no alarms, and no limit."""
    if not hasattr(signal, "SIGPROF"):
        yield
        return

    def fail(signum, frame):
        raise AssertionError(f"no result after {SECONDS} seconds of CPU time")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def only_documented_warnings():
    """Turn warnings into errors, except for those in `EXPECTED`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", "X (has|does not have valid) feature names")
        yield


def check_message(error, where) -> None:
    message = str(error)
    event(f"refused in {where}")
    assert len(message) > 15, message
    assert len(message) < 2000, message[:300]


def check_weights(model) -> None:
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


def check_outputs(model, outputs) -> None:
    if isinstance(model, lk.KernelClassifier):
        assert np.isin(outputs, model.classes_).all()
    else:
        assert np.isfinite(outputs).all()

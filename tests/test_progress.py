"""Progress of long work: what is reported, and how it is displayed."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

import learnkernels as lk
from learnkernels.estimators.families import RULES
from learnkernels.execution import Threads
from learnkernels.inspection import compare
from learnkernels.methods import METHODS
from learnkernels.progress import DISPLAY, report, showing, track, within

SHOW_CURSOR = "\x1b[?25h"
TWO_STAGE = {"unif", "align", "alignf", "align-linear"}
LEARN_ALPHA = {"auto", "loo"}


class RecordingDisplay:
    """Display that records every text."""

    def __init__(self):
        self.counted = False
        self.written = []

    def write(self, text):
        self.written.append(text)

    def start(self, total, what, done=0):
        self.counted = total is not None

    def advance(self):
        pass


@pytest.fixture
def written(monkeypatch):
    """Return the list of texts that are reported inside `showing`."""
    display = RecordingDisplay()

    @contextmanager
    def recording():
        yield display

    monkeypatch.setattr("learnkernels.progress.plain_display", recording)
    return display.written


@pytest.fixture
def terminal(monkeypatch):
    """Return the stream that a terminal display writes to."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120)
    monkeypatch.setattr("rich.console.Console", lambda stderr: console)
    monkeypatch.setattr("learnkernels.progress.on_terminal", lambda: True)
    return stream


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    return X, np.sign(X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(60))


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
@pytest.mark.parametrize("method", sorted(METHODS.keys() - TWO_STAGE - LEARN_ALPHA))
def test_fit_reports_fold_value_and_progress_of_method(method, written, problem):
    lk.KernelClassifier(lk.gaussians([0.1, 1.0]), method, C=[1.0, 20.0], verbose=True).fit(*problem)
    name = "lp-svm" if method == "l2-svm" else method
    unit = {"ufo": "decrease of the objective", "single": "kernel", "ensemble": "kernel"}.get(
        method, "gap"
    )
    in_fold = [text for text in written if text.startswith("fold 2 of 5, C 20, ")]
    assert any(f"{name}, {unit} " in text for text in in_fold)


@pytest.mark.parametrize("method", sorted(LEARN_ALPHA))
def test_fit_reports_leave_one_out_error_of_each_iteration(method, written, problem):
    lk.KernelClassifier(lk.gaussians([0.1, 1.0]), method, C=[1.0, 2.0], verbose=True).fit(*problem)
    for prefix in ("", "fold 2 of 5, "):
        start = f"{prefix}{method}, first steps, error "
        steps = [text for text in written if text.startswith(start)]
        assert steps and steps[-1].endswith(f", iteration {len(steps) + 1}")


def test_default_fit_reports_the_choice_of_kernels(written, rng, monkeypatch):
    monkeypatch.setitem(RULES, "regression", replace(RULES["regression"], min_samples=200))
    X = rng.standard_normal((200, 3))
    lk.KernelRegressor(verbose=True).fit(X, X[:, 0] * X[:, 1])
    assert any(text.startswith("choosing kernels, loo, first steps, error ") for text in written)
    assert any(text.startswith("auto, first steps, error ") for text in written)


def test_many_kernels_report_size_of_working_set(written):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 300))
    y = X[:, :3] @ [1.0, 2.0, 3.0]
    Y = np.column_stack([y, -y])  # several targets, which the interior-point method does not solve
    lk.KernelRegressor(lk.per_feature(), "l1-krr", verbose=True, alpha=1.0).fit(X, Y)
    assert any("100 of 300 kernels, gap" in text for text in written)


def test_comparison_reports_fold_and_method(written, problem):
    compare(*problem, ["unif", "l1-svm"], verbose=True)
    assert "fold 1 of 5, unif" in written
    assert any("fold 5 of 5, C 100, l1-svm, gap" in text for text in written)


def test_threads_report_to_the_display_of_the_caller(written):
    with showing(True), within("fit"):
        list(Threads(2).map(lambda item: report(f"part {item}"), range(4), "parts"))
    assert sorted(written) == [f"fit, part {item}" for item in range(4)]


def test_fit_prints_nothing_without_verbose(problem, capfd):
    lk.KernelClassifier(method="l1-svm", C=[1.0, 2.0], kernels=["gaussians", "linear"]).fit(
        *problem
    )
    compare(*problem, ["unif"])
    assert capfd.readouterr() == ("", "")
    with showing(False):
        assert DISPLAY.get() is None


def test_pipe_gets_plain_lines_with_an_interval_between(problem, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    for interval, printed in ((np.inf, False), (0.0, True)):
        monkeypatch.setattr("learnkernels.progress.INTERVAL", interval)
        lk.KernelClassifier(
            method="l1-svm", C=[1.0, 2.0], verbose=True, kernels=["gaussians", "linear"]
        ).fit(*problem)
        out, err = capfd.readouterr()
        assert not out and bool(err) == printed
        assert all(line.startswith("learnkernels: ") for line in err.splitlines())
        assert "\x1b" not in err


def test_line_of_a_finished_part_does_not_repeat_the_report_of_that_part(capfd, monkeypatch):
    monkeypatch.setattr("learnkernels.progress.INTERVAL", 0.0)
    with showing(True):
        for k in track(range(2), 2, "folds"):
            report(f"gap of fold {k}")
    lines = [line.removeprefix("learnkernels: ") for line in capfd.readouterr().err.splitlines()]
    expected = ["0 of 2, folds", "0 of 2, gap of fold 0", "1 of 2, folds", "1 of 2, gap of fold 1"]
    assert lines == [*expected, "2 of 2, folds"]


def test_inner_loop_does_not_change_the_bar_of_the_outer_loop(terminal):
    with showing(True):
        for _ in track(range(3), 3, "folds"):
            with showing(True):
                assert list(track("ab", 2, "tiles")) == ["a", "b"]
            (task,) = DISPLAY.get().bars.tasks
            assert (task.total, task.description) == (3, "folds")
        (task,) = DISPLAY.get().bars.tasks
        assert task.total is None
    assert SHOW_CURSOR in terminal.getvalue()


def test_cursor_is_restored_after_keyboard_interrupt(terminal):
    with pytest.raises(KeyboardInterrupt), showing(True):
        for _ in track(range(3), 3, "folds"):
            raise KeyboardInterrupt
    assert SHOW_CURSOR in terminal.getvalue()
    assert DISPLAY.get() is None

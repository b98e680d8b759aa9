"""What a person who waits is shown."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

import learnkernels as lk
from learnkernels.inspect import compare
from learnkernels.progress import SILENT, shown
from learnkernels.weights import METHODS


class Screen(io.StringIO):
    """A terminal that remembers what it was sent."""

    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(
        "learnkernels.progress.Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=120),
    )
    monkeypatch.setattr("learnkernels.progress.on_terminal", lambda: True)
    # Every line that would be seen, also those that are gone before the next refresh.
    written = []
    line = "learnkernels.progress.Line.write"
    monkeypatch.setattr(line, lambda self, text: written.append(text))
    screen.written = written
    return screen


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    return X, np.sign(X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(60))


@pytest.mark.parametrize(
    "method", sorted(set(METHODS) - {"unif", "align", "alignf", "align-linear"})
)
def test_a_fit_tells_how_far_its_method_is(method, screen, problem):
    model = lk.KernelClassifier(method=method, C=[1.0, 2.0], verbose=True)
    model.fit(*problem)
    told = [text for text in screen.written if text.startswith("fold 2 of 5, C 2, ")]
    name = "lp-svm" if method == "l2-svm" else method
    words = {"ufo": "epoch", "single": "kernel", "ensemble": "kernel"}.get(method, "gap")
    assert any(f"{name}, {words} " in text for text in told)


def test_many_kernels_say_how_many_are_looked_at(screen):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 300))
    y = X[:, :3] @ [1.0, 2.0, 3.0]
    Y = np.column_stack([y, -y])  # several targets: not the interior-point method
    lk.KernelRegressor(lk.per_feature(), "l1-krr", verbose=True).fit(X, Y)
    assert any("100 of 300 kernels, gap" in text for text in screen.written)


def test_a_comparison_names_fold_and_method(screen, problem):
    compare(*problem, ["unif", "l1-svm"], verbose=True)
    assert "fold 1 of 5, unif" in screen.written
    assert any("fold 5 of 5, C 100, l1-svm, gap" in text for text in screen.written)


def test_nothing_is_said_in_a_pipe_or_unless_asked(problem, capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as many pipes have it
    lk.KernelClassifier(method="l1-svm", C=[1.0, 2.0], verbose=True).fit(*problem)
    compare(*problem, ["unif"], verbose=True)
    assert capfd.readouterr() == ("", "")
    with shown(False) as progress:
        assert progress is SILENT


def test_a_bar_counts_the_whole_and_not_its_parts(screen):
    with shown(True) as progress:
        for _ in progress.track(range(3), 3, "folds"):
            with shown(progress) as same:  # a job that is part of another
                assert list(same.track("ab", 2, "tiles")) == ["a", "b"]
            (task,) = progress.line.bars.tasks
            assert (task.total, task.description) == (3, "folds")
        (task,) = progress.line.bars.tasks
        assert task.total is None
    assert "\x1b[?25h" in screen.getvalue()  # the cursor is back


def test_the_terminal_is_left_as_it_was_when_stopped(screen):
    with pytest.raises(KeyboardInterrupt), shown(True) as progress:
        for _ in progress.track(range(3), 3, "folds"):
            raise KeyboardInterrupt
    assert "\x1b[?25h" in screen.getvalue()

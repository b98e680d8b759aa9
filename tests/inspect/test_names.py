"""Names from data in pictures."""

from __future__ import annotations

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pytest

from learnkernels.inspect.displays import WeightsDisplay

NAMES = [r"$\frac{$ a $", r"\$", "$x$", "a\nb\x1b\0", "\ud800", "a" * 5000, "", "<b>&"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_drawn_as_it_is_on_one_line(name, tmp_path):
    display = WeightsDisplay([name, "b"], [1.0, 0.5]).plot()
    display.figure_.savefig(tmp_path / "weights.svg")
    plt.close(display.figure_)
    label = display.ax_.get_yticklabels()[0].get_text()
    assert len(label) <= 50 and len(label.splitlines()) <= 1
    assert label.replace(r"\$", "").count("$") == 0

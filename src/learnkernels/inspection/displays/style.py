"""How pictures look: few colours that colour-blind readers tell apart, and no needless ink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnkernels.errors import InputError
from learnkernels.escaping import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GREY, BLUE, ORANGE = "#22272e", "#8c959f", "#0072b2", "#d55e00"
# Okabe and Ito, Color Universal Design (2008).
COLOURS = (INK, BLUE, ORANGE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "osD^vPX"
LONGEST_NAME = 40


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure of a size in inches."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError(
            "displays need matplotlib, which is not installed; run pip install "
            "'learnkernels[report]'."
        ) from error
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def tidy(ax: Axes) -> None:
    """Without a box."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_beside(ax: Axes) -> None:
    """For lines that go from edge to edge and leave no room inside."""
    ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def shortened(name: str) -> str:
    """Shorten a name so that it fits beside the picture."""
    name = printable(str(name))
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def label_of(name: str) -> str:
    """Escape dollars in a name, which would begin a formula."""
    return shortened(name).replace("$", r"\$")

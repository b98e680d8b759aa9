"""Importance of features as bars, and of letters at positions as a sequence logo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from learnkernels.inspection.displays.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    ORANGE,
    axes_for,
    label_of,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 20
ROW = 0.24
BAR = 0.7
# Sequence logos: inches for each position, and colours of the bases.
LETTER = 0.14
BASES = {"A": "#009e73", "C": BLUE, "G": "#e69f00", "T": ORANGE, "U": ORANGE}


class FeaturesDisplay:
    """Importance of features as bars, the most important on top.

    Parameters
    ----------
    names : sequence of str
        Of the features.
    importances : array-like of shape (n_features,)
    effects : array-like of shape (n_features,) or None, default=None
        Bars are blue if the effect is positive, orange if it is negative, grey if it is unknown.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from learnkernels.inspection import FeaturesDisplay
    >>> display = FeaturesDisplay(["age", "height"], [0.2, 0.1], [1.0, -0.5]).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['age', 'height']
    """

    def __init__(
        self, names: Sequence[str], importances: ArrayLike, effects: ArrayLike | None = None
    ):
        self.names = list(names)
        self.importances = np.asarray(importances, dtype=float)
        unknown = np.full(len(self.names), np.nan)
        self.effects = unknown if effects is None else np.asarray(effects, dtype=float)

    def plot(self, ax: Axes | None = None) -> FeaturesDisplay:
        """Draw the twenty most important features.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        shown = np.argsort(-self.importances, kind="stable")[:MOST]
        self.ax_ = axes_for(ax, (6.4, 1.0 + ROW * (len(shown) + 1)))
        self.figure_ = self.ax_.figure
        signs = np.sign(self.effects[shown])
        colours = [{1.0: BLUE, -1.0: ORANGE}.get(float(sign), GREY) for sign in signs]
        self.ax_.barh(np.arange(len(shown)), self.importances[shown], BAR, color=colours)
        self.ax_.set_yticks(range(len(shown)), [label_of(self.names[k]) for k in shown])
        self.ax_.set_ylim(len(shown) - 0.4, -0.6)
        self.ax_.set_xlabel("importance, in units of the output")
        if np.isfinite(signs).any():
            self.ax_.set_title("blue: raises the output, orange: lowers it", loc="left", fontsize=9)
        tidy(self.ax_)
        return self


class LogoDisplay:
    """A sequence logo: letters at positions, scaled by their importance.

    Parameters
    ----------
    letters : sequence of str of length n_letters
        Entries of more than one character are left out.
    positions : array-like of shape (n_letters,)
    heights : array-like of shape (n_letters,)
        Letters of positive height are stacked above the line, the others below it.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from learnkernels.inspection import LogoDisplay
    >>> display = LogoDisplay("TACG", [0, 1, 1, 2], [1.0, 0.5, 0.2, -0.3]).plot()
    >>> len(display.ax_.patches)
    4
    """

    def __init__(self, letters: Sequence[str], positions: ArrayLike, heights: ArrayLike):
        self.letters = list(letters)
        self.positions = np.asarray(positions, dtype=int)
        self.heights = np.asarray(heights, dtype=float)

    def plot(self, ax: Axes | None = None) -> LogoDisplay:
        """Draw; the highest letters are farthest from the line.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.
        """
        length = int(self.positions.max(initial=0)) + 1
        self.ax_ = axes_for(ax, (max(4.0, 1.0 + LETTER * length), 2.4))
        self.figure_ = self.ax_.figure
        ends = np.zeros((2, length))  # of the stacks above and below the line
        colours = letter_colours(self.letters)
        for k in np.argsort(np.abs(self.heights), kind="stable"):
            letter, position, height = self.letters[k], self.positions[k], self.heights[k]
            if height != 0 and len(letter) == 1:
                side = int(height < 0)
                start = ends[side, position]
                draw_letter(self.ax_, letter, position, start, height, colours[letter])
                ends[side, position] += height
        self.ax_.axhline(0, color=INK, lw=0.6)
        self.ax_.set_xlim(-0.6, length - 0.4)
        span = (ends[0].max() - ends[1].min()) or 1.0
        self.ax_.set_ylim(ends[1].min() - 0.04 * span, ends[0].max() + 0.04 * span)
        self.ax_.set_xlabel("position")
        self.ax_.set_ylabel("importance")
        tidy(self.ax_)
        return self


def letter_colours(letters: Sequence[str]) -> dict[str, str]:
    """Return the colour of each letter: those of bases are fixed."""
    found = sorted(set(letters))
    if {letter for letter in found if len(letter) == 1} <= set(BASES):
        return BASES
    return {letter: COLOURS[k % len(COLOURS)] for k, letter in enumerate(found)}


def draw_letter(
    ax: Axes, letter: str, position: int, start: float, height: float, colour: str
) -> None:
    """Add a letter that fills the box from `start` to ``start + height`` at a position."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.patches import PathPatch
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    # Without a formula: a dollar sign is a letter like others.
    path = TextPath((0, 0), letter, size=1, prop=FontProperties(weight="bold"), usetex=False)
    box = path.get_extents()
    low = min(start, start + height)
    place = Affine2D().translate(-box.x0, -box.y0)
    place = place.scale(0.9 / box.width, abs(height) / box.height)
    place = place.translate(position - 0.45, low)
    ax.add_patch(PathPatch(place.transform_path(path), facecolor=colour, linewidth=0))

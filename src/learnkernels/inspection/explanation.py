"""Results of `explain`: a table of features, their contributions, and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from learnkernels.errors import InputError
from learnkernels.escaping import printable
from learnkernels.execution import require_memory
from learnkernels.inspection.terms import EXACT, PERMUTATION, Term
from learnkernels.plurals import count_text
from learnkernels.templates import render

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from learnkernels.inspection.displays.features import FeaturesDisplay, LogoDisplay

SHOWN = 10
NOTES = {
    EXACT: "exact: standard deviation of the contribution to the output over the samples",
    PERMUTATION: "permutation: root mean square change of the output if the column is permuted, "
    "divided by sqrt(2)",
}


@dataclass(frozen=True, repr=False)
class Explanation:
    """Which features the outputs of a model depend on.

    Attributes
    ----------
    terms : tuple of Term
        Features by kernel or view.
    outputs : tuple of str
        Classes or targets; of two classes the second one.
    baseline : ndarray of shape (n_outputs,)
        Mean of the outputs over the samples.
    n_samples : int
    by : {"feature", "kernel", "view"}
    """

    terms: tuple[Term, ...]
    outputs: tuple[str, ...]
    baseline: np.ndarray
    n_samples: int
    by: str = "feature"

    @property
    def features(self) -> list[str]:
        """Name of each feature."""
        return [feature for term in self.terms for feature in term.features]

    @property
    def measures(self) -> list[str]:
        """Measure of each feature: ``"exact"`` or ``"permutation"``."""
        return [term.measure for term in self.terms for _ in term.features]

    @property
    def importances(self) -> np.ndarray:
        """Importance of each feature for each output, shape (n_features, n_outputs)."""
        nothing = np.zeros((0, len(self.outputs)))
        return np.concatenate([nothing, *(term.importances for term in self.terms)])

    @property
    def effects(self) -> np.ndarray:
        """Effect of each feature on each output, shape (n_features, n_outputs).

        For columns and words, the change of the output if the feature grows by one. For a letter,
        the mean contribution where it occurs. NaN where no effect is known.
        """
        return self._joined("effects", np.full(len(self.outputs), np.nan))

    @property
    def metric(self) -> np.ndarray:
        """Diagonal of the learned metric for each feature, NaN if none was learned."""
        return self._joined("metric", np.array(np.nan))

    @property
    def positions(self) -> np.ndarray:
        """Position of each letter, counted from 0; -1 for other features."""
        return self._joined("positions", np.array(-1))

    def _joined(self, name: str, default: np.ndarray) -> np.ndarray:
        """Return an attribute of all terms, with a default for each feature of those without."""
        found = [np.zeros((0, *default.shape), dtype=default.dtype)]
        for term in self.terms:
            values = getattr(term, name)
            n = len(term.features)
            found.append(np.repeat(default[None], n, axis=0) if values is None else values)
        return np.concatenate(found)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each feature and output, the most important first.

        Returns
        -------
        DataFrame
            Columns ``view``, ``kernel``, ``feature``, ``position`` (of letters), ``output``,
            ``effect``, ``importance``, ``measure`` and ``metric`` (diagonal of a learned metric).
            Columns without any value are left out.
        """
        import pandas as pd

        T = len(self.outputs)
        frame = pd.DataFrame(
            {
                "view": np.repeat([term.view for term in self.terms], self._sizes()),
                "kernel": np.repeat([term.kernel for term in self.terms], self._sizes()),
                "feature": self.features,
                "position": self.positions,
                "measure": self.measures,
                "metric": self.metric,
            }
        )
        frame = frame.loc[frame.index.repeat(T)].reset_index(drop=True)
        frame.insert(4, "output", np.tile(self.outputs, len(self.features)))
        frame.insert(5, "effect", self.effects.ravel())
        frame.insert(6, "importance", self.importances.ravel())
        if (frame.position < 0).all():
            frame = frame.drop(columns="position")
        empty = [name for name in ("effect", "metric") if frame[name].isna().all()]
        empty += [name for name in ("kernel",) if (frame[name] == "").all()]
        frame = frame.drop(columns=empty)
        return frame.sort_values("importance", ascending=False, kind="stable", ignore_index=True)

    def _sizes(self) -> list[int]:
        return [len(term.features) for term in self.terms]

    def contributions(self, output: int | str = 0) -> np.ndarray:
        """Return the contribution of each feature to an output of each sample.

        Parameters
        ----------
        output : int or str, default=0
            Position or name of the output.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            In the order of `features`; their mean over the samples is zero. If no view is missing,
            a row sums to the output of the sample minus `baseline`.
        """
        t = self._output(output)
        n = len(self.features)
        without = [term.view for term in self.terms if term.contributions is None]
        if without:
            raise InputError(
                f"view {without[0]!r} has kernels that are not sums over features, so samples have "
                "no contributions of single columns; use explain(..., by='view') or by='kernel'."
            )
        require_memory(8 * self.n_samples * n, f"contributions of {count_text(n, 'feature')}")
        found = [term.contributions(t) for term in self.terms if term.contributions is not None]
        return np.hstack([np.zeros((self.n_samples, 0)), *found])

    def _output(self, output: int | str) -> int:
        """Return the position of an output."""
        names = list(self.outputs)
        if isinstance(output, str) and output in names:
            return names.index(output)
        if isinstance(output, int | np.integer) and 0 <= output < len(names):
            return int(output)
        raise InputError(
            f"output={output!r}; expected one of {names[:10]}, or a position from 0 to "
            f"{len(names) - 1}."
        )

    def plot(self, output: int | str | None = None, ax: Axes | None = None) -> FeaturesDisplay:
        """Draw the most important features as bars.

        Parameters
        ----------
        output : int, str or None, default=None
            Position or name of the output; None is the root mean square over all outputs.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        FeaturesDisplay
        """
        from learnkernels.inspection.displays.features import FeaturesDisplay

        t = 0 if len(self.outputs) == 1 and output is None else output
        if t is None:
            importances, effects = self._overall(), np.full(len(self.features), np.nan)
        else:
            k = self._output(t)
            importances, effects = self.importances[:, k], self.effects[:, k]
        return FeaturesDisplay(self._labels(), importances, effects).plot(ax)

    def plot_logo(
        self, kernel: str | None = None, output: int | str = 0, ax: Axes | None = None
    ) -> LogoDisplay:
        """Draw a weighted degree kernel as a sequence logo.

        A letter is as high as its importance at the position. It is above the line if it raises
        the output, and below the line if it lowers it.

        Parameters
        ----------
        kernel : str or None, default=None
            Name of the kernel; None is the first weighted degree kernel.
        output : int or str, default=0
            Position or name of the output.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        LogoDisplay
        """
        from learnkernels.inspection.displays.features import LogoDisplay

        terms = {term.kernel: term for term in self.terms if term.positions is not None}
        if not terms or (kernel is not None and kernel not in terms):
            raise InputError(
                f"kernel={kernel!r}; a sequence logo needs a weighted degree kernel with a weight, "
                f"found {list(terms) or 'none'}. Use plot() for other kernels."
            )
        term, t = terms[next(iter(terms)) if kernel is None else kernel], self._output(output)
        heights = np.sign(np.asarray(term.effects)[:, t]) * term.importances[:, t]
        return LogoDisplay(term.features, np.asarray(term.positions), heights).plot(ax)

    def _overall(self) -> np.ndarray:
        """Return the root mean square of the importances over the outputs, (n_features,)."""
        return np.asarray(np.sqrt((self.importances**2).mean(axis=1)))

    def _labels(self) -> list[str]:
        """Return names of features with their positions, and with the kernel or view if needed."""
        views = Counter(term.view for term in self.terms)
        found = []
        for term in self.terms:
            owner = term.kernel if views[term.view] > 1 and term.kernel else term.view
            several = len(self.terms) > 1 and self.by == "feature"
            start = f"{owner}: " if several else ""
            where = [""] * len(term.features)
            if term.positions is not None:
                where = [f" at {position}" for position in term.positions]
            found += [
                f"{start}{feature}{at}" for feature, at in zip(term.features, where, strict=True)
            ]
        return found

    def _rows(self) -> list[list[str]]:
        """Return the most important features: name, output, effect, importance, measure, metric."""
        order = np.argsort(-self._overall(), kind="stable")[:SHOWN]
        labels, measures, metric = self._labels(), self.measures, self.metric
        rows = []
        for k in order:
            t = int(self.importances[k].argmax())
            effect, scale = self.effects[k, t], metric[k]
            rows.append(
                [
                    printable(labels[k]), printable(self.outputs[t]),
                    "" if np.isnan(effect) else f"{effect:+.3g}", f"{self.importances[k, t]:.3g}",
                    measures[k], "" if np.isnan(scale) else f"{scale:.2f}",
                ]
            )  # fmt: skip
        return rows

    @property
    def notes(self) -> list[str]:
        """Return the meaning of the numbers in the table."""
        found = [text for measure, text in NOTES.items() if measure in self.measures]
        if not np.isnan(self.metric).all():
            found.append("metric: diagonal of the learned metric, relative to its largest entry")
        if len(self.outputs) > 1:
            found.append("output: the one that the feature changes most")
        hidden = len(self.features) - SHOWN
        if hidden > 0:
            found.append(f"{count_text(hidden, f'more {self.by}')} in to_frame()")
        return [f"{text}." for text in found]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of the table, without columns that are empty."""
        head = [self.by, "output", "effect", "importance", "measure", "metric"]
        rows = self._rows()
        kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
        if len(self.outputs) == 1:
            kept.remove(1)
        return [head[k] for k in kept], [[row[k] for k in kept] for row in rows]

    @property
    def title(self) -> str:
        """Return what the table is about."""
        n = len(self.outputs)
        target = f"output {self.outputs[0]}" if n == 1 else f"{n:,} outputs"
        of = count_text(len(self.features), self.by)
        return f"Importance of {of} for {target}, over {self.n_samples:,} samples"

    def __repr__(self) -> str:
        head, rows = self._table() if self.features else ([], [])
        return "\n".join([printable(self.title), *aligned([head, *rows]), *self.notes])

    def _repr_html_(self) -> str:
        head, rows = self._table() if self.features else ([], [])
        numbers = ("effect", "importance", "metric")
        return render(
            "result_table.html", title=self.title, head=head, rows=rows, numbers=numbers,
            notes=self.notes,
        )  # fmt: skip


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of text as lines with columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]

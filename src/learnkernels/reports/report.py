"""`report`: what was learned, for a person who did not run the fit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from learnkernels.errors import InputError
from learnkernels.files import replacing
from learnkernels.reports.html import to_html
from learnkernels.reports.markdown import to_markdown
from learnkernels.reports.summary import summary
from learnkernels.reports.words import in_words

__all__ = ["Report", "check_ending", "report"]


@dataclass(frozen=True)
class Report:
    """What was learned, how much better it is than not learning, and how sure that is.

    In a notebook it shows itself; ``print(report)`` gives five lines at most.

    Attributes
    ----------
    summary : dict
        All of it as plain values.
    """

    summary: dict[str, Any]

    def to_html(self) -> str:
        """One page that needs no other file and no network."""
        return to_html(self.summary)

    def to_markdown(self) -> str:
        """Text that reads well raw and rendered."""
        return to_markdown(self.summary)

    def to_json(self) -> str:
        """The summary, every name as it is."""
        text = json.dumps(self.summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        # Halves of characters have no form in UTF-8; their escapes are those of JSON.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def save(self, path: str | Path) -> Path:
        """Write the report; the ending of the name, html, md or json, says what as.

        Parameters
        ----------
        path : path-like
            Where to.

        Returns
        -------
        Path
            The same.
        """
        path = check_ending(path)
        forms = {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        with replacing(path) as stream:
            stream.write(forms[path.suffix]().encode())
        return path

    def __str__(self) -> str:
        return "\n".join(in_words(self.summary))

    def __repr__(self) -> str:
        return f"Report({self.summary['title'] or self.summary['model']['estimator']!r})"

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 44em; border: none"></iframe>'


def check_ending(path: str | Path) -> Path:
    """The path, if a report can be written there."""
    path = Path(path)
    if path.suffix not in (".html", ".md", ".json"):
        raise InputError(f"a report is .html, .md or .json; found {path.name!r}.")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}.")
    return path


def report(
    model,
    X,
    y,
    *,
    title: str = "",
    folds: int = 5,
    draws: int = 50,
    seed: int = 0,
    verbose: bool = False,
) -> Report:
    """A report on a fitted model: which kernels, how much better, can I trust it.

    The model is trained again on folds of the data, with its own weights, with uniform ones and
    with the best single kernel; and its weights are learned again from random halves, which shows
    how sure they are.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator, or a pipeline that ends with one.
    X, y
        The data it was trained on, as given to the pipeline.
    title : str, default=""
        What the data is called.
    folds : int, default=5
        Of the scores on unseen samples; 0 leaves them out.
    draws : int, default=50
        Random halves from which the weights are learned again; 0 leaves them out.
    seed : int, default=0
        Of folds and halves.
    verbose : bool, default=False
        Show progress on a terminal.

    Returns
    -------
    Report
        With ``to_html()``, ``to_markdown()``, ``to_json()`` and ``save(path)``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = lk.report(lk.KernelClassifier().fit(X, y), X, y, title="iris", draws=5)
    >>> print(str(found).splitlines()[0])
    Predicts one of 3 classes from 4 columns of 150 samples, with 11 base kernels.
    >>> found.to_html().startswith("<!doctype html>")
    True
    """
    return Report(
        summary(model, X, y, title=title, folds=folds, draws=draws, seed=seed, verbose=verbose)
    )

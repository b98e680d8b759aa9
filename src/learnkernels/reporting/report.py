"""The public function `report` and its result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnkernels._warnings import suppressed
from learnkernels.checks import is_whole
from learnkernels.errors import InputError, TableWarning
from learnkernels.estimators.base import in_memory
from learnkernels.estimators.input.samples import warn_about_copies
from learnkernels.files import replacing
from learnkernels.reporting.formatting import Summary
from learnkernels.reporting.html import to_html
from learnkernels.reporting.markdown import to_markdown
from learnkernels.reporting.statements import text_lines
from learnkernels.reporting.summary import summary
from learnkernels.templates import render


@dataclass(frozen=True)
class Report:
    """Report on a fitted model: error against baselines, learned kernel, certificate.

    In a notebook the report is shown as a page; ``print(report)`` prints at most five lines.

    Attributes
    ----------
    summary : dict
        All results as plain strings, numbers and lists.
    """

    summary: Summary

    def to_html(self) -> str:
        """Return a self-contained HTML page."""
        return to_html(self.summary)

    def to_markdown(self) -> str:
        """Return Markdown that is readable raw and rendered."""
        return to_markdown(self.summary)

    def to_json(self) -> str:
        """Return the summary as JSON, with names unchanged."""
        text = json.dumps(self.summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        # Lone surrogates cannot be encoded in UTF-8; JSON has an escape for them.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def save(self, path: str | Path) -> Path:
        """Write the report in the format given by the ending of the file name.

        Parameters
        ----------
        path : path-like
            File name that ends in ``.html``, ``.md`` or ``.json``.

        Returns
        -------
        Path
            The path.
        """
        path = check_ending(path)
        formats = {".html": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        with replacing(path) as stream:
            stream.write(formats[path.suffix]().encode())
        return path

    def __str__(self) -> str:
        return "\n".join(text_lines(self.summary))

    def __repr__(self) -> str:
        return f"Report({self.summary['title'] or self.summary['model']['estimator']!r})"

    def _repr_html_(self) -> str:
        return render("iframe.html", page=self.to_html())


def check_ending(path: str | Path) -> Path:
    """Return the path, or raise if a report cannot be written there."""
    path = Path(path)
    if path.suffix not in (".html", ".md", ".json"):
        raise InputError(
            f"cannot write {path.name!r}: a report is .html, .md or .json. Change the ending of "
            "the file name."
        )
    if not path.parent.is_dir():
        raise InputError(
            f"cannot write {str(path)!r}: the folder {str(path.parent)!r} does not exist. Create "
            "it first."
        )
    return path


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    title: str = "",
    cv: int = 5,
    draws: int = 50,
    random_state: int = 0,
    verbose: bool = False,
) -> Report:
    """Report how good a model is, which kernels were learned, and whether to trust it.

    The model is cross-validated with its own method, with uniform weights and with the best single
    kernel, and compared with a constant prediction. The weights are also
    learned on random halves of the data, which gives an interval for each weight.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator, or a fitted pipeline or search that ends with one.
    X : array or DataFrame of shape (n_samples, n_features)
        The training data of the model, as given to the pipeline.
    y : array of shape (n_samples,) or (n_samples, n_targets)
        The training target.
    sample_weight : array of shape (n_samples,) or None, default=None
        The sample weights that the model was fitted with. Errors are weighted with them too.
    title : str, default=""
        Name of the data set.
    cv : int, default=5
        Number of cross-validation folds; 0 skips cross-validation.
    draws : int, default=50
        Number of random halves; 0 skips the intervals of the weights.
    random_state : int, default=0
        Seed of the folds, the halves and the bootstrap.
    verbose : bool, default=False
        Whether to show progress.

    Returns
    -------
    Report
        Result with ``to_html()``, ``to_markdown()``, ``to_json()`` and ``save(path)``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = lk.KernelClassifier().fit(X, y)
    >>> found = lk.report(model, X, y, title="iris", cv=3, draws=2)
    >>> print(str(found).splitlines()[0])
    Classification, 3 classes: 150 samples, 4 features, 14 base kernels.
    >>> found.to_html().startswith("<!doctype html>")
    True
    """
    X, y = in_memory(X), in_memory(y)
    if is_whole(cv) and cv > 0 and np.ndim(X) < 3:
        warn_about_copies(X, np.asarray(y))
    with suppressed(TableWarning):  # the fit raised them
        found = summary(
            model, X, y, sample_weight=sample_weight, title=title, cv=cv, draws=draws,
            random_state=random_state, verbose=verbose,
        )  # fmt: skip
    return Report(found)

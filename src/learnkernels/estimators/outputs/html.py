"""Notebook representations of fitted estimators and of guarantees."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnkernels.escaping import printable
from learnkernels.templates import render

MAX_ROWS = 12


class LearnedKernelHTML:
    """Mixin that adds the learned kernel to the boxes of scikit-learn's diagrams.

    A box contains what `_get_params_html` returns: in the diagram of the estimator itself, and of
    pipelines and searches that contain it. scikit-learn has no public way to extend a box.
    """

    def _get_params_html(self, *args: Any, **options: Any) -> Any:
        """Return scikit-learn's table of parameters, followed by the learned kernel."""
        params = super()._get_params_html(*args, **options)  # type: ignore[misc]
        if hasattr(self, "weights_"):
            html = params._html_repr() + learned_html(self)
            params._html_repr = lambda: html
        return params


def learned_html(model: Any) -> str:
    """Return weights, alignments and certificate of a fitted estimator as HTML.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator.

    Returns
    -------
    str
        HTML fragment; names are escaped.
    """
    weights = np.atleast_2d(model.weights_).mean(axis=0)  # over targets, if each has its own
    size = np.abs(weights)
    order = np.argsort(-size, kind="stable")
    shown = order[size[order] > 0][:MAX_ROWS]
    rows = [
        {
            "name": printable(str(model.kernel_names_[k])),
            "weight": float(weights[k]),
            "fraction": float(size[k] / size.max()),
            "alignment": float(model.kernel_alignments_[k]),
        }
        for k in shown
    ]
    return render(
        "learned_kernel.html",
        rows=rows,
        hidden=len(size) - len(shown),
        hidden_weight=float(size[order[len(shown) :]].sum()),
        alignment=float(model.alignment_),
        certificate=str(model.certificate_),
    )


def guarantees_html(guarantees: Any) -> str:
    """Return guarantees as an HTML table.

    Parameters
    ----------
    guarantees : Guarantees
        Result of ``model.guarantees(X, y)``.

    Returns
    -------
    str
        HTML fragment; names are escaped.
    """
    return render("guarantees.html", **guarantees.to_dict())

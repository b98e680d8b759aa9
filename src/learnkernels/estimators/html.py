"""What notebooks show of a fitted estimator below scikit-learn's diagram: the learned kernel."""

from __future__ import annotations

from html import escape

import numpy as np

__all__ = ["learned_html"]

MOST = 12
STYLE = (
    "font-family: sans-serif; font-size: 0.85em; border-collapse: collapse; margin: 0.5em 0; "
    "color: inherit;"
)
CELL = "padding: 0.1em 0.8em 0.1em 0; text-align: left; border: none; background: none;"


def learned_html(model) -> str:
    """Weights, alignments and the certificate of a fitted estimator.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner

    Returns
    -------
    str
        A piece of HTML; names are escaped.
    """
    order = np.argsort(-np.abs(model.weights_), kind="stable")
    used = order[model.weights_[order] != 0]
    shown = used[:MOST]
    largest = float(np.abs(model.weights_).max()) or 1.0
    rows = [
        row(model.kernel_names_[k], model.weights_[k], largest, model.kernel_alignments_[k])
        for k in shown
    ]
    left = len(model.weights_) - len(shown)
    share = float(np.abs(model.weights_[used[MOST:]]).sum())
    more = f"{left} more kernels have {share:.3g} together; " if left else ""
    head = "".join(
        f"<th style='{CELL}'>{name}</th>" for name in ("kernel", "weight", "", "alignment alone")
    )
    return (
        f"<table style='{STYLE}'><caption style='text-align: left; caption-side: top'>learned "
        f"kernel: alignment {model.alignment_:.3f} with the target</caption>"
        f"<tr>{head}</tr>{''.join(rows)}</table>"
        f"<div style='font-family: sans-serif; font-size: 0.85em'>{more}"
        f"{escape(str(model.certificate_))}</div>"
    )


def row(name, weight: float, largest: float, alignment: float) -> str:
    """One kernel with a bar."""
    width = 8 * abs(float(weight)) / largest
    bar = f"<div style='background: #0072b2; height: 0.8em; width: {width:.2f}em'></div>"
    cells = (escape(str(name)), f"{weight:.4f}", bar, f"{alignment:.3f}")
    return "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>"

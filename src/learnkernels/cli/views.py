"""Kernels for the options ``--text``, ``--sequence`` and ``--view``."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pandas as pd

from learnkernels.cli.data import check_columns
from learnkernels.cli.kernels import parse_kernels
from learnkernels.errors import InputError
from learnkernels.kernels import ngrams, on, spectrum, table, weighted_degree
from learnkernels.kernels.views import OtherColumns


def has_views(options: Namespace) -> bool:
    """Return whether any view is given."""
    return bool(options.text or options.sequence or options.view)


def text_columns(options: Namespace, X: pd.DataFrame) -> list[str]:
    """Return the columns of texts and sequences; raise if a column of an option is unknown."""
    names = [*options.text, *options.sequence]
    check_columns(X, names, "--text or --sequence")
    check_columns(X, options.date, "--date")
    for name in names:
        if pd.api.types.is_numeric_dtype(X[name]):
            raise InputError(
                f"column {name!r} contains numbers; --text and --sequence need columns of text. "
                "Leave the option out: columns of numbers are used without it."
            )
    return names


def family_of(options: Namespace) -> Any:
    """Return the kernels of ``--kernels`` on encoded, standardised columns; None by default."""
    entries = parse_kernels(options.kernels)
    if entries is None and not options.raw:
        return None
    return table(entries, standardize=not options.raw)


def kernels_of(options: Namespace, X: pd.DataFrame) -> Any:
    """Return the kernels of all views, or those of ``--kernels`` without views."""
    family = family_of(options)
    if not has_views(options):
        return family
    views = [on(column, ngrams()) for column in options.text]
    for column in options.sequence:
        words = [spectrum(3), spectrum(5)]
        aligned = X[column].map(len, na_action="ignore").nunique() == 1
        views.append(on(column, [*words, weighted_degree(10)] if aligned else words))
    views += [on(prefix, family) for prefix in options.view]
    rest = OtherColumns((*options.text, *options.sequence), tuple(options.view))
    if rest(X):
        views.append(on(rest, family, name="other columns"))
    return views

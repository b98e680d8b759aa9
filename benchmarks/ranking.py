"""Compare models over many tables: ratios of errors, mean ranks, critical difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

__all__ = [
    "SMALLEST",
    "critical_difference",
    "friedman_p_value",
    "geometric_mean",
    "groups",
    "mean_ranks",
    "ratios",
]

SMALLEST = 1e-3

Errors = Mapping[str, Mapping[str, float]]


def geometric_mean(values: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def ratios(errors: Errors, model: str, references: Sequence[str]) -> dict[str, float]:
    """Return the error of a model relative to the best of some others, for each table.

    Parameters
    ----------
    errors : dict of dict
        Error of each model (inner keys) on each table (outer keys).
    model : str
        The model of the numerator.
    references : sequence of str
        The lowest of their errors on each table is the denominator.

    Returns
    -------
    ratios : dict of str to float
        Only of the tables on which all of these models were measured. Errors below `SMALLEST` count
        as `SMALLEST`, so that the ratio of an error of zero is finite.
    """
    return {
        table: max(row[model], SMALLEST) / max(min(row[name] for name in references), SMALLEST)
        for table, row in errors.items()
        if {model, *references} <= row.keys()
    }


def ranks_by_table(errors: Errors, models: Sequence[str]) -> np.ndarray:
    """Return the rank of each model on each table, shape (n_tables, n_models); 1 is the best."""
    # Rounded, because the sums of equal errors can differ in the last bit.
    values = [[round(row[name], 9) for name in models] for row in errors.values()]
    return rankdata(values, axis=1)


def mean_ranks(errors: Errors, models: Sequence[str]) -> dict[str, float]:
    """Return the mean rank of each model over all tables, the best first; ties share a rank."""
    means = ranks_by_table(errors, models).mean(axis=0)
    order = np.argsort(means, kind="stable")
    return {models[k]: float(means[k]) for k in order}


def friedman_p_value(errors: Errors, models: Sequence[str]) -> float:
    """Return the p-value of Friedman's test that all models have the same mean rank."""
    return float(friedmanchisquare(*ranks_by_table(errors, models).T).pvalue)


def critical_difference(n_models: int, n_tables: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks that Nemenyi's test calls significant.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006).
    """
    # CD = q sqrt(k (k + 1) / (6 N)); q is a quantile of the studentised range over sqrt(2)
    q = studentized_range.ppf(1 - level, n_models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_tables)))


def groups(ranks: Mapping[str, float], difference: float) -> list[list[str]]:
    """Return the largest sets of models whose mean ranks differ by less than `difference`.

    A set of a single model is left out, and so is a set within another one.
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    found: list[list[str]] = []
    end = 0
    for start, first in enumerate(names):
        group = [name for name in names[start:] if ranks[name] - ranks[first] < difference]
        if len(group) > 1 and start + len(group) > end:
            found.append(group)
            end = start + len(group)
    return found

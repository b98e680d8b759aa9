"""The transformer of tables with numbers and categories that the command line uses."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from learnkernels._warnings import warn


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Standardise the numbers of a table and encode its categories by zeros and ones.

    Parameters
    ----------
    numbers : list of str
        Columns of numbers.
    categories : dict of str to list of str
        Columns of categories, and the values of each: every value becomes a column. Other values
        are zeros in all of them.
    kept : list of str, default=()
        Columns of texts, which are not changed.
    standardize : bool, default=True
        Whether to subtract the means of the numbers and divide by their standard deviations.
    impute : bool, default=False
        Whether to replace missing numbers by the median of their column, and missing categories by
        the most frequent value. Columns without any value are dropped, with a warning.

    Attributes
    ----------
    used_ : list of str
        The columns of numbers that are not dropped.
    medians_, means_, scales_ : ndarray of shape (n_used,)
        Of each column of numbers: 0, 0 and 1 where they are not used.
    most_frequent_ : dict of str to str
        Most frequent value of each column of categories, empty without `impute`.
    feature_names_in_ : ndarray of shape (n_features,)
    n_features_in_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> from learnkernels.estimators.preprocessing import TablePreprocessor
    >>> X = pd.DataFrame({"size": [1.0, 3.0], "color": ["red", "blue"]})
    >>> TablePreprocessor(["size"], {"color": ["blue", "red"]}).fit_transform(X)
       size  color_blue  color_red
    0  -1.0         0.0        1.0
    1   1.0         1.0        0.0
    """

    def __init__(
        self,
        numbers: Any,
        categories: Any,
        kept: Any = (),
        standardize: bool = True,
        impute: bool = False,
    ) -> None:
        self.numbers = numbers
        self.categories = categories
        self.kept = kept
        self.standardize = standardize
        self.impute = impute

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Compute medians, means, standard deviations and most frequent values.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
        y
            Not used.

        Returns
        -------
        self : TablePreprocessor
        """
        self.feature_names_in_ = np.array(list(X.columns), dtype=object)
        self.n_features_in_ = X.shape[1]
        empty = [name for name in self.numbers if self.impute and X[name].isna().all()]
        if empty:
            warn(f"columns without any value are ignored: {', '.join(empty)}.", UserWarning)
        self.used_ = [name for name in self.numbers if name not in set(empty)]
        values = X[self.used_].to_numpy(dtype=float)
        q = len(self.used_)
        self.medians_ = np.nanmedian(values, axis=0) if self.impute and q else np.zeros(q)
        self.means_, self.scales_ = np.zeros(q), np.ones(q)
        if self.standardize and q:
            scaler = StandardScaler().fit(self._imputed(values))
            self.means_, self.scales_ = scaler.mean_, scaler.scale_
        self.most_frequent_ = {}
        if self.impute:
            modes = {name: X[name].mode() for name in self.categories}
            self.most_frequent_ = {name: mode[0] for name, mode in modes.items() if len(mode)}
        return self

    def _imputed(self, values: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(values), self.medians_, values) if self.impute else values

    @property
    def columns_out(self) -> list[str]:
        """Names of the columns that `transform` returns."""
        encoded = [f"{name}_{value}" for name in self.categories for value in self.categories[name]]
        return [*self.used_, *encoded, *self.kept]

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the table of numbers, zeros and ones, and texts.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)

        Returns
        -------
        DataFrame of shape (n_samples, n_columns)
        """
        check_is_fitted(self)
        parts = [(self._imputed(X[self.used_].to_numpy(dtype=float)) - self.means_) / self.scales_]
        for name, values in self.categories.items():
            column = X[name]
            if name in self.most_frequent_:
                column = column.where(column.notna(), self.most_frequent_[name])
            codes = pd.Index(values, dtype=object).get_indexer(column.astype(object))
            parts.append((codes[:, None] == np.arange(len(values))).astype(float))
        names = self.columns_out[: sum(part.shape[1] for part in parts)]
        made = pd.DataFrame(np.hstack(parts), columns=names, index=X.index)
        return pd.concat([made, X[list(self.kept)]], axis=1) if len(self.kept) else made

"""Texts as counts of n-grams, with a kernel of rank one for each n-gram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnkernels.checks import is_whole, require_choice, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.base import Family, Kernel, TrainingData
from learnkernels.kernels.features import feature_kernels
from learnkernels.kernels.sources import On, Source


def count_vectorizer(**options: Any) -> Any:
    """Return scikit-learn's CountVectorizer; the import is slow and rarely needed."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(**options)


@dataclass(frozen=True)
class Counts:
    """A feature map from strings to counts of known n-grams.

    Attributes
    ----------
    low, high : int
        Shortest and longest n-grams.
    analyzer : {"word", "char", "char_wb"}
        Units of an n-gram, as in scikit-learn's CountVectorizer.
    vocabulary : ndarray of str of shape (n_columns,)
        The n-gram of each column.
    """

    low: int
    high: int
    analyzer: str
    vocabulary: np.ndarray

    def __call__(self, texts: Any) -> sparse.csr_array:
        vectorizer = count_vectorizer(
            ngram_range=(self.low, self.high),
            analyzer=self.analyzer,
            vocabulary={str(gram): column for column, gram in enumerate(self.vocabulary)},
            dtype=np.float64,
        )
        return sparse.csr_array(vectorizer.transform(list(texts)))


@dataclass(frozen=True)
class Ngrams(Family):
    """The most frequent n-grams; see `ngrams`."""

    low: int
    high: int
    max_features: int | None
    analyzer: str

    takes = "strings"

    def members(self, data: TrainingData) -> list[Kernel]:
        texts = data.X if data.weights is None else data.X[np.flatnonzero(data.weights)]
        vectorizer = count_vectorizer(
            ngram_range=(self.low, self.high),
            analyzer=self.analyzer,
            max_features=self.max_features,
        )
        try:
            vectorizer.fit(texts)
        except ValueError as error:  # an empty vocabulary
            raise InputError(
                f"the texts contain no n-gram of {self.low} to {self.high} {self.analyzer}s: "
                f"{error}; use shorter n-grams."
            ) from error
        vocabulary = vectorizer.get_feature_names_out()
        counts = Counts(self.low, self.high, self.analyzer, vocabulary.astype(str))
        source = Source(maps=(counts,))
        return [On(source, kernel) for kernel in feature_kernels(vocabulary)]


def ngrams(
    n: int | Sequence[int] = 2, max_features: int | None = 4000, *, analyzer: str = "word"
) -> Family:
    """Return a kernel of rank one for each of the most frequent n-grams of texts.

    Parameters
    ----------
    n : int or (int, int), default=2
        Length of the n-grams, or the shortest and the longest: 2 is pairs of words.
    max_features : int or None, default=4000
        Number of n-grams to keep, the most frequent in the training texts; None keeps all.
    analyzer : {"word", "char", "char_wb"}, default="word"
        Words or characters, as in scikit-learn's ``CountVectorizer``.

    Returns
    -------
    Family
        Value for ``kernels=`` with a list of strings, or for `on` with a column of a table.

    Examples
    --------
    >>> import learnkernels as lk
    >>> texts = ["very good book", "a good book", "very bad film", "a bad film indeed"]
    >>> model = lk.KernelClassifier(kernels=lk.ngrams(1), method="align").fit(texts, [1, 1, 0, 0])
    >>> list(model.kernel_names_[model.weights_ > 0.2])
    ['bad', 'book', 'film', 'good']
    >>> model.predict(["good", "bad indeed"])
    array([1, 0])
    """
    ends = [n, n] if is_whole(n) else list(n) if isinstance(n, Sequence) else []
    if len(ends) != 2 or not all(is_whole(end) for end in ends) or not 1 <= ends[0] <= ends[1]:
        raise InputError(
            f"ngrams() got n={n!r}; it must be a positive whole number, or the shortest and the "
            "longest length like (1, 2)."
        )
    low, high = ends
    if max_features is not None:
        require_whole("ngrams()", "max_features", max_features, 1)
    require_choice("analyzer", analyzer, ("word", "char", "char_wb"))
    return Ngrams(int(low), int(high), max_features, analyzer)

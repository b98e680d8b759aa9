"""Texts: counts of n-grams, a kernel of rank one for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from learnkernels.checks import is_whole, require_choice, require_whole
from learnkernels.errors import InputError
from learnkernels.kernels.families import Family, Training, require_strings
from learnkernels.kernels.features import features
from learnkernels.kernels.sources import On, Source

__all__ = ["Counts", "ngrams"]


def counter(**options):
    """scikit-learn's CountVectorizer, which takes long to import and is seldom wanted."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(**options)


@dataclass(frozen=True)
class Counts:
    """Strings to counts of known n-grams, a feature map.

    Attributes
    ----------
    low, high : int
        Lengths of the n-grams.
    analyzer : {"word", "char", "char_wb"}
        What an n-gram is made of, as in scikit-learn's CountVectorizer.
    vocabulary : ndarray of str of shape (n_columns,)
        The n-grams, one a column.
    """

    low: int
    high: int
    analyzer: str
    vocabulary: np.ndarray

    def __call__(self, texts) -> sparse.csr_array:
        vectorizer = counter(
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
    most: int | None
    analyzer: str

    def members(self, data: Training):
        texts = require_strings(data.X, "ngrams()")
        if data.weights is not None:
            texts = texts[np.flatnonzero(data.weights)]
        vectorizer = counter(
            ngram_range=(self.low, self.high), analyzer=self.analyzer, max_features=self.most
        )
        try:
            vectorizer.fit(texts)
        except ValueError as error:  # an empty vocabulary
            raise InputError(
                f"the texts hold no n-gram of {self.low} to {self.high} {self.analyzer}s: {error}; "
                "use shorter n-grams."
            ) from error
        vocabulary = vectorizer.get_feature_names_out()
        counts = Counts(self.low, self.high, self.analyzer, vocabulary.astype(str))
        source = Source(maps=(counts,))
        return [On(source, kernel) for kernel in features(vocabulary, len(vocabulary))]


def ngrams(
    n: int | Sequence[int] = 2, most: int | None = 4000, *, analyzer: str = "word"
) -> Family:
    """Texts as counts of their most frequent n-grams, a kernel of rank one for each n-gram.

    Parameters
    ----------
    n : int or (int, int), default=2
        Length of the n-grams, or the shortest and the longest: 2 is pairs of words.
    most : int or None, default=4000
        How many to keep, the most frequent ones in training; None keeps all.
    analyzer : {"word", "char", "char_wb"}, default="word"
        Words or characters, as in scikit-learn's ``CountVectorizer``.

    Returns
    -------
    Family
        To be given as ``kernels=`` for a list of strings, or to `on` for a column of a table.

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
        raise InputError(f"ngrams() got n={n!r}; it must be a whole number, or two like (1, 2).")
    low, high = ends
    if most is not None:
        require_whole("ngrams()", "most", most, 1)
    require_choice("analyzer", analyzer, ("word", "char", "char_wb"))
    return Ngrams(int(low), int(high), most, analyzer)

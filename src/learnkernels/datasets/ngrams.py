"""Read n-gram counts of the form "one_two:3 ..." into a sparse matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse


def bigram_counts(texts: Sequence[str], max_features: int | None = None) -> sparse.csr_array:
    """Return the counts of the most frequent bigrams, ordered by decreasing frequency.

    Parameters
    ----------
    texts : sequence of str
        Documents as "ngram:count" separated by spaces; words of an n-gram are joined by "_".
    max_features : int or None, default=None
        Number of bigrams to keep; None keeps all.

    Returns
    -------
    csr_array of shape (n_texts, n_bigrams)

    Examples
    --------
    >>> from learnkernels.datasets import bigram_counts
    >>> bigram_counts(["good:1 very_good:2", "very_good:1 not_good:1"]).toarray()
    array([[2., 0.],
           [1., 1.]])
    """
    documents = [bigrams_of(text) for text in texts]
    total: Counter[str] = Counter()
    for document in documents:
        total.update(document)
    column = {gram: j for j, (gram, _) in enumerate(total.most_common(max_features))}
    kept = [
        {column[gram]: count for gram, count in document.items() if gram in column}
        for document in documents
    ]
    counts = np.array([count for row in kept for count in row.values()], dtype=float)
    columns = np.array([j for row in kept for j in row], dtype=np.int32)
    starts = np.cumsum([0, *map(len, kept)], dtype=np.int32)
    found = sparse.csr_array((counts, columns, starts), shape=(len(kept), len(column)))
    found.sort_indices()
    return found


def bigrams_of(text: str) -> Counter[str]:
    """Count the n-grams of two or more words in a document."""
    found: Counter[str] = Counter()
    for token in text.split(" "):
        gram, _, count = token.rpartition(":")
        if "_" in gram:
            found[gram] += int(count)
    return found

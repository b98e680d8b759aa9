"""Counts of bigrams."""

import numpy as np

from learnkernels.datasets import bigram_counts


def test_bigram_counts_match_hand_computation():
    texts = ["good:1 very_good:2 a:b:1", "very_good:1 not_good:5", ""]
    found = bigram_counts(texts)
    assert found.toarray().tolist() == [[0, 2], [5, 1], [0, 0]]  # not_good is the most frequent
    assert bigram_counts(texts, 1).toarray().tolist() == [[0], [5], [0]]


def test_smaller_max_features_keeps_the_first_columns(rng):
    words = [f"w{a}_v{b}" for a in range(5) for b in range(6)]
    texts = [
        " ".join(f"{word}:{rng.integers(1, 9)}" for word in rng.choice(words, 9, False))
        for _ in range(20)
    ]
    many, few = bigram_counts(texts, 25), bigram_counts(texts, 7)
    assert np.array_equal(many[:, :7].toarray(), few.toarray())
    assert (np.diff(many.sum(axis=0)) <= 0).all()

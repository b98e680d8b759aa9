"""Counts with their nouns."""

from __future__ import annotations


def count_text(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural unless the count is 1.

    Examples
    --------
    >>> count_text(1, "column"), count_text(2000, "class")
    ('1 column', '2,000 classes')
    """
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:,} {noun if count == 1 else plural}"

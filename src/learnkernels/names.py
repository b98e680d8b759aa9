"""Names that come from data, made fit to be shown to a person."""

from __future__ import annotations

import re

__all__ = ["printable"]

# Control characters move a terminal's cursor, break lines and end table rows; embeddings, overrides
# and isolates of bidirectional text reorder what stands beside them; lone surrogates cannot be
# written as UTF-8. Joiners and marks, which some scripts need, are none of these.
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text on one line, with characters that act instead of being seen as their escapes.

    Parameters
    ----------
    text : str
        A name, or a sentence with names in it.

    Returns
    -------
    str
        The same where nothing is amiss.

    Examples
    --------
    >>> print(printable("red\x1b[2Jblue\n"))
    red\x1b[2Jblue\n
    """
    return UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)

"""Escape control characters in names that come from data."""

from __future__ import annotations

import re

# Control characters move a terminal's cursor and break lines and table rows; embeddings, overrides
# and isolates of bidirectional text reorder the text beside them; lone surrogates cannot be encoded
# as UTF-8. Joiners and marks, which some scripts need, are not escaped.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return the text on one line, with escaped control characters.

    Parameters
    ----------
    text : str
        A name, or a message that contains names.

    Returns
    -------
    str
        The same text if it contains no control characters.

    Examples
    --------
    >>> print(printable("red\x1b[2Jblue\n"))
    red\x1b[2Jblue\n
    """
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)

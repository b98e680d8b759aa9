"""Page of all error and warning messages, from the source."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tools.messages import Message, messages

__all__ = ["write_message_page"]

INTRODUCTION = """# Messages

All errors and warnings of the library, by package. Expressions in braces stand for values. Errors
are of type [`InputError`](api/learnkernels.InputError.rst), a `ValueError`. A *part* begins or ends
a message of another module: the error of another library follows a beginning.
"""


def write_message_page(page: Path) -> None:
    """Write the page as Markdown, one section per package.

    Parameters
    ----------
    page : Path
        File to write.
    """
    sections = [INTRODUCTION]
    for package, found in groupby(messages(), key=package_of):
        lines = [f"- {entry(message)}" for message in found]
        sections.append("\n".join([f"## {package}\n", *lines, ""]))
    page.write_text("\n".join(sections), encoding="utf-8")


def package_of(message: Message) -> str:
    """Return the package of a message, or "learnkernels" for modules outside of the packages."""
    return message.path.partition("/")[0] if "/" in message.path else "learnkernels"


def entry(message: Message) -> str:
    """Return a message as code, after its kind if it is not an error."""
    kind = "" if message.kind == "error" else f"*{message.kind}:* "
    return f"{kind}`` {message.text.strip()} ``"

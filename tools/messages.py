"""Collect the texts of all errors and warnings that a user can see, from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "learnkernels"
# Calls whose first argument is a message.
CALLS = {
    "InputError": "error",
    "InputTypeError": "error",
    "KeyboardInterrupt": "interrupt",
    "MemoryError": "error",
    "NotImplementedError": "error",
    "OSError": "error",
    "warn": "warning",
}
# Calls whose arguments complete the message of another module, and the positions of these.
PARTS = {"NoBound": (0,), "as_input_error": (0,), "require_memory": (1, 2)}


@dataclass(frozen=True)
class Message:
    """One message in the source.

    Attributes
    ----------
    path : str
        File, relative to the package.
    line : int
    kind : {"error", "warning", "interrupt", "printed", "part"}
        ``"printed"``: written to standard error by the command line. ``"part"``: beginning or end
        of a message that another function raises.
    text : str
        The message, with expressions in braces.
    """

    path: str
    line: int
    kind: str
    text: str


def messages(package: Path = PACKAGE) -> list[Message]:
    """Return the messages of all modules of a package, by file and line."""
    found = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        found += [
            Message(name, call.lineno, kind, text_of(argument))
            for call in calls
            for kind, argument in message_arguments(call)
            if has_words(argument)
        ]
    return sorted(found, key=lambda message: (message.path, message.line))


def message_arguments(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield the kind and the expression of each message in the arguments of a call."""
    name = called_name(call)
    if name in CALLS and call.args:
        yield CALLS[name], call.args[0]
    elif name in PARTS:
        yield from (("part", call.args[i]) for i in PARTS[name] if i < len(call.args))
    elif name == "print" and any("stderr" in ast.unparse(key.value) for key in call.keywords):
        yield "printed", call.args[0]


def called_name(call: ast.Call) -> str:
    """Return the name of the called function or class, without its module."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def text_of(node: ast.expr) -> str:
    """Return a string expression as text, with the expressions in it in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        return f"{{{ast.unparse(node.value)}}}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        text = node.func.value  # f"...".rstrip()
        return text_of(text) if isinstance(text, ast.JoinedStr) else f"{{{ast.unparse(node)}}}"
    return f"{{{ast.unparse(node)}}}"


def has_words(node: ast.expr) -> bool:
    """Return whether an expression contains text, not only variables."""
    literals = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
    return any(isinstance(part.value, str) and part.value.strip() for part in literals)

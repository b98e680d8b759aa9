"""Rules for the texts of errors and warnings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.messages import Message, messages

MESSAGES = [message for message in messages() if message.kind != "part"]
# Words of speech and invented terms, which the standard terms of the field replace.
BANNED = re.compile(
    r"\b(holds?|tells?|told|hears?|heard|says?|said|bears?|bent|dear|eyes|news|nobody|"
    r"nothing to see|on the way|room|seats?|slots?|somebody|walks?|whiskers?|whoever)\b",
    re.IGNORECASE,
)
BEGINNING = re.compile(r"[A-Za-z{]|--[a-z{]")
END = re.compile(r"[.?}]$")
NOUNS = "cells|classes|columns|folds|fits|iterations|kernels|letters|pieces|points|rows|samples"
# A count before a plural: wrong if the count can be 1.
COUNT = re.compile(rf"(?<!of )(?<!least )(?<!than )\{{([^{{}}]+)\}} (?:more )?(?:{NOUNS})\b")
# Verbs of a remedy at the beginning of a clause: "; pass ...", ". Use ...", ", or remove ...".
VERBS = (
    "add|call|change|check|choose|clip|compute|convert|copy|create|cut|delete|divide|drop|encode|"
    "fit|give|impute|increase|install|leave|list|load|lower|make|number|pass|put|raise|redirect|"
    "remove|rename|repeat|replace|return|run|save|scale|see|select|set|stack|start|unset|use|write"
)
CONDITION = "(?:[Ff]or [^,;.]+,? |[Ii]n a script, )?"
REMEDY = re.compile(rf"(?:[;:,.)] |\bor |['\"]){CONDITION}(?:{VERBS})\b", re.IGNORECASE)
# Expressions that end a message with a remedy of the caller.
CALLERS_REMEDY = re.compile(r"\{(?:advice|hint|instead|instructions\(data\)|ADVICE\[found\])\}")
# "name={value}; it must be ...": the remedy is to pass what is expected.
EXPECTED_VALUE = re.compile(r"=\{[^{}]+\}.*\b(?:expected|must be)\b")
# Counts that are never 1 where their message is raised.
SEVERAL = frozenset(
    {
        ("cli/files.py", "columns"),
        ("cli/files.py", "cells"),
        ("folds.py", "n - len(test)"),
        ("theory/kernel_functions.py", "len(Z)"),
    }
)


def located(found: list[Message]) -> str:
    """Return file, line and text of messages, one per line."""
    return "\n".join(f"{one.path}:{one.line}: {one.text}" for one in found)


def test_messages_of_the_package_are_found():
    assert len(MESSAGES) > 200
    assert {message.kind for message in MESSAGES} == {"error", "warning", "interrupt", "printed"}


def test_messages_are_read_from_calls_with_expressions_in_braces(tmp_path: Path):
    (tmp_path / "module.py").write_text(
        'raise InputError(f"x={x!r}; expected " "a number" + more)\n'
        "raise InputError(text)\n"
        'warn("slow.", UserWarning)\n'
        'print(f"{name}: late ".rstrip(), file=sys.stderr)\n'
        'print("result")\n'
    )
    assert messages(tmp_path) == [
        Message("module.py", 1, "error", "x={x}; expected a number{more}"),
        Message("module.py", 3, "warning", "slow."),
        Message("module.py", 4, "printed", "{name}: late "),
    ]


def test_messages_begin_with_a_word_a_value_or_an_option():
    wrong = [one for one in MESSAGES if not BEGINNING.match(one.text)]
    assert not wrong, located(wrong)


def test_messages_end_with_a_period_a_question_mark_or_a_value():
    wrong = [one for one in MESSAGES if not END.search(one.text.rstrip())]
    assert not wrong, located(wrong)


def test_messages_have_no_double_spaces_or_line_breaks():
    wrong = [one for one in MESSAGES if "  " in one.text or "\n" in one.text]
    assert not wrong, located(wrong)


def test_messages_contain_no_banned_words():
    wrong = [one for one in messages() if BANNED.search(one.text)]
    assert not wrong, located(wrong)


def test_errors_have_a_remedy_or_state_the_expected_value_of_a_parameter():
    patterns = (REMEDY, CALLERS_REMEDY, EXPECTED_VALUE)
    errors = [one for one in MESSAGES if one.kind == "error"]
    wrong = [one for one in errors if not any(pattern.search(one.text) for pattern in patterns)]
    assert not wrong, located(wrong)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("X is sparse; pass X.toarray().", True),
        ("X is sparse, which kernels cannot use.", False),
        ("The list is empty.", False),
    ],
)
def test_remedies_are_recognised_by_their_verb(text: str, found: bool):
    assert bool(REMEDY.search(text)) == found


def test_counts_that_can_be_one_have_a_singular():
    wrong = [
        one
        for one in MESSAGES
        for count in COUNT.findall(one.text)
        if not count.isupper() and (one.path, count) not in SEVERAL
    ]
    assert not wrong, located(wrong)


@pytest.mark.parametrize(
    ("text", "slip"), [("{n} rows differ.", True), ("{rows(n)} differ.", False)]
)
def test_plural_slips_are_detected(text: str, slip: bool):
    assert bool(COUNT.search(text)) == slip

"""Advice of the library's messages in terms of the command line.

Messages of the library name parameters and classes of Python. On the command line the same advice
is an option, a change of the file, or the Python interface.
"""

from __future__ import annotations

import re

PYTHON_ONLY = "use the Python interface to"
# Patterns in messages, and what they mean on the command line; earlier ones are applied first.
ADVICE = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (
            r"texts with lk\.on\(.*\), sequences with .*, dates by .*pandas\.to_datetime",
            "texts with --text, sequences with --sequence, dates with --date",
        ),
        (
            r"convert it with pandas\.to_numeric\(.*\), which makes words missing cells",
            "write numbers in the file, and leave words out",
        ),
        (r"use dates by conversion with pandas\.to_datetime", "pass it with --date"),
        (r"use its texts with lk\.on\(column, lk\.ngrams\(\)\)", "pass it with --text"),
        (r"\bread texts with lk\.on\(column, lk\.ngrams\(\)\)", "pass texts with --text"),
        (r"\bDrop it\b", "Leave it out with --drop"),
        (r"\bclass_weight=(['\"])(\w+)\1", r"--class-weight \2"),
        (r"convert them with pandas\.to_datetime", "fit the model with --date"),
        (r"pass lk\.table\(kernels\) for this view,.*before", "fill them in the file"),
        (r"drop or impute them, or pass missing=.neutral.", "pass --missing neutral"),
        (r"(StandardScaler|MaxAbsScaler)", "the default, without --raw"),
        (
            r"give each text column a view of its own(, for example| with) lk\..*\)(?=\.)",
            "pass --text or --sequence for each text column",
        ),
        (r"pass method=lk\.methods\.(\w+)\(\.\.\.\)", rf"{PYTHON_ONLY} pass lk.methods.\1(...)"),
        (r"use a smaller theta", f"{PYTHON_ONLY} set a smaller theta"),
        (r"\braise max_memory", "raise --max-memory"),
        (r"\b(raise|lower) (C|alpha)\b", r"\1 --\2"),
        (r"\b(C|alpha) contains (.*), or pass \"auto\"", r"--\1 contains \2, or leave --\1 out"),
        (r"\bleave (subsample|checkpoint) out", r"leave --\1 out"),
        (r"\bleave n_components out", "leave --components out"),
        (r"method=(['\"])(alignf)\1, or machine=.ridge. with a small C", r"--method \2"),
        (
            r"\bX contains negative values\.",
            "it needs values that are not negative; pass --raw if those of the table are not.",
        ),
        (r"\bkernels contains\b", "--kernels contains"),
        (r"\bmethod=(['\"])([\w-]+)\1", r"--method \2"),
        (r"\b(task|missing|machine)=(['\"])(\w+)\2( or) (['\"])(\w+)\5", r"--\1 \3\4 \6"),
        (r"\b(task|missing|machine)=(['\"])(\w+)\2", r"--\1 \3"),
        (r"\bclass_weight=(['\"])balanced\1", "--class-weight balanced"),
        (r"\bmax_memory=", "--max-memory "),
        (r"\bn_components=", "--components "),
        (r"\bneeds n_components\b", "needs --components"),
        (r"\bsubsample=(['\"])auto\1", "--subsample auto"),
        (r"\bas target=", "as --target"),
        (r"\b(subsample|checkpoint)=", r"--\1 "),
        (r"\bscoring=", "--scoring "),
        (r"\bcv=", "--cv "),
        (r"\brandom_state=", "--random-state "),
        (r"\bn_jobs=", "--n-jobs "),
        (r"\bdraws=", "--draws "),
        (r"\bcoverage=", "--interval "),
        (r"fit it with n_components=(\d+), or with a", r"fit it with --components \1, or with a"),
        (r"fit it with machine=(['\"])ridge\1", "fit it with --machine ridge"),
    )
)


def as_options(message: str) -> str:
    """Return a message of the library with its advice as options of the command line.

    Examples
    --------
    >>> as_options('Is this regression? Pass task="regression".')
    'Is this regression? Pass --task regression.'
    >>> as_options("cv=1 is not valid.")
    '--cv 1 is not valid.'
    """
    for pattern, text in ADVICE:
        message = pattern.sub(text, message)
    return message

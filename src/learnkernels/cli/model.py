"""Options of the command line that are parameters of the estimators."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from learnkernels.errors import InputError
from learnkernels.execution import parse_bytes


def model_options(options: Namespace, task: str) -> dict[str, Any]:
    """Return the parameters of the estimator of a task."""
    classification = task == "classification"
    svr = options.machine == "svr"
    name, other = ("C", "alpha") if classification or svr else ("alpha", "C")
    if getattr(options, other) is not None:
        what = "--machine svr" if svr else task
        raise InputError(f"the option --{other} does not apply to {what}; pass --{name}.")
    if svr and classification:
        raise InputError("--machine svr is for regression, and these are classes; use svm.")
    if options.epsilon is not None and not svr:
        raise InputError("--epsilon is for --machine svr; leave it out, or pass --machine svr.")
    if not classification:
        if options.class_weight is not None:
            raise InputError("--class-weight is for classes, and this is regression; leave it out.")
        if options.machine == "svm":
            raise InputError("--machine svm is for classes, and this is regression; use svr.")
    found: dict[str, Any] = {
        "machine": options.machine,
        "scoring": options.scoring,
        "n_components": options.components,
        "max_memory": bytes_of(options.max_memory),
        "n_jobs": options.n_jobs,
        "subsample": rows_of(options.subsample),
        "checkpoint": options.checkpoint,
    }
    if classification:
        found["class_weight"] = options.class_weight
    if options.epsilon is not None:
        found["epsilon"] = options.epsilon
    values = getattr(options, name)
    if values is not None:
        found[name] = numbers_of(name, values)
    return found


def numbers_of(name: str, text: str) -> float | list[float]:
    """Return the value, or the values, of an option."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--{name} {text!r} is not a number; expected one, or several separated by commas. "
            f"Pass, for example, --{name} 0.1,1,10."
        ) from None
    return values[0] if len(values) == 1 else values


def rows_of(text: str | None) -> int | str | None:
    """Return the number of rows of a text, or the word auto."""
    if text is None or text == "auto":
        return text
    if not text.isdecimal():
        raise InputError(
            f"--subsample {text!r} is not a number of rows; pass, for example, 10000, or auto."
        )
    return int(text)


def bytes_of(text: str | None) -> float | None:
    """Return the bytes of a text such as 500MB."""
    if text is None:
        return None
    found = parse_bytes(text)
    if not found:
        raise InputError(
            f"--max-memory {text!r} is not a positive size; expected a number of bytes with or "
            "without a unit. Pass, for example, 500MB, 2GiB or 1e9."
        )
    return found

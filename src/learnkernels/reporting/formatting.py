"""Numbers, names and lists as text, with the same rules in every format of the report."""

from __future__ import annotations

from typing import Any

from learnkernels.escaping import printable
from learnkernels.inspection.displays.style import shortened

Summary = dict[str, Any]

MISCLASSIFICATION = "misclassification rate"
CONSTANT = "constant prediction"
NO_NAME = "(no name)"


def escape_control_characters(value: Any, multiline: bool = False) -> Any:
    """Escape control characters in all strings of a summary; only code keeps its line breaks."""
    if isinstance(value, dict):
        return {
            escape_control_characters(key): escape_control_characters(
                item, multiline or key == "model"
            )
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [escape_control_characters(item, multiline) for item in value]
    if not isinstance(value, str):
        return value
    return "\n".join(map(printable, value.split("\n"))) if multiline else printable(value)


def code_name(name: str) -> str:
    """Return a name from the data in backticks, shortened."""
    return "`" + (shortened(name).replace("`", "'") or NO_NAME) + "`"


def weight_text(entry: dict[str, Any]) -> str:
    """Return a relative weight and its interval in percent, with the same number of decimals."""
    share, low, high = (100 * entry.get(name, entry["share"]) for name in ("share", "low", "high"))
    digits = decimals(max(abs(low), abs(high)))
    text = f"{share:.{digits}f} %"
    return f"{text} ({low:.{digits}f} to {high:.{digits}f} %)" if "low" in entry else text


def percent(fraction: float) -> str:
    """Return a fraction in percent, with two significant digits if it is small."""
    return f"{100 * fraction:.{decimals(100 * abs(fraction))}f} %"


def decimals(size: float) -> int:
    """Return the number of decimals for a percentage: two significant digits below 10."""
    return 0 if size >= 9.5 or not size else 1 if size >= 0.95 else 2


def error_text(value: float, measure: str) -> str:
    """Return an error in percent of the samples, or in units of the target."""
    return f"{100 * value:.1f} %" if measure == MISCLASSIFICATION else f"{value:.4g}"


def join(parts: list[str]) -> str:
    """Join parts by commas, with "and" before the last."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

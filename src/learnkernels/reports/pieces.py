"""Pieces of a page: bars, axes, cells and lists, each a string of HTML."""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any

__all__ = [
    "bar",
    "definitions",
    "largest_of",
    "marked",
    "place",
    "scientific",
    "significant",
    "sortable",
    "thin_bar",
    "tick_text",
    "ticks_of",
    "value_cell",
]


def marked(sentence: str) -> str:
    """A sentence, escaped, what stands in backticks as code, numbers and percent together."""
    text = escape(sentence).replace(" %", "&nbsp;%")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def place(value: float, ticks: list[float]) -> str:
    """Where a value stands on an axis, as a style."""
    return f"left: {100 * (value - ticks[0]) / (ticks[-1] - ticks[0]):.2f}%"


def ticks_of(values: list[float]) -> list[float]:
    """Three to five round numbers around the values, from zero unless that is far away."""
    top = max(values) or 1.0
    low = 0.0 if min(values) < top / 2 else min(values)
    least = max((top - low) / 4, 1e-3 * top)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(size * power for size in (1, 2, 2.5, 5, 10) if size * power >= least)
    first, last = math.floor(low / step), math.ceil(top / step)
    return [at * step for at in range(first, max(last, first + 1) + 1)]


def tick_text(value: float, measure: str) -> str:
    return f"{100 * value:g} %" if measure == "misclassified" else f"{value:g}"


def bar(one: dict, largest: float, tip: str) -> str:
    """A share as a bar, and where it lies on random halves."""
    width = 100 * abs(one["share"]) / largest
    sign = " negative" if one["share"] < 0 else ""
    interval = ""
    if "low" in one:
        ends = sorted((abs(one["low"]), abs(one["high"])))
        ends[0] = 0.0 if one["low"] * one["high"] < 0 else ends[0]
        left, right = (100 * end / largest for end in ends)
        if right > 0:
            interval = (
                f'<span class="range" style="left: {left:.2f}%; width: {right - left:.2f}%"></span>'
            )
    fill = f'<span class="fill{sign}" style="left: 0; width: {width:.2f}%"></span>' if width else ""
    return f'<span class="bar" tabindex="0" data-tip="{escape(tip)}">{fill}{interval}</span>'


def thin_bar(part: float, tip: str) -> str:
    """A number from 0 to 1 as a thin bar."""
    fill = f'<span class="fill" style="left: 0; width: {100 * max(part, 0.0):.1f}%"></span>'
    return f'<span class="bar thin" data-tip="{escape(tip)}">{fill}</span>'


def largest_of(entries: list[dict]) -> float:
    """What the longest bar or interval stands for."""
    return max(
        max(abs(one["share"]), abs(one.get("low", 0.0)), abs(one.get("high", 0.0)))
        for one in entries
    ) or 1.0  # fmt: skip


def sortable(title: str, kind: str, order: str = "", numeric: bool = False) -> str:
    sort = f' aria-sort="{order}"' if order else ""
    number = ' class="number"' if numeric else ""
    return f'<th{number} data-kind="{kind}"{sort}><button type="button">{title}</button></th>'


def value_cell(content: str, value: Any, kind: str, head: str = "") -> str:
    said = f' data-head="{head}"' if head else ""
    sort = escape(value) if isinstance(value, str) else f"{value:.6g}"
    return f'<td class="{kind}" data-value="{sort}"{said}>{content}</td>'


def definitions(facts: list[tuple[str, Any]]) -> str:
    inside = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>"
        for name, value in facts
        if value is not None
    )
    return f'<dl class="facts">{inside}</dl>'


def scientific(value: float | None) -> str | None:
    return None if value is None else f"{value:.1e}"


def significant(value: float | None) -> str | None:
    return None if value is None else f"{value:.6g}"

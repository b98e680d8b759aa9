"""Files of measurements in docs/results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.tables import origin, read, write

__all__ = ["Measurement", "complete", "record"]

Measurement = Callable[[], dict[str, Any]]


def complete(
    tasks: Iterable[tuple[str, Measurement]], file: Path | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Compute the entries that a file lacks, and write it after each of them.

    Parameters
    ----------
    tasks : iterable of (key, measurement)
    file : Path or None
        None computes all entries and writes nothing.

    Yields
    ------
    key : str
    entry : dict
        The measurement; "origin" is its date, or "measured now".
    """
    results: dict[str, Any] = {"origins": {}, "entries": {}} if file is None else read(file)
    for key, task in tasks:
        known = key in results["entries"]
        if not known:
            results["entries"][key] = task()
            results["origins"][key] = origin()
            write(results, file)
        when = f"cached, {results['origins'][key]['date']}" if known else "measured now"
        yield key, results["entries"][key] | {"origin": when}


def record(found: dict[str, Any], file: Path) -> None:
    """Write the numbers of a benchmark, with the date and the versions that made them."""
    file.write_text(json.dumps(origin() | found, indent=1) + "\n", encoding="utf-8")

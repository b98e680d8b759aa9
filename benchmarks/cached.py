"""Measurements that are computed once and read from docs/results afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.tables import origin, read, write

__all__ = ["Measurement", "complete"]

Measurement = Callable[[], dict[str, Any]]


def complete(
    tasks: Iterable[tuple[str, Measurement]], file: Path | None
) -> dict[str, dict[str, Any]]:
    """Compute the entries that a file lacks, and write it after each of them.

    Parameters
    ----------
    tasks : iterable of (key, measurement)
    file : Path or None
        None computes all entries and writes nothing.

    Returns
    -------
    entries : dict from key to dict
        Those of `tasks`, with the date of the measurement.
    """
    results: dict[str, Any] = {"origins": {}, "entries": {}} if file is None else read(file)
    found = {}
    for key, task in tasks:
        if key not in results["entries"]:
            results["entries"][key] = task()
            results["origins"][key] = origin()
            write(results, file)
        found[key] = results["entries"][key] | {"date": results["origins"][key]["date"]}
    return found

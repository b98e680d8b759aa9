"""Run the pieces of a protocol in parallel processes and cache each result in a file.

An interrupted run continues where it stopped, and experiments with the same protocol share the
results.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from joblib import Parallel, delayed, parallel_config

from learnkernels import datasets
from learnkernels.errors import InputError
from learnkernels.execution import single_threaded_blas
from learnkernels.files import make_folder, replacing
from learnkernels.progress import counting, report
from learnkernels.reproductions.experiment import Piece, Protocol
from learnkernels.version import __version__

INNERMOST = re.compile(r"[\[{][^\[\]{}]*[\]}]")


def run_pieces(
    protocol: Protocol,
    *,
    quick: bool,
    random_state: int,
    folder: Path,
    n_jobs: int = 1,
    fresh: bool = False,
) -> list[Piece]:
    """Run all pieces of a protocol that are not cached, and return them with their results.

    Parameters
    ----------
    protocol : Protocol
    quick : bool
        Whether to run the short plan.
    random_state : int
    folder : Path
        Directory of the cache.
    n_jobs : int, default=1
        Number of processes; -1 uses all cores. The results do not depend on it.
    fresh : bool, default=False
        Whether to run cached pieces again.

    Returns
    -------
    list of Piece
        In the order of the plan.

    Raises
    ------
    KeyboardInterrupt
        If the run is interrupted; the message says how to continue.
    """
    pieces = protocol.pieces(quick, random_state)
    folder = folder / protocol.name
    if fresh:
        for piece in pieces:
            (folder / f"{piece.key}.json").unlink(missing_ok=True)
    results = dict(cached(protocol, pieces, folder))
    todo = [piece for piece in pieces if piece.key not in results]
    if todo:
        check_data(protocol.needs(piece.parameters) for piece in todo)
        check_writable(folder)
    try:
        with counting(len(pieces), f"{len(pieces)} pieces", done=len(results)) as advance:
            for key, result in run_in_processes(protocol, todo, folder, n_jobs):
                results[key] = result
                advance()
                report(f"{key} done")
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(
            f"{len(results)} of {len(pieces)} pieces of {protocol.name} are done and cached in "
            f"{str(folder)!r}. Run the same command{' without --fresh' if fresh else ''} to "
            "continue."
        ) from stop
    return [replace(piece, result=results[piece.key]) for piece in pieces]


def check_data(names: Iterable[str | None]) -> None:
    """Raise one error that names all data sets that cannot be loaded."""
    errors = []
    for name in sorted({name for name in names if name is not None}):
        try:
            datasets.fetch(name)
        except InputError as error:
            errors.append(str(error))
    if errors:
        raise InputError(" ".join(errors))


def check_writable(folder: Path) -> None:
    """Raise if no file can be written to a directory."""
    make_folder(folder)
    probe = folder / f".{uuid4().hex}"
    with replacing(probe):
        pass
    probe.unlink(missing_ok=True)


def cached(
    protocol: Protocol, pieces: list[Piece], folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the results in the cache that this version computed with the same parameters."""
    for piece in pieces:
        try:
            found = json.loads((folder / f"{piece.key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # not cached, or damaged: run it again
        if found.get("made by") == origin(protocol, piece):
            yield piece.key, found["result"]


def run_in_processes(
    protocol: Protocol, todo: list[Piece], folder: Path, n_jobs: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run pieces and yield their keys and results in the order in which they finish."""
    if n_jobs == 1:
        for piece in todo:
            yield run_piece(protocol, piece, folder)
        return
    # One thread per process: the processes use all cores.
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        pool = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
        yield from pool(delayed(run_piece)(protocol, piece, folder) for piece in todo)


def run_piece(protocol: Protocol, piece: Piece, folder: Path) -> tuple[str, dict[str, Any]]:
    """Run a piece and write its result, duration and warnings to the cache.

    BLAS uses one thread, as in several processes, because its rounding errors depend on the number
    of threads.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, single_threaded_blas():
        warnings.simplefilter("always")
        result = protocol.run(**piece.parameters)
    seconds = round(time.perf_counter() - start, 2)
    record = {
        "made by": origin(protocol, piece),
        "seconds": seconds,
        "warnings": sorted({str(warning.message) for warning in caught}),
        "result": result,
    }
    write_json(folder / f"{piece.key}.json", record)
    return piece.key, json.loads(json.dumps(result))


def origin(protocol: Protocol, piece: Piece) -> dict[str, Any]:
    """Return the version, revision and parameters that a cached result must match."""
    return {
        "learnkernels": __version__,
        "revision": protocol.revision,
        "parameters": piece.parameters,
    }


def write_json(path: Path, content: Any) -> None:
    """Write JSON atomically, with innermost lists and objects on one line."""
    text = INNERMOST.sub(lambda part: " ".join(part[0].split()), json.dumps(content, indent=1))
    make_folder(path.parent)
    with replacing(path) as stream:
        stream.write(f"{text}\n".encode())

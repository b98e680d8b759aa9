"""Doing the pieces: several at once, each kept as soon as it is done, none done twice.

Every finished piece is a small file. A run that was killed, or stopped with Ctrl-C, continues where
it was; so does another table that reads the same pieces.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from joblib import Parallel, delayed, parallel_config

from learnkernels import datasets
from learnkernels.errors import InputError
from learnkernels.files import make_folder, replacing
from learnkernels.gram import single_threaded_blas
from learnkernels.progress import SILENT, Progress
from learnkernels.reproductions.experiment import Piece, Protocol
from learnkernels.version import __version__

__all__ = ["do", "write_json"]

INNERMOST = re.compile(r"[\[{][^\[\]{}]*[\]}]")


def do(
    protocol: Protocol,
    *,
    quick: bool,
    seed: int,
    folder: Path,
    jobs: int = 1,
    fresh: bool = False,
    progress: Progress = SILENT,
) -> list[Piece]:
    """All pieces of a protocol with their results, in order.

    Parameters
    ----------
    protocol : Protocol
    quick : bool
        Whether to do the short plan.
    seed : int
    folder : Path
        Where finished pieces are kept.
    jobs : int, default=1
        Processes at work. Numbers do not depend on it.
    fresh : bool, default=False
        Whether to do finished pieces again.
    progress : Progress
        Shows how many pieces are done, and which was the last.

    Returns
    -------
    list of Piece

    Raises
    ------
    KeyboardInterrupt
        When the run is stopped, with a sentence on how to go on.
    """
    pieces = protocol.pieces(quick, seed)
    place = folder / protocol.name
    if fresh:
        for piece in pieces:
            (place / f"{piece.key}.json").unlink(missing_ok=True)
    results = dict(kept(protocol, pieces, place))
    todo = [piece for piece in pieces if piece.key not in results]
    if todo:  # what is missing is said now, not after an hour
        check_data({protocol.needs(piece.parameters) for piece in todo} - {None})
        check_writable(place)
    try:
        progress.say(f"{len(pieces)} pieces")
        with progress.counting(len(pieces), done=len(results)) as advance:
            for key, result in done(protocol, todo, place, jobs):
                results[key] = result
                advance()
                progress.say(f"{key} done")
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(
            f"{len(results)} of {len(pieces)} pieces of {protocol.name} are done and kept in "
            f"{str(place)!r}; the same run{', not fresh,' if fresh else ''} goes on from there."
        ) from stop
    return [replace(piece, result=results[piece.key]) for piece in pieces]


def check_data(names) -> None:
    """Raise with all that is missing, and what to do."""
    missing = []
    for name in sorted(names):
        try:
            datasets.path(name)
        except InputError as error:
            missing.append(str(error))
    if missing:
        raise InputError(" ".join(missing))


def check_writable(place: Path) -> None:
    make_folder(place)
    probe = place / f".{uuid4().hex}"
    with replacing(probe):
        pass
    probe.unlink(missing_ok=True)


def kept(protocol: Protocol, pieces: list[Piece], place: Path) -> Iterator[tuple[str, dict]]:
    """Results that lie in the folder, of this version and with these parameters."""
    for piece in pieces:
        try:
            found = json.loads((place / f"{piece.key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue  # not done yet, or not readable: do it
        if found.get("made by") == maker(protocol, piece):
            yield piece.key, found["result"]


def done(protocol: Protocol, todo: list[Piece], place: Path, jobs: int):
    """Do pieces, yield them as they are finished."""
    if jobs == 1:
        for piece in todo:
            yield one(protocol, piece, place)
        return
    # One thread a process: the processes fill the cores.
    with parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1):
        pool = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="n_jobs")
        yield from pool(delayed(one)(protocol, piece, place) for piece in todo)


def one(protocol: Protocol, piece: Piece, place: Path) -> tuple[str, dict]:
    """Do a piece and keep it, with the warnings that were heard.

    BLAS has one thread, as in several processes: its last digits depend on their number.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard, single_threaded_blas():
        warnings.simplefilter("always")
        result = protocol.run(**piece.parameters)
    seconds = round(time.perf_counter() - start, 2)
    record = {
        "made by": maker(protocol, piece),
        "seconds": seconds,
        "warnings": sorted({str(warning.message) for warning in heard}),
        "result": result,
    }
    write_json(place / f"{piece.key}.json", record)
    return piece.key, json.loads(json.dumps(result))


def maker(protocol: Protocol, piece: Piece) -> dict[str, Any]:
    return {
        "learnkernels": __version__,
        "revision": protocol.revision,
        "parameters": piece.parameters,
    }


def write_json(path: Path, content) -> None:
    """Write a file that is complete or not there."""
    # What holds only numbers and names on one line.
    text = INNERMOST.sub(lambda part: " ".join(part[0].split()), json.dumps(content, indent=1))
    make_folder(path.parent)
    with replacing(path) as stream:
        stream.write(f"{text}\n".encode())

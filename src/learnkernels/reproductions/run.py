"""From the name of a table to its numbers, files and pictures."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from learnkernels.checks import is_whole
from learnkernels.errors import InputError
from learnkernels.progress import shown
from learnkernels.reproductions.experiment import Claim, Grid, Line, Outcome, Panel, Value
from learnkernels.reproductions.figures import draw
from learnkernels.reproductions.registry import EXPERIMENTS
from learnkernels.reproductions.work import do, write_json
from learnkernels.version import versions

__all__ = ["outcome_of", "reproduce"]


def reproduce(
    name: str,
    *,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    folder: Path | str = "learnkernels-reproductions",
    fresh: bool = False,
    figures: bool = True,
    verbose: bool = False,
) -> dict[str, Any]:
    """Run an experiment of a paper with its own protocol.

    Parameters
    ----------
    name : str
        One of ``learnkernels.reproductions.EXPERIMENTS``.
    quick : bool, default=False
        Fewer repetitions and smaller samples: minutes.
    seed : int, default=0
        Of everything random; the same seed gives the same numbers.
    jobs : int, default=1
        Processes at work.
    folder : path-like, default="learnkernels-reproductions"
        Where finished pieces, the result (JSON) and figures (PNG) go. A run that was stopped
        continues from what lies there.
    fresh : bool, default=False
        Whether to compute anew what lies there.
    figures : bool, default=True
        Whether to draw.
    verbose : bool, default=False
        Show a bar of pieces on a terminal.

    Returns
    -------
    dict
        Tables with our numbers and the paper's, claims, series of the figures; when, with which
        versions and which seed.

    Examples
    --------
    >>> import tempfile
    >>> from learnkernels.reproductions import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = reproduce("2017-examples", quick=True, folder=folder, figures=False)
    >>> all(claim["holds"] for claim in found["claims"])
    True
    """
    if name not in EXPERIMENTS:
        raise InputError(f"no experiment is called {name!r}; there are {', '.join(EXPERIMENTS)}.")
    for parameter, value, least in (("jobs", jobs, 1), ("seed", seed, 0)):
        if not (is_whole(value) and value >= least):
            raise InputError(
                f"{parameter}={value!r}; it must be a whole number of at least {least}."
            )
    experiment = EXPERIMENTS[name]
    mode = "quick" if quick else "full"
    folder = Path(folder) / f"{mode}-{seed}"
    with shown(verbose) as progress:
        pieces = do(
            experiment.protocol, quick=quick, seed=seed, folder=folder / "pieces", jobs=jobs,
            fresh=fresh, progress=progress.within(name),
        )  # fmt: skip
    outcome = experiment.conclude(pieces)
    found = {
        "experiment": name,
        "title": experiment.title,
        "mode": mode,
        "seed": seed,
        "pieces": len(pieces),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
    } | rounded(asdict(outcome))
    write_json(folder / f"{name}.json", found)
    if figures and outcome.panels:
        draw(outcome.panels, folder / f"{name}.png")
    return found


def outcome_of(found: dict[str, Any]) -> Outcome:
    """The outcome that a result file holds."""
    return Outcome(
        [
            Grid(**grid | {"values": {
                row: {column: Value(**value) for column, value in columns.items()}
                for row, columns in grid["values"].items()
            }})
            for grid in found["grids"]
        ],
        [Claim(**claim) for claim in found["claims"]],
        [
            Panel(**panel | {"lines": [Line(**line) for line in panel["lines"]]})
            for panel in found["panels"]
        ],
    )  # fmt: skip


def rounded(content):
    """Without what is not there; six digits are enough for a reader, and differ nowhere."""
    if isinstance(content, float):
        return float(f"{content:.6g}")
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items() if value is not None}
    if isinstance(content, list):
        return [rounded(value) for value in content]
    return content

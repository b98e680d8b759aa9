"""Run an experiment and write its numbers and figures."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from learnkernels.checks import is_whole
from learnkernels.errors import InputError
from learnkernels.progress import showing, within
from learnkernels.reproductions.cached_runs import run_pieces, write_json
from learnkernels.reproductions.experiment import Claim, Outcome, Panel, ResultTable, Series, Value
from learnkernels.reproductions.figures import draw
from learnkernels.reproductions.registry import EXPERIMENTS
from learnkernels.version import versions


def reproduce(
    name: str,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int = 1,
    folder: Path | str = "learnkernels-reproductions",
    fresh: bool = False,
    figures: bool = True,
    verbose: bool = False,
) -> dict[str, Any]:
    """Run an experiment of a paper with the paper's protocol.

    Parameters
    ----------
    name : str
        One of ``learnkernels.reproductions.EXPERIMENTS``.
    quick : bool, default=False
        Use fewer repetitions and smaller samples, which takes minutes.
    random_state : int, default=0
        Seed of all random choices.
    n_jobs : int, default=1
        Number of processes; -1 uses all cores. The numbers do not depend on it.
    folder : path-like, default="learnkernels-reproductions"
        Directory for the finished pieces, the result (JSON) and the figures (PNG). An interrupted
        run continues from the pieces found there.
    fresh : bool, default=False
        Whether to ignore finished pieces and compute them again.
    figures : bool, default=True
        Whether to draw the figures.
    verbose : bool, default=False
        Whether to show progress.

    Returns
    -------
    dict
        Tables with our numbers and the paper's, claims and series of the figures, together with
        the date, the library versions and `random_state`.

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
        raise InputError(
            f"unknown experiment {name!r}; expected one of {', '.join(EXPERIMENTS)}. Check the "
            "spelling."
        )
    if not (is_whole(random_state) and random_state >= 0):
        raise InputError(f"random_state={random_state!r}; expected an integer of at least 0.")
    if not (is_whole(n_jobs) and (n_jobs == -1 or n_jobs >= 1)):
        raise InputError(
            f"n_jobs={n_jobs!r}; expected an integer of at least 1, or -1 for all cores."
        )
    experiment = EXPERIMENTS[name]
    mode = "quick" if quick else "full"
    folder = Path(folder) / f"{mode}-{random_state}"
    with showing(verbose), within(name):
        pieces = run_pieces(
            experiment.protocol, quick=quick, random_state=random_state, folder=folder / "pieces",
            n_jobs=n_jobs, fresh=fresh,
        )  # fmt: skip
    outcome = experiment.conclude(pieces)
    found: dict[str, Any] = {
        "experiment": name,
        "title": experiment.title,
        "mode": mode,
        "random_state": random_state,
        "pieces": len(pieces),
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
    } | rounded(asdict(outcome))
    write_json(folder / f"{name}.json", found)
    if figures and outcome.panels:
        draw(outcome.panels, folder / f"{name}.png")
    return found


def outcome_of(found: dict[str, Any]) -> Outcome:
    """Return the outcome stored in a result file."""
    return Outcome(
        [
            ResultTable(**table | {"values": {
                row: {column: Value(**value) for column, value in columns.items()}
                for row, columns in table["values"].items()
            }})
            for table in found["tables"]
        ],
        [Claim(**claim) for claim in found["claims"]],
        [
            Panel(**panel | {"series": [Series(**line) for line in panel["series"]]})
            for panel in found["panels"]
        ],
    )  # fmt: skip


def rounded(content: Any) -> Any:
    """Round floats to six significant digits and drop entries that are None."""
    if isinstance(content, float):
        return float(f"{content:.6g}")
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items() if value is not None}
    if isinstance(content, list):
        return [rounded(value) for value in content]
    return content

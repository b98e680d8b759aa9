"""Run the benchmarks, all or by name."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from typing import Any

from benchmarks import (
    coordinates,
    cost,
    cost_model,
    dask_chunks,
    dask_pass,
    fit,
    grid_search,
    headline,
    himalaya_gallery,
    landmark_choice,
    landmark_classes,
    landmarks,
    large,
    latency,
    many_samples,
    methods,
    million,
    noise,
    one_stage,
    pairs,
    precision,
    rank_one,
    scaling,
    sequences,
    soak,
    statistics,
    tables,
    tables_large,
    tables_more,
    targets,
    uncertainty,
    views,
)
from benchmarks.cached import record
from benchmarks.tables import RESULTS

# A benchmark returns the numbers that `--record` writes, or None: it prints only, or it writes
# results itself.
BENCHMARKS: dict[str, Callable[[bool], dict[str, Any] | None]] = {
    "headline": headline.run,
    "statistics": statistics.run,
    "latency": latency.run,
    "dask_pass": dask_pass.run,
    "dask_chunks": dask_chunks.run,
    "fit": fit.run,
    "one_stage": one_stage.run,
    "grid_search": grid_search.run,
    "rank_one": rank_one.run,
    "sequences": sequences.run,
    "landmarks": landmarks.run,
    "landmark_choice": landmark_choice.run,
    "landmark_classes": landmark_classes.run,
    "many_samples": many_samples.run,
    "scaling": scaling.run,
    "large": large.run,
    "million": million.run,
    "coordinates": coordinates.run,
    "cost": cost.run,
    "cost_model": cost_model.run,
    "methods": methods.run,
    "noise": noise.run,
    "precision": precision.run,
    "pairs": pairs.run,
    "tables": tables.run,
    "tables_large": tables_large.run,
    "tables_more": tables_more.run,
    "targets": targets.run,
    "himalaya_gallery": himalaya_gallery.run,
    "uncertainty": uncertainty.run,
    "views": views.run,
    "soak": soak.run,
}


def main() -> None:
    """Run the benchmarks that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, []], help="default: all")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, to check that everything runs"
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="write the numbers that the documentation shows to docs/results",
    )
    options = parser.parse_args()
    if options.quick and options.record:
        parser.error("--record needs all sizes: leave out --quick")
    print(f"Python {platform.python_version()} on {platform.machine()}")
    for name in options.names or BENCHMARKS:
        print(f"\n== {name}")
        start = time.perf_counter()
        found = BENCHMARKS[name](options.quick)
        if options.record and found:
            record(found, RESULTS.with_name(f"{name}.json"))
        print(f"{name} took {(time.perf_counter() - start) / 60:.1f} minutes", flush=True)


if __name__ == "__main__":
    main()

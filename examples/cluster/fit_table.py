"""Fit a Parquet table of many rows on a Dask cluster, and write predictions.

The scripts of this folder start a cluster and call `run`. Rows are read, summed and predicted by
the workers. This process gets the rows of a subsample and one total.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

import learnkernels as lk

# Workers that return free memory to the system at once are about a fifth slower.
ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": "268435456", "MALLOC_MMAP_THRESHOLD_": "33554432"}


def parser(description: str) -> argparse.ArgumentParser:
    """Return the options that all scripts have."""
    found = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    found.add_argument("data", help="Parquet file or folder that all workers can read")
    found.add_argument("--target", default="y", help="column to predict")
    found.add_argument("--components", type=int, default=1000, help="number of landmarks")
    found.add_argument("--output", default="predictions", help="folder for the predictions")
    found.add_argument("--model", default="model.lk", help="file for the model")
    found.add_argument("--checkpoint", help="file for the sums of an unfinished fit")
    found.add_argument(
        "--example", type=int, metavar="ROWS", help="write an example table to DATA first"
    )
    return found


def run(client: Any, options: argparse.Namespace) -> Any:
    """Fit a model on the workers of a client, save it, write predictions, and return it."""
    if options.example:
        write_example(Path(options.data), options.example)
    table = dd.read_parquet(options.data, split_row_groups=True)
    X, y = table.drop(columns=options.target), table[options.target]
    model = lk.KernelRegressor(
        n_components=options.components, subsample="auto", backend=lk.Dask(client),
        checkpoint=options.checkpoint,
    ).fit(X, y)  # fmt: skip
    predicted = model.predict(X).to_frame()  # lazy
    client.compute(predicted.to_parquet(options.output, compute=False)).result()
    lk.save(model.set_params(backend=None, checkpoint=None), options.model)
    print(f"{len(table.columns) - 1} columns, {table.npartitions} partitions: {model.alpha_=:.3g}")
    return model


def write_example(path: Path, n: int) -> None:
    """Write n rows of five columns in ten row groups."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((n, 5)), columns=list("abcde"))
    noise = 0.1 * rng.standard_normal(n)
    table["y"] = np.sin(table["a"]) + table["b"] * table["c"] + noise
    table.to_parquet(path, row_group_size=max(n // 10, 1))

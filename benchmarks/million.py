"""A million rows on disk: time, memory and error of a fit that reads them in parts.

``python -m benchmarks million`` writes docs/results/million.json.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

import learnkernels as lk
from benchmarks.measure import peak_extra_memory
from benchmarks.tables import RESULTS, origin

MILLION_RESULTS = RESULTS.with_name("million.json")
D = 20
PIECE = 50_000
# Starts a command, and prints its processor time and peak memory.
START = """
import json, os, subprocess, sys
with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL) as process:
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))
sys.exit(process.returncode)
"""


def run(quick: bool = False) -> None:
    sizes = (1000,) if quick else (100_000, 1_000_000)
    options: dict[str, Any] = {"n_components": 30 if quick else 1000, "max_memory": 1e9}
    subsample = 300 if quick else 10_000
    X_test, y_test = rows(np.random.default_rng(1), 500 if quick else 10_000)
    lk.KernelRegressor(lk.gaussians(), n_components=20, subsample=50).fit(X_test, y_test)  # compile
    found = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), n)
            for kind in ("numpy.memmap", "Parquet"):
                X, y = opened(Path(folder), kind)
                model = lk.KernelRegressor(lk.gaussians(), subsample=subsample, **options)
                entry = measured(model, X, y) | {"n": n, "rows": kind}
                entry["rmse"] = rmse(model, X_test, y_test)
                found.append(entry)
                print(line(entry), flush=True)
            if n == max(sizes):
                found.append(two_classes(Path(folder), (X_test, y_test), subsample, options))
                print(line(found[-1]), flush=True)
                entry, saved = command_line(Path(folder), options["n_components"], quick)
                entry |= {"n": n, "rows": "Parquet, command line"}
                found.append(entry | {"rmse": rmse(saved, X_test, y_test)})
                print(line(found[-1]), flush=True)
        few, error = model.subsample_, rmse(model, X_test, y_test)
    X, y = rows(np.random.default_rng(0), subsample)
    alone = lk.KernelRegressor(lk.gaussians(), n_components=options["n_components"])
    entry = measured(alone, X, y) | {"n": len(few), "rows": "memory"}
    entry["rmse"] = rmse(alone, X_test, y_test)
    print(line(entry))
    print(f"all rows: {error / entry['rmse']:.3f} of the RMSE of {len(few)} rows")
    if not quick:
        content = {"origin": origin(), "entries": [*found, entry]}
        MILLION_RESULTS.write_text(f"{json.dumps(content, indent=1)}\n")


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples and their targets, with noise of standard deviation 0.1."""
    X = rng.standard_normal((n, D))
    smooth = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + X[:, 3:].mean(axis=1)
    return X, smooth + 0.1 * rng.standard_normal(n)


def write(folder: Path, n: int) -> None:
    """Write n rows as an array and as a Parquet file, some at a time."""
    rng, names = np.random.default_rng(0), [f"x{k}" for k in range(D)]
    array = np.lib.format.open_memmap(folder / "X.npy", "w+", float, (n, D))
    target = np.empty(n)
    schema = pa.schema([(name, pa.float64()) for name in [*names, "y"]])
    with ParquetWriter(folder / "rows.parquet", schema) as file:
        for start in range(0, n, PIECE):
            stop = min(start + PIECE, n)
            X, y = rows(rng, stop - start)
            array[start:stop], target[start:stop] = X, y
            file.write_table(pa.table([*X.T, y], schema=schema))
    array.flush()
    np.save(folder / "y.npy", target)


def opened(folder: Path, kind: str) -> tuple[Any, np.ndarray]:
    if kind == "Parquet":
        return lk.open_parquet(folder / "rows.parquet", target="y")
    return np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy")


def measured(model: Any, X: Any, y: np.ndarray) -> dict[str, float]:
    """Return the time of a fit, of the clock and of the processor, and its peak memory in MB."""
    clock, processor = time.perf_counter(), time.process_time()
    memory = peak_extra_memory(lambda: model.fit(X, y))
    return {
        "seconds": round(time.perf_counter() - clock, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
        "megabytes": round(memory),
    }


def two_classes(
    folder: Path, test: tuple[np.ndarray, np.ndarray], subsample: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Return the measurement of an SVM that predicts the sign of the target."""
    X, y = opened(folder, "numpy.memmap")
    model = lk.KernelClassifier(lk.gaussians(), subsample=subsample, **options)
    entry = measured(model, X, y > 0) | {"n": len(y), "rows": "numpy.memmap, two classes"}
    X_test, y_test = test
    return entry | {"error": round(float(np.mean(model.predict(X_test) != (y_test > 0))), 4)}


def command_line(folder: Path, n_components: int, quick: bool) -> tuple[dict[str, float], Any]:
    """Return time and memory of the default fit as a command, and its model.

    Quick mode fits uniform weights of fewer kernels, and does not subtract the memory of Python.
    """
    command = [
        sys.executable, "-m", "learnkernels", "fit", str(folder / "rows.parquet"), "--target", "y",
        "--components", str(n_components), "--max-memory", "1GB", "--save", str(folder / "m.lk"),
        *(("--kernels", "gaussians:-2..0", "--method", "unif") if quick else ()),
    ]  # fmt: skip
    empty = [sys.executable, "-c", "import learnkernels.estimators, pandas, pyarrow.parquet"]
    used = usage(command)
    if not quick:
        used["megabytes"] = round(used["megabytes"] - usage(empty)["megabytes"])
    return used, lk.load(folder / "m.lk")["model"]


def usage(command: list[str]) -> dict[str, float]:
    """Return the times of a command, of the clock and of the processor, and its peak memory.

    A small process starts it: the peak of a process includes the memory of the one it is forked of.
    """
    clock = time.perf_counter()
    found = subprocess.run(
        [sys.executable, "-c", START, *command],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    processor, kilobytes = json.loads(found.stdout)
    return {
        "seconds": round(time.perf_counter() - clock, 1),
        "processor_seconds": round(processor, 1),
        "megabytes": round(kilobytes / 1000),
    }


def rmse(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    predicted = model.predict(as_rows(model, X))
    return round(float(np.sqrt(np.mean((predicted - y) ** 2))), 4)


def as_rows(model: Any, X: np.ndarray) -> Any:
    """Return samples with the column names that the model was trained on."""
    if not hasattr(model, "feature_names_in_"):
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=model.feature_names_in_)


def line(entry: dict[str, Any]) -> str:
    quality = f"RMSE {entry['rmse']:.4f} (noise 0.1)" if "rmse" in entry else ""
    return (
        f"n={entry['n']}, {entry['rows']}: {entry['seconds']:.0f} s "
        f"({entry['processor_seconds']:.0f} s of processor time), {entry['megabytes']} MB, "
        + (quality or f"error {entry['error']:.4f}")
    )

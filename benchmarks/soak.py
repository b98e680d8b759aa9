"""Fit, predict, save and load in several threads for minutes, and look for leaks.

Every result must be identical to the first of its kind. Resident memory is measured after a garbage
collection and after glibc has returned its free memory, so that growth is a leak. With the other
benchmarks it runs for half a minute; the long form is ``python -m benchmarks.soak --minutes 10``.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from scipy import sparse
from threadpoolctl import threadpool_limits

import learnkernels as lk

N_THREADS = 4
MINUTES = 10.0
# Minutes of the shorter forms, and the fraction of a run that counts as warming up.
QUICK, SHORT, WARM = 0.005, 0.5, 0.25
Results = list[np.ndarray]


def run(quick: bool = False) -> None:
    soak(QUICK if quick else SHORT, samples=4 if quick else 10)


def soak(minutes: float, samples: int | None = None) -> None:
    """Run for some minutes, print a table, and exit with status 1 if results differ."""
    samples = samples or max(round(minutes), 2)
    print(f"{N_THREADS} threads, {len(JOBS)} kinds of work, {minutes:.2g} minutes")
    # Results depend in their last digits on the number of BLAS threads, a global setting.
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1, "blas"):
        work = Work(Path(folder))
        work.round()  # compile, and store the first results
        before = leftovers()
        table = [row(0.0, work)]
        workers = [threading.Thread(target=work.run, daemon=True) for _ in range(N_THREADS)]
        start = time.monotonic()
        for worker in workers:
            worker.start()
        for sample in range(1, samples + 1):
            work.done.wait(max(start + 60 * minutes * sample / samples - time.monotonic(), 0))
            table.append(row((time.monotonic() - start) / 60, work))
        work.done.set()
        for worker in workers:
            worker.join()
        files = [path.name for path in Path(folder).iterdir()]
        show(table, work, files, leftovers() - before)
    if work.differing or work.errors:
        sys.exit(1)


@dataclass
class Work:
    """State that the threads share."""

    folder: Path
    first: dict[str, Results] = field(default_factory=dict)
    fits: int = 0
    differing: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        while not self.done.is_set():
            self.round()

    def round(self) -> None:
        """Run each kind of work once, unless the time is over."""
        for name, job in JOBS.items():
            if self.done.is_set():
                return
            try:
                found = job(self.folder / f"{threading.get_ident()} {name}.lk")
            except Exception as error:  # printed at the end; the other kinds continue
                self.errors.append(f"{name}: {type(error).__name__}: {error}")
                continue
            expected = self.first.setdefault(name, found)
            if not all(map(np.array_equal, found, expected)):
                self.differing.append(name)
            with self.lock:
                self.fits += 1


def fitted(make: Callable, data: Callable) -> Callable[[Path], Results]:
    """Fit, predict, save, load and predict again."""

    def job(path: Path) -> Results:
        X, y = data()
        model = make().fit(X, y)
        lk.save(model, path)
        loaded = lk.load(path)
        path.unlink()
        output = "transform" if hasattr(model, "transform") else "predict"
        return [model.weights_, getattr(model, output)(X), getattr(loaded, output)(X)]

    return job


def table_of_numbers(n: int = 150):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def classes():
    X, y = table_of_numbers()
    return X, np.where(y > 0, "high", "low")


def counts():
    rng = np.random.default_rng(1)
    X = sparse.csr_array(rng.random((120, 300)) * (rng.random((120, 300)) < 0.1))
    return X, np.asarray(X[:, :20].sum(axis=1)).ravel()


def promoters():
    rows = np.random.default_rng(2).choice(list("ACGT"), (100, 40))
    return np.array(["".join(row) for row in rows], dtype=object), rows[:, 0] == "A"


def views():
    import pandas as pd

    X, y = table_of_numbers()
    return pd.DataFrame(X, columns=list("abcd")), y


SPLIT = [lk.on(["a", "b"], lk.gaussians([0.1, 1.0])), lk.on(["c", "d"], "linear")]
JOBS = {
    "defaults, classes": fitted(lk.KernelClassifier, classes),
    "defaults, numbers": fitted(lk.KernelRegressor, table_of_numbers),
    "alignf, classes, C chosen": fitted(
        lambda: lk.KernelClassifier(method="alignf", C=[0.1, 1.0]), classes
    ),
    "l1-svm": fitted(lambda: lk.KernelClassifier(method="l1-svm", C=1.0), classes),
    "lp-svm": fitted(lambda: lk.KernelClassifier(method="lp-svm", C=1.0), classes),
    "l2-krr": fitted(lambda: lk.KernelRegressor(method="l2-krr", alpha=1.0), table_of_numbers),
    "ensemble": fitted(lambda: lk.KernelRegressor(method="ensemble", alpha=1.0), table_of_numbers),
    "learner": fitted(lk.KernelLearner, classes),
    "columns, sparse": fitted(lambda: lk.KernelRegressor(lk.per_feature(), "align"), counts),
    "views": fitted(lambda: lk.KernelRegressor(SPLIT), views),
    "sequences": fitted(
        lambda: lk.KernelClassifier([lk.spectrum(3), lk.weighted_degree(5)]), promoters
    ),
    "conjugate gradients": fitted(
        lambda: lk.KernelRegressor(method="alignf", alpha=1.0, max_memory=1e5), table_of_numbers
    ),
    "landmarks": fitted(lambda: lk.KernelRegressor(n_components=40), table_of_numbers),
}


@dataclass(frozen=True)
class Row:
    """One row of the table."""

    minutes: float
    fits: int
    megabytes: float
    files: int
    threads: int


def row(minutes: float, work: Work) -> Row:
    process = psutil.Process()
    return Row(minutes, work.fits, resident(process), process.num_fds(), process.num_threads())


def resident(process: psutil.Process) -> float:
    """Return MB after a garbage collection, without free memory of glibc."""
    gc.collect()
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)
    return process.memory_info().rss / 1e6


def leftovers() -> set[str]:
    """Return the names in the folder for temporary files."""
    return {path.name for path in Path(tempfile.gettempdir()).iterdir()}


def slope(table: list[Row]) -> float:
    """Return MB per minute after warming up, by least squares."""
    last = table[-1].minutes
    warm = [one for one in table if one.minutes >= WARM * last]
    return float(np.polyfit([one.minutes for one in warm], [one.megabytes for one in warm], 1)[0])


def show(table: list[Row], work: Work, files: list[str], temporary: set[str]) -> None:
    print(f"{'minute':>7} {'fits':>7} {'MB':>8} {'open files':>11} {'threads':>8}")
    for one in table:
        print(
            f"{one.minutes:7.2f} {one.fits:7d} {one.megabytes:8.1f} {one.files:11d} "
            f"{one.threads:8d}"
        )
    last = table[-1]
    print(f"{last.fits / len(JOBS):.1f} rounds; {last.fits / last.minutes:.0f} fits per minute")
    print(f"memory grows by {slope(table):+.2f} MB per minute after warming up")
    print(f"files left: {len(files)} of ours, {len(temporary)} in the folder for temporary files")
    print(f"results that differ: {len(work.differing)}; errors: {len(work.errors)}")
    for name in sorted({*work.differing, *work.errors}):
        print(f"  {name}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    soak(parser.parse_args().minutes)

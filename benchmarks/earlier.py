"""Comparison of CPU time and memory with version 0.1.0.

`compare` runs this module with the library of both revisions, each in its own process, with
the same models, data and tolerances.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.compare_revisions import ROOT
from benchmarks.compare_revisions import run as run_with
from benchmarks.measure import cpu_seconds, gaussian_gammas, peak_extra_memory, problem
from benchmarks.tables_protocol import split

FIRST_VERSION = "3140720"
VALUES = [0.1, 1.0, 10.0, 100.0]
RESIDUAL = 1e-6
ROUND = 5


def compare(name: str) -> dict[str, Any]:
    """Return a measurement of version 0.1.0 and of this tree."""
    command = [sys.executable, "-m", "benchmarks.earlier", name]
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", FIRST_VERSION, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as content:
            content.extractall(folder, filter="data")
        return {
            "earlier": json.loads(run_with(command, Path(folder))),
            "now": json.loads(run_with(command, ROOT)),
        }


def is_available() -> bool:
    """Return whether the repository has the revision of version 0.1.0."""
    command = ["git", "cat-file", "-e", FIRST_VERSION]
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL).returncode == 0


def choice_of_C(quick: bool = False) -> dict[str, float]:
    """Return the CPU time of a fit that chooses C in folds."""
    X, y = problem(300 if quick else 2000)
    kernels = lk.gaussians(gaussian_gammas())
    model = lk.KernelClassifier(kernels, "alignf", C=VALUES, machine="svm", backend=lk.Threads(1))
    return repeated(model, X, y)


def choice_of_alpha(quick: bool = False) -> dict[str, float]:
    """Return the CPU time of a fit that chooses alpha by leave-one-out errors."""
    X, y = problem(300 if quick else 2000)
    kernels = lk.gaussians(gaussian_gammas())
    return repeated(lk.KernelRegressor(kernels, "alignf", VALUES, backend=lk.Threads(1)), X, y)


def repeated(model: Any, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return the CPU time of a fit: the lowest mean of four rounds, after one fit that compiles.

    The clock counts hundredths of a second, so a round has several fits.
    """
    model.fit(X, y)

    def fits() -> None:
        for _ in range(ROUND):
            model.fit(X, y)

    return {"seconds": round(min(cpu_seconds(fits) for _ in range(4)) / ROUND, 3)}


def exact_ridge(quick: bool = False) -> dict[str, float]:
    """Solve ridge with all samples of kin40k by conjugate gradients, in less than 1 GB."""
    for name in ("conjugate_gradient_ridge", "iterative"):  # of this version and of 0.1.0
        try:
            import_module(f"learnkernels.machines.{name}").TOLERANCE = RESIDUAL
        except ImportError:
            continue
    data = split("kin40k", 0, 600 if quick else 36_000)

    def model(n: int) -> Any:
        kernels = lk.gaussians((2.0 ** np.arange(-8, 2)).tolist())
        limit = min(8e8, 7.0 * n * n)
        return lk.KernelRegressor(
            kernels, "alignf", alpha=0.1, max_memory=limit, backend=lk.Threads(1)
        )

    model(400).fit(data.X[:400], data.y[:400])  # compile
    fitted, times = model(len(data.y)), []
    megabytes = peak_extra_memory(
        lambda: times.append(cpu_seconds(lambda: fitted.fit(data.X, data.y))), 0.05
    )
    (certificate,) = fitted.machine_certificates_
    found = {"seconds": times[0], "megabytes": megabytes, "products": certificate.iterations}
    return {name: round(value, 1) for name, value in found.items()}


MEASURED: dict[str, Callable[..., dict[str, float]]] = {
    "choice of C": choice_of_C,
    "choice of alpha": choice_of_alpha,
    "exact ridge": exact_ridge,
}


if __name__ == "__main__":
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        json.dump(MEASURED[sys.argv[1]](), sys.stdout)

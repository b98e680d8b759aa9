"""Time of the import and of the first call in a new process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

FIRST_CALL = """
import time, numpy as np, learnkernels as lk
X = np.random.default_rng(0).standard_normal((500, 20)); y = np.sign(X[:, 0])
kernels = lk.gaussians(2.0 ** np.arange(-10, 0))
def timed(call):
    start = time.perf_counter(); call(); return time.perf_counter() - start
call = lambda: {call}
print(timed(call) - timed(call))
"""
TIMED_IMPORT = "import time; s = time.process_time(); import {}; print(time.process_time() - s)"
MODULES = ("learnkernels", "learnkernels.estimators", "sklearn.svm")
CALLS = {
    "alignment_statistics": "lk.alignment_statistics(kernels, X, y)",
    "KernelClassifier.fit": "lk.KernelClassifier(kernels).fit(X, y)",
    "KernelRegressor.fit": "lk.KernelRegressor(kernels).fit(X, y)",
}


def run(quick: bool = False) -> None:
    for name, call in list(CALLS.items())[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            # Compilation takes long: quick mode uses the existing cache.
            environment = os.environ | ({} if quick else {"NUMBA_CACHE_DIR": cache})
            code = FIRST_CALL.replace("{call}", call)
            cold, *warm = (float(python(code, environment)) for _ in range(1 if quick else 2))
        print(f"first {name}: {cold:.1f} s more than the second")
        for later in warm:
            print(f"  with a warm cache: {later:.2f} s")
    repeats = 1 if quick else 5
    found = {
        name: min(float(python(TIMED_IMPORT.format(name), os.environ)) for _ in range(repeats))
        for name in MODULES[: 1 if quick else None]
    }
    for name, took in found.items():
        print(f"import {name}: {took:.3f} s of CPU time")
    if not quick:
        print(f"  {found['learnkernels.estimators'] / found['sklearn.svm']:.2f}x sklearn.svm")


def python(code: str, environment) -> str:
    """Return what a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout

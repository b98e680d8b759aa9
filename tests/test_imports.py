"""What ``import learnkernels`` loads: what every fit needs, nothing that only some calls need."""

import subprocess
import sys

import pytest

# Loaded by the calls that need them: pictures, clusters, models in files, the command line.
LATER = {"matplotlib", "dask", "distributed", "skops", "polars", "learnkernels.cli"}
# The machines, the compiler, tables and the line of progress; what these load is theirs.
NEEDED = "sklearn.svm, numba, pandas, rich.progress"


def loaded(names: str) -> set[str]:
    """The modules of a fresh interpreter that has imported these."""
    code = f"import {names}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def ours():
    return loaded("learnkernels")


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def test_heavy_libraries_wait_for_the_call_that_needs_them(ours):
    assert not LATER & ours


def test_nothing_but_ourselves_is_added_to_what_a_fit_needs(ours):
    assert packages(ours) - packages(loaded(NEEDED)) == {"learnkernels"}

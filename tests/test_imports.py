"""Modules that ``import learnkernels`` loads, and its public names."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import learnkernels as lk

ROOT = Path(__file__).parents[1]
# Loaded by the call that needs them: figures, clusters, model files, reports, the command line.
SELDOM = {
    "colorama", "dask", "distributed", "jinja2", "learnkernels.cli", "learnkernels.datasets",
    "learnkernels.inspection", "learnkernels.persistence", "learnkernels.reporting",
    "learnkernels.reproductions", "matplotlib", "numba", "polars", "requests", "rich", "skops",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running the code."""
    code += "; import sys, json; print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def packages(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


# One process, because the libraries take most of the time. Names of packages and of functions that
# have their name are loaded by the first use; each one is used by a library that was not loaded.
LOADED_IN_TURN = """
import json, sys
import sklearn.svm
before = list(sys.modules)
from learnkernels import KernelClassifier
after = list(sys.modules)
for name in ("compare", "datasets", "report"):
    for module in [one for one in sys.modules if one.partition(".")[0] == "learnkernels"]:
        del sys.modules[module]
    import learnkernels
    getattr(learnkernels, name)
print(json.dumps([before, after]))
"""


@pytest.fixture(scope="module")
def in_turn():
    done = subprocess.run([sys.executable, "-c", LOADED_IN_TURN], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return [set(modules) for modules in json.loads(done.stdout)]


def test_import_loads_no_other_library():
    added = packages(loaded("import learnkernels")) - packages(loaded("import importlib.metadata"))
    assert added - set(sys.stdlib_module_names) <= {"learnkernels"}


def test_import_of_estimators_loads_no_optional_modules(in_turn):
    before, after = in_turn
    assert not SELDOM & (after - before)


def test_estimators_load_only_the_libraries_that_every_fit_needs(in_turn):
    before, after = in_turn
    added = packages(after) - packages(before)
    assert added - set(sys.stdlib_module_names) == {"learnkernels"}


def test_dir_lists_exactly_the_public_names():
    assert sorted(dir(lk)) == sorted(lk.__all__)
    assert len(set(lk.__all__)) == len(lk.__all__)


@pytest.mark.parametrize("name", lk.__all__)
def test_public_name_is_available_without_further_imports(name, in_turn):
    assert getattr(lk, name) is getattr(lk, name)


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'KernelClasifier'"):
        lk.KernelClasifier  # noqa: B018


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs", "tools", "examples"])
def test_no_module_needs_posix_to_be_imported(folder):
    missing_on_windows = {"fcntl", "grp", "pwd", "resource", "termios"}
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not missing_on_windows & set(names), f"import it where it is used: {path}"

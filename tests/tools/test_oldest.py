"""Lower bounds of dependencies, read from pyproject.toml."""

import tomllib

import pytest
from tools.oldest import PYPROJECT, constraints, oldest


def test_every_dependency_is_pinned_once():
    project = tomllib.loads(PYPROJECT.read_text())
    names = [line.partition("==")[0] for line in constraints(project)]
    assert len(set(names)) == len(names)
    assert {"numpy", "scikit-learn", "dask", "pytest"} <= set(names)


def test_lower_bound_becomes_pinned_version():
    assert oldest("dask[array,distributed]>=2024.8") == "dask==2024.8"
    assert oldest("numpy<3,>=1.26") == "numpy==1.26"


def test_dependency_without_lower_bound_is_named_in_error():
    with pytest.raises(SystemExit, match=r"'numpy<3' in pyproject\.toml"):
        oldest("numpy<3")

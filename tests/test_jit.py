"""Compiled functions wait for their first call."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from learnkernels.jit import Deferred, compiled, load_compiler

SOURCE = """
from learnkernels.jit import compiled

@compiled()
def twice(x):
    return 2 * x

@compiled()
def four_times(x):
    return twice(twice(x))
"""


@pytest.fixture
def module(tmp_path, monkeypatch) -> ModuleType:
    """Return a module with two compiled functions, one of which calls the other."""
    (tmp_path / "waiting.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "waiting", raising=False)
    import waiting

    return waiting


def test_first_call_compiles_a_function_and_those_that_it_calls(module):
    imported_before = module.four_times
    assert isinstance(imported_before, Deferred)
    assert imported_before(3) == 12
    assert not isinstance(module.twice, Deferred)
    assert module.four_times(3) == imported_before(3)


def test_concurrent_first_calls_agree(module):
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(module.four_times, range(20))) == [4 * x for x in range(20)]


def test_deferred_function_keeps_its_documentation():
    @compiled()
    def documented() -> None:
        """Do nothing."""

    assert documented.__doc__ == "Do nothing."
    load_compiler()

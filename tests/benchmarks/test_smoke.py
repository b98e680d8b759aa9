"""Every benchmark runs in quick mode."""

import pytest
from benchmarks.__main__ import BENCHMARKS


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmark_runs_in_quick_mode(name, capsys):
    BENCHMARKS[name](quick=True)
    assert capsys.readouterr().out

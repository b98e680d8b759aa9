"""Every benchmark runs, in small."""

import pytest
from benchmarks.__main__ import BENCHMARKS


@pytest.mark.parametrize("name", BENCHMARKS)
def test_quick(name, capsys):
    BENCHMARKS[name](quick=True)
    assert capsys.readouterr().out

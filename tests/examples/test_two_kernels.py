"""The example of two kernels against their sum runs, draws, and shows what it says."""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from threadpoolctl import threadpool_limits

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_kernels_against_their_sum.py"


def test_both_learn_the_same_and_less_than_the_limit(monkeypatch, tmp_path, capsys):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(picture)])
    with mpl.rc_context({"backend": "agg"}), threadpool_limits(1):
        found = runpy.run_path(str(EXAMPLE))
        found["plt"].close(found["figure"])
    table, printed = found["table"], capsys.readouterr().out
    assert (table["TL"] < table["SKR"]).all()
    assert table["MKR"].to_numpy() == pytest.approx(table["SKR"].to_numpy(), rel=1e-6)
    assert table["MKR_REG"].to_numpy() == pytest.approx(table["SKR_REG"].to_numpy(), rel=1e-6)
    assert (found["differences"] < 1e-6).all(axis=None)
    assert "3.0284 0.0220 0.6709 0.6708" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")

"""Tables that are read in parts."""

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest

from learnkernels.cli import commands
from learnkernels.cli.data import PANDAS_2, read_table
from learnkernels.cli.stream import table_parts
from learnkernels.errors import InputError
from tests.cli.running import run

CELLS = """whole,mixed,number,flag,empty,place
1,2,0.5,True,,a
2,3,1,False,,b
3,4,2,,,NA
4,x,3,True,,c
5,6,NA,False,7,d
"""


@pytest.mark.parametrize("cells", [6, 12, 1000])
def test_types_and_cells_of_parts_are_those_of_the_whole_table(cells, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(CELLS)
    whole = read_table(str(path))
    parts = list(table_parts(str(path), cells=cells))
    assert len(parts) == -(-5 // max(cells // 6, 1))
    text = "".join(part.to_csv(index=False, header=not k) for k, part in enumerate(parts))
    assert text == whole.to_csv(index=False)
    pd.testing.assert_frame_equal(
        pd.concat(parts), whole, check_dtype=False, check_index_type=False
    )


@pytest.mark.parametrize("cells", [4, 1000])
def test_parts_of_a_parquet_file_keep_integers_with_missing_cells(cells, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    table = pd.DataFrame({"n": pd.array([1, 2, 3, None, 5], "Int64"), "x": np.arange(5) / 2})
    table.to_parquet(path)
    parts = list(table_parts(str(path), cells=cells))
    text = "".join(part.to_csv(index=False, header=not k) for k, part in enumerate(parts))
    assert len(parts) == (3 if cells == 4 else 1)
    assert text == table.to_csv(index=False)


@pytest.mark.skipif(PANDAS_2, reason="pandas 2 drops further cells in the first row of a part")
def test_error_in_a_later_part_names_the_line_and_keeps_no_output(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n" * 10 + "1,2,3\n")
    with pytest.raises(InputError, match="line 12 has 3 cells"):
        list(table_parts(str(path), cells=4))
    path.write_text("a,b\n")
    with pytest.raises(InputError, match="no rows"):
        list(table_parts(str(path)))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_memory_of_predict_does_not_grow_with_the_file(ending, tmp_path, rng, capsys, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    columns = [f"x{k}" for k in range(20)]
    train = pd.DataFrame(rng.standard_normal((60, 20)).round(2), columns=columns)
    train.assign(y=train["x0"] + train["x1"] ** 2).to_csv(tmp_path / "train.csv", index=False)
    options = ["--target", "y", "--kernels", "linear", "--alpha", 1]
    model, new, out = (tmp_path / name for name in ("model.lk", f"new.{ending}", "out.csv"))
    assert run(capsys, "fit", tmp_path / "train.csv", *options, "--save", model)[0] == 0
    # Parts of 250 rows.
    monkeypatch.setattr(commands, "table_parts", partial(table_parts, cells=250 * 20))
    part = pd.DataFrame(rng.standard_normal((250, 20)).round(2), columns=columns)
    peaks = {}
    for n in (250, 500, 3000):  # the first one loads what is loaded once
        table = pd.concat([part] * (n // 250))
        if ending == "csv":
            table.to_csv(new, index=False)
        else:
            table.to_parquet(new, row_group_size=250, index=False)
        peaks[n] = peak_memory(pa, lambda: run(capsys, "predict", model, new, "--output", out))
        assert out.read_text().count("\n") == n + 1
    added = (3000 - 500) * 20 * 8
    assert peaks[3000] - peaks[500] < 0.75 * added


def peak_memory(pa, command):
    """Return the largest memory that a command allocates in Python and in Arrow, in bytes."""
    pool, before = pa.proxy_memory_pool(pa.default_memory_pool()), pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        assert command()[0] == 0
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)

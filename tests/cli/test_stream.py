"""Tables that are read in parts."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from learnkernels.cli.data import read_table
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


def test_error_in_a_later_part_names_the_line_and_keeps_no_output(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n" * 10 + "1,2,3\n")
    with pytest.raises(InputError, match="line 12 has 3 cells"):
        list(table_parts(str(path), cells=4))
    path.write_text("a,b\n")
    with pytest.raises(InputError, match="no rows"):
        list(table_parts(str(path)))


@pytest.mark.parametrize(("ending", "most"), [("csv", 180_000), ("parquet", 300_000)])
def test_memory_of_predict_does_not_grow_with_the_file(ending, most, tmp_path, rng, capsys):
    pytest.importorskip("pyarrow")
    columns = [f"x{k}" for k in range(20)]
    train = pd.DataFrame(rng.standard_normal((60, 20)).round(2), columns=columns)
    train.assign(y=train["x0"] + train["x1"] ** 2).to_csv(tmp_path / "train.csv", index=False)
    options = ["--target", "y", "--kernels", "linear", "--alpha", 1]
    saved = ["--save", tmp_path / "model.lk"]
    assert run(capsys, "fit", tmp_path / "train.csv", *options, *saved)[0] == 0
    part = pd.DataFrame(rng.standard_normal((10_000, 20)).round(2), columns=columns)
    rows = part.to_csv(index=False, header=False)
    peaks = {}
    for n in (50_000, most):
        if ending == "csv":
            text = ",".join(columns) + "\n" + n // 10_000 * rows
            (tmp_path / "new.csv").write_text(text)
        else:
            table = pd.concat([part] * (n // 10_000))
            table.to_parquet(tmp_path / "new.parquet", row_group_size=20_000, index=False)
        predict = ["-m", "learnkernels", "predict", "model.lk", f"new.{ending}"]
        peaks[n] = peak_memory([sys.executable, *predict, "--output", "out.csv"], tmp_path)
        with (tmp_path / "out.csv").open() as lines:
            assert sum(1 for _ in lines) == n + 1
    added = (most - 50_000) * 20 * 8
    assert peaks[most] - peaks[50_000] < 0.75 * added


def peak_memory(command, folder):
    """Return the largest resident memory of a command, in bytes."""
    measure = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", measure, *command], cwd=folder, check=True, capture_output=True
    )
    return 1024 * int(done.stdout)

"""Tables are read, converted and checked."""

import numpy as np
import pandas as pd
import pytest

from learnkernels import InputError
from learnkernels.cli import data
from learnkernels.cli.data import check_infinite, read_table, task_of_target
from learnkernels.errors import TableWarning
from tests.cli.running import run


def test_parquet_and_gzip_files_are_read(table, capsys):
    frame = pd.read_csv(table)
    for path in (table.with_suffix(".parquet"), table.with_name("data.csv.gz")):
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
        status, out, _ = run(capsys, "fit", path, "--target", "kind")
        assert status == 0 and "90 rows" in out


@pytest.mark.parametrize("content", ["", "a,b\n", "y\n1\n2\n"])
def test_empty_file_is_one_line_error(content, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(content)
    status, _, err = run(capsys, "fit", path, "--target", "y")
    assert status == 2 and err.count("\n") == 1


@pytest.mark.parametrize("content", [b"\x1f\x8bbroken", b"\xff\xfe\x00\x01", b"a,b\n\xe9,1\n"])
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.zip", "data.parquet"])
def test_damaged_file_is_one_line_error(content, name, tmp_path, capsys):
    path = tmp_path / name
    path.write_bytes(content)
    status, _, err = run(capsys, "fit", path, "--target", "y")
    assert status == 2 and err.count("\n") == 1


def test_column_names_with_markup_or_digits_are_accepted(rng, tmp_path, capsys):
    path = tmp_path / "data.csv"
    frame = pd.DataFrame(rng.standard_normal((30, 2)), columns=["0", "y[/b]"])
    frame.to_csv(path, index=False)
    status, out, _ = run(capsys, "fit", path, "--target", "y[/b]", "--kernels", "linear")
    assert status == 0 and "y[/b]" in out
    (tmp_path / "twice.csv").write_text("a,a.1,y\n1,2,3\n")
    assert run(capsys, "fit", tmp_path, "--target", "y")[0] == 2


def test_table_with_many_columns_is_read(written):
    """20,000 columns, the number of human genes."""
    names = [f"gene {k}" for k in range(20_000)]
    rows = np.random.default_rng(0).integers(-9, 9, (3, len(names)))
    lines = [",".join(names), *(",".join(map(str, row)) for row in rows)]
    table = read_table(written("\n".join(lines)))
    assert (table.to_numpy() == rows).all() and list(table.columns) == names
    check_infinite(table)


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1", "x"], ["1", "x"]),
        (['"1,5"', '"2,5"'], ["1,5", "2,5"]),
        (["١٢", "٣"], ["١٢", "٣"]),
        (["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-02"]),
        (['"=HYPERLINK(""x"")"', "@SUM(1)"], ['=HYPERLINK("x")', "@SUM(1)"]),
        (["+cmd", "-1"], ["+cmd", "-1"]),
        pytest.param(
            ["1" * 30, "2"],
            [int("1" * 30), 2],
            marks=pytest.mark.skipif(data.PANDAS_2, reason="pandas 2 reads it as text"),
        ),
        (["1e3", "-1"], [1000.0, -1.0]),
        pytest.param(
            ["1e400", "2"],
            [np.inf, 2.0],
            marks=pytest.mark.skipif(data.PANDAS_2, reason="pandas 2 reads it as text"),
        ),
    ],
)
def test_column_is_numeric_if_all_its_cells_are(cells, read, written):
    table = read_table(written("a,b\n" + "".join(f"{cell},1\n" for cell in cells)))
    assert table["a"].tolist() == read
    if np.inf in read:
        with pytest.raises(InputError, match=r"\['a'\] contain infinite .*expected finite"):
            check_infinite(table)


def test_column_with_one_late_text_is_text(written):
    """Equal cells are one category, also in different blocks of a long file."""
    path = written("a,b\n" + "1,0\n" * 300_000 + ",0\n1,0\nx,0\n")
    table = read_table(path)
    assert set(table["a"].dropna()) == {"1", "x"}


def test_absent_cells_are_missing_values(written):
    table = read_table(written("a,b,c\n1,2\n4,5,6\n"))
    assert table["c"].isna().tolist() == [True, False]


def test_columns_without_name_are_numbered(written):
    assert list(read_table(written(",a,\n1,2,3\n")).columns) == ["Unnamed: 0", "a", "Unnamed: 2"]


def test_error_for_unknown_target_suggests_missing_header(written):
    table = read_table(written("5.1,3.5,0\n4.9,3.0,1\n"))
    with pytest.raises(InputError, match="is the header missing"):
        data.split_target(table, "kind")
    assert data.split_target(table, "0")[1].tolist() == [1]


def test_rows_without_target_are_left_out_with_a_count(written):
    table = read_table(written("a,y\n1,u\n2,\n3,v\n4,\n"))
    with pytest.warns(TableWarning, match=r"2 rows of 4 without a target \('y'\) are left out"):
        X, y = data.split_target(table, "y")
    assert X["a"].tolist() == [1, 3] and y.tolist() == ["u", "v"]
    with pytest.raises(InputError, match="missing in every row"):
        data.split_target(table.assign(y=np.nan), "y")


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (range(115, 130), "regression"),  # 15 different weights of 15 women
        ([0, 1] * 4, "classification"),
        ([1, 2, 3] * 5, "classification"),
        ([1, 2, 3, 4], "regression"),
        (list(range(30)) * 10, "regression"),
        (["a", "b", "c"], "classification"),
        ([0.5, 1.5] * 20, "regression"),
    ],
)
def test_task_is_classification_if_few_integers_occur_often(values, task):
    assert data.task_of_target(pd.Series(list(values), name="y"), "auto") == task


def test_dates_in_other_formats_are_read(written):
    table = data.as_dates(read_table(written("d,x\n29/02/2024,1\n28/02/2024,2\n")), ["d"], "")
    assert table["d"].dt.month.tolist() == [2, 2]
    with pytest.raises(InputError, match="column 'd' cannot be read as dates"):
        data.as_dates(pd.DataFrame({"d": ["29/02/2024", "no day"]}), ["d"], "")
    with pytest.raises(InputError, match=r"column 'd' contains numbers, not dates.*, or drop it\."):
        data.as_dates(pd.DataFrame({"d": [20240229, 20240228]}), ["d"], "or drop it")
    assert data.as_dates(pd.DataFrame({"d": [np.nan]}), ["d"], "")["d"].isna().all()


@pytest.mark.parametrize(("sep", "option"), [(";", ";"), ("\t", "\t"), ("\t", r"\t"), ("|", "|")])
def test_sep_option_reads_other_separators(sep, option, written):
    path = written(f'a{sep}b\n1{sep}"x{sep}y"\n2{sep}z\n')
    with pytest.raises(InputError, match=r"is separated by .* Expected commas; pass --sep"):
        read_table(path)
    assert read_table(path, option).to_dict("list") == {"a": [1, 2], "b": [f"x{sep}y", "z"]}


def test_wrong_sep_option_names_the_separator_found(written):
    with pytest.raises(InputError, match=r"is separated by ','. Expected ';'; pass --sep ','"):
        read_table(written("a,b\n1,2\n"), ";")


@pytest.mark.parametrize("sep", ["", ";;", '"', "\n"])
def test_invalid_sep_option_raises_input_error(sep, written):
    with pytest.raises(InputError, match=r"--sep .* is not a separator"):
        read_table(written("a,b\n1,2\n"), sep)


def test_target_of_lists_raises_with_the_first_cell():
    with pytest.raises(InputError, match=r"target 'y' contain several values .*\[1, 2\]"):
        task_of_target(pd.Series([[1, 2], [3]] * 5, name="y"), "auto")


def test_text_in_a_numeric_target_raises_with_the_cell_and_both_remedies():
    y = pd.Series([*(f"{k}.5" for k in range(30)), "oops"], name="height")
    with pytest.raises(InputError, match=r"text in 1 of 31 rows, such as 'oops'.*--task"):
        task_of_target(y, "auto")
    assert task_of_target(y, "classification") == "classification"
    assert task_of_target(pd.Series(["1", "2", "3+"] * 10), "auto") == "classification"

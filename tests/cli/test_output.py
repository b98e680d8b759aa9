"""Output of commands: files and terminals, for arbitrary content of the input files."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from learnkernels.cli import main
from learnkernels.cli.data import read_table
from learnkernels.cli.show import largest_weights, views_table, weights_table
from tests.cli.running import run

CLASSES = ['=HYPERLINK("http://x","y")', "@SUM(1)", "-1", "+1|2", 'a "b", c\r\nd']
CLEAR = "\x1b[2J"
# A process whose only command prints a line; the imports of the others take seconds.
PRINTING = """
import argparse, sys, types
from learnkernels.cli import main
def parser():
    found = argparse.ArgumentParser()
    found.set_defaults(run=lambda options: print("done"))
    return found
sys.modules["learnkernels.cli.parser"] = types.SimpleNamespace(parser=parser)
sys.exit(main([]))
"""


@pytest.fixture
def table(rng, tmp_path):
    """Five separable classes with labels that a spreadsheet would read as formulas."""
    kind = np.arange(60) % 5
    X = rng.standard_normal((60, 2)) * 0.1 + 9 * kind[:, None] ** [1, 2]
    frame = pd.DataFrame(X, columns=[f"a{CLEAR}", f"a{CLEAR}b"])
    frame["kind"] = np.array(CLASSES)[kind]
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def model(table, capsys):
    path = table.with_name("model.lk")
    status, out, err = run(
        capsys, "fit", table, "--target", "kind", "--view", f"a{CLEAR}", "--save", path,
        "--kernels", "gaussians:-2..0", "--method", "alignf", "--C", "1",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "\x1b" not in out and r"a\x1b[2J" in out
    return path


def test_cells_and_classes_are_written_unchanged(table, model, capsys):
    """Labels that begin with = are not escaped; a spreadsheet has to import them as text."""
    output = table.with_name("out.csv")
    assert run(capsys, "predict", model, table, "--output", output)[0] == 0
    read, predicted = read_table(str(table)), read_table(str(output))
    assert predicted[list(read.columns)].equals(read)
    assert (predicted["prediction"] == read["kind"]).mean() > 0.9
    assert set(predicted["prediction"]) <= set(CLASSES)


def test_output_does_not_overwrite_input(table, model, capsys):
    before = table.read_bytes(), model.read_bytes()
    (table.parent / "link.csv").symlink_to(table)
    for arguments in (
        ("predict", model, table, "--output", table),
        ("predict", model, table, "--output", table.parent / "link.csv"),
        ("predict", model, table, "--output", model),
        ("fit", table, "--target", "kind", "--save", table),
        ("compare", table, "--target", "kind", "--json", table),
    ):
        status, out, err = run(capsys, *arguments)
        assert (status, out) == (2, "") and "choose another file" in err
    assert (table.read_bytes(), model.read_bytes()) == before


def test_models_and_tables_in_wrong_order_are_refused(table, model, capsys):
    for arguments, message in (
        (("predict", table, model), "is not a model file of learnkernels"),
        (("predict", model, model), "is a model of 'fit --save'"),
        (("fit", model, "--target", "kind"), "is a model of 'fit --save'"),
        (
            ("predict", model, table, "--output", table.parent),
            "Permission denied" if os.name == "nt" else "Is a directory",
        ),
    ):
        status, out, err = run(capsys, *arguments)
        assert (status, out) == (2, "") and message in err and err.count("\n") == 1


def test_pipe_receives_utf8_for_every_system_encoding(tmp_path, monkeypatch):
    table = tmp_path / "table.csv"
    rows = (f"{i % 5},{'日本' if i % 5 > 2 else 'naïve→'}\n" for i in range(30))
    table.write_text("λ,kind\n" + "".join(rows), encoding="utf-8")

    def output(*arguments):
        pipe = io.BytesIO()
        # The default encoding on Windows.
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="cp1252"))
        assert main([str(argument) for argument in arguments]) == 0
        return pipe.getvalue().decode()

    model = tmp_path / "model.skops"
    options = ["--method", "unif", "--kernels", "linear", "--C", 1]
    output("fit", table, "--target", "kind", *options, "--save", model)
    assert {"日本", "naïve→"} <= set(output("predict", model, table).replace(",", "\n").split())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_full_disk_is_one_line_error(table, model, capsys):
    status, out, err = run(capsys, "predict", model, table, "--output", "/dev/full")
    assert (status, out) == (2, "") and "No space left" in err and err.count("\n") == 1
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-c", PRINTING]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


def test_control_characters_in_errors_are_escaped(table, model, capsys):
    other = table.with_name("other.csv")
    other.write_text("kind\nx\n")
    status, _, err = run(capsys, "predict", model, other)
    assert status == 2 and r"a\x1b[2J, a\x1b[2Jb" in err and "\x1b" not in err
    other.write_text("x" * 100_000 + ",b\n1,2\n")
    status, _, err = run(capsys, "fit", other, "--target", "y")
    assert status == 2 and "no column 'y'" in err and len(err) < 3000


def test_control_characters_in_warnings_are_escaped(capsys, monkeypatch):
    def warned(_):
        warnings.simplefilter("always")
        warnings.warn(f"column a{CLEAR}\nb", stacklevel=1)

    monkeypatch.setattr("learnkernels.cli.commands.run_demo", warned)
    assert main(["demo"]) == 0
    assert capsys.readouterr().err == "learnkernels: warning: column a\\x1b[2J b\n"


def test_control_characters_in_tables_are_escaped():
    names, weights = [f"a{CLEAR}", "b\r\n\x9bc"], np.array([0.7, 0.3])
    shown = Console(file=io.StringIO(), markup=False, width=110)
    shown.print(weights_table(names, weights, weights))
    shown.print(views_table(dict(zip(names, weights, strict=True))))
    text = shown.file.getvalue() + largest_weights(names, weights)
    assert text.count(r"a\x1b[2J") == 3 and text.count(r"b\r\n\x9bc") == 3
    assert not set(text) & {"\x1b", "\x9b", "\r"}

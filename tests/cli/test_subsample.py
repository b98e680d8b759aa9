"""`fit` of a Parquet file that is read in parts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.cli import commands, stream
from learnkernels.estimators.large import streaming
from tests.cli.running import run

OPTIONS = ("--target", "y", "--components", "40", "--subsample", "300")


@pytest.fixture
def path(rng, tmp_path):
    table = pd.DataFrame(rng.standard_normal((1200, 3)), columns=["a", "b", "id"])
    table["kind"] = rng.choice(["red", "green"], 1200)
    table["y"] = np.sin(table["a"]) + (table["kind"] == "red") + table["b"]
    table.to_parquet(tmp_path / "big.parquet", row_group_size=200)
    return tmp_path / "big.parquet"


def test_fit_reads_parts_and_predict_uses_the_model(capsys, path, tmp_path, monkeypatch):
    monkeypatch.setattr(pd, "read_parquet", None)  # the whole file is never read
    model = tmp_path / "m.lk"
    status, shown, _ = run(capsys, "fit", path, *OPTIONS, "--drop", "id", "--save", model)
    assert status == 0 and "regression of 'y' from 3 columns, 1,200 rows" in shown
    assert "kernel learned from 300 rows\n" in shown
    saved = lk.load(model)["model"]
    assert len(saved.subsample_) == 300 and list(saved.feature_names_in_) == ["a", "b", "kind"]
    out = tmp_path / "out.csv"
    assert run(capsys, "predict", model, path, "--output", out)[0] == 0
    predicted = pd.read_csv(out)
    assert np.corrcoef(predicted["prediction"], predicted["y"])[0, 1] > 0.99


def test_interrupted_fit_names_the_option_that_continues(capsys, path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(streaming, "train_on_all", interrupted)
    status, _, err = run(capsys, "fit", path, *OPTIONS)
    assert status == 130 and "interrupted. With --checkpoint FILE, the same command" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "y", "--subsample", "300"), "needs --components"),
        ((*OPTIONS[:4], "--subsample", "many"), "--subsample 'many' is not a number of rows"),
        (("--target", "z", *OPTIONS[2:]), "has no column 'z'"),
        (("--target", "z", *OPTIONS[2:]), "Pass one of them as --target."),
        ((*OPTIONS, "--drop", "unknown"), "unknown"),
        ((*OPTIONS, "--drop", "y"), "--drop contains the target 'y'"),
        ((*OPTIONS, "--save", "absent/m.lk"), "the folder 'absent' does not exist"),
        ((*OPTIONS, "--checkpoint", "absent/c.npz"), "the folder 'absent' does not exist"),
        (
            (*OPTIONS[:4], "--checkpoint", "c.npz"),
            "pass --subsample auto, or leave --checkpoint out",
        ),
    ],
)
def test_wrong_options_are_explained(options, message, path, capsys):
    status, _, shown = run(capsys, "fit", path, *options)
    assert status != 0 and message in shown


@pytest.mark.parametrize("exists", [False, True])
def test_checkpoint_that_is_the_model_file_is_refused_before_the_table_is_read(
    exists, path, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(commands, "lazy_data_of", None)
    file = tmp_path / "model.lk"
    if exists:
        file.write_bytes(b"earlier")
    same = tmp_path / "." / "folder" / ".." / "model.lk"
    (tmp_path / "folder").mkdir()
    status, _, shown = run(capsys, "fit", path, *OPTIONS, "--save", file, "--checkpoint", same)
    assert status == 2 and "--save and --checkpoint name the same file" in shown
    assert file.exists() == exists


# The table has 6,000 cells.
@pytest.mark.parametrize(
    ("options", "in_parts"),
    [
        (("--max-memory", "1GB"), True),
        (("--max-memory", "10GB"), False),
        (("--max-memory", "1GB", "--scoring", "r2"), False),
    ],
)
def test_file_that_does_not_fit_max_memory_is_read_in_parts(
    options, in_parts, capsys, path, tmp_path, monkeypatch
):
    monkeypatch.setattr(streaming, "AUTO_ROWS", 300)
    monkeypatch.setattr(stream, "BYTES_OF_CELL", 1e6)
    if in_parts:
        monkeypatch.setattr(pd, "read_parquet", None)  # the whole file is never read
    model = tmp_path / "m.lk"
    few = ("--kernels", "gaussians:-2..0", "--method", "alignf")
    status, _, shown = run(capsys, "fit", path, *OPTIONS[:4], *few, *options, "--save", model)
    assert status == 0 and ("as with --subsample auto" in shown) == in_parts
    assert hasattr(lk.load(model)["model"], "subsample_") == in_parts


def test_rows_without_a_target_cannot_be_left_out(path, capsys):
    table = pd.read_parquet(path)
    table.loc[3, "y"] = np.nan
    table.to_parquet(path)
    status, _, shown = run(capsys, "fit", path, *OPTIONS)
    assert status != 0 and "missing in 1 row" in shown
    assert "leave --subsample out, and pass a --max-memory of more than 576 kB" in shown


COMMAND = (
    "fit", "--target", "y", "--kernels", "gaussians:-2..0", "--alpha", "0.1", "--components",
    "60", "--subsample", "200", "--n-jobs", "1",
)  # fmt: skip


@pytest.fixture
def big(tmp_path):
    """Write a table that is read in 25 ranges of rows."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((50_000, 4)), columns=list("abcd"))
    table["y"] = np.sin(table["a"]) + table["b"] * table["c"]
    table.to_parquet(tmp_path / "big.parquet", row_group_size=10_000)
    return tmp_path / "big.parquet"


# Sums are saved often, so that the bar counts often. PAUSE is the number of seconds before each
# range of rows, so that the pass does not end before it is interrupted.
PROGRAM = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
from learnkernels.cli import main
from learnkernels.estimators.large import streaming
from learnkernels.execution import checkpoint
read = streaming.read_validated
def slowly(*arguments):
    time.sleep(float(os.environ["PAUSE"]))
    return read(*arguments)
streaming.read_validated = slowly
checkpoint.SECONDS = 0.1
sys.exit(main())
"""


def started(*arguments, pause="0", **options):
    """Start the command in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TERM": "xterm", "COLUMNS": "120"}
    environment["PAUSE"] = pause
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, **options)


def rows_done(file):
    """Return how many ranges of rows a checkpoint contains."""
    with np.load(file) as content:
        return int(content["done"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_fit_that_is_interrupted_on_a_terminal_continues_from_its_checkpoint(big, tmp_path, capsys):
    import pty

    file, model, whole = tmp_path / "sums.npz", tmp_path / "m.lk", tmp_path / "whole.lk"
    terminal, standard_error = pty.openpty()
    with started(
        *COMMAND, big, "--checkpoint", file, "--save", model, pause="0.3", stderr=standard_error
    ) as process:
        os.close(standard_error)
        shown, rest = "", []
        # Interrupt it in the pass over all rows, when the bar shows the time left.
        while not re.search(r"\d:\d\d .*normal equations", plain(shown)):
            try:
                shown += os.read(terminal, 4096).decode()
            except OSError:  # the command has ended
                pytest.fail(f"no progress bar was shown: {plain(shown)}")
        process.send_signal(signal.SIGINT)
        reader = threading.Thread(target=read_to_the_end, args=(terminal, rest))
        reader.start()
        process.communicate()
        reader.join()
    assert process.returncode == 130
    assert "interrupted. The total over the first" in plain("".join(rest)).replace("\r\n", " ")
    assert file.exists() and not model.exists()
    done = rows_done(file)
    assert 0 < done < 25
    for options in (("--checkpoint", file, "--save", model), ("--save", whole)):
        assert run(capsys, *COMMAND, big, *options)[0] == 0
    assert not file.exists()
    table = pd.read_parquet(big)[list("abcd")].head(50)
    found, expected = (lk.load(one)["model"].predict(table) for one in (model, whole))
    assert np.allclose(found, expected, rtol=0, atol=1e-8)


def read_to_the_end(terminal, rest):
    """Read what a command shows, so that it is not blocked, and close the terminal."""
    try:
        while shown := os.read(terminal, 4096):
            rest.append(shown.decode())
    except OSError:  # the command has ended
        pass
    os.close(terminal)


def plain(text):
    """Return what a terminal shows, without its control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)

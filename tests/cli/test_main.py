"""Exit status, errors and help."""

import os
import subprocess
import sys

import pytest

import learnkernels as lk
from learnkernels.cli import main
from learnkernels.cli.main import limit_threads
from tests.cli.running import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "nowhere.csv", "--target", "y"], "no file"),
        (["fit", "DATA", "--target", "price"], "no column 'price'"),
        (["fit", "DATA", "--target", "kind", "--task", "regression"], "contains text"),
        (["fit", "DATA", "--target", "kind", "--kernels", "gausians"], "unknown"),
        (["fit", "DATA", "--target", "kind", "--kernels", "gaussians:a..b"], "range"),
        (
            ["fit", "DATA", "--target", "kind", "--kernels", "gaussians:3..1"],
            "smaller number first",
        ),
        (["fit", "DATA", "--target", "kind", "--kernels", "linear:1..2"], "has no range"),
        (["fit", "DATA", "--target", "kind", "--kernels", ","], "is empty"),
        (["fit", "DATA", "--target", "kind", "--method", "magic"], "expected one of"),
        (["fit", "DATA", "--target", "kind", "--save", "nowhere/model"], "cannot write"),
        (["compare", "DATA", "--target", "kind", "--cv", "2"], "from 3"),
        (["compare", "DATA", "--target", "kind", "--methods", ","], "at least one"),
        (["predict", "DATA", "DATA"], "is not a model file of learnkernels"),
        (["fit", "DATA", "--target", "amount", "--task", "classification"], "--task regression"),
        (["fit", "DATA", "--target", "kind", "--missing", "neutral"], "no view is given"),
        (["compare", "DATA", "--target", "kind", "--methods", "unif,aling"], "Did you mean align?"),
        (["fit", "DATA", "--target", "kind", "--kernels", "chi2"], "pass --raw"),
        (["predict", "nowhere", "DATA"], "cannot read"),
    ],
)
def test_invalid_arguments_print_one_line_with_status_2(arguments, message, table, capsys):
    arguments = [str(table) if argument == "DATA" else argument for argument in arguments]
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert message in err and err.startswith("learnkernels: ") and err.count("\n") == 1


def test_interrupt_prints_one_line_with_status_130(table, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("learnkernels.cli.commands.read_table", interrupted)
    assert main(["fit", str(table), "--target", "kind"]) == 130
    assert capsys.readouterr().err == "learnkernels: interrupted.\n"


def test_interrupt_during_imports_prints_one_line_with_status_130():
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'learnkernels.cli.commands':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from learnkernels.cli import main\n"
        "sys.exit(main(['demo']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "learnkernels: interrupted.\n")


def test_interrupts_while_libraries_are_imported_end_the_process_at_once():
    """NumPy and pandas print tracebacks, or raise other errors, if their import is stopped."""
    code = (
        "import os, signal, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'numpy._core':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from learnkernels.cli import main\n"
        "sys.exit(main(['demo']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "learnkernels: interrupted.\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ulimit -v 900000; {} demo", "address space is limited to 900,000 kB"),
        ("{} demo >&-", "standard output is closed"),
    ],
)
def test_too_small_address_space_or_closed_output_gives_one_line_with_status_2(command, message):
    shell = command.format(f"{sys.executable} -m learnkernels")
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_small_address_space_limits_blas_to_one_thread(monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    limit_threads(float("inf"))
    assert "OMP_NUM_THREADS" not in os.environ
    limit_threads(2e9)
    assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_command_line_is_imported_without_other_libraries():
    code = "import sys, learnkernels.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_module_runs_and_broken_pipe_does_not_raise():
    """``python -m learnkernels`` works, and a reader that goes away is no error."""
    command = [sys.executable, "-m", "learnkernels", "datasets", "list"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == ""


def test_version_is_printed(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out.strip() == lk.__version__


def test_help_is_printed_without_command(capsys):
    status, out, err = run(capsys)
    assert (status, err) == (0, "")
    assert out.startswith("usage: learnkernels") and "compare methods" in out


def test_sep_option_is_available_for_every_command_that_reads_a_table(table, capsys):
    names = ("semicolons.csv", "model.lk", "page.md")
    semicolons, model, page = (table.with_name(name) for name in names)
    semicolons.write_text(table.read_text().replace(",", ";"))
    options = ["--target", "kind", "--kernels", "linear"]
    given = [*options, "--method", "unif", "--C", "1"]
    status, _, err = run(capsys, "fit", semicolons, *options)
    assert status == 2 and err == (
        f"learnkernels: '{semicolons}' is separated by ';'. Expected commas; pass --sep ';'.\n"
    )
    for arguments in (
        ["fit", semicolons, *given, "--save", model],
        ["predict", model, semicolons],
        ["compare", semicolons, *options, "--cv", "3", "--methods", "unif"],
        ["report", model, semicolons, "--draws", "0", "--cv", "0", "--output", page],
    ):
        assert run(capsys, *arguments, "--sep", ";")[0] == 0

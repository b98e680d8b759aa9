"""The command datasets."""

import pytest

from tests.cli.running import run


def test_datasets_are_listed_and_found(genuine, capsys):
    genuine("sonar")
    status, out, err = run(capsys, "datasets", "list")
    assert (status, err) == (0, "") and "kin8nm" in out and "local" in out
    status, out, err = run(capsys, "datasets", "path", "sonar")
    assert (status, err) == (0, "") and out.strip().endswith("sonar.csv.gz")
    status, out, err = run(capsys, "datasets", "fetch", "sonar", "kin8nm")
    assert (status, err) == (0, "") and len(out.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["datasets", "path", "irises"], "unknown data set 'irises'"),
        (["datasets", "fetch", "splice_junction"], "save it as splice_junction.csv.gz"),
    ],
)
def test_unknown_or_manual_data_set_is_one_line_error(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == ""
    assert message in err and err.count("\n") == 1

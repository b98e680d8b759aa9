"""The options --text, --sequence and --view."""

import pytest

from tests.cli.running import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--text", "zzz"], "no column 'zzz'"),
        (["--view", "zzz:"], "no column is called 'zzz:'"),
        (["--sequence", "gene:a"], "contains numbers"),
    ],
)
def test_unknown_or_numeric_view_is_one_line_error(arguments, message, sources, capsys):
    status, _, err = run(capsys, "fit", sources, "--target", "kind", *arguments)
    assert status == 2 and message in err and err.count("\n") == 1

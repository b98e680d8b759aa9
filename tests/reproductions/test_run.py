"""Arguments and results of `reproduce`."""

import pytest

import learnkernels as lk
from learnkernels.reproductions import reproduce


def test_tables_depend_only_on_random_state(genuine, tmp_path):
    genuine("sonar")
    options = {"quick": True, "figures": False}
    runs = [
        reproduce("2009-figure1-kitchen", random_state=seed, folder=tmp_path / str(k), **options)
        for k, seed in enumerate([0, 0, 1])
    ]
    assert runs[0]["tables"] == runs[1]["tables"]
    assert runs[0]["tables"] != runs[2]["tables"]


def test_outcome_does_not_depend_on_n_jobs(tmp_path):
    one = reproduce("2017-examples", quick=True, folder=tmp_path / "1", figures=False)
    two = reproduce("2017-examples", quick=True, folder=tmp_path / "2", n_jobs=2, figures=False)
    assert one == two


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "2012-table9"}, "2012-table2"),
        ({"name": "2017-examples", "n_jobs": 0}, "n_jobs=0"),
        ({"name": "2017-examples", "random_state": -1}, "random_state=-1"),
        ({"name": "2017-examples", "random_state": 1.5}, "random_state=1.5"),
    ],
)
def test_invalid_argument_raises_input_error(options, message, tmp_path):
    with pytest.raises(lk.InputError, match=message):
        reproduce(**options, folder=tmp_path)

"""Tables and the history of comparisons of two revisions."""

import json

from benchmarks.compare_revisions import medians, record, table


def comparison(revision: str, now: float) -> dict:
    runs = [
        ({"fit": 2.0}, {"fit": 1.0}),
        ({"fit": 4.0}, {"fit": now}),
        ({"fit": 9.0}, {"fit": now}),
    ]
    versions = {"learnkernels": "0.2.0"}
    return {
        "revision": revision,
        "earlier": "0.1.0",
        "versions": versions,
        "ratios": medians(runs),
    }


def test_table_has_medians_and_their_quotient():
    *_, row = table(comparison("abc", 2.0))
    assert row == "| fit | 4.000 | 2.000 | 0.50 |"


def test_history_has_one_comparison_of_two_revisions(tmp_path):
    file = tmp_path / "history.json"
    for revision, now in (("abc", 2.0), ("def", 2.0), ("abc", 3.0)):
        record(comparison(revision, now), file)
    found = json.loads(file.read_text(encoding="utf-8"))
    assert [one["revision"] for one in found] == ["def", "abc"]
    assert found[1]["ratios"] == {"fit": [4.0, 3.0]}

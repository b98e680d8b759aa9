"""Tables that compare two revisions."""

from benchmarks.compare_revisions import table


def test_table_has_medians_and_their_quotient():
    runs = [
        ({"fit": 2.0}, {"fit": 1.0}),
        ({"fit": 4.0}, {"fit": 3.0}),
        ({"fit": 9.0}, {"fit": 2.0}),
    ]
    *_, row = table("v0.1.0", runs)
    assert row == "| fit | 4.000 | 2.000 | 0.50 |"

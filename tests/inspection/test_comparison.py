"""Results of comparisons."""

from learnkernels.inspection.comparison import BaselineResult, Comparison, MethodResult


def test_notebook_table_contains_methods_and_notes():
    errors = (0.125, 0.01, [0.12, 0.13], {"AUC": 0.875})

    def result(method, best, unif):
        numbers = (0.5, 0.1, 0.4, 0.1)
        return MethodResult(method, *errors, *numbers, [0.1, 0.1], [1.0], 0.5, best, unif)

    methods = [result("unif", "worse", ""), result("<b>mine", "best", "better")]
    found = Comparison(
        "classification", 200, BaselineResult("most frequent class", *errors), methods, ["linear"],
        {"dc": "a < b"}, {"ufo": 3},
    )  # fmt: skip
    html = found._repr_html_()
    assert "200 samples, 2 folds" in html and "12.5 ± 1.0 %" in html
    assert "&lt;b&gt;mine *" in html and "95 % interval" in html and html.count("0.875") == 3
    assert "dc is not applicable: a &lt; b" in html and "ufo: 3 fits did not converge." in html

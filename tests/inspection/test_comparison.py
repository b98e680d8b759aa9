"""Results of comparisons."""

from learnkernels.inspection.comparison import Comparison, MethodResult


def test_notebook_table_contains_methods_and_notes():
    def result(method, beats_unif):
        numbers = (0.125, 0.01, 0.5, 0.1, 0.4, 0.1)
        return MethodResult(method, *numbers, [0.12, 0.13], [0.1, 0.1], [1.0], 0.5, beats_unif)

    methods = [result("unif", False), result("<b>mine", True)]
    found = Comparison("classification", 200, methods, ["linear"], {"dc": "a < b"}, {"ufo": 3})
    html = found._repr_html_()
    assert "200 samples, 2 folds" in html and "12.5 ± 1.0 %" in html
    assert "&lt;b&gt;mine *" in html and "t-test" in html
    assert "dc is not applicable: a &lt; b" in html and "ufo: 3 fits did not converge." in html

"""From a fitted model to text."""

import json

import learnkernels as lk
from learnkernels.inspect import compare
from learnkernels.report import summary, to_markdown


def test_summary_is_plain_and_sorted_by_weight(classes):
    model = lk.KernelClassifier(C=[1, 10]).fit(*classes)
    found = summary(model, compare(*classes), "made up")
    assert json.loads(json.dumps(found)) == found
    weights = [kernel["weight"] for kernel in found["kernels"]]
    assert weights == sorted(weights, reverse=True)


def test_markdown_names_kernels_methods_and_proof(curve):
    model = lk.KernelRegressor(method=lk.methods.Align()).fit(*curve)
    text = to_markdown(summary(model, compare(*curve, task="regression"), "a curve"))
    for words in ("# Learned kernel: a curve", "| `linear` |", "| alignf", "closed form"):
        assert words in text
    assert "Methods compared" not in to_markdown(summary(model))

"""The weights of highest alignment."""

import numpy as np
from scipy.optimize import minimize

import learnkernels as lk
from learnkernels.gram.inner_products import JointProducts
from learnkernels.methods import alignf
from tests.methods.problems import learn, many


def test_alignf_has_the_highest_alignment(problem, statistics):
    mu, _ = learn(lk.methods.AlignF(), problem)
    best = statistics.alignment(mu)
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.full(5, 0.3), 500):
        assert statistics.alignment(other) <= best + 1e-12
    found = minimize(lambda v: -statistics.alignment(v), np.full(5, 0.2), bounds=[(0, None)] * 5)
    assert -found.fun <= best + 1e-9


def test_alignf_with_many_kernels_does_not_form_all_inner_products(monkeypatch):
    X, y = many()
    expected = lk.KernelClassifier(lk.per_feature(), "alignf", C=1.0).fit(X, y)
    monkeypatch.setattr(alignf, "SMALL", 10)

    def refuse(self):
        raise AssertionError("all inner products were formed")

    monkeypatch.setattr(JointProducts, "full", refuse)
    model = lk.KernelClassifier(lk.per_feature(), "alignf", C=1.0).fit(X, y)
    assert model.certificate_.status == "optimal"
    assert np.isclose(model.alignment_, expected.alignment_, rtol=1e-9)
    twins = [10, 11]
    others = np.delete(np.arange(300), twins)
    assert np.allclose(model.weights_[others], expected.weights_[others], atol=1e-8)
    assert np.isclose(model.weights_[twins].sum(), expected.weights_[twins].sum(), atol=1e-8)

"""Pairwise kernels by their formulas, and their errors."""

import numpy as np
import pytest

import learnkernels as lk
from learnkernels import InputError
from learnkernels.kernels import resolve
from tests.pair_problems import gram

RNG = np.random.default_rng(0)
A, A2, B = gram(RNG, 5), gram(RNG, 5), gram(RNG, 4)
X = np.array([[0, 1], [4, 3], [2, 2], [0, 3]])


def grams(family, pairs=X):
    return {kernel.name: kernel(pairs) for kernel in resolve(family, pairs.astype(float))}


def test_kronecker_kernels_are_products():
    found = grams(lk.pairs({"a": A, "a2": A2}, {"b": B}))
    left, right = X.T
    assert list(found) == ["a x b", "a2 x b"]
    np.testing.assert_allclose(found["a x b"], A[np.ix_(left, left)] * B[np.ix_(right, right)])


@pytest.mark.parametrize(("kind", "name"), [("sum", "1"), ("cartesian", "same")])
def test_sum_and_cartesian_kernels_are_of_one_object(kind, name):
    found = grams(lk.pairs({"a": A}, {"b": B}, kind=kind))
    left, right = X.T
    other = np.ones((4, 4)) if kind == "sum" else right[:, None] == right
    np.testing.assert_allclose(found[f"a x {name}"], A[np.ix_(left, left)] * other)
    assert list(found) == [f"a x {name}", f"{name} x b"]


def test_symmetric_kernels_do_not_depend_on_the_order():
    pairs = np.array([[0, 1], [4, 3], [2, 2]])
    family = lk.pairs({"a": A, "a2": A2}, kind="symmetric")
    found = grams(family, pairs)
    assert list(found) == ["a x a", "a x a2", "a2 x a2"]
    for name, kernel in zip(found, resolve(family, pairs.astype(float)), strict=True):
        np.testing.assert_allclose(kernel(pairs, pairs[:, ::-1]), found[name])
        np.testing.assert_allclose(kernel.diagonal(pairs), np.diag(found[name]))
    expected = (A[0, 4] * A[1, 3] + A[0, 3] * A[1, 4]) / 2
    np.testing.assert_allclose(found["a x a"][0, 1], expected)


def test_family_depends_on_objects_of_training_pairs_only():
    features = np.random.default_rng(0).standard_normal((6, 2))
    changed = features.copy()
    changed[5] *= 1000
    pairs = np.array([[0, 0], [1, 1], [2, 2], [3, 3], [4, 0], [5, 1]], dtype=float)
    weights = np.array([1.0, 1, 1, 1, 1, 0])
    names = [
        [k.name for k in resolve(lk.pairs((Z, lk.gaussians()), {"b": B}), pairs, weights)]
        for Z in (features, changed)
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ("pair", "match"),
    [([5, 0], "left table has 5"), ([0, 4], "right table has 4"), ([0.5, 0], "from 0 to 4")],
)
def test_pair_outside_the_tables_is_refused(pair, match):
    family = lk.pairs({"a": A}, {"b": B})
    with pytest.raises(InputError, match=match):
        resolve(family, np.array([[0, 0], pair], dtype=float))


def test_x_of_another_shape_is_refused():
    with pytest.raises(InputError, match=r"shape \(n_pairs, 2\), found \(4, 3\)"):
        resolve(lk.pairs({"a": A}, {"b": B}), np.zeros((4, 3)))


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (({"a": A}, {"b": B}, "product"), "kind"),
        (({"a": A},), "without right"),
        (({"a": A}, {"b": B}, "symmetric"), "with right"),
        ((A, {"b": B}), r"kernels on the left .*\(5, 5\)"),
        (({"a": A, "c": B}, {"b": B}), "kernels on the left"),
        (({"a": A}, {}), "kernels on the right"),
    ],
)
def test_invalid_arguments_are_refused(arguments, match):
    with pytest.raises(InputError, match=match):
        lk.pairs(*arguments)

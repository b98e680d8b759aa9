"""Samples that a view has not seen stand at the view's mean in feature space."""

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.gram import Bank, Threads, pair_sums
from learnkernels.kernels import resolve
from tests import dense

N = 40


@pytest.fixture
def table(rng):
    y = np.arange(N) % 2
    return pd.DataFrame(
        {
            "a1": rng.standard_normal(N) + y,
            "a2": rng.standard_normal(N),
            "b1": rng.standard_normal(N) - y,
            "c": ["".join(rng.choice(list("ACGT"), 10)) for _ in range(N)],
        }
    )


@pytest.fixture
def gaps(table):
    """The table where each view lacks some samples."""
    table.loc[::7, ["a1", "a2"]] = np.nan
    table.loc[3::9, "b1"] = np.nan
    table.loc[6::10, "c"] = None
    return table


KERNELS = [
    lk.on("a", [lk.gaussians([0.2, 1.0]), lk.linear(), lk.per_feature()]),
    lk.on(["b1"], lk.low_rank(lk.gaussians([0.5]), rank=12), name="b"),
    lk.on("c", [lk.spectrum(2), lk.weighted_degree(3, shift=1)]),
]


def completed(K, seen):
    """K of the samples seen, extended to all: the others are the mean of these."""
    n = len(seen)
    T = np.zeros((n, int(seen.sum())))  # every sample as a combination of those seen
    T[seen] = np.eye(int(seen.sum()))
    T[~seen] = 1 / seen.sum()
    return T @ K @ T.T


def definition(kernels, table):
    """Each kernel's Gram by the definition, and which samples it has seen."""
    grams, masks = [], []
    for kernel in kernels:
        seen = table[list(kernel.source.columns.names)].notna().all(axis=1).to_numpy()
        grams.append(completed(np.asarray(kernel(table[seen])), seen))
        masks.append(seen)
    return grams, masks


@pytest.mark.parametrize("center", [True, False])
def test_grams_are_the_definition(gaps, center, rng):
    kernels = resolve(KERNELS, gaps, missing="neutral")
    grams, masks = definition(kernels, gaps)
    Y = rng.standard_normal((N, 1))
    bank = Bank.of(kernels, gaps, raw=not center, missing="neutral")
    oracle = pair_sums(bank, Y, Threads(1)).oracle("trace", center)
    for K, expected, seen in zip(oracle.stack(), grams, masks, strict=True):
        used = dense.centered(expected) if center else expected
        scale = np.diag(used)[seen].sum() / seen.sum()  # the mean diagonal of those seen is one
        assert np.allclose(K, used / scale, atol=1e-9)
        if center:
            assert np.allclose(K[~seen], 0, atol=1e-12)
    centered = (
        np.array([dense.centered(K) for K in grams]) / oracle.statistics.scales[:, None, None]
    )
    flat = centered.reshape(len(grams), -1)
    assert np.allclose(oracle.statistics.M, flat @ flat.T, rtol=1e-8)


def test_new_samples_may_miss_views_too(gaps, rng):
    kernels = resolve(KERNELS, gaps, missing="neutral")
    new = gaps.sample(frac=1.0, random_state=1).reset_index(drop=True).iloc[:15]
    both = pd.concat([gaps, new], ignore_index=True)
    bank = Bank.of(kernels, gaps, missing="neutral")
    oracle = pair_sums(bank, rng.standard_normal((N, 1)), Threads(1)).oracle(None, True)
    mu = rng.random(len(kernels))
    expected = np.zeros((15, N))
    for weight, kernel in zip(mu, kernels, strict=True):
        seen = both[list(kernel.source.columns.names)].notna().all(axis=1).to_numpy()
        inside = seen & (np.arange(len(both)) < N)
        K = np.asarray(kernel(both[seen], both[inside]))  # (seen, seen in training)
        T = np.zeros((len(both), int(seen.sum())))
        T[seen] = np.eye(int(seen.sum()))
        T[~seen] = inside[seen] / inside.sum()
        S = np.full((N, int(inside.sum())), 1 / inside.sum())
        S[seen[:N]] = np.eye(int(inside.sum()))
        full = T @ K @ S.T  # every sample against every training sample
        train, rows = full[:N], full[N:]
        rows = rows - train.mean(axis=0) - rows.mean(axis=1, keepdims=True) + train.mean()
        expected += weight * rows
    learned = oracle.kernel(mu)
    assert np.allclose(learned.cross_gram(new, Threads(1)), expected, atol=1e-9)
    coef = rng.standard_normal((N, 1))
    coef -= coef.mean()
    outputs = learned.function(coef).outputs(new, Threads(1))
    assert np.allclose(outputs, expected @ coef, atol=1e-9)


@pytest.mark.parametrize(
    "method", ["unif", "align", "alignf", "l1-svm", "l2-svm", "conv", "l2-krr"]
)
def test_a_fit_is_that_of_the_completed_matrices(method, gaps):
    y = np.arange(N) % 2
    kernels = KERNELS[:1] + KERNELS[2:]
    if method == "conv":
        kernels = [lk.on("a", lk.gaussians([0.2, 1.0])), KERNELS[2]]
    grams, _ = definition(resolve(kernels, gaps, missing="neutral"), gaps)
    model = lk.KernelClassifier(kernels, method, missing="neutral", normalize=None).fit(gaps, y)
    expected = lk.KernelClassifier("precomputed", method, normalize=None)
    expected.fit(np.stack(grams, axis=-1), y)
    assert np.allclose(model.alignment_, expected.alignment_, atol=1e-4)
    assert np.isclose(model.certificate_.primal, expected.certificate_.primal, rtol=2e-4)


def test_nothing_missing_changes_nothing(table):
    y = np.arange(N) % 2
    for method in ("alignf", "l1-svm"):
        plain = lk.KernelClassifier(KERNELS, method, C=[1, 10]).fit(table, y)
        neutral = lk.KernelClassifier(KERNELS, method, C=[1, 10], missing="neutral").fit(table, y)
        assert np.allclose(plain.weights_, neutral.weights_, atol=1e-6)
        assert np.allclose(
            plain.decision_function(table), neutral.decision_function(table), atol=1e-4
        )


def test_a_view_absent_from_new_tables_is_missing_for_all(table):
    y = np.arange(N) % 2
    model = lk.KernelClassifier(KERNELS, missing="neutral").fit(table, y)
    blank = table.assign(c=None)
    assert np.allclose(
        model.decision_function(table.drop(columns="c")), model.decision_function(blank)
    )
    with pytest.raises(lk.InputError, match=r"lacks columns \['a2'\]"):
        model.predict(table.drop(columns="a2"))


def test_a_table_of_other_columns_is_not_taken_for_missing_views(table):
    model = lk.KernelClassifier(KERNELS, missing="neutral").fit(table, np.arange(N) % 2)
    with pytest.raises(lk.InputError, match="none of the columns"):
        model.predict(table.rename(columns=str.upper))


def test_a_new_sample_missing_everywhere_gets_the_mean_prediction(table, rng):
    y = rng.standard_normal(N)
    model = lk.KernelRegressor(KERNELS, missing="neutral").fit(table, y)
    nothing = pd.DataFrame({name: [np.nan] for name in table.columns})
    assert np.isclose(model.predict(nothing)[0], y.mean())


def test_missing_samples_are_an_error_unless_asked_for(gaps):
    y = np.arange(N) % 2
    with pytest.raises(lk.InputError, match=r"view 'a' has no values for 6 samples .* row 0"):
        lk.KernelClassifier(KERNELS).fit(gaps, y)
    with pytest.raises(lk.InputError, match="missing='later'"):
        lk.KernelClassifier(KERNELS, missing="later").fit(gaps, y)


def test_samples_that_nothing_is_known_of_are_refused(gaps):
    gaps.loc[4] = None
    with pytest.raises(lk.InputError, match=r"1 samples are missing in every view .* row 4"):
        lk.KernelClassifier(KERNELS, missing="neutral").fit(gaps, np.arange(N) % 2)


def test_values_missing_in_part_are_refused(table):
    table.loc[6, "a2"] = np.nan
    with pytest.raises(lk.InputError, match="lacks 1 of 2 values in row 6"):
        lk.KernelClassifier(KERNELS, missing="neutral").fit(table, np.arange(N) % 2)


def test_a_view_of_one_sample_is_refused(table):
    table.loc[1:, "c"] = None
    with pytest.raises(lk.InputError, match="values for 1 samples only"):
        lk.KernelClassifier(KERNELS, missing="neutral").fit(table, np.arange(N) % 2)


def test_unit_diagonals_and_missing_samples_do_not_go_together(gaps):
    with pytest.raises(lk.InputError, match="cannot be combined"):
        lk.KernelClassifier(KERNELS, missing="neutral", normalize="cosine").fit(
            gaps, np.arange(N) % 2
        )


def stack_with_gaps(rng):
    X = rng.standard_normal((N, 3))
    grams = [np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2)) for gamma in (0.1, 1.0)]
    seen = [np.arange(N) % 6 != 1, np.arange(N) % 6 != 2]
    holes = []
    for K, mask in zip(grams, seen, strict=True):
        gap = K.copy()
        gap[~mask] = np.nan
        gap[:, ~mask] = np.nan
        holes.append(gap)
    return X, grams, seen, np.stack(holes, axis=-1)


def test_precomputed_matrices_may_lack_samples(rng):
    X, grams, seen, stack = stack_with_gaps(rng)
    y = np.sign(X[:, 0])
    full = [completed(K[np.ix_(m, m)], m) for K, m in zip(grams, seen, strict=True)]
    model = lk.KernelClassifier("precomputed", missing="neutral", normalize=None).fit(stack, y)
    expected = lk.KernelClassifier("precomputed", normalize=None).fit(np.stack(full, axis=-1), y)
    assert np.allclose(model.weights_, expected.weights_)
    assert np.allclose(
        model.decision_function(stack), expected.decision_function(np.stack(full, axis=-1))
    )


def test_a_hole_in_a_precomputed_matrix_is_no_missing_sample(rng):
    X, _, _, stack = stack_with_gaps(rng)
    stack[0, 3, 0] = np.nan
    with pytest.raises(lk.InputError, match="between samples that are not missing"):
        lk.KernelClassifier("precomputed", missing="neutral").fit(stack, np.sign(X[:, 0]))


def test_folds_take_out_their_samples(gaps):
    """A list of C learns the weights of each fold without it; means stay those of all samples."""
    model = lk.KernelClassifier(KERNELS, C=[0.1, 1, 10], missing="neutral")
    model.fit(gaps, np.arange(N) % 2)
    assert model.C_scores_.max() > 0.6

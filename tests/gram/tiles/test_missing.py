"""Missing views: a missing sample gets the mean of the view in feature space."""

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.execution import Threads
from learnkernels.gram import BaseKernels, KernelSums
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
    """Return the table with missing samples in each view."""
    table.loc[::7, ["a1", "a2"]] = np.nan
    table.loc[3::9, "b1"] = np.nan
    table.loc[6::10, "c"] = None
    return table


KERNELS = [
    lk.on("a", [lk.gaussians([0.2, 1.0]), lk.linear(), lk.per_feature()]),
    lk.on(["b1"], lk.low_rank(lk.gaussians([0.5]), rank=12), name="b"),
    lk.on("c", [lk.spectrum(2), lk.weighted_degree(3, shift=1)]),
]


def completed(K, observed):
    """Extend K of the observed samples to all; the others get the mean of these."""
    n = len(observed)
    T = np.zeros((n, int(observed.sum())))  # every sample as a combination of observed ones
    T[observed] = np.eye(int(observed.sum()))
    T[~observed] = 1 / observed.sum()
    return T @ K @ T.T


def definition(kernels, table):
    """Return the Gram of each kernel by the definition, and which samples are observed."""
    grams, masks = [], []
    for kernel in kernels:
        observed = table[list(kernel.source.columns.names)].notna().all(axis=1).to_numpy()
        grams.append(completed(np.asarray(kernel(table[observed])), observed))
        masks.append(observed)
    return grams, masks


@pytest.mark.parametrize("center", [True, False])
def test_grams_equal_their_definition(gaps, center, rng):
    kernels = resolve(KERNELS, gaps, missing="neutral")
    grams, masks = definition(kernels, gaps)
    Y = rng.standard_normal((N, 1))
    base = BaseKernels.of(kernels, gaps, raw=not center, missing="neutral")
    found = KernelSums.of(base, Y, Threads(1)).centered("trace", center)
    for K, expected, observed in zip(found.stack(), grams, masks, strict=True):
        used = dense.centered(expected) if center else expected
        scale = (
            np.diag(used)[observed].sum() / observed.sum()
        )  # mean diagonal 1 over observed samples
        assert np.allclose(K, used / scale, atol=1e-9)
        if center:
            assert np.allclose(K[~observed], 0, atol=1e-12)
    centered = np.array([dense.centered(K) for K in grams])
    centered /= found.statistics.scales[:, None, None]
    flat = centered.reshape(len(grams), -1)
    assert np.allclose(found.statistics.M, flat @ flat.T, rtol=1e-8)


def test_cross_gram_with_missing_views_equals_its_definition(gaps, rng):
    kernels = resolve(KERNELS, gaps, missing="neutral")
    new = gaps.sample(frac=1.0, random_state=1).reset_index(drop=True).iloc[:15]
    both = pd.concat([gaps, new], ignore_index=True)
    base = BaseKernels.of(kernels, gaps, missing="neutral")
    sums = KernelSums.of(base, rng.standard_normal((N, 1)), Threads(1))
    mu = rng.random(len(kernels))
    expected = np.zeros((15, N))
    for weight, kernel in zip(mu, kernels, strict=True):
        observed = both[list(kernel.source.columns.names)].notna().all(axis=1).to_numpy()
        inside = observed & (np.arange(len(both)) < N)
        K = np.asarray(kernel(both[observed], both[inside]))  # (observed, observed in training)
        T = np.zeros((len(both), int(observed.sum())))
        T[observed] = np.eye(int(observed.sum()))
        T[~observed] = inside[observed] / inside.sum()
        S = np.full((N, int(inside.sum())), 1 / inside.sum())
        S[observed[:N]] = np.eye(int(inside.sum()))
        full = T @ K @ S.T  # every sample against every training sample
        train, rows = full[:N], full[N:]
        rows = rows - train.mean(axis=0) - rows.mean(axis=1, keepdims=True) + train.mean()
        expected += weight * rows
    learned = sums.centered(None).kernel(mu)
    assert np.allclose(learned.cross_gram(new, Threads(1)), expected, atol=1e-9)
    coef = rng.standard_normal((N, 1))
    coef -= coef.mean()
    outputs = sum(part.outputs(new, Threads(1)) for part in learned.functions(coef))
    assert np.allclose(outputs, expected @ coef, atol=1e-9)


@pytest.mark.parametrize(
    "method", ["unif", "align", "alignf", "l1-svm", "l2-svm", "conv", "l2-krr"]
)
def test_fit_equals_that_of_completed_matrices(method, gaps):
    y = np.arange(N) % 2
    kernels = KERNELS[:1] + KERNELS[2:]
    if method == "conv":
        kernels = [lk.on("a", lk.gaussians([0.2, 1.0])), KERNELS[2]]
    grams, _ = definition(resolve(kernels, gaps, missing="neutral"), gaps)
    model = lk.KernelClassifier(kernels, method, missing="neutral", normalize=None, C=1.0).fit(
        gaps, y
    )
    expected = lk.KernelClassifier("precomputed", method, normalize=None, C=1.0)
    expected.fit(np.stack(grams, axis=-1), y)
    assert np.allclose(model.alignment_, expected.alignment_, atol=1e-4)
    assert np.isclose(model.certificate_.primal, expected.certificate_.primal, rtol=2e-4)


def test_missing_neutral_without_missing_samples_gives_the_same_model(table):
    y = np.arange(N) % 2
    for method in ("alignf", "l1-svm"):
        C = [1, 10] if method == "alignf" else 1.0
        plain = lk.KernelClassifier(KERNELS, method, C=C).fit(table, y)
        neutral = lk.KernelClassifier(KERNELS, method, C=C, missing="neutral").fit(table, y)
        assert np.allclose(plain.weights_, neutral.weights_, atol=1e-6)
        assert np.allclose(
            plain.decision_function(table), neutral.decision_function(table), atol=1e-4
        )


def test_view_absent_from_a_new_table_is_missing_for_all_samples(table):
    y = np.arange(N) % 2
    model = lk.KernelClassifier(KERNELS, missing="neutral", method="alignf", C=1.0).fit(table, y)
    blank = table.assign(c=None)
    assert np.allclose(
        model.decision_function(table.drop(columns="c")), model.decision_function(blank)
    )
    with pytest.raises(lk.InputError, match=r"lacks columns \['a2'\]"):
        model.predict(table.drop(columns="a2"))


def test_new_table_without_known_columns_raises_input_error(table):
    model = lk.KernelClassifier(KERNELS, missing="neutral", method="alignf", C=1.0).fit(
        table, np.arange(N) % 2
    )
    with pytest.raises(lk.InputError, match="none of the columns"):
        model.predict(table.rename(columns=str.upper))


def test_new_sample_missing_in_every_view_gets_the_mean_prediction(table, rng):
    y = rng.standard_normal(N)
    model = lk.KernelRegressor(KERNELS, missing="neutral", method="alignf", alpha=1.0).fit(table, y)
    nothing = pd.DataFrame({name: [np.nan] for name in table.columns})
    assert np.isclose(model.predict(nothing)[0], y.mean())


def test_missing_samples_raise_input_error_by_default(gaps):
    y = np.arange(N) % 2
    with pytest.raises(lk.InputError, match=r"view 'a' has no values for 6 samples .* row 0"):
        lk.KernelClassifier(KERNELS, method="alignf", C=1.0).fit(gaps, y)
    with pytest.raises(lk.InputError, match="missing='later'"):
        lk.KernelClassifier(KERNELS, missing="later", method="alignf", C=1.0).fit(gaps, y)


def test_training_sample_missing_in_every_view_raises_input_error(gaps):
    gaps.loc[4] = None
    with pytest.raises(lk.InputError, match=r"1 sample without a value in any view .* row 4"):
        lk.KernelClassifier(KERNELS, missing="neutral", method="alignf", C=1.0).fit(
            gaps, np.arange(N) % 2
        )


def test_partially_missing_view_raises_input_error(table):
    table.loc[6, "a2"] = np.nan
    with pytest.raises(lk.InputError, match="lacks 1 of 2 values in row 6"):
        lk.KernelClassifier(KERNELS, missing="neutral", method="alignf", C=1.0).fit(
            table, np.arange(N) % 2
        )


def test_view_with_one_observed_sample_raises_input_error(table):
    table.loc[1:, "c"] = None
    with pytest.raises(lk.InputError, match="values for only 1 sample"):
        lk.KernelClassifier(KERNELS, missing="neutral", method="alignf", C=1.0).fit(
            table, np.arange(N) % 2
        )


def test_cosine_normalization_with_missing_samples_raises_input_error(gaps):
    with pytest.raises(lk.InputError, match="cannot be combined"):
        lk.KernelClassifier(
            KERNELS, missing="neutral", normalize="cosine", method="alignf", C=1.0
        ).fit(gaps, np.arange(N) % 2)


def stack_with_gaps(rng):
    X = rng.standard_normal((N, 3))
    grams = [np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2)) for gamma in (0.1, 1.0)]
    observed = [np.arange(N) % 6 != 1, np.arange(N) % 6 != 2]
    with_gaps = []
    for K, mask in zip(grams, observed, strict=True):
        gap = K.copy()
        gap[~mask] = np.nan
        gap[:, ~mask] = np.nan
        with_gaps.append(gap)
    return X, grams, observed, np.stack(with_gaps, axis=-1)


def test_precomputed_matrices_with_missing_samples_equal_completed_matrices(rng):
    X, grams, observed, stack = stack_with_gaps(rng)
    y = np.sign(X[:, 0])
    full = [completed(K[np.ix_(m, m)], m) for K, m in zip(grams, observed, strict=True)]
    model = lk.KernelClassifier(
        "precomputed", missing="neutral", normalize=None, method="alignf", C=1.0
    ).fit(stack, y)
    expected = lk.KernelClassifier("precomputed", normalize=None, method="alignf", C=1.0).fit(
        np.stack(full, axis=-1), y
    )
    assert np.allclose(model.weights_, expected.weights_)
    assert np.allclose(
        model.decision_function(stack), expected.decision_function(np.stack(full, axis=-1))
    )


def test_single_nan_in_a_precomputed_matrix_raises_input_error(rng):
    X, _, _, stack = stack_with_gaps(rng)
    stack[0, 3, 0] = np.nan
    with pytest.raises(lk.InputError, match="between samples that are not missing"):
        lk.KernelClassifier("precomputed", missing="neutral", method="alignf", C=1.0).fit(
            stack, np.sign(X[:, 0])
        )


def test_cross_validation_of_C_works_with_missing_samples(gaps):
    model = lk.KernelClassifier(KERNELS, C=[0.1, 1, 10], missing="neutral", method="alignf")
    model.fit(gaps, np.arange(N) % 2)
    assert model.C_scores_.max() > 0.6

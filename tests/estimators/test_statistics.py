"""Alignment statistics estimated from a subsample."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels import theory

KERNELS = lk.gaussians([0.1, 0.5])


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    return X, np.sin(X[:, 0]) + 0.5 * rng.standard_normal(2000)


def test_subsample_of_all_samples_equals_full_statistics(many):
    X, y = many
    every = lk.alignment_statistics(KERNELS, X, y)
    same = lk.alignment_statistics(KERNELS, X, y, subsample=len(y))
    for name in ("a", "M", "traces", "target_norm"):
        assert np.allclose(getattr(same, name), getattr(every, name), rtol=1e-9)
    squares = (y - y.mean()) ** 2
    assert np.isclose(same.ratios[1], (squares.max() / squares.mean()) ** 2)


def test_subsampled_statistics_are_rescaled_and_standard_errors_cover_the_deviation(many):
    X, y = many
    every = lk.alignment_statistics(KERNELS, X, y)
    inside = 0
    for seed in range(30):
        some = lk.alignment_statistics(KERNELS, X, y, subsample=250, random_state=seed)
        assert np.allclose(some.a, every.a, rtol=0.5) and np.allclose(some.M, every.M, rtol=0.3)
        assert np.allclose(some.traces, every.traces, rtol=0.2)
        inside += np.abs(some.alignments() - every.alignments()) < 2 * some.standard_errors
    assert (inside >= 25).all()  # of 30; nominally 95 %, minus a bias of order 1 / m


def test_statistics_accept_a_target_of_several_columns(many):
    X, y = many[0][:100], many[1][:100]
    single = lk.alignment_statistics(KERNELS, X, y)
    double = lk.alignment_statistics(KERNELS, X, np.column_stack([y, y]))
    assert np.allclose(double.alignments(), single.alignments())


def test_needed_sample_size_follows_from_bootstrap_and_bound(many):
    some = lk.alignment_statistics(KERNELS, *many, subsample=300)
    needed = some.needed(0.01)
    assert 300 < needed.bootstrap < needed.bound
    best = some.standard_errors[some.alignments().argmax()]
    assert needed.bootstrap == pytest.approx(300 * (2 * best / 0.01) ** 2, abs=1)
    kernel, target = some.ratios
    assert theory.alignment_concentration(needed.bound, 1, 1, 1 / kernel, 1 / target, 0.05) <= 0.01
    assert needed.bound > some.needed(0.02).bound > some.needed(0.02, delta=0.2).bound


def test_needed_sample_size_is_the_smallest_that_the_bound_allows(many):
    X, y = many
    some = lk.alignment_statistics(KERNELS, X, y, subsample=200)
    assert np.allclose(some.observed, 2000)

    def distance(size):
        squares = (1 / ratio for ratio in some.ratios)
        return theory.alignment_concentration(int(size), 1.0, 1.0, *squares, 0.05)

    bound = some.needed(0.1).bound
    assert distance(bound) <= 0.1 < distance(0.998 * bound)


def test_subsampled_statistics_can_be_restricted_to_some_kernels(many):
    some = lk.alignment_statistics(KERNELS, *many, subsample=300)
    assert some.keep(np.array([True, False])).names == some.names[:1]


def test_invalid_subsample_size_raises_input_error(many):
    with pytest.raises(lk.InputError, match="X has 2,000 samples"):
        lk.alignment_statistics(KERNELS, *many, subsample=2001)
    with pytest.raises(lk.InputError, match="subsample=2"):
        lk.alignment_statistics(KERNELS, *many, subsample=2)


def lazy_table(kind, X, y, folder):
    """Return samples that are not in memory, and those in memory that they equal."""
    frame = pd.DataFrame(X, columns=list("abcdef")[: X.shape[1]])
    if kind == "memmap":
        np.save(folder / "X.npy", X)
        return np.load(folder / "X.npy", mmap_mode="r"), X
    if kind == "parquet":
        frame.assign(y=y).to_parquet(folder / "t.parquet", row_group_size=70)
        return lk.open_parquet(folder / "t.parquet", target="y")[0], frame
    pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    import dask.array
    import dask.dataframe

    if kind == "dask array":
        return dask.array.from_array(X, chunks=(70, 2)), X
    return dask.dataframe.from_pandas(frame, npartitions=4), frame


@pytest.fixture
def regression(rng):
    X = rng.standard_normal((600, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.mark.parametrize("subsample", [None, 200, "auto"])
@pytest.mark.parametrize("kind", ["memmap", "parquet", "dask array", "dask frame"])
def test_statistics_of_lazy_samples_are_those_of_samples_in_memory(
    kind, subsample, regression, tmp_path, monkeypatch
):
    monkeypatch.setattr("learnkernels.estimators.statistics.PILOT", 100)
    X, y = regression
    lazy, table = lazy_table(kind, X, y, tmp_path)
    kernels = lk.gaussians([0.05, 0.5])
    expected = lk.alignment_statistics(kernels, table, y, subsample=subsample)
    found = lk.alignment_statistics(kernels, lazy, y, subsample=subsample)
    assert found.M == pytest.approx(expected.M)
    assert found.a == pytest.approx(expected.a)
    if subsample is not None:
        assert found.subsample == expected.subsample
        assert found.standard_errors == pytest.approx(expected.standard_errors)


def test_only_the_subsample_is_read_into_memory(regression):
    class Sliced:
        """An array that only gives ranges of rows, as those of Zarr and HDF5."""

        def __init__(self, X):
            self.shape, self.ndim, self.X = X.shape, 2, X

        def __getitem__(self, rows):
            assert isinstance(rows, slice)
            return self.X[rows]

    X, y = regression
    found = lk.alignment_statistics(lk.gaussians([0.1]), Sliced(X), y, subsample=150)
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y, subsample=150)
    assert found.a == pytest.approx(expected.a)


def test_automatic_subsample_grows_with_the_noise_and_is_logged(rng, caplog, monkeypatch):
    monkeypatch.setattr("learnkernels.estimators.statistics.PILOT", 200)
    X = rng.standard_normal((4000, 3))
    clear, noisy = np.sign(X[:, 0]), X[:, 0] + 5 * rng.standard_normal(4000)
    sizes = []
    for y in (clear, noisy):
        found = lk.alignment_statistics(
            lk.gaussians([0.1]), X, y, subsample="auto", task="regression"
        )
        sizes.append(found.subsample)
        best = found.standard_errors.max()
        assert f"{found.subsample} of 4000 are used" in caplog.text
        assert 2 * best < 0.02 or found.subsample == 4000
    assert 200 <= sizes[1] <= sizes[0] <= 4000


def test_automatic_subsample_of_few_samples_is_all_of_them(regression):
    X, y = regression
    found = lk.alignment_statistics(lk.gaussians([0.1]), X, y, subsample="auto")
    assert found.subsample == 600


def test_lazy_samples_that_do_not_fit_into_memory_raise(regression, tmp_path, monkeypatch):
    X, y = regression
    lazy, _ = lazy_table("parquet", X, y, tmp_path)
    monkeypatch.setattr("learnkernels.execution.memory.available_memory", lambda: 1000.0)
    with pytest.raises(lk.InputError, match=r'600 rows would take 19.2 kB.*subsample="auto"'):
        lk.alignment_statistics(lk.gaussians([0.1]), lazy, y)


def test_wrong_subsamples_and_targets_raise(regression, tmp_path):
    X, y = regression
    lazy, _ = lazy_table("memmap", X, y, tmp_path)
    kernels = lk.gaussians([0.1])
    with pytest.raises(lk.InputError, match='"auto" or None'):
        lk.alignment_statistics(kernels, X, y, subsample="most")
    with pytest.raises(lk.InputError, match="subsample=601, but X has 600 samples"):
        lk.alignment_statistics(kernels, lazy, y, subsample=601)
    with pytest.raises(lk.InputError, match="X has 600 rows and y has 599"):
        lk.alignment_statistics(kernels, lazy, y[1:], subsample=100)


def test_stack_on_disk_is_sampled_like_one_in_memory(rng, tmp_path):
    X = rng.standard_normal((60, 3))
    K = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    stored = np.memmap(tmp_path / "K", dtype=float, mode="w+", shape=K.shape)
    stored[:] = K
    found = lk.alignment_statistics("precomputed", stored, X[:, 0], subsample=20)
    expected = lk.alignment_statistics("precomputed", K, X[:, 0], subsample=20)
    assert np.allclose(found.alignments(), expected.alignments())


def test_infinite_cell_of_a_sample_of_rows_is_named_by_its_row_of_X(many, tmp_path):
    X, y = many
    path = tmp_path / "X.npy"
    np.save(path, np.where(np.arange(len(X))[:, None] % 7 == 0, np.inf, X))
    with pytest.raises(lk.InputError, match=r"in row \d+, column 0") as raised:
        lk.alignment_statistics(KERNELS, np.load(path, mmap_mode="r"), y, subsample=150)
    row = re.search(r"row (\d+)", str(raised.value))
    assert row is not None and int(row[1]) % 7 == 0

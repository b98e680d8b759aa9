"""Fits of Dask arrays and frames whose rows stay on the workers."""

from __future__ import annotations

import os
import tracemalloc
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.errors import InputError
from tests.execution.cluster import (
    DASK_MARKS,
    DEADLINE,
    Gate,
    kill,
    scheduler_process,
    shared_client,
    wait_for_restart,
    wait_until,
    when,
    worker_pids,
)

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
da = pytest.importorskip("dask.array", reason="needs learnkernels[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
pytestmark = DASK_MARKS

N, CHUNKS = 1200, 12


@pytest.fixture(scope="session")
def client():
    return shared_client()


@pytest.fixture
def table(rng):
    X = rng.standard_normal((N, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(N)


def model(backend=None, **options):
    options = {"n_components": 30, "subsample": 200, "alpha": 0.1} | options
    return lk.KernelRegressor(lk.gaussians([0.1, 0.5]), "unif", backend=backend, **options)


def close(found, expected, X):
    return np.allclose(found.predict(X), expected.predict(X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("chunks", [(N, 3), (100, 3), (170, 2)])
def test_arrays_give_the_model_of_rows_in_memory(chunks, weighted, client, table):
    X, y = table
    w = np.arange(N) % 3 / 2.0 if weighted else None
    lazy = None if w is None else da.from_array(w, chunks=311)
    expected = model(alpha="auto").fit(X, y, sample_weight=w)
    found = model(client, alpha="auto").fit(
        da.from_array(X, chunks=chunks), da.from_array(y, chunks=250), sample_weight=lazy
    )
    assert np.array_equal(found.subsample_, expected.subsample_)
    assert found.alpha_ == expected.alpha_ and close(found, expected, X)
    assert np.allclose(found.dual_coef_, expected.dual_coef_, atol=1e-6)


@pytest.mark.parametrize("class_weight", [None, "balanced", {"rare": 7.0}])
def test_classes_give_the_model_of_rows_in_memory(class_weight, client, table):
    X, _ = table
    y = np.where(X[:, 0] > 0, "right", "wrong").astype(object)
    y[3:11] = "rare"
    w = np.arange(N) % 3 / 2.0
    options = {"n_components": 30, "subsample": 200, "class_weight": class_weight}
    expected = lk.KernelClassifier(lk.gaussians([0.1, 0.5]), **options).fit(X, y, w)
    found = lk.KernelClassifier(lk.gaussians([0.1, 0.5]), backend=client, **options).fit(
        da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100), w
    )
    assert list(found.classes_) == ["rare", "right", "wrong"]
    assert (y[found.subsample_] == "rare").sum() == 5  # the others have no weight
    assert found.C_ == pytest.approx(expected.C_)
    assert np.allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-7)


def test_svm_gives_the_model_of_rows_in_memory(client, table):
    X, _ = table
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] > 0.3, "high", "low")
    options = {"machine": "svm", "n_components": 30, "subsample": 200, "class_weight": "balanced"}
    expected = lk.KernelClassifier(lk.gaussians([0.1, 0.5]), **options).fit(X, y)
    found = lk.KernelClassifier(lk.gaussians([0.1, 0.5]), backend=client, **options).fit(
        da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100)
    )
    assert found.machine_certificates_[0].status == "optimal"
    assert np.allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-7)


def test_parquet_frames_with_categories_and_missing_cells(client, table, tmp_path):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = np.where(np.arange(N) % 3, "red", "green")
    frame.loc[::40, "a"] = np.nan
    frame["y"] = y + (frame["kind"] == "red")
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=130)
    lazy = dd.read_parquet(tmp_path / "t.parquet", split_row_groups=True)
    columns = ["a", "b", "c", "kind"]
    expected = lk.KernelRegressor(n_components=30, subsample=200).fit(frame[columns], frame["y"])
    found = lk.KernelRegressor(n_components=30, subsample=200, backend=client)
    found.fit(lazy[columns], lazy["y"])
    predicted = found.predict(lazy[columns])
    assert isinstance(predicted, dd.Series)
    predicted = client.compute(predicted).result()
    assert np.allclose(predicted, expected.predict(frame[columns]), atol=1e-7)


def test_partitions_without_rows_are_left_out(client, table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, row=np.arange(N))
    lazy = dd.from_pandas(frame, npartitions=6)
    some = lazy[lazy["row"] < 500]
    found = model(client).fit(some[["a", "b", "c"]], some["y"])
    expected = model().fit(frame[["a", "b", "c"]][:500], y[:500])
    assert close(found, expected, frame[["a", "b", "c"]])


@pytest.mark.parametrize("classes", [False, True])
def test_chunks_without_weights_are_left_out(classes, client, table):
    X, y = table
    w = np.where(np.arange(N) < 300, 0.0, 1.0)
    y = np.where(y > 0, "yes", "no") if classes else y
    estimator = lk.KernelClassifier if classes else lk.KernelRegressor
    options = {"n_components": 30, "subsample": 200}
    expected = estimator(lk.gaussians([0.1, 0.5]), "unif", **options).fit(X, y, w)
    found = estimator(lk.gaussians([0.1, 0.5]), "unif", backend=client, **options)
    found.fit(da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100), w)
    assert np.array_equal(found.subsample_, expected.subsample_)
    output = "decision_function" if classes else "predict"
    assert np.allclose(getattr(found, output)(X), getattr(expected, output)(X), atol=1e-7)


def test_targets_in_memory_are_divided_as_the_chunks(client, table):
    X, y = table
    found = model(client).fit(da.from_array(X, chunks=(170, 3)), pd.Series(y))
    assert close(found, model().fit(X, y), X)


def test_subsample_of_all_rows_is_the_fit_of_rows_in_memory(client, table):
    X, y = table
    lazy = da.from_array(X[:150], chunks=(40, 3))
    found = model(client).fit(lazy, y[:150])
    assert close(found, model(subsample=None).fit(X[:150], y[:150]), X)


# Wrong input.


def test_chunks_of_unknown_lengths_raise(client, table):
    X, y = (da.from_array(values, chunks=100) for values in table)
    unknown = y > -1e9
    with pytest.raises(InputError, match=r"X have unknown lengths.*compute_chunk_sizes"):
        model(client).fit(X[unknown], y)
    with pytest.raises(InputError, match=r"y have unknown lengths.*compute_chunk_sizes"):
        model(client).fit(X, y[unknown])


def test_number_of_targets_must_match(client, table):
    X, y = (da.from_array(values, chunks=100) for values in table)
    with pytest.raises(InputError, match="X has 1,200 rows and y has 1100"):
        model(client).fit(X, y[:1100])
    with pytest.raises(InputError, match="X has 1,200 rows and sample_weight has 7"):
        model(client).fit(X, y, sample_weight=np.ones(7))


def test_partitions_of_targets_must_match(client, table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    lazy = dd.from_pandas(frame, npartitions=6)
    names = ["a", "b", "c"]
    with pytest.raises(InputError, match="X has 6 partitions and y has 4"):
        model(client).fit(lazy[names], lazy["y"].repartition(npartitions=4))
    shifted = lazy["y"].repartition(divisions=[0, 10, 400, 600, 800, 1000, 1199])
    with pytest.raises(InputError, match="a partition of X has 200 rows and that of y has 10"):
        model(client).fit(lazy[names], shifted)


def test_objects_that_are_not_numbers_raise(client, table):
    X, y = table
    words = X.astype(object)
    words[:, 1] = "word"
    with pytest.raises(InputError, match="X contains text"):
        model(client).fit(da.from_array(words, chunks=100), y)
    with pytest.raises(InputError, match="could not convert string to float: 'word'"):
        model(client).fit(da.from_array(X, chunks=100), da.from_array(words[:, 1], chunks=100))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_targets_that_are_not_finite_raise(value, client, table):
    X, y = table
    y = y.copy()
    y[700] = value
    with pytest.raises(InputError, match=r"NaN|infinity"):
        model(client).fit(da.from_array(X, chunks=100), da.from_array(y, chunks=100))


def test_continuous_labels_and_negative_weights_raise(client, table):
    X, y = (da.from_array(values, chunks=100) for values in table)
    options = {"backend": client, "n_components": 5, "subsample": 50}
    with pytest.raises(InputError, match="KernelClassifier needs class labels"):
        lk.KernelClassifier(**options).fit(X, y)
    with pytest.raises(InputError, match=r"[Nn]egative"):
        model(client).fit(X, y, sample_weight=da.from_array(-np.ones(N), chunks=100))
    with pytest.raises(InputError, match="sample_weight is positive for 1 sample"):
        model(client).fit(X, y, sample_weight=np.eye(1, N)[0])


def test_cells_that_are_not_finite_raise_and_leave_no_model(client, table):
    X, y = table
    X = X.copy()
    outside = np.setdiff1d(np.arange(N), model().fit(X, y).subsample_)[0]
    X[outside, 0] = np.nan
    found = model(client)
    with pytest.raises(InputError, match="NaN"):
        found.fit(da.from_array(X, chunks=(100, 3)), y)
    assert not hasattr(found, "weights_")


# Memory of this process.


def blocks(n, width):
    """Return a Dask array that the workers make, in a number of chunks that does not grow."""

    def block(block_info):
        (start, stop), *_ = block_info[None]["array-location"]
        rows = np.random.default_rng(start).standard_normal((stop - start, 4))
        return rows if width else rows.sum(axis=1)

    chunks = (n // CHUNKS,) * CHUNKS
    shape = (chunks, (4,)) if width else (chunks,)
    return da.map_blocks(block, chunks=shape, dtype=float, meta=np.empty((0,) * len(shape)))


def peak_memory(client, n):
    """Return the peak of the memory that a fit and predictions allocate in this process."""
    X, y = blocks(n, 4), blocks(n, None)
    tracemalloc.start()
    try:
        found = model(client).fit(X, y)
        error = abs(found.predict(X) - y).mean()
        assert client.compute(error).result() < 1.0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_of_this_process_does_not_grow_with_the_rows(client):
    few, many = CHUNKS * 500, CHUNKS * 25_000
    model(client).fit(blocks(few, 4), blocks(few, None))  # imports and compiled functions
    before, after = peak_memory(client, few), peak_memory(client, many)
    # All targets would take 2.4 MB, all rows four times as much; messages of Dask vary by 0.2 MB.
    assert after - before < 8 * many / 4


# Workers and schedulers that are lost.


class GatedBlock:
    """Rows of a chunk; the second time a chunk is made, as in the pass over all rows, it waits."""

    def __init__(self, X, folder, gate, chunks=None):
        self.X, self.folder, self.gate, self.chunks = X, folder, gate, chunks

    def __call__(self, block_info):
        (start, stop), *_ = block_info[None]["array-location"]
        first = self.folder / f"first {start}"
        if first.exists():
            if self.chunks is None or start in self.chunks:
                self.gate.wait()
            (self.folder / f"{uuid4()} by {os.getpid()}").touch()
        first.touch()
        return self.X[start:stop]


def gated(X, folder, gate, chunks=None):
    rows = (N // CHUNKS,) * CHUNKS
    return da.map_blocks(
        GatedBlock(X, folder, gate, chunks), chunks=(rows, (3,)), dtype=float, meta=np.empty((0, 0))
    )


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "chunks"
    folder.mkdir()
    return folder


@pytest.fixture
def gate(tmp_path):
    folder = tmp_path / "gate"
    folder.mkdir()
    return Gate(folder, os.getpid())


def made_by(folder):
    """Return the processes that have made the chunks of the pass over all rows."""
    return [int(file.name.split(" by ")[1]) for file in folder.glob("* by *")]


@pytest.mark.parametrize("n_victims", [1, 2])
def test_model_is_right_after_workers_are_killed(n_victims, client, table, folder, gate):
    X, y = table
    expected, pids = model().fit(X, y), worker_pids(client)
    victims = pids[:n_victims]
    with when(lambda: gate.arrived() >= set(pids), lambda: kill(victims), gate.open):
        found = model(client).fit(gated(X, folder, gate), y)
    assert close(found, expected, X)
    wait_for_restart(client, victims)


def test_worker_that_is_added_during_a_fit_takes_chunks(client, table, folder, gate):
    X, y = table
    expected, before = model().fit(X, y), set(worker_pids(client))
    with (
        when(lambda: gate.arrived() >= before, lambda: client.cluster.scale(3)),
        when(lambda: len(gate.arrived()) == 3, gate.open),
    ):
        found = model(client).fit(gated(X, folder, gate), y)
    assert close(found, expected, X)
    client.cluster.scale(2)
    wait_until(lambda: len(client.nthreads()) == 2)


class SlowGate(Gate):
    """A gate at which one process waits."""

    slow = -1

    def wait(self):
        if os.getpid() == self.slow:
            super().wait()


def test_slow_worker_leaves_its_chunks_to_the_other(client, table, folder, gate):
    X, y = table
    expected = model().fit(X, y)
    slow = SlowGate(gate.folder, gate.creator)
    object.__setattr__(slow, "slow", worker_pids(client)[0])
    # The slow worker is in its first or second chunk until the other has made most of them.
    with when(lambda: len(made_by(folder)) >= CHUNKS - 3 and bool(gate.arrived()), slow.open):
        found = model(client).fit(gated(X, folder, slow), y)
    assert close(found, expected, X)
    assert made_by(folder).count(slow.slow) <= 3


def test_fit_continues_on_another_scheduler_from_its_checkpoint(
    client, table, folder, gate, tmp_path, monkeypatch
):
    monkeypatch.setattr("learnkernels.execution.checkpoint.SECONDS", 0.0)
    X, y = table
    file = tmp_path / "sums.npz"
    lazy = gated(X, folder, gate, chunks=[800])
    with (
        scheduler_process() as (process, address),
        distributed.Client(address, set_as_default=False, timeout=DEADLINE) as lost,
        monkeypatch.context() as patch,
    ):
        # Seconds until a scheduler that was killed counts as lost.
        patch.setattr("learnkernels.execution.dask_clients.TIMEOUT", 2.0)
        message = r"scheduler at tcp.*was lost.*first 8 of 12.*repeat the call to continue"
        with (
            when(lambda: bool(gate.arrived()), process.kill),
            pytest.raises(InputError, match=message),
        ):
            model(lost, checkpoint=file).fit(lazy, y)
    assert file.exists() and len(made_by(folder)) == 8
    for made in folder.glob("* by *"):
        made.unlink()
    gate.open()
    found = model(client, checkpoint=file).fit(lazy, y)
    # The subsample is drawn again from all chunks; four are left of the pass over all rows.
    assert len(made_by(folder)) == CHUNKS + 4
    assert not file.exists()
    assert close(found, model().fit(X, y), X)

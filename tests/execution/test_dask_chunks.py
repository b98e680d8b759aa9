"""Passes over chunks of Dask collections, on the workers."""

import os

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.execution import Checkpointed, Chunk, DaskChunks
from learnkernels.execution.dask_chunks import JOINED, join_totals
from tests.execution.cluster import DASK_MARKS, kill, wait_for_restart, when, worker_pids

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
pytestmark = DASK_MARKS


class Sums:
    """Sum of the values of chunks; a chunk can wait at a gate."""

    def __init__(self, gate=None):
        self.gate = gate

    def part(self, values):
        if self.gate is not None:
            self.gate.wait()
        return values[0].sum(axis=0)

    def work(self, chunk):
        return float(chunk.rows)

    def start(self):
        return {"sum": np.zeros(2)}

    def add(self, total, part):
        total["sum"] += part

    def fingerprint(self):
        return "sums"


def chunks_of(X, rows):
    array = pytest.importorskip("dask.array", reason="needs learnkernels[dask]")
    lazy = array.from_array(X, chunks=(rows, -1))
    parts = zip(lazy.chunks[0], lazy.to_delayed().ravel().tolist(), strict=True)
    return [Chunk(n, (part,)) for n, part in parts]


@pytest.fixture
def values(rng):
    return rng.integers(0, 100, (60, 2)).astype(float)


@pytest.mark.parametrize("rows", [60, 7, 4, 1])
def test_total_of_any_number_of_chunks_is_that_of_all_rows(rows, client, values):
    found = DaskChunks(client).fold(Sums(), chunks_of(values, rows), "sums")
    assert np.array_equal(found["sum"], values.sum(axis=0))


def test_total_of_no_chunks_is_the_start(client):
    assert DaskChunks(client).fold(Sums(), [], "sums")["sum"].tolist() == [0, 0]


def test_map_yields_results_in_the_order_of_the_chunks(client, values):
    found = list(DaskChunks(client).map(lambda v: v[0][0, 0], chunks_of(values, 5), "first"))
    assert found == values[::5, 0].tolist()


def test_chunks_run_on_workers(client, values):
    found = set(DaskChunks(client).map(lambda v: os.getpid(), chunks_of(values, 5), "processes"))
    assert found <= set(worker_pids(client))


def test_progress_counts_chunks(client, values, display):
    DaskChunks(client).fold(Sums(), chunks_of(values, 5), "sums")
    assert display.calls == [(12, "sums", 0), *["advance"] * 12, (None, "", 0)]


def test_joined_totals_are_new_so_that_a_lost_one_can_be_computed_again():
    totals = [{"sum": np.full(2, float(k))} for k in range(JOINED)]
    assert join_totals(totals)["sum"].tolist() == [sum(range(JOINED))] * 2
    assert totals[0]["sum"].tolist() == [0, 0]


def test_errors_of_chunks_are_raised_unchanged(client, values):
    def broken(values):
        raise lk.InputError("this chunk is broken")

    with pytest.raises(lk.InputError, match=r"^this chunk is broken"):
        list(DaskChunks(client).map(broken, chunks_of(values, 5), "breaking"))


@pytest.mark.parametrize("n_victims", [1, 2])
def test_total_is_right_after_workers_are_killed(n_victims, client, values, gate):
    pids = worker_pids(client)
    victims = pids[:n_victims]
    with when(lambda: gate.arrived() >= set(pids), lambda: kill(victims), gate.open):
        found = DaskChunks(client).fold(Sums(gate), chunks_of(values, 5), "sums")
    assert np.array_equal(found["sum"], values.sum(axis=0))
    wait_for_restart(client, victims)


def test_checkpoint_refuses_chunks_of_other_lengths(client, values, tmp_path, monkeypatch):
    monkeypatch.setattr("learnkernels.execution.checkpoint.SECONDS", 0.0)

    class Stopping(Sums):
        def part(self, values):
            if values[0][0, 0] == last:
                raise lk.InputError("stopped")
            return super().part(values)

    last = values[50, 0] = -1.0
    backend = Checkpointed(DaskChunks(client), tmp_path / "sums.npz", "values")
    with pytest.raises(lk.InputError, match="repeat the call to continue"):
        backend.fold(Stopping(), chunks_of(values, 5), "sums")
    with pytest.raises(lk.InputError, match="belongs to another pass"):
        backend.fold(Sums(), chunks_of(values, 6), "sums")
    found = backend.fold(Sums(), chunks_of(values, 5), "sums")
    assert np.array_equal(found["sum"], values.sum(axis=0))

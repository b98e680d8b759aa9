"""Packing of tasks and sending of arrays: each array is sent once, and again if it was modified."""

import gc
import sys

import numpy as np
import pytest

import learnkernels as lk
from learnkernels.execution import Threads, dask_backend, digest, scatter
from learnkernels.execution.scatter import SentArray, aligned, pack, unpack
from tests.execution.cluster import DASK_MARKS, Count, close

pytestmark = DASK_MARKS


class Products(Count):
    """X'y as a sum over ranges of rows."""

    def __init__(self, X, y):
        super().__init__()
        self.X, self.y = X, y

    def part(self, rows):
        return self.X[rows].T @ self.y[rows]

    def start(self):
        return {"sum": np.zeros(self.X.shape[1])}


def test_packed_task_contains_no_large_arrays_and_is_restored(rng):
    X, y = rng.standard_normal((2, 10_000))
    content, arrays = pack({"twice": [X, X], "other": y, "small": np.arange(3)})
    assert len(content) < 2000
    assert [array is one for array, one in zip(arrays, (X, y), strict=True)] == [True, True]
    task = unpack(content, [SentArray(array) for array in arrays])
    assert task["twice"][0] is X and task["twice"][1] is X and task["other"] is y
    assert task["small"].tolist() == [0, 1, 2]


def test_backends_in_a_packed_task_become_one_thread(samples):
    X, y = samples
    model = lk.KernelClassifier(
        lk.gaussians([0.1]), backend=lk.Threads(2), method="alignf", C=1.0
    ).fit(X, y)
    content, arrays = pack(model)
    assert unpack(content, [SentArray(array) for array in arrays]).backend == Threads(1)
    content, _ = pack(
        lk.KernelClassifier(
            backend=lk.Dask("tcp://host:1"), kernels=["gaussians", "linear"], method="alignf", C=1.0
        )
    )
    assert isinstance(unpack(content, []).backend, Threads)


def test_task_of_another_version_raises_input_error(monkeypatch):
    content, arrays = pack(abs)
    monkeypatch.setattr(scatter, "__version__", "0.0.1")
    with pytest.raises(lk.InputError, match=r"workers have learnkernels 0\.0\.1 and this process"):
        unpack(content, arrays)


def test_task_with_an_open_file_raises_input_error(client, samples, tmp_path):
    X, y = samples
    with (tmp_path / "open").open("w") as file:

        class Logged(lk.kernels.Linear):
            def __init__(self):
                object.__setattr__(self, "file", file)

        with pytest.raises(lk.InputError, match="cannot be sent to Dask workers"):
            lk.alignment_statistics([Logged()], X, y, backend=client)


def test_received_arrays_are_aligned_and_writeable():
    raw = np.frombuffer(b"\0" + np.arange(4.0).tobytes(), dtype=np.uint8)[1:].view(float)
    assert not raw.flags.aligned
    found = aligned(raw).array
    assert found.flags.aligned and found.flags.writeable
    assert found.tolist() == [0, 1, 2, 3]
    assert sys.getsizeof(SentArray(found)) >= found.nbytes


def test_arrays_are_sent_once_again_if_modified_and_forgotten_when_deleted(
    client, samples, monkeypatch
):
    X, y = samples[0].repeat(3, axis=1), samples[1]
    sent = []
    scatter = type(client).scatter

    def counted(self, data, **options):
        sent.extend(len(one) if isinstance(one, bytes) else one.array.nbytes for one in data)
        return scatter(self, data, **options)

    monkeypatch.setattr(type(client), "scatter", counted)
    ranges = [slice(start, start + 100) for start in range(0, 900, 100)]

    def fold(X, target):
        return lk.Dask(client).fold(Products(X, target), ranges, "products")["sum"]

    for target in (y, -y, y + 1.0):
        assert close(fold(X, target), X.T @ target)
    assert sum(size >= X.nbytes for size in sent) == 1
    first = fold(X, y)
    X *= 2
    found = fold(X, y)
    assert sum(size >= X.nbytes for size in sent) == 2
    assert not close(found, first)
    cache = dask_backend.WORKER_ARRAYS[client]
    name = digest(X, True)
    assert name in cache.futures
    del X
    gc.collect()
    assert name not in cache.futures
    assert all(owners for owners in cache.owners.values())
    assert cache.futures.keys() == cache.owners.keys()

"""Checkpoints: an interrupted pass continues, and a file that does not fit is refused and kept."""

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

import learnkernels as lk
from learnkernels.execution import Checkpointed, Threads, checkpoint
from tests.execution.cluster import DASK_MARKS, Count, agree

pytestmark = DASK_MARKS

N_ITEMS = -(-900 // 32)


class CountingThreads(Threads):
    """Threads that count items, and stop after some."""

    items = 0
    limit = np.inf

    def fold(self, reduction, items, what):
        if CountingThreads.items >= CountingThreads.limit:
            raise KeyboardInterrupt
        CountingThreads.items += len(items)
        return super().fold(reduction, items, what)


@pytest.fixture
def backend(monkeypatch, set_tile_rows):
    """Return a counting backend; checkpoints are written after every group of items."""
    set_tile_rows(32)
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(CountingThreads, "items", 0)
    return CountingThreads(1)


def test_interrupted_pass_continues_from_its_checkpoint(backend, samples, tmp_path, monkeypatch):
    X, y = samples
    kernels, path = lk.gaussians([0.1, 1.0]), tmp_path / "sums.npz"
    expected = lk.alignment_statistics(kernels, X, y)
    monkeypatch.setattr(CountingThreads, "limit", 12)
    with pytest.raises(KeyboardInterrupt):
        lk.alignment_statistics(kernels, X, y, backend=backend, checkpoint=path)
    assert [file.name for file in tmp_path.iterdir()] == ["sums.npz"]
    monkeypatch.setattr(CountingThreads, "limit", np.inf)
    done, CountingThreads.items = CountingThreads.items, 0
    found = lk.alignment_statistics(kernels, X, y, backend=backend, checkpoint=path)
    assert agree(found, expected)
    assert done >= 12
    assert CountingThreads.items == N_ITEMS - done
    assert not list(tmp_path.iterdir())


INTERRUPTED = """
import os, sys
import numpy as np
import learnkernels as lk
from learnkernels.execution import checkpoint
from learnkernels.gram.tiles import passes
from tests.execution.test_checkpoint import kernels_of_all_kinds

class DyingThreads(lk.Threads):
    folds = 0
    def fold(self, *arguments):
        DyingThreads.folds += 1
        if DyingThreads.folds > 5:
            os._exit(9)
        return super().fold(*arguments)

passes.ROWS, checkpoint.SECONDS = 32, 0.0
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
lk.alignment_statistics(
    kernels_of_all_kinds(), X, y, backend=DyingThreads(1), checkpoint=sys.argv[3]
)
"""


def kernels_of_all_kinds():
    gamma = 0.2
    return [lk.gaussians([0.1]), "cosine", lambda U, V: rbf_kernel(U, V, gamma=gamma), RBF(0.5)]


def test_another_process_continues_after_the_first_has_died(backend, samples, tmp_path):
    X, y = samples
    files = [tmp_path / name for name in ("X.npy", "y.npy", "sums.npz")]
    np.save(files[0], X)
    np.save(files[1], y)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-c", INTERRUPTED, *map(str, files)]
    assert subprocess.run(arguments, env=environment).returncode == 9
    assert files[2].exists()
    kernels = kernels_of_all_kinds()
    found = lk.alignment_statistics(kernels, X, y, backend=backend, checkpoint=files[2])
    assert CountingThreads.items < N_ITEMS
    assert agree(found, lk.alignment_statistics(kernels, X, y))


@pytest.fixture
def interrupted(backend, samples, tmp_path, monkeypatch):
    """Return a function that fits, and the checkpoint of its interrupted pass."""
    X, y = samples
    path = tmp_path / "sums.npz"

    def fit(kernels=None, X=X, y=y):
        kernels = kernels or lk.gaussians([0.1, 1.0])
        return lk.KernelLearner(kernels, backend=backend, checkpoint=path, method="alignf").fit(
            X, y
        )

    monkeypatch.setattr(CountingThreads, "limit", 8)
    with pytest.raises(KeyboardInterrupt):
        fit()
    monkeypatch.setattr(CountingThreads, "limit", np.inf)
    return fit, path


@pytest.mark.parametrize("other", ["kernels", "X", "y"])
def test_checkpoint_of_another_pass_is_refused_and_kept(other, interrupted, samples):
    fit, path = interrupted
    before = path.read_bytes()
    X, y = samples
    changed = X.copy()
    changed[-1, -1] += 1e-9
    options = {
        "kernels": {"kernels": lk.gaussians([0.1, 1.0 + 1e-6])},
        "X": {"X": changed},
        "y": {"y": np.where(np.arange(len(y)) == 7, -y, y)},
    }[other]
    with pytest.raises(lk.InputError, match="belongs to another pass"):
        fit(**options)
    assert path.read_bytes() == before
    fit()
    assert not path.exists()


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "bit"])
def test_damaged_checkpoint_is_refused_and_kept(damage, interrupted):
    fit, path = interrupted
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(
        {"cut": content[:-100], "empty": b"", "text": b"a,b\n1,2\n", "bit": content}[damage]
    )
    before = path.read_bytes()
    with pytest.raises(lk.InputError, match="damaged"):
        fit()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("failure", "error", "message"),
    [
        (PermissionError(13, "Permission denied"), lk.InputError, "cannot be read.*Allow reading"),
        (MemoryError("no memory"), MemoryError, "no memory"),
    ],
)
def test_checkpoint_that_cannot_be_read_is_not_described_as_damaged(
    failure, error, message, interrupted, monkeypatch
):
    def load(*args, **kwargs):
        raise failure

    fit, path = interrupted
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", load)
        with pytest.raises(error, match=message) as raised:
            fit()
    assert "damaged" not in str(raised.value) and path.read_bytes() == before
    fit()


@pytest.mark.parametrize("change", [{"done": np.array(N_ITEMS)}, {"R": np.zeros(3)}])
def test_checkpoint_with_wrong_content_is_refused(change, interrupted):
    fit, path = interrupted
    with np.load(path) as content:
        arrays = dict(content) | change
    np.savez(path, **arrays)
    with pytest.raises(lk.InputError, match="is damaged"):
        fit()


def test_input_error_during_a_pass_names_the_checkpoint(backend, samples, tmp_path):
    class FailingThreads(CountingThreads):
        def fold(self, reduction, items, what):
            if CountingThreads.items:
                raise lk.InputError("the scheduler was lost.")
            return super().fold(reduction, items, what)

    path = tmp_path / "sums.npz"
    message = r"lost\. The total over the first .*; repeat the call to continue from there"
    with pytest.raises(lk.InputError, match=message):
        lk.alignment_statistics("linear", *samples, backend=FailingThreads(1), checkpoint=path)
    assert path.exists()


def test_missing_folder_raises_input_error(samples, tmp_path):
    with pytest.raises(lk.InputError, match=r"folder .* does not exist"):
        lk.alignment_statistics("linear", *samples, checkpoint=tmp_path / "no" / "sums.npz")
    with pytest.raises(lk.InputError, match=r"is a folder; pass the path of a file"):
        lk.alignment_statistics("linear", *samples, checkpoint=tmp_path)


def test_reduction_that_cannot_be_saved_runs_without_a_checkpoint(tmp_path):
    backend = Checkpointed(Threads(1), tmp_path / "sums.npz", "data")
    assert backend.fold(Count(), range(5), "counting") == {"sum": 10}
    assert not list(tmp_path.iterdir())


def test_map_runs_on_the_wrapped_backend(tmp_path):
    calls = []

    class Recording(Threads):
        def map(self, function, items, what, local=False):
            calls.append(local)
            return super().map(function, items, what, local)

    backend = Checkpointed(Recording(1), tmp_path / "sums.npz", "data")
    assert list(backend.map(abs, [-1, 2], "absolute values")) == [1, 2]
    assert list(backend.map(abs, [-1, 2], "absolute values", local=True)) == [1, 2]
    assert calls == [False, True]


def test_progress_counts_items_including_those_in_the_checkpoint(interrupted, display):
    fit, _ = interrupted
    done = CountingThreads.items
    fit()
    start, *advances, end = display.calls[: N_ITEMS - done + 2]
    assert start == (N_ITEMS, "alignment statistics", done)
    assert advances == ["advance"] * (N_ITEMS - done)
    assert end == (None, "", 0)


def test_statistics_with_dask_and_a_checkpoint_equal_those_of_threads(
    client, samples, tmp_path, set_tile_rows
):
    set_tile_rows(32)
    X, y = samples
    backend = Checkpointed(lk.Dask(client), tmp_path / "sums.npz", "data")
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y)
    assert agree(lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend=backend), expected)
    assert not list(tmp_path.iterdir())

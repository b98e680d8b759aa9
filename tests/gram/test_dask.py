"""The Dask backend: the same numbers as threads, whatever happens to workers; checkpoints."""

import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

import learnkernels as lk
from learnkernels import progress
from learnkernels.cli import main
from learnkernels.gram import (
    Bank,
    Checkpointed,
    Threads,
    as_backend,
    dask_backend,
    dask_clients,
    pair_sums,
    sums,
    tiles,
)
from learnkernels.gram import checkpoint as checkpoints
from learnkernels.gram.sending import packed, unpacked
from learnkernels.kernels import resolve

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")

# What distributed says of itself, of clusters that are closed and of workers that are killed.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning"),
]


@pytest.fixture(scope="module")
def client():
    """Two worker processes with a thread each."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def samples(rng):
    """Enough samples for several ranges of rows."""
    X = rng.standard_normal((900, 6))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(900) > 0, 1, -1)


def close(found, expected, tolerance=1e-10):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def agree(found, expected):
    return all(
        close(getattr(found, name), getattr(expected, name)) for name in ("a", "M", "traces")
    )


def textual(X):
    words = np.where(X[:, :1] > 0, "up", "down").ravel()
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "text": [f"{w} and away" for w in words]})


CASES = {
    "gaussians": lambda X: (lk.gaussians([0.02, 0.1, 0.5]), X),
    "laplacians": lambda X: (lk.laplacians([0.1, 0.5]), X),
    "per feature": lambda X: (lk.per_feature(), X),
    "lambda": lambda X: ([lambda U, V: rbf_kernel(U, V, gamma=0.2), "linear"], X),
    "precomputed": lambda X: (
        "precomputed",
        np.stack([rbf_kernel(X, gamma=gamma) for gamma in (0.1, 0.3)], axis=-1),
    ),
    "views": lambda X: (
        [lk.on(["a", "b"], lk.gaussians([0.1, 1.0])), lk.on("text", lk.ngrams())],
        textual(X),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_statistics_are_those_of_threads(case, client, samples, monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", 64)
    X, y = samples
    kernels, data = CASES[case](X)
    expected = lk.alignment_statistics(kernels, data, y)
    assert agree(lk.alignment_statistics(kernels, data, y, backend=client), expected)


@pytest.mark.parametrize("kernels", ["gaussians", "per feature"])
def test_models_with_folds_and_weights_are_those_of_threads(kernels, client, samples):
    X, y = samples
    kernels, _ = CASES[kernels](X)
    w = np.arange(len(y)) % 3 + 1.0
    models = [
        lk.KernelClassifier(kernels, C=[0.1, 10.0], backend=backend).fit(X, y, sample_weight=w)
        for backend in (None, client)
    ]
    here, there = models
    assert close(there.weights_, here.weights_)
    assert here.C_ == there.C_
    assert close(there.decision_function(X), here.decision_function(X), 1e-8)
    again = here.decision_function(X)
    assert close(here.set_params(backend=client).decision_function(X), again)


@pytest.mark.parametrize("method", ["l2-krr", "l1-svm", "conv"])
def test_one_stage_methods_learn_the_weights_that_they_learn_on_threads(method, client, samples):
    X, y = samples[0][:400], samples[1][:400]
    here, there = [
        lk.KernelClassifier(lk.gaussians([0.05, 0.3]), method, backend=backend).fit(X, y)
        for backend in (None, client)
    ]
    assert close(there.weights_, here.weights_, 1e-6)


def test_every_name_of_a_backend_works(client, samples):
    X, y = samples
    address = client.scheduler.address
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend="threads")
    for backend in (address, lk.Dask(address), lk.Dask(client)):
        assert agree(lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend=backend), expected)
    with client.as_current():
        found = lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend="dask")
    assert agree(found, expected)
    dask_clients.CLIENTS.pop(address).close()


@pytest.mark.parametrize("backend", ["spark", 3, object()])
def test_other_backends_are_refused(backend):
    with pytest.raises(lk.InputError, match="the address of a Dask scheduler"):
        as_backend(backend)


def test_an_estimator_with_a_dask_backend_can_be_cloned_and_pickled(client, samples):
    X, y = samples
    model = clone(lk.KernelClassifier(lk.gaussians([0.1]), backend=lk.Dask(client)))
    assert model.backend.client is client
    content, _ = packed(model.fit(X, y))
    assert isinstance(unpacked(content, []).backend, Threads)
    assert lk.Dask(client).__reduce__() == (lk.Dask, (client.scheduler.address,))


def test_samples_travel_once_and_changed_ones_again(client, samples, monkeypatch):
    X, y = samples[0].repeat(3, axis=1), samples[1]
    sent = []
    scatter = type(client).scatter

    def counted(self, data, **options):
        sent.extend(len(one) if isinstance(one, bytes) else one.nbytes for one in data)
        return scatter(self, data, **options)

    monkeypatch.setattr(type(client), "scatter", counted)
    bank = Bank.of(resolve(lk.gaussians([0.1, 0.3]), X), X)
    for target in (y, -y, y + 1.0):
        pair_sums(bank, target[:, None].astype(float), lk.Dask(client))
    assert sum(one >= X.nbytes for one in sent) == 1
    first = pair_sums(bank, y[:, None].astype(float), lk.Dask(client)).statistics()
    bank.tiled.left[0].A[:] *= 2
    bank.tiled.left[0].squared[:] *= 4
    found = pair_sums(bank, y[:, None].astype(float), lk.Dask(client)).statistics()
    assert sum(one >= X.nbytes for one in sent) == 2
    assert not close(found.M, first.M)
    cache = dask_backend.SENT[client]
    del bank
    assert all(holders for holders in cache.holders.values())
    assert cache.kept.keys() == cache.holders.keys()


def slow(item):
    time.sleep(0.05)
    return item


class SlowCount:
    """A sum that takes its time; one item may kill its worker."""

    def __init__(self, fatal=None):
        self.fatal = fatal

    def part(self, item):
        if item == self.fatal:
            os._exit(1)
        time.sleep(0.02)
        return item

    def work(self, item):
        return 1.0

    def start(self):
        return np.zeros(1)

    def add(self, total, part):
        total += part

    def join(self, total, other):
        total += other


class SlowTiles(sums.SumOfTiles):
    """The pass over pairs, with time to do something to the workers."""

    def part(self, rows):
        time.sleep(0.05)
        return super().part(rows)


def workers(client):
    return list(client.run(os.getpid).values())


@pytest.mark.parametrize("victims", [1, 2])
def test_killed_workers_change_nothing_but_time(victims, client, samples, monkeypatch):
    X, y = samples[0].repeat(2, axis=1), samples[1]
    expected = lk.alignment_statistics(lk.gaussians([0.1, 1.0]), X, y)
    monkeypatch.setattr(tiles, "ROWS", 16)
    monkeypatch.setattr(sums, "SumOfTiles", SlowTiles)
    pids = workers(client)[:victims]
    killer = threading.Timer(0.7, lambda: [os.kill(pid, signal.SIGKILL) for pid in pids])
    killer.start()
    start = time.monotonic()
    found = lk.alignment_statistics(lk.gaussians([0.1, 1.0]), X, y, backend=client)
    assert time.monotonic() - start > 0.7  # they died in the middle
    assert agree(found, expected)
    killer.join()
    client.wait_for_workers(2, timeout=120)


def test_a_map_survives_a_killed_worker(client):
    pid = workers(client)[0]
    results = []
    for item in lk.Dask(client).map(slow, range(40), "counting"):
        if item == 5:
            os.kill(pid, signal.SIGKILL)
        results.append(item)
    assert results == list(range(40))
    client.wait_for_workers(2, timeout=120)


def test_a_kernel_that_kills_every_worker_is_a_sentence(client, monkeypatch):
    monkeypatch.setattr(dask_backend, "ATTEMPTS", 1)
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    with pytest.raises(lk.InputError, match="lost again and again while computing counting"):
        lk.Dask(client).fold(SlowCount(fatal=3), range(8), "counting")
    client.wait_for_workers(2, timeout=120)


def test_what_cannot_be_sent_is_a_sentence(client, samples, tmp_path):
    X, y = samples
    with (tmp_path / "open").open("w") as file:

        class Logged(lk.kernels.Linear):
            def __init__(self):
                object.__setattr__(self, "file", file)

        with pytest.raises(lk.InputError, match="cannot be sent to other processes"):
            lk.alignment_statistics([Logged()], X, y, backend=client)


def test_errors_of_kernels_arrive(client):
    def broken(item):
        raise lk.InputError(f"item {item} is broken")

    with pytest.raises(lk.InputError, match=r"^item 0 is broken"):
        list(lk.Dask(client).map(broken, range(3), "breaking"))
    with pytest.raises(FileNotFoundError):
        list(lk.Dask(client).map(open, ["/no/file", "/no/other"], "reading"))


def test_no_scheduler_is_a_sentence(monkeypatch):
    monkeypatch.setattr(dask_clients, "PATIENCE", 0.5)
    with pytest.raises(lk.InputError, match=r"no Dask scheduler at 'tcp://127\.0\.0\.1:1'"):
        list(as_backend("tcp://127.0.0.1:1").map(abs, [1, 2], "sizes"))


def test_without_distributed_the_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(lk.InputError, match=r"pip install 'learnkernels\[dask\]'"):
        list(as_backend("dask").map(abs, [1, 2], "sizes"))


SCHEDULER = """
import asyncio, sys
from distributed import Scheduler, Worker
async def main():
    async with Scheduler(port=0, host="127.0.0.1", dashboard=False) as scheduler:
        async with Worker(scheduler.address, nthreads=1, dashboard=False):
            print(scheduler.address, flush=True)
            await scheduler.finished()
asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["map", "fold"])
def test_a_lost_scheduler_is_a_sentence(way):
    process = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        address = process.stdout.readline().strip()
        with distributed.Client(address, set_as_default=False, timeout=2) as client:
            threading.Timer(1.0, process.kill).start()
            lost = f"scheduler at {address} was lost while computing counting"
            with pytest.raises(lk.InputError, match=lost):
                if way == "map":
                    list(lk.Dask(client).map(slow, range(200), "counting"))
                else:
                    lk.Dask(client).fold(SlowCount(), range(200), "counting")
            with pytest.raises(lk.InputError, match=r"was lost|is closed"):
                list(lk.Dask(client).map(slow, range(200), "counting"))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_groups_have_equal_work_and_hold_every_item():
    work = np.arange(100.0, 0, -1)
    for pace, threads in ((1e-9, 2), (0.01, 2), (1.0, 4), (None, 2)):
        found = dask_backend.groups(work, 4, pace, threads)
        assert [i for group in found for i in range(100)[group]] == list(range(4, 100))
    found = dask_backend.groups(work, 0, 0.01, 2)
    sizes = [work[group].sum() for group in found]
    assert len(found) == round(0.01 * work.sum())
    assert max(sizes) < 3 * np.median(sizes)


def test_progress_counts_groups(client, monkeypatch):
    counted = []

    class Line(progress.Line):
        def __init__(self):
            self.counted, self.text = False, ""

        def _renew(self, total, text, done=0):
            counted.append((total, text, done))

        @property
        def bars(self):
            return SimpleNamespace(advance=lambda task: counted.append("one more"))

        task = 0

    backend = as_backend(client, progress.Progress(Line()))
    assert backend.fold(SlowCount(), range(8), "counting") == sum(range(8))
    assert counted == [(8, "counting", 0), *["one more"] * 8, (None, "", 0)]
    counted.clear()
    assert list(backend.map(slow, range(4), "mapping")) == list(range(4))
    assert counted[0] == (4, "mapping", 0)
    assert isinstance(backend.local.backend, Threads)


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_the_command_line_takes_a_scheduler(command, client, samples, tmp_path, capsys):
    X, y = samples
    table = pd.DataFrame(X[:400], columns=list("abcdef")).assign(y=y[:400])
    table.to_csv(tmp_path / "data.csv", index=False)
    arguments = [
        command,
        str(tmp_path / "data.csv"),
        "--target",
        "y",
        "--kernels",
        "gaussians:-4..-1",
    ]
    address = client.scheduler.address
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert main([*arguments, "--scheduler", address]) == 0
    if command == "fit":
        assert capsys.readouterr().out == expected
    assert address in dask_clients.CLIENTS
    dask_clients.CLIENTS.pop(address).close()
    assert main([*arguments, "--scheduler", "here"]) == 2
    assert "expected an address such as tcp://host:8786" in capsys.readouterr().err


class Counted(Threads):
    """Threads that count items, and stop after some."""

    items = 0
    limit = np.inf

    def fold(self, sum, items, what, progress=None):
        if Counted.items >= Counted.limit:
            raise KeyboardInterrupt
        Counted.items += len(items)
        return super().fold(sum, items, what)


@pytest.fixture
def counted(monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", 32)
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(Counted, "items", 0)
    return Counted(1)


def test_a_stopped_pass_goes_on_from_its_checkpoint(counted, samples, tmp_path, monkeypatch):
    X, y = samples
    kernels, path = lk.gaussians([0.1, 1.0]), tmp_path / "sums.npz"
    expected = lk.alignment_statistics(kernels, X, y)
    monkeypatch.setattr(Counted, "limit", 12)
    with pytest.raises(KeyboardInterrupt):
        lk.alignment_statistics(kernels, X, y, backend=counted, checkpoint=path)
    assert [file.name for file in tmp_path.iterdir()] == ["sums.npz"]
    monkeypatch.setattr(Counted, "limit", np.inf)
    done, Counted.items = Counted.items, 0
    found = lk.alignment_statistics(kernels, X, y, backend=counted, checkpoint=path)
    assert agree(found, expected)
    assert done >= 12
    assert Counted.items == -(-900 // 32) - done
    assert not list(tmp_path.iterdir())


DIES = """
import os, sys
import numpy as np
import learnkernels as lk
from learnkernels.gram import checkpoint, tiles
from tests.gram.test_dask import kernels_of_all_kinds

class Mortal(lk.Threads):
    folds = 0
    def fold(self, *arguments):
        Mortal.folds += 1
        if Mortal.folds > 5:
            os._exit(9)
        return super().fold(*arguments)

tiles.ROWS, checkpoint.SECONDS = 32, 0.0
X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
lk.alignment_statistics(
    kernels_of_all_kinds(), X, y, backend=Mortal(1), checkpoint=sys.argv[3]
)
"""


def kernels_of_all_kinds():
    slope = 0.2
    return [lk.gaussians([0.1]), "cosine", lambda U, V: rbf_kernel(U, V, gamma=slope), RBF(0.5)]


def test_another_process_goes_on(counted, samples, tmp_path):
    X, y = samples
    files = [tmp_path / name for name in ("X.npy", "y.npy", "sums.npz")]
    np.save(files[0], X)
    np.save(files[1], y)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [sys.executable, "-c", DIES, *map(str, files)]
    assert subprocess.run(arguments, env=environment).returncode == 9
    assert files[2].exists()
    kernels = kernels_of_all_kinds()
    found = lk.alignment_statistics(kernels, X, y, backend=counted, checkpoint=files[2])
    assert Counted.items < -(-900 // 32)
    assert agree(found, lk.alignment_statistics(kernels, X, y))


@pytest.fixture
def stopped(counted, samples, tmp_path, monkeypatch):
    """A function that fits, a checkpoint of its unfinished pass, and no limit any more."""
    X, y = samples
    path = tmp_path / "sums.npz"

    def fit(kernels=None, X=X, y=y):
        kernels = kernels or lk.gaussians([0.1, 1.0])
        return lk.KernelLearner(kernels, backend=counted, checkpoint=path).fit(X, y)

    monkeypatch.setattr(Counted, "limit", 8)
    with pytest.raises(KeyboardInterrupt):
        fit()
    monkeypatch.setattr(Counted, "limit", np.inf)
    return fit, path


@pytest.mark.parametrize("other", ["kernels", "X", "y"])
def test_a_checkpoint_of_something_else_is_refused_and_kept(other, stopped, samples):
    fit, path = stopped
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
def test_a_damaged_checkpoint_is_refused_and_kept(damage, stopped):
    fit, path = stopped
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(
        {"cut": content[:-100], "empty": b"", "text": b"a,b\n1,2\n", "bit": content}[damage]
    )
    before = path.read_bytes()
    with pytest.raises(lk.InputError, match="damaged"):
        fit()
    assert path.read_bytes() == before


def test_errors_name_the_checkpoint(samples, tmp_path, monkeypatch):
    class Lost(Counted):
        def fold(self, sum, items, what, progress=None):
            if Counted.items:
                raise lk.InputError("the scheduler was lost.")
            return super().fold(sum, items, what)

    monkeypatch.setattr(tiles, "ROWS", 32)
    monkeypatch.setattr(Counted, "items", 0)
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    path = tmp_path / "sums.npz"
    with pytest.raises(lk.InputError, match=r"lost\. The sum over the first .* goes on from there"):
        lk.alignment_statistics("linear", *samples, backend=Lost(1), checkpoint=path)
    assert path.exists()
    with pytest.raises(lk.InputError, match="there is no folder"):
        lk.alignment_statistics("linear", *samples, checkpoint=tmp_path / "no" / "sums.npz")


def test_checkpoints_work_with_dask(client, samples, tmp_path, monkeypatch):
    monkeypatch.setattr(tiles, "ROWS", 32)
    X, y = samples
    backend = Checkpointed(lk.Dask(client), tmp_path / "sums.npz", "data")
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y)
    assert agree(lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend=backend), expected)
    assert not list(tmp_path.iterdir())


def test_landmarks_and_conjugate_gradients_run_on_the_workers(client, samples):
    X, y = samples
    for options in ({"n_components": 60, "alpha": [0.1, 1.0]}, {"max_memory": 1e6}):
        here = lk.KernelRegressor(**options).fit(X, y)
        there = lk.KernelRegressor(**options, backend=client).fit(X, y)
        assert there.solver_ == here.solver_ != "dense"
        assert there.predict(X) == pytest.approx(here.predict(X), abs=1e-8)


def test_arrays_and_frames_of_dask_are_samples(samples):
    dask_array = pytest.importorskip("dask.array", reason="needs learnkernels[dask]")
    X, y = samples
    lazy = dask_array.from_array(X, chunks=(300, X.shape[1]))
    here = lk.alignment_statistics(lk.gaussians([0.1]), X, y)
    assert agree(lk.alignment_statistics(lk.gaussians([0.1]), lazy, y), here)
    model = lk.KernelRegressor(n_components=40).fit(lazy, dask_array.from_array(y, chunks=300))
    assert np.allclose(
        model.predict(lazy), lk.KernelRegressor(n_components=40).fit(X, y).predict(X)
    )


def test_views_of_a_lazy_table(samples):
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    X, y = samples
    table = pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
    views = [lk.on(["column 0", "column 1"], lk.gaussians([0.1])), lk.on(["column 2"])]
    lazy = lk.KernelClassifier(views).fit(frames.from_pandas(table, npartitions=3), y)
    here = lk.KernelClassifier(views).fit(table, y)
    assert np.array_equal(lazy.weights_, here.weights_)
    assert list(lazy.feature_names_in_) == list(table.columns)

"""The Dask backend: the same results as threads, also if workers or the scheduler are lost."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import learnkernels as lk
from learnkernels.execution import as_backend, dask_backend
from tests.execution.cluster import (
    DASK_MARKS,
    Count,
    Gate,
    agree,
    close,
    kill,
    scheduler_process,
    wait_for_restart,
    wait_until,
    when,
    worker_pids,
)

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
pytestmark = DASK_MARKS


def table_with_text(X):
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
        table_with_text(X),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_statistics_equal_those_of_threads(case, client, samples, set_tile_rows):
    set_tile_rows(64)
    X, y = samples
    kernels, data = CASES[case](X)
    expected = lk.alignment_statistics(kernels, data, y)
    assert agree(lk.alignment_statistics(kernels, data, y, backend=client), expected)


@pytest.mark.parametrize("kernels", ["gaussians", "per feature"])
def test_models_with_folds_and_weights_equal_those_of_threads(kernels, client, samples):
    X, y = samples
    kernels, _ = CASES[kernels](X)
    w = np.arange(len(y)) % 3 + 1.0
    threads, dask = [
        lk.KernelClassifier(kernels, C=[0.1, 10.0], backend=backend, method="alignf").fit(
            X, y, sample_weight=w
        )
        for backend in (None, client)
    ]
    assert close(dask.weights_, threads.weights_)
    assert threads.C_ == dask.C_
    assert close(dask.decision_function(X), threads.decision_function(X), 1e-8)
    expected = threads.decision_function(X)
    assert close(threads.set_params(backend=client).decision_function(X), expected)


@pytest.mark.parametrize("method", ["l2-krr", "l1-svm", "conv"])
def test_weights_of_one_stage_methods_equal_those_of_threads(method, client, samples):
    X, y = samples[0][:400], samples[1][:400]
    threads, dask = [
        lk.KernelClassifier(lk.gaussians([0.05, 0.3]), method, backend=backend, C=1.0).fit(X, y)
        for backend in (None, client)
    ]
    assert close(dask.weights_, threads.weights_, 1e-6)


@pytest.mark.filterwarnings("ignore::learnkernels.UniformBetterWarning")
def test_landmarks_and_conjugate_gradients_equal_those_of_threads(client, samples):
    X, y = samples[0][:500], samples[1][:500]
    kernels = [lk.gaussians([0.1, 1.0]), "linear"]
    for options in ({"n_components": 60, "alpha": [0.1, 1.0]}, {"alpha": 1.0, "max_memory": 1e6}):
        threads = lk.KernelRegressor(kernels, "alignf", **options).fit(X, y)
        dask = lk.KernelRegressor(kernels, "alignf", **options, backend=client).fit(X, y)
        assert dask.solver_ == threads.solver_ != "dense"
        assert dask.predict(X) == pytest.approx(threads.predict(X), abs=1e-8)


@pytest.mark.parametrize("max_samples", [250, 2000])
def test_leave_one_out_weights_equal_those_of_threads(max_samples, client, samples):
    X, y = samples[0][:500], samples[1][:500]
    method = lk.methods.LeaveOneOut(max_samples=max_samples, n_components=50, tol=1e-3)
    kernels = [lk.gaussians([0.1, 1.0]), lk.per_feature()]
    threads = lk.KernelRegressor(kernels, method).fit(X, y)
    dask = lk.KernelRegressor(kernels, method, backend=client).fit(X, y)
    assert dask.weights_ == pytest.approx(threads.weights_, abs=1e-4)
    assert dask.predict(X) == pytest.approx(threads.predict(X), abs=1e-3)


def test_estimator_with_dask_backend_is_cloned_with_the_same_client(client):
    model = clone(
        lk.KernelClassifier(lk.gaussians([0.1]), backend=lk.Dask(client), method="alignf", C=1.0)
    )
    assert model.backend.client is client


def test_pickled_dask_backend_has_the_address_instead_of_the_client(client):
    assert lk.Dask(client).__reduce__() == (lk.Dask, (client.scheduler.address,))
    assert lk.Dask("tcp://host:1").__reduce__() == (lk.Dask, ("tcp://host:1",))


def test_local_map_runs_in_this_process(client):
    written = np.zeros(4)

    def write(item):
        written[item] = item

    list(lk.Dask(client).map(write, range(4), "writing", local=True))
    assert written.tolist() == [0, 1, 2, 3]


def test_single_item_runs_in_this_process(client):
    written = []
    list(lk.Dask(client).map(written.append, ["item"], "writing"))
    assert written == ["item"]
    assert lk.Dask(client).fold(Count(), [7], "counting") == {"sum": 7}


def test_progress_counts_groups_and_results(client, display):
    backend = as_backend(client)
    assert backend.fold(Count(), range(8), "counting") == {"sum": sum(range(8))}
    assert display.calls == [(8, "counting", 0), *["advance"] * 8, (None, "", 0)]
    display.calls.clear()
    assert list(backend.map(abs, range(4), "mapping")) == list(range(4))
    assert display.calls == [(4, "mapping", 0), *["advance"] * 4, (None, "", 0)]


@dataclass(frozen=True)
class GatedReduction:
    """A reduction that waits at a gate before every item."""

    reduction: Any
    gate: Gate

    def part(self, item):
        self.gate.wait()
        return self.reduction.part(item)

    def work(self, item):
        return self.reduction.work(item)

    def start(self):
        return self.reduction.start()

    def add(self, total, part):
        self.reduction.add(total, part)


class GatedDask(lk.Dask):
    """Workers that wait at a gate before every item of a fold."""

    def __init__(self, client, gate):
        super().__init__(client)
        object.__setattr__(self, "gate", gate)

    def fold(self, reduction, items, what):
        return super().fold(GatedReduction(reduction, self.gate), items, what)


@pytest.mark.parametrize("n_victims", [1, 2])
def test_statistics_are_right_after_workers_are_killed(
    n_victims, client, samples, set_tile_rows, gate
):
    set_tile_rows(16)
    X, y = samples[0].repeat(2, axis=1), samples[1]
    kernels = lk.gaussians([0.1, 1.0])
    expected = lk.alignment_statistics(kernels, X, y)
    pids = worker_pids(client)
    victims = pids[:n_victims]
    # Both workers are in the middle of a task when they are killed.
    with when(lambda: gate.arrived() >= set(pids), lambda: kill(victims), gate.open):
        found = lk.alignment_statistics(kernels, X, y, backend=GatedDask(client, gate))
    assert agree(found, expected)
    wait_for_restart(client, victims)


def test_map_yields_all_results_in_order_after_a_worker_is_killed(client, gate):
    victims = worker_pids(client)[:1]

    def gated(item):
        if item >= 20:
            gate.wait()
        return item

    results = []
    for item in lk.Dask(client).map(gated, range(40), "counting"):
        if item == 5:
            kill(victims)
            gate.open()
        results.append(item)
    assert results == list(range(40))
    wait_for_restart(client, victims)


@pytest.fixture
def no_allowed_failures(client):
    """Make the scheduler give up a task when a worker dies in it."""

    def set_allowed(number, dask_scheduler):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
        return before

    before = client.run_on_scheduler(set_allowed, 0)
    yield
    client.run_on_scheduler(set_allowed, before)


def test_task_that_kills_every_worker_raises_input_error(client, no_allowed_failures, monkeypatch):
    monkeypatch.setattr(dask_backend, "ATTEMPTS", 1)
    pids = worker_pids(client)
    with pytest.raises(lk.InputError, match="were lost repeatedly while computing counting"):
        lk.Dask(client).fold(Count(fatal=3), range(8), "counting")
    wait_until(lambda: len(running := set(worker_pids(client))) == 2 and running != set(pids))


def test_errors_of_tasks_are_raised_unchanged(client):
    def broken(item):
        raise lk.InputError(f"item {item} is broken")

    with pytest.raises(lk.InputError, match=r"^item 0 is broken"):
        list(lk.Dask(client).map(broken, range(3), "breaking"))
    with pytest.raises(FileNotFoundError):
        list(lk.Dask(client).map(open, ["/no/file", "/no/other"], "reading"))


class FailingCount(Count):
    """A sum that fails after some items."""

    def part(self, item):
        if item == 6:
            raise FileNotFoundError(item)
        return item


def test_failed_fold_keeps_the_connection_and_its_data(client):
    (future,) = client.scatter(["data"], broadcast=True, hash=False)
    for _ in range(3):
        with pytest.raises(FileNotFoundError):
            lk.Dask(client).fold(FailingCount(), range(16), "counting")
    assert client.nthreads() and future.result() == "data"


def test_missing_module_on_a_worker_is_named(client):
    def imports(item):
        raise ModuleNotFoundError("No module named 'absent'")

    with pytest.raises(lk.InputError, match=r"lacks a module \(No module named 'absent'\)"):
        list(lk.Dask(client).map(imports, range(3), "importing"))


def connect_when_possible(address):
    """Return a client that closes soon after the scheduler is lost."""
    clients = []

    def connected():
        try:
            clients.append(distributed.Client(address, set_as_default=False, timeout=2))
        except OSError:
            return False
        return True

    wait_until(connected)
    return clients[0]


@pytest.mark.parametrize("call", ["map", "fold"])
def test_lost_scheduler_raises_input_error(call, gate):
    count = Count(gate=gate)

    def work(client):
        if call == "fold":
            return lk.Dask(client).fold(count, range(9), "counting")
        return list(lk.Dask(client).map(count.part, range(9), "counting"))

    with scheduler_process() as (process, address), connect_when_possible(address) as client:
        lost = f"scheduler at {address} was lost while computing counting"
        with (
            when(lambda: bool(gate.arrived()), process.kill),
            pytest.raises(lk.InputError, match=lost),
        ):
            work(client)
        wait_until(lambda: client.status == "closed")
        with pytest.raises(lk.InputError, match="is closed"):
            work(client)


def test_groups_have_equal_work_and_contain_every_item():
    work = np.arange(100.0, 0, -1)
    for pace, threads in ((1e-9, 2), (0.01, 2), (1.0, 4), (None, 2)):
        found = dask_backend.group_items(work, 4, pace, threads)
        assert [i for group in found for i in range(100)[group]] == list(range(4, 100))
    found = dask_backend.group_items(work, 0, 0.01, 2)
    sizes = [work[group].sum() for group in found]
    assert len(found) == round(0.01 * work.sum())
    assert max(sizes) < 3 * np.median(sizes)


def test_dask_arrays_are_accepted_as_samples(samples):
    dask_array = pytest.importorskip("dask.array", reason="needs learnkernels[dask]")
    X, y = samples
    lazy = dask_array.from_array(X, chunks=(300, X.shape[1]))
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y)
    assert agree(lk.alignment_statistics(lk.gaussians([0.1]), lazy, y), expected)
    model = lk.KernelRegressor(
        n_components=40, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
    ).fit(lazy, dask_array.from_array(y, chunks=300))
    assert np.allclose(
        model.predict(lazy),
        lk.KernelRegressor(
            n_components=40, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        )
        .fit(X, y)
        .predict(X),
    )


def test_dask_data_frames_are_accepted_as_views(samples):
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    X, y = samples
    table = pd.DataFrame(X, columns=[f"column {k}" for k in range(X.shape[1])])
    views = [lk.on(["column 0", "column 1"], lk.gaussians([0.1])), lk.on(["column 2"])]
    lazy = lk.KernelClassifier(views, method="alignf", C=1.0).fit(
        frames.from_pandas(table, npartitions=3), y
    )
    expected = lk.KernelClassifier(views, method="alignf", C=1.0).fit(table, y)
    assert np.array_equal(lazy.weights_, expected.weights_)
    assert list(lazy.feature_names_in_) == list(table.columns)

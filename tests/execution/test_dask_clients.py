"""Connections to Dask clusters: accepted arguments, errors, the command line."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import learnkernels as lk
from learnkernels.cli import main
from learnkernels.execution import as_backend, dask_clients
from tests.execution.cluster import DASK_MARKS, agree

distributed = pytest.importorskip("distributed", reason="needs learnkernels[dask]")
pytestmark = DASK_MARKS


def test_addresses_clients_and_the_current_client_give_equal_statistics(client, samples):
    X, y = samples
    address = client.scheduler.address
    expected = lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend="threads")
    for backend in (address, lk.Dask(address), lk.Dask(client)):
        assert agree(lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend=backend), expected)
    with client.as_current():
        found = lk.alignment_statistics(lk.gaussians([0.1]), X, y, backend="dask")
    assert agree(found, expected)
    dask_clients.CLIENTS.pop(address).close()


def test_one_client_is_created_per_address(client):
    address = client.scheduler.address
    first = dask_clients.connect(address)
    assert dask_clients.connect(address) is first
    first.close()
    second = dask_clients.connect(address)
    assert second is not first
    dask_clients.CLIENTS.pop(address).close()


def test_unreachable_scheduler_raises_input_error(monkeypatch):
    monkeypatch.setattr(dask_clients, "TIMEOUT", 0.5)
    with pytest.raises(
        lk.InputError, match=r"no Dask scheduler responds at 'tcp://127\.0\.0\.1:1'"
    ):
        list(as_backend("tcp://127.0.0.1:1").map(abs, [1, 2], "absolute values"))


def test_missing_package_raises_input_error_with_the_command_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(lk.InputError, match=r"pip install 'learnkernels\[dask\]'"):
        list(as_backend("dask").map(abs, [1, 2], "absolute values"))


def test_argument_that_is_not_a_client_raises_input_error():
    with pytest.raises(lk.InputError, match=r"expected a distributed\.Client, the address"):
        dask_clients.connect(3)


@pytest.mark.parametrize(
    ("asynchronous", "status", "message"),
    [(True, "running", "asynchronous"), (False, "closed", "tcp://host:1 is closed; create a new")],
)
def test_unusable_client_raises_input_error(asynchronous, status, message, monkeypatch):
    monkeypatch.setattr(distributed, "Client", SimpleNamespace)
    client = SimpleNamespace(
        asynchronous=asynchronous, status=status, scheduler=SimpleNamespace(address="tcp://host:1")
    )
    with pytest.raises(lk.InputError, match=message):
        dask_clients.connect(client)


def test_scheduler_without_workers_raises_input_error(monkeypatch):
    def wait_for_workers(number, timeout):
        raise TimeoutError

    client = SimpleNamespace(
        nthreads=dict, wait_for_workers=wait_for_workers,
        scheduler=SimpleNamespace(address="tcp://host:1"),
    )  # fmt: skip
    with pytest.raises(lk.InputError, match="has no workers; start some with 'dask worker tcp"):
        dask_clients.count_threads(client)


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_command_line_accepts_the_address_of_a_scheduler(
    command, client, samples, tmp_path, capsys
):
    X, y = samples
    table = pd.DataFrame(X[:100], columns=list("abcdef")).assign(y=y[:100])
    table.to_csv(tmp_path / "data.csv", index=False)
    data = str(tmp_path / "data.csv")
    arguments = [command, data, "--target", "y", "--kernels", "gaussians:-2..-1"]
    if command == "compare":
        arguments += ["--methods", "unif,alignf", "--cv", "3"]
    address = client.scheduler.address
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert main([*arguments, "--scheduler", address]) == 0
    if command == "fit":
        assert capsys.readouterr().out == expected
    assert address in dask_clients.CLIENTS
    dask_clients.CLIENTS.pop(address).close()
    assert main([*arguments, "--scheduler", "here"]) == 2
    assert "not an address; expected one such as tcp://host:8786" in capsys.readouterr().err

"""Connections to Dask clusters: a given client, the address of a scheduler, or a local cluster."""

from __future__ import annotations

import atexit
from concurrent.futures import CancelledError
from functools import cache
from threading import Lock
from typing import Any

from learnkernels.errors import InputError
from learnkernels.execution.backends import available_cores

# Seconds to wait for a scheduler that does not respond, and for the first worker.
TIMEOUT = 30.0
# Tiles are allocated and freed very often. Dask's default makes the allocator return memory to the
# system at once, which takes a fifth of the workers' time.
ALLOCATOR = {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**25}
# Clients by the address of their scheduler.
CLIENTS: dict[str, Any] = {}
# Threads that connect at the same time get the same client.
CONNECTING = Lock()


def import_distributed() -> Any:
    """Return the module distributed, or raise an error that names the package to install."""
    try:
        import distributed
    except ImportError as error:
        raise InputError(
            "the Dask backend needs the package distributed, which is not installed; run "
            "pip install 'learnkernels[dask]'."
        ) from error
    return distributed


def connect(client: Any) -> Any:
    """Return a connected client for a client, an address or None (see `Dask`)."""
    distributed = import_distributed()
    if client is None:
        try:
            client = distributed.default_client()
        except ValueError:  # there is none
            with CONNECTING:
                return local_client()
    if isinstance(client, str):
        return client_at(client)
    if not isinstance(client, distributed.Client):
        raise InputError(
            f"Dask(client={client!r}); expected a distributed.Client, the address of a scheduler "
            'such as "tcp://host:8786", or None.'
        )
    if client.asynchronous:
        raise InputError(
            "the Dask client is asynchronous; expected a synchronous one. Create it without "
            "asynchronous=True."
        )
    if client.status in ("closing", "closed"):
        raise InputError(
            f"the Dask client of {scheduler_address(client)} is closed; create a new one with "
            "distributed.Client(address)."
        )
    return client


@cache
def local_client() -> Any:
    """Start a cluster with one process per core; it is closed when Python exits."""
    distributed = import_distributed()
    import dask

    name = "distributed.nanny.pre-spawn-environ"
    with dask.config.set({name: dask.config.get(name, {}) | ALLOCATOR}):
        try:
            cluster = distributed.LocalCluster(
                n_workers=available_cores(), threads_per_worker=1, processes=True,
                dashboard_address=":0",
            )  # fmt: skip
        except RuntimeError as error:
            raise InputError(
                f"the Dask workers could not start ({error}). In a script, put the code under "
                'if __name__ == "__main__":, or pass a running distributed.Client.'
            ) from error
    client = distributed.Client(cluster, set_as_default=False)
    atexit.register(cluster.close)
    atexit.register(client.close)  # is called first
    return client


def client_at(address: str) -> Any:
    """Return the client of the scheduler at an address; it is created once."""
    with CONNECTING:
        client = CLIENTS.get(address)
        if client is None or client.status != "running":
            client = CLIENTS[address] = new_client(address)
            atexit.register(client.close)
        return client


def new_client(address: str) -> Any:
    """Connect to the scheduler at an address."""
    try:
        return import_distributed().Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"no Dask scheduler responds at {address!r} ({type(error).__name__}: {error}); start "
            "one with 'dask scheduler' and pass the address that it prints."
        ) from error


def count_threads(client: Any) -> int:
    """Return the number of threads of all workers, and wait for the first worker if needed."""
    found = sum(client.nthreads().values())
    if found == 0:
        address = scheduler_address(client)
        try:
            client.wait_for_workers(1, timeout=TIMEOUT)
        except TimeoutError as error:
            raise InputError(
                f"the Dask scheduler at {address} has no workers; start some with "
                f"'dask worker {address}'."
            ) from error
        found = sum(client.nthreads().values())
    return max(int(found), 1)


def scheduler_responds(client: Any) -> bool:
    """Return whether the client's scheduler answers a request."""
    if client.status != "running":
        return False
    try:
        client.sync(client.scheduler.identity, callback_timeout=TIMEOUT)
    except (OSError, TimeoutError, AttributeError, CancelledError):
        return False
    return True


def scheduler_address(client: Any) -> str:
    """Return the address of a client's scheduler, also after the connection is lost."""
    scheduler = getattr(client, "scheduler", None)
    found = getattr(scheduler, "address", None) or getattr(client, "_start_arg", None)
    return found if isinstance(found, str) else "an unknown address"

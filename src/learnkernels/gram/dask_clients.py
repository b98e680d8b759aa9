"""Connections to Dask clusters: given, by address, or started on this machine."""

from __future__ import annotations

import atexit
from concurrent.futures import CancelledError
from functools import cache
from threading import Lock
from typing import Any

from learnkernels.errors import InputError
from learnkernels.gram.backends import available_cores

__all__ = ["address_of", "answers", "connected", "threads_of"]

# Seconds to wait for a scheduler that does not answer, and for the first worker.
PATIENCE = 30.0
# Tiles are made and let go by the million; Dask tells workers to give memory back to the system at
# once, which costs a fifth of their time.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 2**28, "MALLOC_MMAP_THRESHOLD_": 2**25}
# One client for each address.
CLIENTS: dict[str, Any] = {}
# Threads that come at once get the same client, and the same cluster.
CONNECTING = Lock()


def required_distributed():
    """The module, or a sentence where it is not installed."""
    try:
        import distributed
    except ImportError as error:
        raise InputError(
            "backend=\"dask\" needs dask.distributed: pip install 'learnkernels[dask]'."
        ) from error
    return distributed


def connected(client: Any) -> Any:
    """The client that is meant, connected."""
    distributed = required_distributed()
    if client is None:
        return current_client()
    if isinstance(client, str):
        return client_of(client)
    if not isinstance(client, distributed.Client):
        raise InputError(
            f"Dask(client={client!r}); expected a distributed.Client, the address of a scheduler "
            'such as "tcp://host:8786", or None.'
        )
    if client.asynchronous:
        raise InputError("the Dask client is asynchronous; make it without asynchronous=True.")
    if client.status in ("closing", "closed"):
        raise InputError(
            f"the Dask client of {address_of(client)} is closed; connect anew: "
            "distributed.Client(address)."
        )
    return client


def current_client() -> Any:
    """The client of this process; if there is none, that of a cluster on this machine."""
    try:
        return connected(required_distributed().default_client())
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        with CONNECTING:
            return client_of_this_machine()


@cache
def client_of_this_machine() -> Any:
    """A cluster with a process for each core, closed when Python ends."""
    distributed = required_distributed()
    import dask

    name = "distributed.nanny.pre-spawn-environ"
    with dask.config.set({name: dask.config.get(name, {}) | KEEP_MEMORY}):
        cluster = distributed.LocalCluster(
            n_workers=available_cores(), threads_per_worker=1, processes=True,
            dashboard_address=":0",
        )  # fmt: skip
    client = distributed.Client(cluster, set_as_default=False)
    atexit.register(cluster.close)
    atexit.register(client.close)  # which is called first
    return client


def client_of(address: str) -> Any:
    """The client of a scheduler; one for each address."""
    with CONNECTING:
        known = CLIENTS.get(address)
        if known is None or known.status != "running":
            known = CLIENTS[address] = new_client(address)
            atexit.register(known.close)
        return known


def new_client(address: str) -> Any:
    """A client of a scheduler, or a sentence where none answers."""
    try:
        return required_distributed().Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"there is no Dask scheduler at {address!r} ({type(error).__name__}: {error}); start "
            "one with 'dask scheduler', and give the address that it prints."
        ) from error


def threads_of(client) -> int:
    """Threads of all workers, at least one."""
    found = sum(client.nthreads().values())
    if found == 0:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise InputError(
                f"the Dask scheduler at {address_of(client)} has no workers; start some with "
                f"'dask worker {address_of(client)}'."
            ) from error
        found = sum(client.nthreads().values())
    return max(found, 1)


def answers(client) -> bool:
    """Whether the scheduler does."""
    if client.status != "running":
        return False
    try:
        client.sync(client.scheduler.identity, callback_timeout=PATIENCE)
    except (OSError, TimeoutError, AttributeError, CancelledError):
        return False
    return True


def address_of(client) -> str:
    """Where a client's scheduler is, or was."""
    scheduler = getattr(client, "scheduler", None)
    found = getattr(scheduler, "address", None) or getattr(client, "_start_arg", None)
    return found if isinstance(found, str) else "an address that is not known any more"

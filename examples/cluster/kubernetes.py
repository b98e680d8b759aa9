"""Fit a table on a Dask cluster in Kubernetes, made by the Dask operator from kubernetes.yaml.

kubernetes.yaml begins with the commands that create the cluster. This process and the workers need
the same versions of Python and of all packages, and the same path of the table.
"""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from distributed import Client, LocalCluster
from fit_table import parser, run


def options_of() -> argparse.ArgumentParser:
    found = parser(__doc__)
    found.add_argument("--address", default="tcp://localhost:8786", help="address of the scheduler")
    found.add_argument("--workers", type=int, default=1, help="workers to wait for")
    found.add_argument("--local", action="store_true", help="use two processes of this machine")
    return found


def main() -> None:
    given = options_of().parse_args()
    cluster: AbstractContextManager[Any] = nullcontext(given.address)
    if given.local:
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster as found, Client(found) as client:
        client.wait_for_workers(given.workers)
        client.get_versions(check=True)  # raises if packages differ
        run(client, given)


if __name__ == "__main__":  # the processes of local workers import this file
    main()

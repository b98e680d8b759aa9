"""Fit a table with the cores of this machine.

python examples/cluster/local.py big.parquet --target y --workers 4
"""

from __future__ import annotations

import dask
from distributed import Client, LocalCluster
from fit_table import ALLOCATOR, parser, run


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--workers", type=int, help="processes, one for each core by default")
    given = options.parse_args()
    environment = {"distributed.nanny.pre-spawn-environ": ALLOCATOR}
    with (
        dask.config.set(environment),
        LocalCluster(
            n_workers=given.workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        run(client, given)


if __name__ == "__main__":  # the processes of the workers import this file
    main()

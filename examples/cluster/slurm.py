"""Fit a table on a SLURM cluster with dask-jobqueue.

pip install 'learnkernels[dask,parquet]' dask-jobqueue
python examples/cluster/slurm.py /shared/big.parquet --queue batch --account lab --jobs 20

Run it on a node that the compute nodes can reach: the scheduler is in this process. Each job is one
worker with as many processes as cores. Jobs that reach their time limit are not replaced; their
chunks are read again by other workers. With --checkpoint, a fit whose scheduler was lost continues.
"""

from __future__ import annotations

import argparse
from typing import Any

from distributed import Client, LocalCluster
from fit_table import ALLOCATOR, parser, run


def options_of() -> argparse.ArgumentParser:
    found = parser(__doc__)
    found.add_argument("--queue", help="partition of SLURM")
    found.add_argument("--account", help="account of SLURM")
    found.add_argument("--jobs", type=int, default=10, help="number of jobs")
    found.add_argument("--cores", type=int, default=8, help="cores of a job")
    found.add_argument("--memory", default="32GB", help="memory of a job")
    found.add_argument("--walltime", default="04:00:00", help="time limit of a job")
    found.add_argument("--interface", help="network interface, such as ib0")
    found.add_argument("--print-script", action="store_true", help="print the job and stop")
    found.add_argument("--local", action="store_true", help="use two processes of this machine")
    return found


def slurm_cluster(given: argparse.Namespace) -> Any:
    """Return a cluster of SLURM jobs, which wait for `scale`."""
    from dask_jobqueue import SLURMCluster

    return SLURMCluster(
        queue=given.queue, account=given.account, cores=given.cores, processes=given.cores,
        memory=given.memory, walltime=given.walltime, interface=given.interface,
        job_script_prologue=[
            "export OMP_NUM_THREADS=1",
            *(f"export {name}={value}" for name, value in ALLOCATOR.items()),
        ],
        scheduler_options={"dashboard_address": ":0"},
    )  # fmt: skip


def main() -> None:
    given = options_of().parse_args()
    if given.local:
        cluster: Any = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    else:
        cluster = slurm_cluster(given)
    with cluster:
        if given.print_script:
            print(cluster.job_script())
            return
        if not given.local:
            cluster.scale(jobs=given.jobs)
        with Client(cluster) as client:
            client.wait_for_workers(1)  # the others join when their jobs start
            run(client, given)


if __name__ == "__main__":  # the processes of local workers import this file
    main()

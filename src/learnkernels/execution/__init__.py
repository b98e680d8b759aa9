"""Execution of tasks: threads, Dask workers, checkpoints, and checks of the available memory.

Modules:

    backends       Backend and Reduction, Threads, as_backend, the thread limit of BLAS
    dask_backend   Dask: tasks on the workers of a cluster (registers itself with as_backend)
    dask_chunks    passes over chunks of Dask arrays and frames, on the workers
    dask_clients   connections to schedulers
    scatter        tasks as bytes, and large arrays that are sent to the workers once
    checkpoint     Checkpointed: a backend that saves the total of a long pass
    fingerprint    digests of data
    memory         available memory
"""

from learnkernels.execution.backends import (
    Backend,
    Reduction,
    Threads,
    as_backend,
    available_cores,
    register_backend,
    single_threaded_blas,
)
from learnkernels.execution.checkpoint import (
    Checkpointed,
    checkpoint_path,
    remove_checkpoint,
    require_arrays,
    saved_point,
    saving_backend,
)
from learnkernels.execution.dask_backend import Dask
from learnkernels.execution.dask_chunks import Chunk, DaskChunks
from learnkernels.execution.fingerprint import digest
from learnkernels.execution.memory import (
    available_memory,
    format_bytes,
    parse_bytes,
    require_memory,
)

__all__ = [
    "Backend",
    "Checkpointed",
    "Chunk",
    "Dask",
    "DaskChunks",
    "Reduction",
    "Threads",
    "as_backend",
    "available_cores",
    "available_memory",
    "checkpoint_path",
    "digest",
    "format_bytes",
    "parse_bytes",
    "register_backend",
    "remove_checkpoint",
    "require_arrays",
    "require_memory",
    "saved_point",
    "saving_backend",
    "single_threaded_blas",
]

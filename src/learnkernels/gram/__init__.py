"""How Gram quantities are computed: tiles, compiled leaves, the pass over pairs, its statistics."""

from learnkernels.gram.alignment import alignment
from learnkernels.gram.backends import (
    Backend,
    Sum,
    Threads,
    as_backend,
    available_cores,
    single_threaded_blas,
)
from learnkernels.gram.bank import Bank
from learnkernels.gram.checkpoint import Checkpointed
from learnkernels.gram.combine import LearnedFunction, LearnedKernel
from learnkernels.gram.dask_backend import Dask
from learnkernels.gram.digests import digest
from learnkernels.gram.inner import InnerProducts
from learnkernels.gram.landmarks import Landmarks
from learnkernels.gram.memory import available_memory, require_memory, sized
from learnkernels.gram.oracle import Oracle, Products
from learnkernels.gram.spectrum import largest_eigenpairs, tail_sum
from learnkernels.gram.statistics import NORMALIZATIONS, Statistics
from learnkernels.gram.sums import PairSums, pair_sums

__all__ = [
    "NORMALIZATIONS",
    "Backend",
    "Bank",
    "Checkpointed",
    "Dask",
    "InnerProducts",
    "Landmarks",
    "LearnedFunction",
    "LearnedKernel",
    "Oracle",
    "PairSums",
    "Products",
    "Statistics",
    "Sum",
    "Threads",
    "alignment",
    "as_backend",
    "available_cores",
    "available_memory",
    "digest",
    "largest_eigenpairs",
    "pair_sums",
    "require_memory",
    "single_threaded_blas",
    "sized",
    "tail_sum",
]

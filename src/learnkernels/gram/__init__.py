"""Computation of Gram quantities: passes over tiles, factors, statistics, the learned kernel."""

from learnkernels.gram.alignment import alignment
from learnkernels.gram.centered import (
    NORMALIZATIONS,
    CenteredKernels,
    InnerProducts,
    Products,
    Statistics,
)
from learnkernels.gram.checks import check_combination
from learnkernels.gram.gradients import gradients
from learnkernels.gram.kernels import BaseKernels, KernelSums
from learnkernels.gram.landmarks import Landmarks
from learnkernels.gram.learned import Function, GramMatrix, LearnedKernel, recentered, weighted
from learnkernels.gram.packed import PackedGrams
from learnkernels.gram.rows import KernelRows
from learnkernels.gram.sampled import SampledSums, can_sample
from learnkernels.gram.spectrum import largest_eigenpairs, tail_sum
from learnkernels.gram.triangles import from_upper

__all__ = [
    "NORMALIZATIONS",
    "BaseKernels",
    "CenteredKernels",
    "Function",
    "GramMatrix",
    "InnerProducts",
    "KernelRows",
    "KernelSums",
    "Landmarks",
    "LearnedKernel",
    "PackedGrams",
    "Products",
    "SampledSums",
    "Statistics",
    "alignment",
    "can_sample",
    "check_combination",
    "from_upper",
    "gradients",
    "largest_eigenpairs",
    "recentered",
    "tail_sum",
    "weighted",
]

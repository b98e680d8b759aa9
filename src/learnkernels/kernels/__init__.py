"""Base kernels, what is combined: one formula a file, families, and the ``kernels=`` argument."""

from learnkernels.kernels.base import Code, CodedKernel, Kernel
from learnkernels.kernels.families import (
    Family,
    Training,
    gaussians,
    laplacians,
    linear,
    polynomials,
)
from learnkernels.kernels.features import Block, per_feature
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.low_rank import low_rank
from learnkernels.kernels.polynomial import Polynomial
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.resolve import (
    FAMILIES,
    kernel_names,
    kernel_views,
    resolve,
    takes_tables,
)
from learnkernels.kernels.sequences import spectrum, weighted_degree
from learnkernels.kernels.sources import MISSING, WHOLE, On, Source
from learnkernels.kernels.texts import ngrams
from learnkernels.kernels.views import on
from learnkernels.kernels.weighted_degree import WeightedDegree
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric

__all__ = [
    "FAMILIES",
    "MISSING",
    "WHOLE",
    "Block",
    "Code",
    "CodedKernel",
    "Custom",
    "Family",
    "Gaussian",
    "GaussianProcess",
    "Kernel",
    "Kmers",
    "Laplacian",
    "Linear",
    "Metric",
    "On",
    "Polynomial",
    "Precomputed",
    "Source",
    "Training",
    "WeightedDegree",
    "gaussians",
    "kernel_names",
    "kernel_views",
    "laplacians",
    "linear",
    "low_rank",
    "ngrams",
    "on",
    "per_feature",
    "polynomials",
    "resolve",
    "spectrum",
    "takes_tables",
    "weighted_degree",
]

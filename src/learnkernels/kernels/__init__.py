"""Base kernels: one formula per file, families of kernels, and the ``kernels=`` argument."""

from learnkernels.kernels.base import Code, CodedKernel, Family, Kernel, TrainingData
from learnkernels.kernels.features import FactorKernel, per_feature
from learnkernels.kernels.gaussian import Gaussian, gaussians
from learnkernels.kernels.kmers import Kmers
from learnkernels.kernels.laplacian import Laplacian, laplacians
from learnkernels.kernels.learned_metric import learned_metric
from learnkernels.kernels.linear import Linear, linear
from learnkernels.kernels.low_rank import low_rank
from learnkernels.kernels.pairwise import ObjectGram, PairKernel, as_pairs, pairs
from learnkernels.kernels.polynomial import Polynomial, polynomials
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.resolve import (
    FAMILIES,
    has_fast_products,
    input_kind,
    kernel_names,
    kernels_by_source,
    resolve,
)
from learnkernels.kernels.sequences import spectrum, weighted_degree
from learnkernels.kernels.sources import MISSING, On, Source
from learnkernels.kernels.table import table
from learnkernels.kernels.tanimoto import Tanimoto, tanimoto
from learnkernels.kernels.texts import ngrams
from learnkernels.kernels.views import on
from learnkernels.kernels.weighted_degree import WeightedDegree
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric

__all__ = [
    "FAMILIES",
    "MISSING",
    "Code",
    "CodedKernel",
    "Custom",
    "FactorKernel",
    "Family",
    "Gaussian",
    "GaussianProcess",
    "Kernel",
    "Kmers",
    "Laplacian",
    "Linear",
    "Metric",
    "ObjectGram",
    "On",
    "PairKernel",
    "Polynomial",
    "Precomputed",
    "Source",
    "Tanimoto",
    "TrainingData",
    "WeightedDegree",
    "as_pairs",
    "gaussians",
    "has_fast_products",
    "input_kind",
    "kernel_names",
    "kernels_by_source",
    "laplacians",
    "learned_metric",
    "linear",
    "low_rank",
    "ngrams",
    "on",
    "pairs",
    "per_feature",
    "polynomials",
    "resolve",
    "spectrum",
    "table",
    "tanimoto",
    "weighted_degree",
]

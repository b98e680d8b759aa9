"""Base kernels, what is combined: one formula a file, families, and the ``kernels=`` argument."""

from learnkernels.kernels.base import Code, CodedKernel, Kernel
from learnkernels.kernels.families import Family, gaussians, laplacians, linear, polynomials
from learnkernels.kernels.gaussian import Gaussian
from learnkernels.kernels.laplacian import Laplacian
from learnkernels.kernels.linear import Linear
from learnkernels.kernels.polynomial import Polynomial
from learnkernels.kernels.precomputed import Precomputed
from learnkernels.kernels.resolve import FAMILIES, kernel_names, resolve
from learnkernels.kernels.wrapped import Custom, GaussianProcess, Metric

__all__ = [
    "FAMILIES",
    "Code",
    "CodedKernel",
    "Custom",
    "Family",
    "Gaussian",
    "GaussianProcess",
    "Kernel",
    "Laplacian",
    "Linear",
    "Metric",
    "Polynomial",
    "Precomputed",
    "gaussians",
    "kernel_names",
    "laplacians",
    "linear",
    "polynomials",
    "resolve",
]

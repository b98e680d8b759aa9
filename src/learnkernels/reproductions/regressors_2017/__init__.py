"""Tanaka and Imai: two-norm multiple kernel regressors (2017)."""

from learnkernels.reproductions.experiment import Experiment
from learnkernels.reproductions.regressors_2017 import examples

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "2017-examples": Experiment(
        "Two kernels with coefficients of their own, against their sum (2017, section 4)",
        examples.PROTOCOL, examples.section_4,
    )
}  # fmt: skip

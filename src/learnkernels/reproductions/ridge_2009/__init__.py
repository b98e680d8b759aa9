"""Cortes, Mohri and Rostamizadeh: L2 regularization for learning kernels (2009)."""

from learnkernels.reproductions.experiment import Experiment
from learnkernels.reproductions.ridge_2009 import bigrams, full_protocol, three_kernels

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "2009-section5.1": Experiment(
        "Three kernels on four UCI data sets: misclassification (2009, section 5.1)",
        three_kernels.PROTOCOL, three_kernels.section_5_1,
    ),
    "2009-figure1": Experiment(
        "Error against the number of bigrams, Reuters and sentiment (2009, figure 1)",
        bigrams.PROTOCOL, bigrams.figure_1,
    ),
    "2009-figure1-kitchen": Experiment(
        "Rank-one kernels of 4,000 bigrams of kitchen, protocol in full (2009, figure 1)",
        full_protocol.PROTOCOL, full_protocol.figure_1_in_full,
    ),
}  # fmt: skip

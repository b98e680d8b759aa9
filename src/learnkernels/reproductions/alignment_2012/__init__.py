"""Cortes, Mohri and Rostamizadeh: learning kernels by centered alignment (2010, 2012)."""

from learnkernels.reproductions.alignment_2012 import (
    bigrams,
    gaussians,
    single_kernels,
    single_stage,
)
from learnkernels.reproductions.experiment import Experiment

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "2012-table1": Experiment(
        "Correlation of alignment with accuracy over the base kernels (2012, table 1)",
        single_kernels.PROTOCOL, single_kernels.table_1,
    ),
    "2012-figure2": Experiment(
        "Alignment against accuracy on splice and kinematics (2012, figure 2)",
        single_kernels.PROTOCOL, single_kernels.figure_2,
    ),
    "2012-table2": Experiment(
        "Combinations of Gaussians: error and alignment (2012, table 2; 2010, table 1)",
        gaussians.PROTOCOL, gaussians.table_2,
    ),
    "2012-table4": Experiment(
        "Combinations of Gaussians: significance (2012, table 4)",
        gaussians.PROTOCOL, gaussians.table_4,
    ),
    "2012-figure3": Experiment(
        "One-stage alignment against alignf on kinematics and ionosphere (2012, figure 3)",
        single_stage.PROTOCOL, single_stage.figure_3,
    ),
    "2012-table3": Experiment(
        "Rank-one kernels of 4,000 bigrams: error and alignment (2012, table 3; 2010, table 2)",
        bigrams.PROTOCOL, bigrams.table_3,
    ),
    "2012-table5": Experiment(
        "Rank-one kernels of 4,000 bigrams: significance (2012, table 5)",
        bigrams.PROTOCOL, bigrams.table_5,
    ),
}  # fmt: skip

"""Cortes, Kloft and Mohri: learning kernels using local Rademacher complexity (2013)."""

from learnkernels.reproductions.experiment import Experiment
from learnkernels.reproductions.local_rademacher_2013 import many_classes, transcription_starts

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "2013-figure2": Experiment(
        "Transcription start sites: AUC, weights, tail sums (2013, figure 2 and supplement)",
        transcription_starts.PROTOCOL, transcription_starts.transcription_starts,
    ),
    "2013-table1": Experiment(
        "Several classes: accuracy (2013, table 1)",
        many_classes.PROTOCOL, many_classes.table_1,
    ),
    "2013-multiloc": Experiment(
        "Protein locations: accuracy (in place of four sets of 2013, table 1)",
        many_classes.LOCATIONS, many_classes.table_1,
    ),
}  # fmt: skip

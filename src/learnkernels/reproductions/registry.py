"""Experiments by name: year of the paper, then the table or figure."""

from __future__ import annotations

from learnkernels.reproductions import (
    alignment_2012,
    local_rademacher_2013,
    regressors_2017,
    ridge_2009,
)
from learnkernels.reproductions.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = (
    ridge_2009.EXPERIMENTS
    | alignment_2012.EXPERIMENTS
    | local_rademacher_2013.EXPERIMENTS
    | regressors_2017.EXPERIMENTS
)

"""Experiments of the papers with their own protocols: our numbers beside the published ones."""

from learnkernels.reproductions.registry import EXPERIMENTS
from learnkernels.reproductions.run import outcome_of, reproduce

__all__ = ["EXPERIMENTS", "outcome_of", "reproduce"]

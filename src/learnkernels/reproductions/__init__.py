"""The papers' experiments, by their own protocols, with their numbers beside ours."""

from learnkernels.reproductions.registry import EXPERIMENTS
from learnkernels.reproductions.run import outcome_of, reproduce

__all__ = ["EXPERIMENTS", "outcome_of", "reproduce"]

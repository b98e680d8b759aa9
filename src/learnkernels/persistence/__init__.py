"""Models as files that run no code when they are read."""

from learnkernels.persistence.models import load, save

__all__ = ["load", "save"]

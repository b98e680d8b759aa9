"""Model files that run no code when they are loaded."""

from learnkernels.persistence.models import load, save

__all__ = ["load", "save"]

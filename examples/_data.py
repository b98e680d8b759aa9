"""What the examples share: where the data is, and whether to make a short run.

LEARNKERNELS_DATA    folder with the data sets
LEARNKERNELS_QUICK   if set, fewer samples and splits (for the tests)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["QUICK", "data_file"]

QUICK = bool(os.environ.get("LEARNKERNELS_QUICK"))


def data_file(name: str) -> Path:
    """Path of a data set; ends the program with a sentence if it is not at hand."""
    folder = os.environ.get("LEARNKERNELS_DATA")
    if not folder:
        sys.exit(f"Set the environment variable LEARNKERNELS_DATA to the folder with {name}.")
    path = Path(folder, name)
    if not path.exists():
        sys.exit(f"{name} is not in {folder}, the folder that LEARNKERNELS_DATA names.")
    return path

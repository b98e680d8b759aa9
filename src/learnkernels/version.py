"""The version, and those of the libraries that numbers depend on."""

from __future__ import annotations

import platform
from importlib.metadata import version

__all__ = ["__version__", "versions"]

__version__ = "0.1.0"

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """What a number was computed with."""
    ours = {"python": platform.python_version(), "learnkernels": __version__}
    return ours | {library: version(library) for library in LIBRARIES}

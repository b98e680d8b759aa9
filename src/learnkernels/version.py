"""The version of the package, and of the libraries that numbers depend on."""

from __future__ import annotations

__all__ = ["__version__", "versions"]

__version__ = "0.2.0"

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


def versions() -> dict[str, str]:
    """Return the versions of Python, learnkernels and the libraries that numbers depend on."""
    # Imported here: they take most of the time of ``import learnkernels``.
    import platform
    from importlib.metadata import version

    ours = {"python": platform.python_version(), "learnkernels": __version__}
    return ours | {library: version(library) for library in LIBRARIES}

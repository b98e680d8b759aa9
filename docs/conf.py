"""Sphinx configuration."""

import sys
from pathlib import Path

import learnkernels

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "learnkernels"
copyright = "2026, the learnkernels developers"
version = release = learnkernels.__version__
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
html_theme = "alabaster"
html_theme_options = {
    "description": "Learn the kernel instead of choosing it.",
    "page_width": "1000px",
}
exclude_patterns = ["_build"]
templates_path = ["_templates"]
myst_heading_anchors = 3


def setup(app):
    """Make the pages on the reproductions from their results."""
    from reproduction_pages import write_pages

    write_pages(HERE / "results", HERE / "reproductions")

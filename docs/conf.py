"""Sphinx configuration."""

import learnkernels

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

"""Sphinx configuration."""

import os
import sys
from pathlib import Path

import learnkernels

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # for the pages, and the benchmarks they show

from gallery_order import left_out  # noqa: E402

project = "learnkernels"
copyright = "2026, the learnkernels developers"
version = release = learnkernels.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_gallery.gen_gallery",
]
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
html_math_renderer = "mathml"
# Names in single backticks link to their pages.
default_role = "py:obj"
html_theme = "furo"
html_title = f"learnkernels {release}"
html_baseurl = "https://learnkernels.github.io/learnkernels/"
html_context = {"base_url": html_baseurl}
html_extra_path = ["picture.png"]  # the picture that other sites show beside a link
# Links to the documentation of other libraries need a connection while the pages are built.
intersphinx_mapping = (
    {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "python": ("https://docs.python.org/3/", None),
        "sklearn": ("https://scikit-learn.org/stable/", None),
    }
    if "LEARNKERNELS_INTERSPHINX" in os.environ
    else {}
)
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = ["accessible.js", "versions.js"]
exclude_patterns = ["_build", "measured", "tables"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_.*\.py$",
    "ignore_pattern": left_out(),
    "within_subsection_order": "gallery_order.place",
    "abort_on_example_error": True,
    # A fitted model or a table at the end of a block is shown; a drawing shows itself.
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": "Display|matplotlib",
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    # Nothing about downloads, times, memory or the tool: they differ from run to run, or distract.
    "download_all_examples": False,
    "notebook_extensions": set(),
    "min_reported_time": float("inf"),
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    # For "Examples using ..." on the pages of the API.
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("learnkernels",),
}


def setup(app):
    """Write the generated pages and tables; equations become MathML; list all pages at the end."""
    from billion_page import write_billion_pieces
    from code_lines import link_lines
    from landmark_picture import write_landmarks
    from mathml import add_renderer
    from measured_tables import write_tables
    from message_page import write_message_page
    from pairs_tables import write_pair_tables
    from reproduction_pages import write_pages
    from scaling_picture import write_scaling
    from sitemap import write_sitemap
    from source_tables import write_source_tables
    from tables_page import write_pieces

    add_renderer(app)
    app.connect("source-read", link_lines)
    app.connect("build-finished", write_sitemap)
    write_pages(HERE / "results", HERE / "reproductions")
    write_tables(HERE / "results", HERE / "measured")
    write_pieces(HERE / "results", HERE / "measured")
    write_billion_pieces(HERE / "results", HERE / "measured")
    write_pair_tables(HERE / "results", HERE / "measured")
    write_landmarks(HERE / "results", HERE / "measured")
    write_scaling(HERE / "results", HERE / "measured")
    write_source_tables(HERE.parent / "pyproject.toml", HERE / "tables")
    write_message_page(HERE / "messages.md")

"""Equations as MathML, made when the pages are: a browser needs no script and no network."""

from __future__ import annotations

import re
from html import escape

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

__all__ = ["add_renderer"]

# In a displayed equation the limits of these stand below them; of sums they do by themselves.
BELOW = re.compile(r"\\(min|max|operatorname\*\{\w+\})_")
# What the converter did not understand it passes on: a command, or the mark of a column.
LEFT_OVER = re.compile(r"<m\w[^>]*>(\\[^<]*|&)</m")


def add_renderer(app) -> None:
    """Make the renderer `mathml` known, and its style sheet.

    Parameters
    ----------
    app : sphinx.application.Sphinx
    """
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(visit_inline, None),
        block_renderers=(visit_block, None),
    )
    app.add_css_file("math.css")


def visit_inline(self, node) -> None:
    self.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(self, node) -> None:
    number = f'<span class="eqno">({escape(str(node["number"]))})</span>' if node["number"] else ""
    self.body.append(self.starttag(node, "div", CLASS="math") + number + mathml(node, "block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def mathml(node, display: str) -> str:
    """Return the equation of a node as a ``<math>`` element; warn if a part is not understood."""
    tex = node.astext()
    if display == "block":
        tex = BELOW.sub(r"\\\1\\limits_", tex)
    found = convert(tex, display=display)
    if left := LEFT_OVER.search(found):
        logging.getLogger(__name__).warning(
            "%r in %r has no MathML", left[1], node.astext(), location=node
        )
        return f"<code>{escape(node.astext())}</code>"
    return found

"""HTML templates of the report and of the notebook representations.

Every page is rendered by Jinja2 with autoescape, so names from data cannot become markup.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render"]


def render(name: str, **context: object) -> str:
    """Render a template of this folder.

    Parameters
    ----------
    name : str
        File name of the template.
    **context : object
        Variables of the template. Strings are escaped.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> from learnkernels.templates import render
    >>> print(render("iframe.html", page="<p>"))
    <iframe srcdoc="&lt;p&gt;" style="width: 100%; height: 44em; border: none"></iframe>
    """
    return environment().get_template(name).render(context)


@cache
def environment() -> Environment:
    """Return the Jinja2 environment; Jinja2 is imported at the first use."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("learnkernels", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )

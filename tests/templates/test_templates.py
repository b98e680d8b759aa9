"""Rendering of templates."""

import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from learnkernels.templates import render


def test_render_escapes_strings():
    assert 'srcdoc="&lt;b&gt; &#34;"' in render("iframe.html", page='<b> "')


def test_render_raises_for_missing_variables():
    with pytest.raises(UndefinedError, match="page"):
        render("iframe.html")


def test_import_does_not_load_jinja2():
    code = "import learnkernels, sys; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

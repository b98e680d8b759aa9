"""Names from data are escaped in every format of a report."""

from __future__ import annotations

import copy
import json
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import learnkernels as lk
from learnkernels.estimators.outputs.html import learned_html
from learnkernels.reporting import Report, summary
from learnkernels.reporting.statements import text_lines

HARMLESS = "name"
HOSTILE = [
    "<script>alert(1)</script>",
    "</script></style></title></table>]]><!--",
    "\" onmouseover='x' `b`",
    "a | b \\| c \\",
    "\n\n# title\n\n| a | b |\n",
    "`` ``` ~~~\r\n</td>",
    "![x](http://a/b.png) [y](javascript:z) *a* __b__ $c$ &lt; #",
    "\u202eabc\u2066 \u200f\x00\x1b[2J\x85\u2028",
    "\ud800 \udcff",
    "",
    " ",
    "a" * 5000,
]


@cache
def found() -> dict:
    """Return a summary with every part, computed once."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    label = pd.Series(np.where(X["a"] > 0, "yes", "no"), name="kind")
    kernels = [
        lk.on(["a", "b"], lk.gaussians([0.1, 1.0]), name="left"),
        lk.on(["c", "d"], lk.gaussians([0.1, 1.0]), name="right"),
    ]
    return summary(
        lk.KernelClassifier(kernels, C=1.0, method="alignf").fit(X, label), X, label, draws=2, cv=2
    )


def renamed(name: str) -> Report:
    """Return the same report with this name in place of every name from data."""
    one = copy.deepcopy(found())
    one["title"] = name
    one["task"]["target"] = name or HARMLESS  # a target without a name is not shown
    one["alignment"]["best_base_kernel"] = name
    for entry in [*one["task"]["classes"], *one["kernels"], *one["views"]]:
        entry["name"] = name
    one["model"]["method"] = name
    one["model"]["code"] = f"KernelClassifier(\n    {name!r})"
    one["model"]["parameters"] = {"kernels": name}
    one["score"]["results"]["best single kernel"] = {"reason": f"column {name} is constant."}
    one["halves"] = {"draws": 0, "reason": f"column {name} is constant."}
    one["guarantees"] = {"reason": f"column {name} is constant."}
    return Report(one)


class Structure(HTMLParser):
    """Parser that collects tags and the names of their attributes, in order."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, [name for name, _ in attrs]))

    def handle_endtag(self, tag):
        self.tags.append(tag)

    def handle_comment(self, data):
        self.tags.append("comment")

    def handle_decl(self, decl):
        self.tags.append(decl)

    unknown_decl = handle_pi = handle_decl


def blocks(text: str) -> list[str]:
    """Return the token types of a Markdown text, in order; adjacent text tokens count as one."""
    kinds: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for one in [token, *(token.children or [])]:
            if not (one.type == "text" and kinds[-1:] == ["text"]):
                kinds.append(one.type)
    return kinds


def with_hostile(test):
    for name in HOSTILE:
        test = example(name)(test)
    return settings(max_examples=40, deadline=None)(given(st.text(st.characters(codec=None)))(test))


@with_hostile
def test_html_has_same_tags_for_any_name(name):
    page = renamed(name).to_html()
    assert Structure(page).tags == Structure(renamed(HARMLESS).to_html()).tags
    assert "\0" not in page and page.encode("utf-8")


@with_hostile
def test_markdown_has_same_tokens_for_any_name(name):
    text = renamed(name).to_markdown()
    wanted = renamed(HARMLESS).to_markdown()
    assert blocks(text) == blocks(wanted) and text.encode("utf-8")


@with_hostile
def test_text_has_same_number_of_lines_for_any_name(name):
    lines = text_lines(renamed(name).summary)
    assert len(lines) == len(text_lines(renamed(HARMLESS).summary))
    assert all(len(line.splitlines()) == 1 and "\x1b" not in line for line in lines)


@with_hostile
def test_json_keeps_names_unchanged(name):
    report = renamed(name)
    assert json.loads(report.to_json().encode("utf-8")) == report.summary


@with_hostile
def test_learned_html_has_same_tags_for_any_name(name):
    def tags(name):
        weights = np.array([0.75, 0.25])
        model = SimpleNamespace(
            weights_=weights, kernel_alignments_=weights, kernel_names_=[name, name],
            alignment_=0.5, certificate_="optimal",
        )  # fmt: skip
        return Structure(learned_html(model)).tags

    assert tags(name) == tags(HARMLESS)


def test_save_writes_reports_with_hostile_names(tmp_path):
    for name in HOSTILE:
        for ending in ("html", "md", "json"):
            assert renamed(name).save(tmp_path / f"report.{ending}").stat().st_size > 1000

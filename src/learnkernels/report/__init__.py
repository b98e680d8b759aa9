"""From a fitted model to a summary, and from the summary to something to read."""

from learnkernels.report.markdown import to_markdown
from learnkernels.report.summary import summary

__all__ = ["summary", "to_markdown"]

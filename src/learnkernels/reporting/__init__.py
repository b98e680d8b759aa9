"""Reports on fitted models.

`summary` computes all results as a dictionary of plain values, and `statements` the text about
them. `html` and `markdown` arrange the two, so that every result can be tested on the dictionary.
"""

from learnkernels.reporting.report import Report, check_ending, report
from learnkernels.reporting.summary import summary

__all__ = ["Report", "check_ending", "report", "summary"]

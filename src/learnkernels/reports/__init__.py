"""From a fitted model and its data to a summary, and from the summary to something to read.

`summary` computes everything as a dictionary of plain values; `words` puts what matters into
sentences; `markdown` and `html` only arrange the two. Whatever a report says can be tested on the
dictionary.
"""

from learnkernels.reports.report import Report, check_ending, report
from learnkernels.reports.summary import summary

__all__ = ["Report", "check_ending", "report", "summary"]

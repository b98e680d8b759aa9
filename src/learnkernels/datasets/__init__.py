"""Genuine data sets by name: from a folder of yours, a cache, or the internet, and checked."""

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.datasets.ngrams import bigram_counts
from learnkernels.datasets.store import fetch, load, path, whereabouts

__all__ = ["DATASETS", "Dataset", "bigram_counts", "fetch", "load", "path", "whereabouts"]

"""Real data sets by name, from a local directory, a cache or the internet, verified by checksum."""

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.datasets.ngrams import bigram_counts
from learnkernels.datasets.store import availability, fetch, load, path

__all__ = ["DATASETS", "Dataset", "availability", "bigram_counts", "fetch", "load", "path"]

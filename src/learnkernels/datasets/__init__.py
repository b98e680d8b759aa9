"""Real data sets by name, from a local directory, a cache or the internet, verified by checksum."""

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.datasets.ngrams import bigram_counts
from learnkernels.datasets.pairs import PairData, drug_response
from learnkernels.datasets.store import availability, fetch, load, path

__all__ = [
    "DATASETS",
    "Dataset",
    "PairData",
    "availability",
    "bigram_counts",
    "drug_response",
    "fetch",
    "load",
    "path",
]

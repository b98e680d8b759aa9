"""The catalogue agrees with the files."""

from learnkernels import datasets
from learnkernels.datasets import store


def test_every_entry_matches_its_file(genuine):
    genuine("sonar")  # skip if the data is not available
    for name, data in datasets.DATASETS.items():
        assert datasets.path(name).name == data.file
        assert datasets.availability(name) == "local"
        table = datasets.load(name)
        assert len(table) == int(next(word for word in data.about.split() if word.isdigit()))
        if data.values:
            assert store.values_checksum(table) == data.values

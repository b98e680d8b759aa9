"""Files of data sets: found, verified, downloaded, or an error with instructions."""

import gzip
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import get_data_home

import learnkernels as lk
from learnkernels import datasets
from learnkernels.datasets import store


@pytest.fixture
def toy(monkeypatch):
    """Return a small data set added to the catalogue."""
    table = pd.DataFrame({"a": [0.5, 1 / 3, np.nan], "b": [1, 2, 3], "target": ["x", "y", "x"]})
    data = datasets.Dataset(
        "toy.csv.gz", "0" * 64, "3 x 2", "nowhere", table.copy, store.values_checksum(table)
    )
    monkeypatch.setitem(datasets.DATASETS, "toy", data)
    return table


def test_download_is_cached_and_not_repeated(no_files, toy, monkeypatch):
    assert datasets.availability("toy") == "downloadable"
    found = datasets.load("toy")
    pd.testing.assert_frame_equal(found, toy)
    assert datasets.availability("toy") == "local"
    assert [path.name for path in (no_files / "cache").iterdir()] == ["toy.csv.gz"]
    without_download = datasets.Dataset(
        "toy.csv.gz", "0" * 64, "", "", None, store.values_checksum(toy)
    )
    monkeypatch.setitem(datasets.DATASETS, "toy", without_download)
    assert datasets.path("toy") == no_files / "cache" / "toy.csv.gz"


def test_values_with_another_checksum_are_refused_in_download_and_cache(no_files, toy, monkeypatch):
    datasets.fetch("toy")
    changed = toy.assign(b=[1, 2, 4])
    other = datasets.Dataset(
        "toy.csv.gz", "0" * 64, "", "nowhere", toy.copy, store.values_checksum(changed)
    )
    monkeypatch.setitem(datasets.DATASETS, "toy", other)
    with pytest.raises(lk.InputError, match="does not match the checksum"):
        datasets.path("toy")
    (no_files / "cache" / "toy.csv.gz").unlink()
    with pytest.raises(lk.InputError, match="downloaded for toy do not match its checksum"):
        datasets.fetch("toy")
    assert not (no_files / "cache" / "toy.csv.gz").exists()


DAMAGES = [
    lambda whole: whole[:100],
    lambda whole: b"no gzip at all",
    lambda whole: b"",
    lambda whole: whole[:5000] + bytes(100) + whole[5100:],
    lambda whole: gzip.compress(b"a,b\n1,2\n"),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_file_is_refused(damage, genuine, tmp_path, monkeypatch):
    genuine("sonar")
    whole = datasets.path("sonar").read_bytes()
    (tmp_path / "sonar.csv.gz").write_bytes(damage(whole))
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path))
    with pytest.raises(lk.InputError, match="truncated or modified"):
        datasets.load("sonar")


def test_error_without_network_explains_manual_download(no_files, monkeypatch):
    def offline(**options):
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(lk.InputError, match=r"no route to host.*OpenML 40.*LEARNKERNELS_DATA"):
        datasets.load("sonar")


def test_file_with_same_values_and_other_bytes_is_accepted(genuine, tmp_path, monkeypatch):
    for name in ("sonar", "tss_arabidopsis_tata", "splice_binary_train"):
        genuine(name).to_csv(tmp_path / f"{name}.csv.gz", index=False)
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path))
    for name in ("sonar", "tss_arabidopsis_tata", "splice_binary_train"):
        assert datasets.path(name).parent == tmp_path


def test_missing_data_directory_is_named_in_error(monkeypatch, tmp_path):
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(lk.InputError, match="nowhere', which is not a directory"):
        datasets.load("sonar")


def test_error_names_source_if_download_is_impossible(no_files):
    assert datasets.availability("tss_arabidopsis_tata") == "manual"
    with pytest.raises(lk.InputError, match=r"CNNPromoterData.*LEARNKERNELS_DATA"):
        datasets.load("tss_arabidopsis_tata")


def test_unwritable_cache_is_named_in_error(no_files, toy):
    (no_files / "cache").write_text("a file")
    with pytest.raises(lk.InputError, match=r"cannot create the directory .*LEARNKERNELS_CACHE"):
        datasets.fetch("toy")


def test_interrupted_download_leaves_no_file(no_files, toy, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setitem(
        datasets.DATASETS, "toy", replace(datasets.DATASETS["toy"], download=interrupted)
    )
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("toy")
    assert not list(no_files.glob("cache/*"))
    assert datasets.availability("toy") == "downloadable"


def test_default_cache_is_a_folder_in_the_data_directory_of_scikit_learn(monkeypatch, tmp_path):
    monkeypatch.delenv("LEARNKERNELS_CACHE", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    assert store.cache() == tmp_path / "learnkernels"
    monkeypatch.delenv("SCIKIT_LEARN_DATA")
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))
    assert store.cache() == Path(get_data_home()) / "learnkernels"

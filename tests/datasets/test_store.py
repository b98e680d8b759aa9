"""Data sets: found, checked, downloaded, or a sentence that says what to do."""

import gzip
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

import learnkernels as lk
from learnkernels import datasets
from learnkernels.datasets import store


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Neither a folder of data nor a filled cache."""
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def toy(monkeypatch):
    """A data set of the catalogue that is made here."""
    table = pd.DataFrame({"a": [0.5, 1 / 3, np.nan], "b": [1, 2, 3], "target": ["x", "y", "x"]})
    data = datasets.Dataset(
        "toy.csv.gz", "0" * 64, "3 x 2", "nowhere", table.copy, store.values_checksum(table)
    )
    monkeypatch.setitem(datasets.DATASETS, "toy", data)
    return table


def test_every_set_of_the_catalogue_is_what_it_says(genuine):
    genuine("sonar")  # skips where there is no data
    for name, data in datasets.DATASETS.items():
        assert datasets.path(name).name == data.file
        assert datasets.whereabouts(name) == "at hand"
        table = datasets.load(name)
        assert len(table) == int(next(word for word in data.about.split() if word.isdigit()))
        if data.values:
            assert store.values_checksum(table) == data.values


def test_a_download_is_kept_and_not_repeated(nowhere, toy, monkeypatch):
    assert datasets.whereabouts("toy") == "to be downloaded"
    found = datasets.load("toy")
    pd.testing.assert_frame_equal(found, toy)
    assert datasets.whereabouts("toy") == "at hand"
    assert [path.name for path in (nowhere / "cache").iterdir()] == ["toy.csv.gz"]
    forgetful = datasets.Dataset("toy.csv.gz", "0" * 64, "", "", None, store.values_checksum(toy))
    monkeypatch.setitem(datasets.DATASETS, "toy", forgetful)
    assert datasets.path("toy") == nowhere / "cache" / "toy.csv.gz"


def test_other_values_are_refused_from_the_internet_and_from_a_folder(nowhere, toy, monkeypatch):
    datasets.fetch("toy")
    changed = toy.assign(b=[1, 2, 4])
    other = datasets.Dataset(
        "toy.csv.gz", "0" * 64, "", "nowhere", toy.copy, store.values_checksum(changed)
    )
    monkeypatch.setitem(datasets.DATASETS, "toy", other)
    with pytest.raises(lk.InputError, match="does not hold the data this library knows"):
        datasets.path("toy")
    (nowhere / "cache" / "toy.csv.gz").unlink()
    with pytest.raises(lk.InputError, match="differs from the data this library knows"):
        datasets.fetch("toy")
    assert not (nowhere / "cache" / "toy.csv.gz").exists()


DAMAGES = [
    lambda whole: whole[:100],
    lambda whole: b"no gzip at all",
    lambda whole: b"",
    lambda whole: whole[:5000] + bytes(100) + whole[5100:],
    lambda whole: gzip.compress(b"a,b\n1,2\n"),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused(damage, genuine, tmp_path, monkeypatch):
    genuine("sonar")
    whole = datasets.path("sonar").read_bytes()
    (tmp_path / "sonar.csv.gz").write_bytes(damage(whole))
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path))
    with pytest.raises(lk.InputError, match="cut off or altered"):
        datasets.load("sonar")


def test_no_network_is_a_sentence_that_says_what_to_do(nowhere, monkeypatch):
    def offline(**options):
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(lk.InputError, match=r"no route to host.*OpenML 40.*LEARNKERNELS_DATA"):
        datasets.load("sonar")


def test_the_same_values_in_another_file_are_accepted(genuine, tmp_path, monkeypatch):
    for name in ("sonar", "tss_arabidopsis_tata", "splice_binary_train"):
        genuine(name).to_csv(tmp_path / f"{name}.csv.gz", index=False)
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path))
    for name in ("sonar", "tss_arabidopsis_tata", "splice_binary_train"):
        assert datasets.path(name).parent == tmp_path


def test_a_folder_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("LEARNKERNELS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(lk.InputError, match="nowhere', which is no folder"):
        datasets.load("sonar")


def test_what_cannot_be_downloaded_says_where_to_get_it(nowhere):
    assert datasets.whereabouts("tss_arabidopsis_tata") == "to be got by hand"
    with pytest.raises(lk.InputError, match=r"CNNPromoterData.*LEARNKERNELS_DATA"):
        datasets.load("tss_arabidopsis_tata")


def openml_of(monkeypatch, tables):
    """Let OpenML answer with tables by number."""

    def answer(*, data_id, as_frame):
        table = tables[data_id]
        target = table["target"]
        target = target if target.dtype.kind == "f" else target.astype(str).astype("category")
        return Bunch(data=table.drop(columns="target"), target=target)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)


@pytest.mark.parametrize(
    ("name", "number", "labels"),
    [
        ("sonar", 40, {"M": "Mine", "R": "Rock"}),
        ("ionosphere", 59, {}),
        ("breast_cancer_wisconsin", 15, {2: "benign", 4: "malignant"}),
        ("kin8nm", 189, {}),
    ],
)
def test_tables_of_openml_become_our_tables(name, number, labels, genuine, nowhere, monkeypatch):
    monkeypatch.undo()  # first where the genuine file is
    known = genuine(name)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(nowhere / "cache"))
    theirs = known.set_axis([*(f"V{j}" for j in range(known.shape[1] - 1)), "target"], axis=1)
    openml_of(monkeypatch, {number: theirs.assign(target=theirs["target"].replace(labels))})
    found = datasets.load(name)
    assert np.allclose(found.iloc[:, :-1], known.iloc[:, :-1], equal_nan=True)
    assert (found["target"] == known["target"]).all()


def test_the_digits_of_openml_are_joined(genuine, nowhere, monkeypatch):
    monkeypatch.undo()
    known = genuine("mfeat")
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(nowhere / "cache"))
    views = {12: "fac", 14: "fou", 16: "kar", 18: "mor", 20: "pix", 22: "zer"}
    openml_of(
        monkeypatch,
        {
            number: known.filter(regex=f"^{view}_").copy().assign(target=known["target"] + 1)
            for number, view in views.items()
        },
    )
    pd.testing.assert_frame_equal(datasets.load("mfeat"), known, check_dtype=False)

"""Tables downloaded from OpenML."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from learnkernels import datasets
from learnkernels.datasets import store


def serve_openml(monkeypatch, tables):
    """Replace OpenML by tables, given by number."""

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
def test_openml_table_equals_catalogue_file(name, number, labels, genuine, no_files, monkeypatch):
    monkeypatch.undo()  # read the local file first
    known = genuine(name)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(no_files / "cache"))
    theirs = known.set_axis([*(f"V{j}" for j in range(known.shape[1] - 1)), "target"], axis=1)
    serve_openml(monkeypatch, {number: theirs.assign(target=theirs["target"].replace(labels))})
    found = datasets.load(name)
    assert np.allclose(found.iloc[:, :-1], known.iloc[:, :-1], equal_nan=True)
    assert (found["target"] == known["target"]).all()


def test_openml_digits_are_joined_from_six_views(genuine, no_files, monkeypatch):
    monkeypatch.undo()
    known = genuine("mfeat").head(400)  # two of ten digits
    few = replace(datasets.DATASETS["mfeat"], values=store.values_checksum(known))
    monkeypatch.setitem(datasets.DATASETS, "mfeat", few)
    monkeypatch.delenv("LEARNKERNELS_DATA", raising=False)
    monkeypatch.setenv("LEARNKERNELS_CACHE", str(no_files / "cache"))
    views = {12: "fac", 14: "fou", 16: "kar", 18: "mor", 20: "pix", 22: "zer"}
    serve_openml(
        monkeypatch,
        {
            number: known.filter(regex=f"^{view}_").copy().assign(target=known["target"] + 1)
            for number, view in views.items()
        },
    )
    pd.testing.assert_frame_equal(datasets.load("mfeat"), known, check_dtype=False)

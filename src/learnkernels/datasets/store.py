"""Where a data set lies: a folder of the user's, else a cache, else the internet.

LEARNKERNELS_DATA    folder with the files, looked at first
LEARNKERNELS_CACHE   folder for what is downloaded (default: that of the system's user)
"""

from __future__ import annotations

import hashlib
import os
import zlib
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pandas as pd

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.errors import InputError
from learnkernels.files import make_folder, replacing

__all__ = ["cache_folder", "fetch", "load", "path", "values_checksum", "whereabouts"]


def load(name: str) -> pd.DataFrame:
    """A data set as a table, fetched if it is not at hand.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Returns
    -------
    DataFrame
        Of tables the last column is ``target``; of documents, the fields of the file.

    Examples
    --------
    >>> from learnkernels import datasets
    >>> datasets.load("irises")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    learnkernels.errors.InputError: no data set is called 'irises'; there are ...
    """
    return read(path(name))


def path(name: str) -> Path:
    """The file of a data set, fetched if it is not at hand, and checked.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Examples
    --------
    >>> from learnkernels import datasets
    >>> datasets.path("kin8nm")  # doctest: +SKIP
    PosixPath('data/kin8nm.csv.gz')
    """
    found = at_hand(named(name))
    return found if found is not None else fetch(name)


def fetch(name: str) -> Path:
    """Bring a data set from the internet to the cache, unless it is at hand.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Examples
    --------
    >>> from learnkernels import datasets
    >>> datasets.fetch("kin8nm")  # doctest: +SKIP
    PosixPath('.cache/learnkernels/kin8nm.csv.gz')
    """
    data = named(name)
    found = at_hand(data)
    if found is not None:
        return found
    if data.download is None:
        raise InputError(f"{name} is not at hand and cannot be downloaded. {by_hand(data)}")
    try:
        table = data.download()
    except (OSError, ValueError, KeyError, HTTPException) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} could not be downloaded: {reason}. {by_hand(data)}") from error
    if values_checksum(table) != data.values:
        raise InputError(
            f"what was downloaded as {name} differs from the data this library knows. "
            + by_hand(data)
        )
    target = cache_folder() / data.file
    advice = "; name another folder with LEARNKERNELS_CACHE"
    make_folder(target.parent, advice)
    with replacing(target, advice) as stream:
        table.to_csv(stream, index=False, compression="gzip")
    return target


def whereabouts(name: str) -> str:
    """In words, where a data set is or could come from.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Examples
    --------
    >>> from learnkernels import datasets
    >>> datasets.whereabouts("kin8nm") in {"at hand", "to be downloaded"}
    True
    """
    data = named(name)
    if any((folder / data.file).is_file() for folder in folders()):
        return "at hand"
    return "to be downloaded" if data.download else "to be got by hand"


def named(name: str) -> Dataset:
    if name not in DATASETS:
        raise InputError(f"no data set is called {name!r}; there are {', '.join(DATASETS)}.")
    return DATASETS[name]


def folders() -> list[Path]:
    """Where to look, first the user's own folder."""
    own = os.environ.get("LEARNKERNELS_DATA")
    if not own:
        return [cache_folder()]
    if not Path(own).is_dir():
        raise InputError(
            f"LEARNKERNELS_DATA names {own!r}, which is no folder; name the folder with the data "
            "sets, or unset it."
        )
    return [Path(own), cache_folder()]


def cache_folder() -> Path:
    """The folder for downloads."""
    chosen = os.environ.get("LEARNKERNELS_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home or Path.home() / ".cache") / "learnkernels"


def at_hand(data: Dataset) -> Path | None:
    """The file in one of the folders; an error if it is there and is not what it should be."""
    for folder in folders():
        file = folder / data.file
        if file.is_file():
            if not genuine(file, data):
                raise InputError(
                    f"{str(file)!r} does not hold the data this library knows ({data.form}); it "
                    "may be cut off or altered: replace or remove it."
                )
            return file
    return None


def genuine(file: Path, data: Dataset) -> bool:
    """Whether a file is the known one, or holds the same values."""
    if hashlib.sha256(file.read_bytes()).hexdigest() == data.sha256:
        return True
    try:
        return values_checksum(read(file)) == data.values
    except (OSError, ValueError, KeyError, EOFError, zlib.error):  # not such a table at all
        return False


def read(file: Path) -> pd.DataFrame:
    """The table of a file, by the endings of its name."""
    if file.name.endswith(".jsonl.gz"):
        return pd.read_json(file, lines=True)
    if file.name.endswith(".tsv.gz"):
        return pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False)
    return pd.read_csv(file)


def values_checksum(table: pd.DataFrame) -> str:
    """Of the values of a table, whatever its columns and file are called.

    Numbers count in single precision, for readers of decimal numbers differ in the last digit; a
    column ``target`` of whole numbers counts as names, which is what they are.
    """
    found = hashlib.sha256()
    names = [name for name in table.columns if is_name(table, name)]
    numbers = table.drop(columns=names).to_numpy(dtype="<f4")
    found.update(np.ascontiguousarray(numbers).tobytes())
    for name in names:
        found.update("\n".join(table[name].astype(str)).encode())
    return found.hexdigest()


def is_name(table: pd.DataFrame, column: str) -> bool:
    kind = table[column].dtype.kind
    return kind not in "fiub" or (column == "target" and kind != "f")


def by_hand(data: Dataset) -> str:
    """What a person can do."""
    return (
        f"It comes from {data.source}. Put it as {data.file} ({data.form}) into a folder and name "
        "that folder in the environment variable LEARNKERNELS_DATA."
    )

"""Where a data set lies: a folder of the user's, else a cache, else the internet.

LEARNKERNELS_DATA    folder with the files, looked at first
LEARNKERNELS_CACHE   folder for what is downloaded (default: that of the system's user)
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.errors import InputError

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
    >>> datasets.load("irises")
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
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} could not be downloaded: {reason}. {by_hand(data)}") from error
    if values_checksum(table) != data.values:
        raise InputError(
            f"what was downloaded as {name} differs from the data this library knows. "
            + by_hand(data)
        )
    target = cache_folder() / data.file
    temporary = target.with_name(f".{os.getpid()}.{target.name}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(temporary, index=False)
        temporary.replace(target)
    except OSError as error:
        raise InputError(
            f"cannot write {str(target)!r}: {error.strerror or error}; name another folder with "
            "LEARNKERNELS_CACHE."
        ) from error
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
    return [Path(own), cache_folder()] if own else [cache_folder()]


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
                    f"{str(file)!r} is not the file this library knows (its sha256 should be "
                    f"{data.sha256}); it may be cut off or altered: replace or remove it."
                )
            return file
    return None


def genuine(file: Path, data: Dataset) -> bool:
    """Whether a file is the known one, or holds the same values."""
    if hashlib.sha256(file.read_bytes()).hexdigest() == data.sha256:
        return True
    if not data.values:
        return False
    try:
        return values_checksum(read(file)) == data.values
    except (OSError, ValueError, EOFError):  # not a table at all
        return False


def read(file: Path) -> pd.DataFrame:
    """The table of a file, by the endings of its name."""
    if file.name.endswith(".jsonl.gz"):
        return pd.read_json(file, lines=True)
    if file.name.endswith(".tsv.gz"):
        return pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False)
    return pd.read_csv(file)


def values_checksum(table: pd.DataFrame) -> str:
    """Of the numbers of a table and its target, whatever columns and file are called."""
    # In single precision: readers of decimal numbers differ in the last digit.
    features = table.drop(columns="target").to_numpy(dtype="<f4")
    found = hashlib.sha256(np.ascontiguousarray(features).tobytes())
    target = table["target"]
    if target.dtype.kind == "f":
        found.update(target.to_numpy("<f4").tobytes())
    else:
        found.update("\n".join(target.astype(str)).encode())
    return found.hexdigest()


def by_hand(data: Dataset) -> str:
    """What a person can do."""
    return (
        f"It comes from {data.source}. Put it as {data.file} (sha256 {data.sha256}) into a folder "
        "and name that folder in the environment variable LEARNKERNELS_DATA."
    )

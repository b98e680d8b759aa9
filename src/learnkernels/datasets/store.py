"""Find, download and verify the files of the data sets.

LEARNKERNELS_DATA    read-only directory with copies of the files, searched first
LEARNKERNELS_CACHE   directory for downloads (default: a folder in scikit-learn's data directory)
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pandas as pd

from learnkernels.datasets.catalogue import DATASETS, Dataset
from learnkernels.errors import InputError
from learnkernels.files import make_folder, replacing


def load(name: str) -> pd.DataFrame:
    """Load a data set as a table, downloading it if necessary.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Returns
    -------
    DataFrame
        The columns of the file. Tables of features end with the column ``target``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.datasets.load("irises")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    learnkernels.errors.InputError: unknown data set 'irises'; expected one of ...
    """
    return read(fetch(name))


def path(name: str) -> Path:
    """Return the path of a data set's file, downloading it if necessary.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.datasets.path("kin8nm")  # doctest: +SKIP
    PosixPath('data/kin8nm.csv.gz')
    """
    return fetch(name)


def fetch(name: str) -> Path:
    """Download a data set to the cache unless it is available locally, and verify it.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Returns
    -------
    Path
        The verified file.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.datasets.fetch("kin8nm")  # doctest: +SKIP
    PosixPath('scikit_learn_data/learnkernels/kin8nm.csv.gz')
    """
    data = known(name)
    file = local_file(data)
    return download(name, data) if file is None else verified(file, data)


def availability(name: str) -> str:
    """Return whether a data set is available locally, downloadable, or neither.

    Parameters
    ----------
    name : str
        One of ``learnkernels.datasets.DATASETS``.

    Returns
    -------
    {"local", "downloadable", "manual"}
        A "manual" data set has to be copied into the directory ``LEARNKERNELS_DATA``.

    Examples
    --------
    >>> import learnkernels as lk
    >>> lk.datasets.availability("kin8nm") in {"local", "downloadable"}
    True
    """
    data = known(name)
    if local_file(data) is not None:
        return "local"
    return "downloadable" if data.download else "manual"


def known(name: str) -> Dataset:
    """Return the catalogue entry of a name."""
    if name not in DATASETS:
        raise InputError(
            f"unknown data set {name!r}; expected one of {', '.join(DATASETS)}. Check the spelling."
        )
    return DATASETS[name]


def local_file(data: Dataset) -> Path | None:
    """Return the file in the user's directory, else in the cache, else None."""
    own = os.environ.get("LEARNKERNELS_DATA")
    if own and not Path(own).is_dir():
        raise InputError(
            f"LEARNKERNELS_DATA is {own!r}, which is not a directory; set it to the directory with "
            "the data sets, or unset it."
        )
    folders = [Path(own)] if own else []
    files = (folder / data.file for folder in [*folders, cache()])
    return next((file for file in files if file.is_file()), None)


def cache() -> Path:
    """Return the directory for downloads, which may not exist."""
    home = os.environ.get("SCIKIT_LEARN_DATA") or Path("~") / "scikit_learn_data"
    return Path(os.environ.get("LEARNKERNELS_CACHE") or Path(home) / "learnkernels").expanduser()


def download(name: str, data: Dataset) -> Path:
    """Download a data set, verify its values, and write it to the cache.

    OpenML serves the same values in another file than ours, so values are verified, not bytes.
    """
    if data.download is None:
        raise InputError(f"{name} cannot be downloaded automatically. {instructions(data)}")
    table, folder = verified_table(name, data, data.download), cache()
    advice = "; set LEARNKERNELS_CACHE to another directory"
    make_folder(folder, advice)
    with replacing(folder / data.file, advice) as stream:
        table.to_csv(stream, index=False, compression="gzip")
    return folder / data.file


def verified_table(name: str, data: Dataset, get_table: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Download a table and verify its values."""
    try:
        table = get_table()
    except (OSError, ValueError, KeyError, HTTPException) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{name} could not be downloaded: {reason}. {instructions(data)}"
        ) from error
    if values_checksum(table) != data.values:
        raise InputError(
            f"the values downloaded for {name} do not match its checksum. {instructions(data)}"
        )
    return table


def verified(file: Path, data: Dataset) -> Path:
    """Return the file if it is the known one or has the same values, else raise."""
    if file_checksum(file) == data.sha256:
        return file
    try:
        if values_checksum(read(file)) == data.values:
            return file
    except (OSError, ValueError, KeyError, EOFError, zlib.error):
        pass  # not a table of this format: refused below
    raise InputError(
        f"{str(file)!r} does not match the checksum of the data set ({data.form}); it is truncated "
        "or modified. Replace or remove it."
    )


def read(file: Path) -> pd.DataFrame:
    """Read a file by the suffix of its name."""
    if file.name.endswith(".jsonl.gz"):
        return pd.read_json(file, lines=True)
    if file.name.endswith(".tsv.gz"):
        return pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False)
    return pd.read_csv(file)


def file_checksum(file: Path) -> str:
    """Compute the SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def values_checksum(table: pd.DataFrame) -> str:
    """Compute the SHA-256 of a table's values, independent of file format and column names.

    Numbers are compared in single precision, because parsers of decimal numbers differ in the last
    digit. An integer column ``target`` is compared as labels.
    """
    checksum = hashlib.sha256()
    labels = [name for name in table.columns if has_labels(table, name)]
    numbers = table.drop(columns=labels).to_numpy(dtype="<f4")
    checksum.update(np.ascontiguousarray(numbers).tobytes())
    for name in labels:
        checksum.update("\n".join(table[name].astype(str)).encode())
    return checksum.hexdigest()


def has_labels(table: pd.DataFrame, column: str) -> bool:
    """Return whether a column holds text or class labels."""
    kind = table[column].dtype.kind
    return kind not in "fiub" or (column == "target" and kind != "f")


def instructions(data: Dataset) -> str:
    """Describe how to obtain the file manually."""
    return (
        f"Get it from {data.source}, save it as {data.file} ({data.form}) in a directory, and set "
        "the environment variable LEARNKERNELS_DATA to that directory."
    )

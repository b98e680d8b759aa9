"""Data sets of sections 2 and 5.1, and the Gaussians that the paper combines on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels import datasets
from learnkernels.kernels import Gaussian
from learnkernels.reproductions.experiment import generator

SIZE = 1000


@dataclass(frozen=True)
class PaperDataset:
    """A data set of the paper.

    Attributes
    ----------
    data : str
        Name in the catalogue.
    task : {"regression", "classification"}
    low, high : int
        Gaussians have gamma = 2^low to 2^high.
    scaled : bool
        Whether each column is scaled to [-1, 1].
    """

    data: str
    task: str
    low: int
    high: int
    scaled: bool = False

    @property
    def gammas(self) -> np.ndarray:
        """Return the widths of the Gaussians."""
        return 2.0 ** np.arange(self.low, self.high + 1)

    @property
    def kernels(self) -> list[Gaussian]:
        """Return the base kernels."""
        return [Gaussian(gamma) for gamma in self.gammas]


PROBLEMS = {
    "kinematics": PaperDataset("kin8nm", "regression", -3, 3),
    "ionosphere": PaperDataset("ionosphere", "regression", -3, 3),
    "german": PaperDataset("german_numeric", "classification", -4, 3, scaled=True),
    "spambase": PaperDataset("spambase", "classification", -12, -7),
    "splice": PaperDataset("splice_binary_train", "classification", -9, -3),
}


def needed(parameters: dict[str, Any]) -> str:
    """Return the name of the data set of a piece."""
    return PROBLEMS[parameters["data"]].data


def sample(
    name: str, random_state: int, repetition: int, size: int = SIZE
) -> tuple[np.ndarray, np.ndarray]:
    """Return X and y of random samples, at most as many as in the paper."""
    problem = PROBLEMS[name]
    table = datasets.load(problem.data)
    X, y = table.drop(columns="target").to_numpy(dtype=float), table["target"].to_numpy()
    if problem.scaled:
        X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    if problem.task == "regression" and y.dtype.kind != "f":  # the sign of a class
        y = np.where(y == y[0], 1.0, -1.0)
    chosen = generator(random_state, repetition).permutation(len(y))[:size]
    return X[chosen], y[chosen]

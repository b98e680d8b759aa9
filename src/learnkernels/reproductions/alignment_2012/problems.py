"""The five data sets of sections 2 and 5.1, and the Gaussians that the paper combines on each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from learnkernels import datasets
from learnkernels.kernels import Gaussian
from learnkernels.reproductions.experiment import generator

__all__ = ["PROBLEMS", "Problem", "needed", "sample"]

SIZE = 1000


@dataclass(frozen=True)
class Problem:
    """A data set of the paper.

    Attributes
    ----------
    data : str
        Name of the data set here.
    task : {"regression", "classification"}
    low, high : int
        Gaussians have gamma = 2^low to 2^high.
    scaled : bool
        Whether each column is brought to -1 to 1.
    """

    data: str
    task: str
    low: int
    high: int
    scaled: bool = False

    @property
    def gammas(self) -> np.ndarray:
        return 2.0 ** np.arange(self.low, self.high + 1)

    @property
    def kernels(self) -> list[Gaussian]:
        return [Gaussian(gamma) for gamma in self.gammas]


PROBLEMS = {
    "kinematics": Problem("kin8nm", "regression", -3, 3),
    "ionosphere": Problem("ionosphere", "regression", -3, 3),
    "german": Problem("german_numeric", "classification", -4, 3, scaled=True),
    "spambase": Problem("spambase", "classification", -12, -7),
    "splice": Problem("splice_binary_train", "classification", -9, -3),
}


def needed(parameters: dict) -> str:
    """The data set of a piece."""
    return PROBLEMS[parameters["data"]].data


def sample(name: str, seed: int, repetition: int, size: int = SIZE):
    """Random samples of a problem, at most as many as the paper took: X, y."""
    problem = PROBLEMS[name]
    table = datasets.load(problem.data)
    X, y = table.drop(columns="target").to_numpy(dtype=float), table["target"].to_numpy()
    if problem.scaled:
        X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    if problem.task == "regression" and y.dtype.kind != "f":  # the sign of a class
        y = np.where(y == y[0], 1.0, -1.0)
    chosen = generator(seed, repetition).permutation(len(y))[:size]
    return X[chosen], y[chosen]

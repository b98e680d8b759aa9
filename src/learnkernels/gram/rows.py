"""Rows of the Gram matrix of a learned kernel, evaluated when they are needed."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram.learned import LearnedKernel

# Samples of a task.
SAMPLES = 1024


class KernelRows:
    """Rows of the Gram matrix; those that were used last are kept.

    Parameters
    ----------
    kernel : LearnedKernel
    backend : Backend
    n_slots : int
        Number of rows that are kept.

    Attributes
    ----------
    values : ndarray of shape (n_slots, n_samples)
    """

    def __init__(self, kernel: LearnedKernel, backend: Backend, n_slots: int):
        self.kernel = kernel
        self.backend = backend
        self.values = np.empty((n_slots, len(kernel.weights)))
        self.slots: OrderedDict[int, int] = OrderedDict()  # the row used last is the last
        self.free = list(range(n_slots))

    def fetch(self, index: np.ndarray) -> np.ndarray:
        """Return the positions of some rows in `values`; evaluate those that are missing."""
        wanted = index.tolist()
        missing = [i for i in wanted if i not in self.slots]
        for i in wanted:
            if i in self.slots:
                self.slots.move_to_end(i)
        while len(self.free) < len(missing):
            self.free.append(self.slots.popitem(last=False)[1])
        for i in missing:
            self.slots[i] = self.free.pop()
        if missing:
            self.evaluate(np.array(missing))
        return np.array([self.slots[i] for i in wanted], dtype=np.intp)

    def evaluate(self, index: np.ndarray) -> None:
        """Write some rows into their slots."""
        near = self.kernel.as_columns(index)
        slots = np.array([self.slots[i] for i in index.tolist()])
        n = self.values.shape[1]
        ranges = [slice(start, min(start + SAMPLES, n)) for start in range(0, n, SAMPLES)]
        task = partial(self.write, near, slots)
        for _ in self.backend.map(task, ranges, "rows of the Gram matrix", local=True):
            pass

    def write(self, near: LearnedKernel, slots: np.ndarray, samples: slice) -> None:
        """Write the values of some samples at the samples of `near`."""
        self.values[slots, samples] = self.kernel.values_near(near, samples).T

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta``; with centering, beta sums to zero."""
        return np.asarray(self.kernel.times(beta[:, None], self.backend)[:, 0])

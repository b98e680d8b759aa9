"""Rows of the Gram matrix of a learned kernel, evaluated when they are needed."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import numpy as np

from learnkernels.execution import Backend
from learnkernels.gram.learned import LearnedKernel

# Values of a task: enough to hide its start, and few enough to stay in the cache of a core.
VALUES = 2**18


class KernelRows:
    """Rows of the Gram matrix; those that were used last are kept.

    Parameters
    ----------
    kernel : LearnedKernel
    backend : Backend
    memory : float
        Bytes for the rows that are kept. Single precision is used if less than half of all rows
        fit in double precision, and if the kernel is bounded.

    Attributes
    ----------
    values : float64 or float32 array of shape (n_slots, n_samples)
    """

    def __init__(self, kernel: LearnedKernel, backend: Backend, memory: float):
        n = len(kernel.weights)
        single = kernel.bounded and 2 * memory < 8 * n * n
        n_slots = min(n, int(memory // ((4 if single else 8) * n)))
        self.kernel = kernel
        self.backend = backend
        self.values = np.empty((n_slots, n), np.float32 if single else np.float64)
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
        slots = np.array([self.slots[i] for i in index.tolist()])
        n, length = self.values.shape[1], max(1, VALUES // len(index))
        ranges = [slice(start, min(start + length, n)) for start in range(0, n, length)]
        task = partial(self.kernel.write_rows, self.kernel.take(index), out=self.values, at=slots)
        for _ in self.backend.map(task, ranges, "rows of the Gram matrix", local=True):
            pass

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta`` in double precision; with centering, beta sums to zero."""
        return np.asarray(self.kernel.times(beta[:, None], self.backend)[:, 0])

    def gram(self, index: np.ndarray) -> np.ndarray:
        """Return the rows and columns of some samples in double precision."""
        return self.kernel.take(index).gram(self.backend)

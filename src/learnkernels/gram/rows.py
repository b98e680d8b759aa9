"""Rows of the Gram matrix of a learned kernel, evaluated when they are needed."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

import numpy as np

from learnkernels.execution import Backend, Threads
from learnkernels.gram.learned import LearnedKernel
from learnkernels.jit import compiled

# Values of a task: enough to hide its start, and few enough to stay in the cache of a core.
VALUES = 2**19
# Columns of a task, at least.
LEAST_COLUMNS = 512
# Rows of double precision that are kept beside a matrix of single precision.
REFINED = 1024
# Entries of a sum of rows that stay in the first-level cache.
BLOCK = 1024
# Sums of rows may be reordered, so that vector registers are used. No NaN can occur.
FAST = {"contract", "nsz", "reassoc", "nnan"}


class KernelRows:
    """Rows of the Gram matrix; those that were used last are kept.

    Parameters
    ----------
    kernel : LearnedKernel
    backend : Backend
    memory : float
        Bytes for the rows that are kept. Rows of a bounded kernel are of single precision if that
        is much faster, or if less than half of all rows fit in double precision.
    complete : bool, default=False
        Whether to evaluate all rows at once, if they fit. This takes half of the evaluations,
        because the matrix is symmetric.

    Attributes
    ----------
    values : float64 or float32 array of shape (n_slots, n_samples)
        The rows that are kept.
    evicted : bool
        Whether a row had to be evicted, so that it must be evaluated again if it is needed again.
    complete : bool
        Whether `values` is the Gram matrix.
    """

    def __init__(
        self, kernel: LearnedKernel, backend: Backend, memory: float, complete: bool = False
    ):
        n = len(kernel.weights)
        single = kernel.bounded and (kernel.fast_single or 2 * memory < 8 * n * n)
        dtype = np.dtype(np.float32 if single else np.float64)
        n_slots = min(n, max(1, int(memory // (dtype.itemsize * n))))
        self.kernel = kernel
        self.backend = backend
        self.use(np.zeros(n_slots * n, dtype))
        if complete and n_slots == n:
            self.kernel.gram(backend, out=self.values)
            self.slots.update(zip(range(n), range(n), strict=True))
            self.free.clear()
            self.complete = True

    def use(self, buffer: np.ndarray) -> None:
        """Keep rows in a buffer from now on, none at first."""
        n = len(self.kernel.weights)
        n_slots = min(n, len(buffer) // n)
        self.buffer = buffer
        self.values = buffer[: n_slots * n].reshape(n_slots, n)
        self.slots: OrderedDict[int, int] = OrderedDict()  # the row used last is the last
        self.free = list(range(n_slots))
        self.evicted = self.complete = False

    def take(self, index: np.ndarray) -> KernelRows:
        """Return rows of the Gram matrix of some samples, kept in the memory of this object.

        This object loses the rows that it has kept.
        """
        part = KernelRows.__new__(KernelRows)
        part.kernel, part.backend = self.kernel.take(index), self.backend
        part.use(self.buffer)
        self.use(self.buffer)
        return part

    def refined(self) -> KernelRows:
        """Return rows of double precision.

        They are kept in the memory of this object, which loses its rows, or in new memory if it has
        all rows, because threads may share these.
        """
        part = KernelRows.__new__(KernelRows)
        part.kernel, part.backend = self.kernel, self.backend
        n = len(self.kernel.weights)
        if self.complete:
            part.use(np.zeros(n * min(n, REFINED)))
        elif self.values.itemsize == 4 and len(self.buffer) >= 2 * n:
            part.use(self.buffer[: len(self.buffer) // 2 * 2].view(np.float64))
            self.use(self.buffer)
        else:
            return self
        return part

    def add(self, index: np.ndarray, d: np.ndarray, out: np.ndarray) -> None:
        """Add ``sum_i d_i K[index_i]`` to out, shape (n_samples,); evaluate rows that are missing.

        Parameters
        ----------
        index : ndarray of shape (n_rows,)
            Different rows.
        d : ndarray of shape (n_rows,)
        out : ndarray of shape (n_samples,)
        """
        n_slots = len(self.values)
        for start in range(0, len(index), n_slots):
            some = slice(start, start + n_slots)
            self.add_at_once(index[some], d[some], out)

    def add_at_once(self, index: np.ndarray, d: np.ndarray, out: np.ndarray) -> None:
        """Add rows that fit into the memory together."""
        missing = self.reserve(index)
        slots = np.array([self.slots[i] for i in index.tolist()], dtype=np.intp)
        task = partial(
            self.add_columns, self.kernel.take(missing) if len(missing) else None,
            np.array([self.slots[i] for i in missing.tolist()], dtype=np.intp), slots, d, out,
        )  # fmt: skip
        n = len(out)
        length = max(LEAST_COLUMNS, VALUES // max(1, len(index)))
        ranges = [slice(start, min(start + length, n)) for start in range(0, n, length)]
        for _ in self.backend.map(task, ranges, "rows of the Gram matrix", local=True):
            pass

    def reserve(self, index: np.ndarray) -> np.ndarray:
        """Assign slots to some rows, evict others for them, and return those to be evaluated."""
        wanted = index.tolist()
        missing = [i for i in wanted if i not in self.slots]
        for i in wanted:
            if i in self.slots:
                self.slots.move_to_end(i)
        while len(self.free) < len(missing):
            self.free.append(self.slots.popitem(last=False)[1])
            self.evicted = True
        for i in missing:
            self.slots[i] = self.free.pop()
        return np.array(missing, dtype=np.intp)

    def add_columns(
        self, missing: LearnedKernel | None, at: np.ndarray, slots: np.ndarray, d: np.ndarray,
        out: np.ndarray, samples: slice,
    ) -> None:  # fmt: skip
        """Evaluate rows at some columns, and add the rows at these columns to out."""
        if missing is not None:
            self.kernel.write_rows(missing, samples, self.values, at)
        add_rows(self.values, slots, d, out, samples.start, samples.stop)

    def times(self, beta: np.ndarray) -> np.ndarray:
        """Return ``K beta`` in double precision; with centering, beta sums to zero."""
        return np.asarray(self.kernel.times(beta[:, None], self.backend)[:, 0])

    def times_at(self, index: np.ndarray, beta: np.ndarray, single: bool = False) -> np.ndarray:
        """Return some entries of ``K beta``, in double precision unless `single` is true."""
        return self.kernel.times_at(index, beta[:, None], self.backend, single)[:, 0]

    def gram(self, index: np.ndarray) -> np.ndarray:
        """Return the rows and columns of a few samples in double precision."""
        return self.kernel.take(index).gram(Threads(1))


@compiled(fastmath=FAST)
def add_rows(
    values: np.ndarray, slots: np.ndarray, d: np.ndarray, out: np.ndarray, begin: int, end: int
) -> None:
    """Add ``sum_i d_i values[slots_i]`` to out at the columns from `begin` to `end`."""
    m = slots.shape[0]
    for start in range(begin, end, BLOCK):
        stop = min(start + BLOCK, end)
        total = out[start:stop]
        for i in range(0, m - 3, 4):
            d0, d1, d2, d3 = d[i], d[i + 1], d[i + 2], d[i + 3]
            a, b = values[slots[i], start:stop], values[slots[i + 1], start:stop]
            e, f = values[slots[i + 2], start:stop], values[slots[i + 3], start:stop]
            for t in range(total.shape[0]):
                total[t] += d0 * a[t] + d1 * b[t] + (d2 * e[t] + d3 * f[t])
        for i in range(m - m % 4, m):
            d0, a = d[i], values[slots[i], start:stop]
            for t in range(total.shape[0]):
                total[t] += d0 * a[t]

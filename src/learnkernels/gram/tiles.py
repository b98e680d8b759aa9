"""The grid of tiles that every pass walks over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Grid"]

# A tile is long enough to hide Python behind the compiled work, and short enough to stop quickly.
ROWS, COLUMNS = 256, 1024
# Most bytes for the values of kernels that have no compiled formula.
TILE_BYTES = 64_000_000


@dataclass(frozen=True)
class Grid:
    """Tiles for a number of kernels, never crossing a border between blocks of samples.

    Attributes
    ----------
    n_kernels : int
        Kernels on a tile.
    row_borders, column_borders : sequence of int
        Starts of the blocks, and the end.
    """

    n_kernels: int
    row_borders: Sequence[int]
    column_borders: Sequence[int]

    @property
    def rows(self) -> int:
        fitting = TILE_BYTES // (8 * COLUMNS * self.n_kernels)
        return max(1, min(ROWS, fitting))

    def row_ranges(self) -> list[slice]:
        """Ranges of rows, each the work of one task."""
        return list(cut(self.row_borders, self.rows))

    def column_ranges(self, start: int = 0) -> Iterator[slice]:
        """Ranges of columns from `start` on."""
        later = [int(border) for border in self.column_borders if border > start]
        return cut([start, *later], COLUMNS)


def cut(borders: Sequence[int], length: int) -> Iterator[slice]:
    """Pieces of at most `length` between consecutive borders."""
    for start, stop in pairwise(borders):
        for first in range(int(start), int(stop), length):
            yield slice(first, min(first + length, int(stop)))

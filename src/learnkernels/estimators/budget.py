"""How the second stage is trained: by what memory there is, and what the user asks for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnkernels.checks import is_number, random_generator, require_whole
from learnkernels.errors import InputError
from learnkernels.gram import available_cores, available_memory, sized

__all__ = ["DENSE", "FACTORS", "ITERATIVE", "LANDMARKS", "UNBOUNDED", "Budget"]

DENSE, FACTORS = "dense", "factors"
ITERATIVE, LANDMARKS = "conjugate gradients", "landmarks"
# Gram matrices that are held at once: one for a Cholesky factor in place; for an eigendecomposition
# the matrix, its eigenvectors and work space of twice its size.
ONE, SEVERAL = 1, 4
OF_LANDMARKS = 6
# Of the memory that is free, where no bound is given.
PART = 0.5

logger = logging.getLogger("learnkernels")


@dataclass(frozen=True)
class Budget:
    """What training may take.

    Attributes
    ----------
    room : float
        Bytes for Gram matrices.
    n_components : int or None
        Landmarks to look for a predictor in the span of; None is all samples.
    random_state : int, RandomState or None
        Chooses the landmarks.
    """

    room: float = np.inf
    n_components: int | None = None
    random_state: Any = 0

    @classmethod
    def of(cls, owner, max_memory, n_components, random_state) -> Budget:
        """What an estimator's parameters stand for, checked."""
        if max_memory is not None and not (is_number(max_memory) and max_memory > 0):
            raise InputError(
                f"max_memory={max_memory!r}; it must be a positive number of bytes, or None for "
                "half of what is free."
            )
        if n_components is not None:
            require_whole(type(owner).__name__, "n_components", n_components, 1)
        room = PART * available_memory() if max_memory is None else float(max_memory)
        return cls(room, n_components, random_state)

    def way(self, n: int, many: bool = False) -> str:
        """How ridge is trained on n samples, for one value of alpha or for many."""
        if self.n_components is not None and self.n_components < n:
            return LANDMARKS
        return DENSE if self.grams(n, many) <= self.room else ITERATIVE

    def grams(self, n: int, many: bool = False) -> float:
        """Bytes of the Gram matrices that dense training holds."""
        return 8.0 * n * n * (SEVERAL if many else ONE)

    def landmarks(self, n: int) -> np.ndarray:
        """Samples that stand for all, in order; a few matrices of their size must have room."""
        m = self.n_components or n
        count = OF_LANDMARKS + available_cores()  # a sum for each thread
        self.require_grams(m, count, f"training with n_components={m}", "use fewer components")
        random = random_generator(self.random_state)
        return np.sort(random.choice(n, m, replace=False))

    def require_dense(self, n: int, many: bool, machine: Any) -> None:
        """Raise where a machine that needs the Gram matrix has no room for it, or is given none."""
        who = f"{type(machine).__name__} with these weights"
        if self.n_components is not None and self.n_components < n:
            raise InputError(
                f"n_components={self.n_components} is for ridge with weights that are not "
                f"negative; {who} takes all samples: leave n_components out."
            )
        self.require_grams(n, SEVERAL if many else ONE, who, "use fewer samples")

    def require_grams(self, n: int, count: int, who: str, instead: str) -> None:
        """Raise where somebody needs Gram matrices of n samples that there is no room for."""
        wanted = 8.0 * n * n * count
        if wanted > self.room:
            matrices = "the Gram matrix" if count == 1 else f"{count} Gram matrices"
            raise InputError(
                f"{who} holds {matrices} of {n} samples, {sized(wanted)}, and {sized(self.room)} "
                f"may be used; {instead}, or raise max_memory."
            )

    def tell(self, n: int, way: str) -> None:
        """Say in the log how the machine is trained."""
        logger.info(
            "%d samples: %s (the Gram matrix would take %s, %s may be used).",
            n, way, sized(self.grams(n)), sized(self.room),
        )  # fmt: skip


UNBOUNDED = Budget()

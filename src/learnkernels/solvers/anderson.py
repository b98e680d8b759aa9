"""Acceleration of a fixed-point iteration x <- g(x) (Anderson 1965).

With residuals r_i = g(x_i) - x_i of the last few points, the next point is the combination of the
g(x_i), with coefficients of sum one, whose combined residual is smallest:

    x = g_m - dG gamma,   gamma = argmin |r_m - dR gamma|
"""

from __future__ import annotations

import numpy as np

__all__ = ["Anderson"]


class Anderson:
    """Proposals for the next point.

    Parameters
    ----------
    depth : int, default=5
        Earlier points that are remembered.

    Examples
    --------
    >>> import numpy as np
    >>> from learnkernels.solvers import Anderson
    >>> x, faster = np.array([3.0, 1.0]), Anderson()
    >>> for _ in range(5):
    ...     x = faster.next(x, np.array([0.9, -0.8]) * x + 1.0)
    >>> x.round(6)
    array([10.      ,  0.555556])
    """

    def __init__(self, depth: int = 5):
        self.depth = depth
        self.points: list[tuple[np.ndarray, np.ndarray]] = []  # residual, image

    def next(self, x: np.ndarray, image: np.ndarray) -> np.ndarray:
        """The next point, from a point and its image under g."""
        self.points = [*self.points[-self.depth :], (image - x, image)]
        r, g = self.points[-1]
        if len(self.points) == 1:
            return g
        dR = np.column_stack([r - earlier for earlier, _ in self.points[:-1]])
        dG = np.column_stack([g - earlier for _, earlier in self.points[:-1]])
        gamma, *_ = np.linalg.lstsq(dR, r, rcond=1e-10)
        return g - dG @ gamma

    def forget(self) -> None:
        """Begin anew: the last proposal was no good."""
        self.points = self.points[-1:]

"""From sums over pairs to what the weight methods read: a, M and the traces, centered."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from learnkernels.errors import InputError

__all__ = ["NORMALIZATIONS", "Statistics", "require_finite"]

NORMALIZATIONS = ("trace", "frobenius", "cosine", None)
# A kernel whose centered trace is this small a part of its values is constant.
CONSTANT = 1e-13


def require_finite(names: list[str], values: np.ndarray) -> None:
    """Raise if a row of values, one for each kernel and the target, is not finite."""
    finite = np.isfinite(values).all(axis=1)
    for name in np.array([*names, "of the target"], dtype=object)[~finite]:
        raise InputError(
            f"the values of kernel {name!r} are too large to be summed; scale the columns of X or "
            "y, or lower the kernel's degree."
        )


@dataclass(frozen=True)
class Statistics:
    """Everything that two-stage methods need of p kernels and a target.

    Attributes
    ----------
    a : ndarray of shape (n_kernels,)
        ``<K_kc, YY'>_F`` of the centered and scaled kernels.
    M : ndarray of shape (n_kernels, n_kernels)
        ``<K_kc, K_lc>_F`` of the centered and scaled kernels.
    traces : ndarray of shape (n_kernels,)
        ``tr(K_kc)`` of the centered kernels before scaling.
    target_norm : float
        ``|Y_c Y_c'|_F``.
    scales : ndarray of shape (n_kernels,)
        What each kernel was divided by; one for a constant kernel.
    constant : ndarray of bool of shape (n_kernels,)
        Kernels that are constant on the samples; their rows of `M` and `a` are zero.
    means : ndarray of shape (n_kernels, n_samples)
        Mean of each row of the values on tiles (before scaling): what centering takes off.
    mean_diagonal : ndarray of shape (n_kernels,)
        Mean of k(x, x), neither centered nor scaled.
    weights : ndarray of shape (n_samples,)
        Weights of the samples.
    names : list of str
        Of the kernels.

    Notes
    -----
    With weights w of sum W, ``M_kl = S_kl - (2/W) sum_i w_i r_ki r_li + s_k s_l / W^2``; without
    them w = 1 and W = n.
    """

    a: np.ndarray
    M: np.ndarray
    traces: np.ndarray
    target_norm: float
    scales: np.ndarray
    constant: np.ndarray
    means: np.ndarray
    mean_diagonal: np.ndarray
    weights: np.ndarray
    names: list[str]

    @classmethod
    def from_sums(cls, S, r, diagonal, offsets, units, w, names) -> Statistics:
        """Statistics from the sums of `learnkernels.gram.sums`, the target as the last kernel."""
        W = w.sum()
        require_finite(names, np.diag(S)[:, None])
        s = r @ w  # (p + 1,)
        M = S - (2 / W) * (r * w) @ r.T + np.outer(s, s) / W**2
        traces = diagonal @ w - s / W
        magnitude = W * (np.abs(offsets) + np.abs(diagonal).max(axis=1, initial=0.0))
        constant = ~((np.abs(traces) > CONSTANT * magnitude) & (np.diag(M) > 0))[:-1]
        for name, trace in zip(names, np.where(constant, 0.0, traces[:-1]), strict=True):
            if trace < 0:
                raise InputError(
                    f"kernel {name!r} is not positive semi-definite: its centered trace is "
                    f"{trace:.3g}; it must not be negative."
                )
        varies = ~constant
        p = len(names)
        return cls(
            a=M[:p, p] * varies,
            M=M[:p, :p] * np.outer(varies, varies),
            traces=traces[:p] * varies,
            target_norm=float(np.sqrt(max(M[p, p], 0.0))),
            scales=np.ones(p),
            constant=constant,
            means=r[:p] / W + offsets[:p, None],
            mean_diagonal=diagonal[:p] @ w / W + offsets[:p] + units[:p],
            weights=w,
            names=list(names),
        )

    def normalized(self, how: str | None, center: bool = True) -> Statistics:
        """The statistics of the kernels divided by their scale.

        Parameters
        ----------
        how : {"trace", "frobenius", "cosine", None}
            ``"trace"``: mean diagonal one. ``"frobenius"``: Frobenius norm one. ``"cosine"``
            kernels have a unit diagonal already, before centering.
        center : bool, default=True
            Whether the trace is that of the centered kernels.
        """
        W = self.weights.sum()
        if how == "trace":
            scales = self.traces / W if center else self.mean_diagonal
        elif how == "frobenius":
            scales = np.sqrt(np.diag(self.M))
        else:
            scales = np.ones(len(self.a))
        scales = np.where(self.constant | ~(scales > 0), 1.0, scales)
        return replace(
            self,
            a=self.a / scales,
            M=self.M / scales / scales[:, None],
            scales=self.scales * scales,
        )

    def keep(self, mask: np.ndarray) -> Statistics:
        """The statistics of some of the kernels."""
        names = [name for name, kept in zip(self.names, mask, strict=True) if kept]
        return replace(
            self,
            a=self.a[mask],
            M=self.M[np.ix_(mask, mask)],
            traces=self.traces[mask],
            scales=self.scales[mask],
            constant=self.constant[mask],
            means=self.means[mask],
            mean_diagonal=self.mean_diagonal[mask],
            names=names,
        )

    def alignments(self) -> np.ndarray:
        """Centered alignment of each kernel with the target, 0 if undefined, shape (n_kernels,)."""
        norms = np.sqrt(np.diag(self.M)) * self.target_norm
        return np.divide(self.a, norms, out=np.zeros_like(self.a), where=norms > 0)

    def alignment(self, mu: np.ndarray) -> float:
        """Centered alignment of the combination ``sum_k mu_k K_k`` with the target."""
        norm = np.sqrt(max(float(mu @ self.M @ mu), 0.0)) * self.target_norm
        return float(mu @ self.a) / norm if norm > 0 else 0.0

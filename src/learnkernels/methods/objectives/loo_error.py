"""The leave-one-out error of ridge as a function of the weights.

With B = W^1/2 K_mu W^1/2 + I, u = W^1/2 1 and z = W^1/2 y,

    G = B^-1 - B^-1 u u'B^-1 / (u'B^-1 u),   c = G z,   r_i = c_i / G_ii
    E(mu) = sum_i r_i^2 / sum_i w_i

r_i / w_i^1/2 is the error at sample i of ridge with alpha = 1 that was trained without it, with its
intercept: the scale of mu is the regularisation. Without the second term of G the mean of the left
out target would be known from the others. The gradient needs one matrix for all kernels:

    dE/dmu_k = 2 <W^1/2 K_k W^1/2, S> / sum_i w_i
    S = G diag(c_i^2 / G_ii^3) G - (G v c' + c v'G) / 2,   v_i = r_i / G_ii

In the span of landmarks L, with features psi psi' = K_nL K_LL^-1 K_Ln in place of K_mu,

    d(psi psi')_k = K_k,nL P' + P K_k,Ln - P K_k,LL P',   P = K_nL K_LL^-1

so the same S gives the gradient from K_k,nL and K_k,LL, in O(n m^2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsymv, dsyr2k, dsyrk
from scipy.linalg.lapack import dlauum, dpotrf

from learnkernels.errors import InputError
from learnkernels.gram import CenteredKernels, Landmarks, PackedGrams, from_upper, weighted
from learnkernels.solvers import invert_lower


@dataclass(frozen=True)
class LeaveOneOutPoint:
    """The leave-one-out error at some weights.

    Attributes
    ----------
    mu : ndarray of shape (n_kernels,)
    value : float
        Mean squared error over samples and outputs.
    gradient : ndarray of shape (n_kernels,)
    errors : ndarray of shape (n_counted,)
        Squared error of each sample, weighted so that their mean is `value`.
    """

    mu: np.ndarray
    value: float
    gradient: np.ndarray
    errors: np.ndarray


@dataclass(frozen=True)
class LeaveOneOutError:
    """E(mu) on some of the samples; see the module.

    Attributes
    ----------
    kernels : CenteredKernels
    Y : ndarray of shape (n, n_outputs)
        Targets of the samples that are used.
    samples : ndarray of shape (n,)
        The samples that are used.
    landmarks : ndarray of shape (m,) or None
        Positions in `samples` that span the predictor; None is all.
    packed : PackedGrams or None
        The Gram matrices of the samples that are used, if they are held.
    """

    kernels: CenteredKernels
    Y: np.ndarray
    samples: np.ndarray
    landmarks: np.ndarray | None = None
    packed: PackedGrams | None = None

    @property
    def weights(self) -> np.ndarray:
        """Weights of the samples that are used, shape (n,)."""
        return self.kernels.weights[self.samples]

    def gram(self, mu: np.ndarray) -> np.ndarray:
        """Return K_mu of the samples that are used, shape (n, n)."""
        if self.packed is not None:
            return self.packed.gram(mu)
        return self.kernels.kernel(mu).take(self.samples).gram(self.kernels.backend)

    def inner(self, S: np.ndarray) -> np.ndarray:
        """Return ``<K_k, S>`` of every kernel for the upper triangle of S, shape (n_kernels,)."""
        if self.packed is not None:
            return self.packed.inner(S)
        return self.kernels.inner(from_upper(S), self.samples)

    def evaluate(self, mu: np.ndarray) -> LeaveOneOutPoint | None:
        """Return error and gradient at mu; None if B is not positive definite by rounding."""
        return self._dense(mu) if self.landmarks is None else self._in_span(mu, self.landmarks)

    def point(self, mu: np.ndarray) -> LeaveOneOutPoint:
        """Return error and gradient at mu; raise if they cannot be computed."""
        found = self.evaluate(mu)
        if found is None:
            raise InputError(
                "the base kernels are not positive semi-definite within rounding, so leave-one-out "
                "errors cannot be computed; check your own kernel functions and matrices."
            )
        return found

    def _dense(self, mu: np.ndarray) -> LeaveOneOutPoint | None:
        root = np.sqrt(self.weights)[:, None]
        lower = inverse(weighted(self.gram(mu), self.weights))
        if lower is None:
            return None
        along = np.zeros(len(root))
        if self.kernels.center:
            b = dsymv(1.0, lower, root[:, 0], lower=1)
            along = b / np.sqrt(b @ root[:, 0])
        G = from_upper(lower.T)
        G -= np.outer(along, along)
        c = G @ (root * self.Y)  # (n, n_outputs)
        errors, h, v = residual_terms(c, np.diag(G).copy(), np.ones(len(c)))
        # The lower triangle of W^1/2 S W^1/2, by columns.
        Gv, c = np.asfortranarray(root * (G @ v)), np.asfortranarray(root * c)
        S = dsyrk(1.0, (root * G * np.sqrt(h)).T, trans=1, lower=1)
        S = dsyr2k(-0.5, Gv, c, beta=1.0, c=S, lower=1, overwrite_c=1)
        return self._point(mu, errors, self.inner(S.T))

    def _in_span(self, mu: np.ndarray, index: np.ndarray) -> LeaveOneOutPoint:
        root = np.sqrt(self.weights)[:, None]
        near = Landmarks.of(self.kernels.kernel(mu), self.samples[index], self.kernels.backend)
        parts = self.kernels.backend.map(near.features, near.row_ranges(), "landmark features")
        F = root * np.concatenate(list(parts))[self.samples]  # (n, rank)
        A = F.T @ F
        A.flat[:: len(A) + 1] += 1.0
        FA = np.linalg.solve(A, F.T).T  # B^-1 F = F A^-1
        b = root - FA @ (F.T @ root)  # B^-1 u
        along = b / np.sqrt(np.vdot(b, root)) if self.kernels.center else np.zeros_like(b)

        def times_G(V: np.ndarray) -> np.ndarray:
            return V - FA @ (F.T @ V) - along * (along.T @ V)

        diagonal = 1 - np.einsum("ij,ij->i", FA, F) - along[:, 0] ** 2
        counted = np.ones(len(F))
        counted[index] = 0.0  # a landmark that is left out still spans a direction of its own
        c = times_G(root * self.Y)
        errors, h, v = residual_terms(c, diagonal, counted)
        GF, Gv = FA - along * (along.T @ F), times_G(v)
        SF = times_G(h[:, None] * GF) - (Gv @ (c.T @ F) + c @ (Gv.T @ F)) / 2
        cross = 2 * root * (SF @ near.T.T)  # 2 W^1/2 S P, (n, m)
        own = near.T @ (F.T @ SF) @ near.T.T  # P'S P, (m, m)
        chosen = self.samples[index]
        gradient = self.kernels.inner(cross, self.samples, chosen)
        gradient -= self.kernels.inner((own + own.T) / 2, chosen)
        return self._point(mu, errors, gradient, counted)

    def _point(
        self,
        mu: np.ndarray,
        errors: np.ndarray,
        inner: np.ndarray,
        counted: np.ndarray | None = None,
    ) -> LeaveOneOutPoint:
        """Divide sums over samples and outputs by their number."""
        kept = slice(None) if counted is None else counted > 0
        total = float(self.weights[kept].sum()) * self.Y.shape[1]
        errors = errors[kept].sum(axis=1)
        scaled = errors * (len(errors) / total)
        return LeaveOneOutPoint(mu, float(errors.sum() / total), 2 * inner / total, scaled)


def inverse(S: np.ndarray) -> np.ndarray | None:
    """Return the lower triangle of (S + I)^-1 by columns, in place of S; None if not definite."""
    S.flat[:: len(S) + 1] += 1.0
    factor, failed = dpotrf(S.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        return None
    invert_lower(factor)
    return np.asarray(dlauum(factor, lower=1, overwrite_c=1)[0])  # L^-T L^-1


def residual_terms(
    c: np.ndarray, diagonal: np.ndarray, counted: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return r_i^2, c_i^2 / G_ii^3 summed over outputs, and r_i / G_ii; zero if not counted."""
    g = np.maximum(diagonal, np.finfo(float).tiny)[:, None]
    r = counted[:, None] * c / g  # (n, n_outputs)
    return r**2, (r * c / g**2).sum(axis=1), r / g

"""The formulas of pairwiseMKL (Cichonska et al., Bioinformatics 2018) in plain NumPy.

Its repository needs packages and compiled code that are not here, so this is a re-implementation of
its published script: M of all pairs by traces of products of the factors of the centering operator,
the response kernel of estimated densities, a quadratic program, then ridge without intercept by
minimal residuals with at most 400 iterations, with lambda chosen in three inner folds (random
ones, not those of the paper). The vec trick is two dense matrix products for each kernel, where the
script has compiled loops over pairs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, minres
from scipy.stats import gaussian_kde

from learnkernels.gram.pairs.leaves import add_entries
from learnkernels.solvers import nonnegative_qp

LAMBDAS = 10.0 ** np.arange(-5, 1)
INNER_FOLDS, MAX_ITER = 3, 400
# Intervals of the density of the labels on each side, and the weight that counts as none.
INTERVALS, NONE = 50, 1e-3


@dataclass
class PairwiseMKL:
    """The two stages for some left Gram matrices (k, m, m) and right ones (h, q, q)."""

    left: np.ndarray
    right: np.ndarray

    def __post_init__(self) -> None:
        m, q = self.left.shape[1], self.right.shape[1]
        # I - 11'/mq = I x I + (-11'/m) x (11'/q)
        self.factors = [
            (np.eye(m), np.eye(q)),
            (np.full((m, m), -1 / m), np.full((q, q), 1 / q)),
        ]
        self.seconds: dict[str, float] = {}

    def inner_products(self) -> np.ndarray:
        """Return M of all pairs, one element after the other (equation 12)."""
        index = [(i, j) for i in range(len(self.left)) for j in range(len(self.right))]
        M = np.empty((len(index), len(index)))
        start = time.process_time()
        for s, (i, j) in enumerate(index):
            for t, (k, h) in enumerate(index[: s + 1]):
                M[s, t] = M[t, s] = sum(
                    np.trace(Q @ self.left[i] @ R @ self.left[k])
                    * np.trace(P @ self.right[j] @ S @ self.right[h])
                    for Q, P in self.factors
                    for R, S in self.factors
                )
        self.seconds["M"] = time.process_time() - start
        return M

    def alignments(self, Psi: np.ndarray) -> np.ndarray:
        """Return a for features of the labels (m, q, f), one after the other (equation 16)."""
        found = []
        start = time.process_time()
        for A in self.left:
            for B in self.right:
                both = [(Q @ A @ R, P @ B @ S) for Q, P in self.factors for R, S in self.factors]
                total = 0.0
                for f in range(Psi.shape[2]):
                    V = Psi[:, :, f]
                    total += np.vdot(V, sum(X @ V @ Z.T for X, Z in both))
                found.append(total)
        self.seconds["a"] = time.process_time() - start
        return np.array(found)

    def alignments_at_once(self, Psi: np.ndarray) -> np.ndarray:
        """Return the same by sums over all features, to save time where it is not measured."""
        V = (Psi - Psi.mean(axis=(0, 1))).transpose(2, 0, 1)  # (f, m, q)
        sums = [np.einsum("fmq,fmr->qr", V, A @ V, optimize=True) for A in self.left]
        return np.array([[np.sum(S * B) for B in self.right] for S in sums]).ravel()

    def weights(self, M: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Return weights of sum one, shape (k, h)."""
        start = time.process_time()
        v = nonnegative_qp(M, a)[0]
        self.seconds["weights"] = time.process_time() - start
        return (v / v.sum()).reshape(len(self.left), len(self.right))

    def fit_predict(
        self, y: np.ndarray, train: np.ndarray, mu: np.ndarray, grouped: bool
    ) -> np.ndarray:
        """Return predictions of all pairs (m, q), and the lambda that was chosen.

        Parameters
        ----------
        y : ndarray of shape (m, q)
        train : ndarray of bool of shape (m, q)
        mu : ndarray of shape (k, h)
        grouped : bool
            Whether kernels with the same left kernel share a product, to save time where it is not
            measured. The script has a product for each kernel.
        """
        start = time.process_time()
        mu = np.where(mu > NONE, mu, 0.0)
        mu /= mu.sum()
        self.terms = [(mu[i, j] * self.left[i], self.right[j]) for i, j in np.argwhere(mu)]
        if grouped:
            rows = np.flatnonzero(mu.any(axis=1))
            self.terms = [(self.left[i], np.tensordot(mu[i], self.right, 1)) for i in rows]
        self.products = 0
        fold = np.full(train.shape, -1)
        n = int(train.sum())
        fold[train] = np.random.default_rng(0).permutation(n) % INNER_FOLDS
        errors = np.zeros(len(LAMBDAS))
        for f in range(INNER_FOLDS):
            test = fold == f
            for v, lam in enumerate(LAMBDAS):
                F = self.ridge(y, train & ~test, lam)
                errors[v] += np.sqrt(np.mean((F - y)[test] ** 2))
        self.chosen = float(LAMBDAS[int(np.argmin(errors))])
        found = self.ridge(y, train, self.chosen)
        self.seconds["ridge"] = time.process_time() - start
        return found

    def ridge(self, y: np.ndarray, train: np.ndarray, lam: float) -> np.ndarray:
        """Return the predictions of ridge for all pairs, shape (m, q)."""
        n = int(train.sum())

        def times(v: np.ndarray) -> np.ndarray:
            self.products += len(self.terms)
            V = np.zeros(train.shape)
            V[train] = v
            return sum(A @ V @ B for A, B in self.terms)

        system = LinearOperator((n, n), lambda v: times(v)[train] + lam * np.ravel(v))
        coef, _ = minres(system, y[train], rtol=1e-20, maxiter=MAX_ITER)
        return times(coef)


def loop_seconds(A: np.ndarray, B: np.ndarray, train: np.ndarray, repeats: int = 20) -> float:
    """Return the seconds of one product by loops over pairs, as in the script's compiled code."""
    rows, columns = np.nonzero(train)
    V = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=train.shape)
    out = np.zeros(len(rows))
    add_entries(A, np.ascontiguousarray((V @ B).T), rows, columns, out)  # compile
    start = time.process_time()
    for _ in range(repeats):
        add_entries(A, np.ascontiguousarray((V @ B).T), rows, columns, out)
    return (time.process_time() - start) / repeats


def response_features(y: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Return features of the labels, parts of their estimated density, (m, q, 100).

    Labels outside the training part are replaced by the mean of their row.
    """
    known = np.where(train, y, np.nan)
    with np.errstate(invalid="ignore"):
        means = np.nansum(known, axis=1) / np.maximum(train.sum(axis=1), 1)
    filled = np.where(train, y, means[:, None])
    low, high = filled.min(), filled.max()
    width = (high - low) / INTERVALS
    borders = np.arange(
        np.floor(low * 10) / 10 - (INTERVALS + 1) * width,
        np.ceil(high * 10) / 10 + (INTERVALS + 1) * width,
        width,
    )
    centers = (borders[:-1] + borders[1:]) / 2
    density = gaussian_kde(filled.ravel())(centers)
    first = np.searchsorted(centers, filled)
    Psi = density[first[:, :, None] + np.arange(-INTERVALS, INTERVALS)]
    return Psi / np.linalg.norm(Psi, axis=2, keepdims=True)

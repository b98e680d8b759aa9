"""One fit, top to bottom: X -> kernels -> statistics -> weights -> learned kernel.

Functions on arrays; scikit-learn's conventions are the business of the classes beside this file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf

from learnkernels.errors import InputError
from learnkernels.gram import NORMALIZATIONS, Backend, Bank, LearnedKernel, PairSums, pair_sums
from learnkernels.kernels import resolve
from learnkernels.machines import Machine, Problem
from learnkernels.solvers import Certificate
from learnkernels.weights import WeightMethod, learn_weights

__all__ = ["Learned", "Stage", "check_semidefinite"]


@dataclass(frozen=True)
class Learned:
    """A learned kernel and how it came about.

    Attributes
    ----------
    kernel : LearnedKernel
    weights : ndarray of shape (n_kernels,)
        Of the centered, scaled base kernels.
    certificate : Certificate
    alignment : float
        Of the learned kernel with the target.
    alignments : ndarray of shape (n_kernels,)
        Of each base kernel alone.
    """

    kernel: LearnedKernel
    weights: np.ndarray
    certificate: Certificate
    alignment: float
    alignments: np.ndarray


@dataclass(frozen=True)
class Stage:
    """Stage one on training data: all sums over pairs are done, weights can be learned.

    Attributes
    ----------
    bank : Bank
        The base kernels on the training samples, in order of their blocks.
    sums : PairSums
    normalize : {"trace", "frobenius", "cosine", None}
    center : bool
    sample_weight : ndarray of shape (n_samples,)
    backend : Backend
    """

    bank: Bank
    sums: PairSums
    normalize: str | None
    center: bool
    sample_weight: np.ndarray
    backend: Backend

    @classmethod
    def of(cls, kernels, X, Y, *, normalize, center, sample_weight, backend, borders=None) -> Stage:
        """Resolve the kernels and run the pass over pairs.

        Parameters
        ----------
        kernels : as given by the user
        X : ndarray, CSR matrix or precomputed stack
            Training samples, in order of their blocks.
        Y : ndarray of shape (n_samples, n_targets)
            The target of alignment.
        normalize, center, sample_weight, backend
            As in the class.
        borders : sequence of int or None
            Blocks of samples that may be left out later.
        """
        if normalize not in NORMALIZATIONS:
            raise InputError(f"normalize={normalize!r}; expected one of {list(NORMALIZATIONS)}.")
        base = resolve(kernels, X, sample_weight)
        bank = Bank.of(base, X, raw=not center, cosine=normalize == "cosine")
        Y = Y - sample_weight @ Y / sample_weight.sum()
        sums = pair_sums(bank, Y, backend, sample_weight, borders)
        return cls(bank, sums, normalize, center, sample_weight, backend)

    @property
    def borders(self) -> np.ndarray:
        return self.sums.borders

    def learn(self, method: WeightMethod, without: int | None = None) -> Learned:
        """The kernel learned from all samples, or from those outside one block."""
        statistics = self.sums.statistics(without).normalized(self.normalize, self.center)
        mu, certificate = learn_weights(method, statistics)
        bank = self.bank if without is None else self.bank.take(self.outside(without))
        return Learned(
            LearnedKernel.of(bank, mu, statistics, self.center),
            mu,
            certificate,
            statistics.alignment(mu),
            statistics.alignments(),
        )

    def inside(self, block: int) -> np.ndarray:
        """Samples of a block."""
        return np.arange(self.borders[block], self.borders[block + 1])

    def outside(self, block: int) -> np.ndarray:
        """Samples of all other blocks."""
        everything = np.arange(self.borders[-1])
        return np.delete(everything, self.inside(block))

    def problem(self, learned: Learned, Y, machine: Machine, samples=slice(None)) -> Problem:
        """What the machine is trained on: the learned Gram of some samples and their targets."""
        K = learned.kernel.gram(self.backend)
        if machine.needs_semidefinite and (learned.weights < 0).any():
            check_semidefinite(K)
        weights = self.sample_weight[samples]
        return Problem(K, Y[samples], weights, self.center, self.backend)


def check_semidefinite(K: np.ndarray) -> None:
    """Raise if a combination with negative weights is not a kernel."""
    shifted = K.copy()
    shifted.flat[:: len(K) + 1] += 1e-8 * max(np.trace(K) / len(K), np.finfo(float).tiny)
    _, failed = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise InputError(
            "the combination learned with weights of either sign is not positive semi-definite, "
            'which the SVM needs; use method="alignf", or machine="ridge" with a small C.'
        )

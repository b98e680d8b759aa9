"""Search for problems that violate a guarantee: `python -m tests.theory.violations 10000`.

A problem is a distribution on a few points, with base kernels of any scale, unbalanced classes or
targets of any size, and a training sample. Risks, expectations and the largest change of a
prediction over all replacements of a sample are exact. Half of the problems are drawn, the others
are changes of the problem that came nearest to a violation of one of the guarantees.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import learnkernels as lk
from learnkernels import theory
from learnkernels.solvers import nonnegative_qp

DELTA = 0.05
ROUNDING = 1e-7

Array = np.ndarray
Check = Callable[["Problem"], Iterator[tuple[str, float, float]]]


@dataclass(frozen=True)
class Problem:
    """A distribution on N points, p base kernels and a training sample of size m.

    Attributes
    ----------
    features : ndarray of shape (p, N, d)
        Feature maps of the base kernels.
    y : ndarray of shape (N,)
        Targets of the points; classes -1 and 1 if `classes`.
    chances : ndarray of shape (N,)
    counts : ndarray of shape (N,)
        How often each point is in the training sample.
    replaced : int
        The point of the sample that is replaced.
    alpha : float
        Regularisation of ridge.
    """

    features: Array
    y: Array
    chances: Array
    counts: Array
    replaced: int
    alpha: float

    @property
    def K(self) -> Array:
        """Base kernels on all points, shape (p, N, N)."""
        return self.features @ self.features.transpose(0, 2, 1)

    @property
    def m(self) -> int:
        return int(self.counts.sum())

    @property
    def shares(self) -> Array:
        """The empirical distribution, shape (N,)."""
        return self.counts / self.counts.sum()

    @property
    def classes(self) -> bool:
        return set(self.y.tolist()) == {-1.0, 1.0}

    def replacements(self) -> Iterator[Problem]:
        """Yield the problems whose training samples differ in one sample."""
        for point in range(len(self.y)):
            counts = self.counts.copy()
            counts[self.replaced] -= 1
            counts[point] += 1
            yield replace(self, counts=counts)


def drawn(rng: np.random.Generator) -> Problem:
    """Draw a problem."""
    problem = spread_out(rng)
    return with_outlier(problem, rng) if rng.random() < 0.3 else problem


def with_outlier(problem: Problem, rng: np.random.Generator) -> Problem:
    """Move all points but a rare one together, with ridge as strong as their common direction."""
    near, m = 10.0 ** rng.uniform(-2, 0), problem.m
    size = float(np.abs(problem.features).max()) or 1.0
    features = np.ones_like(problem.features) + 0.1 * problem.features / size
    features[:, 1:] *= near
    chances = np.where(np.arange(len(problem.y)) == 0, 1e-3, problem.chances)
    chances /= chances.sum()
    y = problem.y if problem.classes else np.abs(problem.y)
    counts = rng.multinomial(m, chances)
    alpha = m * near**2 * 10.0 ** rng.uniform(-1, 1)
    replaced = int(rng.choice(np.flatnonzero(counts)))
    return Problem(features, y, chances, counts, replaced, alpha)


def spread_out(rng: np.random.Generator) -> Problem:
    """Draw a problem with points in all directions."""
    p, N, d = rng.integers(1, 5), rng.integers(2, 9), rng.integers(1, 4)
    features = rng.standard_normal((p, N, d))
    if rng.random() < 0.5:  # few different values, so that some points coincide
        features = np.round(features)
    if rng.random() < 0.5:  # some points far from the others
        features *= 10.0 ** rng.uniform(-2, 0, size=(1, N, 1))
    features *= 10.0 ** rng.uniform(-2, 2, size=(p, 1, 1))
    chances = rng.dirichlet(np.full(N, 10.0 ** rng.uniform(-1, 1)))
    if rng.random() < 0.5:
        y = np.where(rng.random(N) < rng.uniform(0.1, 0.9), 1.0, -1.0)
        y[0], y[1] = -1.0, 1.0
    else:
        y = rng.standard_normal(N) * 10.0 ** rng.uniform(-3, 3) + 10.0 * rng.standard_normal()
    m = int(10 ** rng.uniform(0.5, 4))
    counts = rng.multinomial(m, chances)
    size = float(np.mean(features**2) * d) or 1.0
    alpha = size * m * 10.0 ** rng.uniform(-4, 2)
    return Problem(features, y, chances, counts, int(rng.choice(np.flatnonzero(counts))), alpha)


def changed(problem: Problem, rng: np.random.Generator) -> Problem:
    """Return a problem near another one."""
    kind = rng.integers(5)
    size = float(np.abs(problem.features).max())
    ridge_share = problem.alpha / (problem.m * size**2) if size else 0.0
    if not (1e-4 < size < 1e4 and 1e-7 < ridge_share < 1e5):
        return drawn(rng)
    if kind == 0:
        return replace(problem, alpha=problem.alpha * 10.0 ** rng.normal(scale=0.5))
    if kind == 1:
        noise = rng.standard_normal(problem.features.shape)
        return replace(problem, features=problem.features * (1 + 0.3 * noise))
    if kind == 2 and not problem.classes:
        return replace(problem, y=problem.y * (1 + 0.3 * rng.standard_normal(len(problem.y))))
    if kind == 3:  # one point nearer to the others, or farther away
        features = problem.features.copy()
        features[:, rng.integers(len(problem.y))] *= 10.0 ** rng.normal(scale=0.5)
        return replace(problem, features=features)
    m = int(np.clip(problem.m * 2.0 ** rng.normal(), 2, 10**4))
    counts = rng.multinomial(m, 0.9 * problem.shares + 0.1 * problem.chances)
    return replace(problem, counts=counts, replaced=int(rng.choice(np.flatnonzero(counts))))


def centered(K: Array, w: Array) -> Array:
    """Center kernels of shape (..., N, N) with the mean of a distribution w."""
    means = K @ w
    return K - means[..., None, :] - means[..., None] + (means @ w)[..., None, None]


def statistics(problem: Problem, w: Array) -> tuple[Array, Array, float]:
    """Return a, M and |y_c y_c'|_F^2, as means over pairs from a distribution w."""
    C = centered(problem.K, w)
    y = problem.y - w @ problem.y
    y = np.where(np.abs(y) > 1e-12 * np.abs(problem.y).max(), y, 0.0)  # not rounding errors
    pairs, L = np.outer(w, w), np.outer(y, y)
    a = np.einsum("kij,ij->k", C, pairs * L)
    M = np.einsum("kij,lij,ij->kl", C, C, pairs)
    return np.maximum(a, 0.0), np.maximum(M, 0.0), float(np.sum(pairs * L**2))


def uniform(problem: Problem) -> Array:
    return np.full(len(problem.K), 1 / len(problem.K))


def align(problem: Problem) -> Array:
    a, M, _ = statistics(problem, problem.shares)
    root = np.sqrt(np.diag(M))
    rho = np.divide(a, root, out=np.zeros(len(a)), where=root > 0)
    return rho / rho.sum() if rho.any() else uniform(problem)


def alignf(problem: Problem) -> Array:
    a, M, _ = statistics(problem, problem.shares)
    v, _ = nonnegative_qp(M, a)
    return v / v.sum() if v.any() else uniform(problem)


def coefficients(K: Array, y: Array, counts: Array, alpha: float) -> Array:
    """Return the coefficients of ridge, c with h = K c, for points that are counted."""
    root = np.sqrt(counts)
    inner = root[:, None] * K * root + alpha * np.eye(len(y))
    return root * np.linalg.solve(inner, root * y)


def l2_krr(problem: Problem, intercept: bool) -> Array:
    """Return the weights of l2-krr with radius 1 and mu0 = 0, by the paper's iteration."""
    K, y, w = problem.K, problem.y, problem.shares
    if intercept:
        K, y = centered(K, w), y - w @ y
    mu = np.full(len(K), len(K) ** -0.5)
    for _ in range(1000):
        coef = coefficients(np.tensordot(mu, K, 1), y, problem.counts, problem.alpha)
        v = np.maximum(coef @ K @ coef, 0.0)
        if not v.any():
            return mu
        target = v / np.linalg.norm(v)
        if np.abs(target - mu).max() < 1e-9:
            break
        mu = (mu + target) / np.linalg.norm(mu + target)
    return mu


def ridge(problem: Problem, mu: Array, intercept: bool) -> Array:
    """Return the predictions of ridge for all points, shape (N,)."""
    K, offset = np.tensordot(mu, problem.K, 1), 0.0
    if intercept:
        K, offset = centered(K, problem.shares), float(problem.shares @ problem.y)
    return K @ coefficients(K, problem.y - offset, problem.counts, problem.alpha) + offset


@dataclass(frozen=True)
class Bounds:
    """Upper bounds over all points: of k(x, x), of squared distances, and of the target."""

    diagonals: Array
    distances: Array
    target: float
    half_range: float

    @classmethod
    def of(cls, problem: Problem) -> Bounds:
        K = problem.K
        diagonal = np.einsum("kii->ki", K)
        distances = diagonal[:, :, None] + diagonal[:, None] - 2 * K
        y = problem.y
        return cls(
            diagonal.max(axis=1), np.maximum(distances.max(axis=(1, 2)), 0.0),
            float(np.abs(y).max()), float(np.ptp(y) / 2),
        )  # fmt: skip

    def kernel(self, intercept: bool) -> Array:
        return self.distances if intercept else self.diagonals

    def y(self, intercept: bool) -> float:
        return self.half_range if intercept else self.target


def weight_change(problem: Problem, name: str, bounds: Bounds) -> float:
    """Return the bound on the change of the weights."""
    if name == "unif":
        return 0.0
    a, M, square = statistics(problem, problem.shares)
    D, E = bounds.distances, (2 * bounds.half_range) ** 2
    if name == "align":
        return theory.align_change(problem.m, a, np.diag(M), square, D, E)
    return 2.0 if not D.all() else theory.alignf_change(problem.m, a, M, D, E)


METHODS = {"unif": uniform, "align": align, "alignf": alignf}


def check_two_stages(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Theorems 16 and 17 of 2012, propositions 20 and 21."""
    bounds, lambda_0 = Bounds.of(problem), problem.alpha / problem.m
    for name, method in METHODS.items():
        mu = method(problem)
        change = weight_change(problem, name, bounds)
        others = [(method(other), other) for other in problem.replacements()]
        moved = max(float(np.abs(nu - mu).sum()) for nu, _ in others)
        yield f"change of the weights of {name}", moved, change
        for intercept in (False, True):
            R2, M = float(bounds.kernel(intercept).max()), bounds.y(intercept)
            h = ridge(problem, mu, intercept)
            moved = max(
                float(np.abs(ridge(other, nu, intercept) - h).max()) for nu, other in others
            )
            kind = f"{name}, {'intercept' if intercept else 'no intercept'}"
            settings = {"change": change, "intercept": intercept}
            bound = theory.two_stage_stability(problem.m, R2, M, lambda_0, **settings)
            yield f"two_stage_stability ({kind})", moved, bound
            residual = theory.largest_residual(R2, M, lambda_0, intercept=intercept)
            largest = float(np.abs(h[:, None] - problem.y).max())
            yield f"largest_residual ({kind})", largest, residual


def check_learned_ridge(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Proposition 3 and theorem 3 of 2009, for l2-krr."""
    bounds, lambda_0 = Bounds.of(problem), problem.alpha / problem.m
    for intercept in (False, True):
        kappa = float(np.linalg.norm(bounds.kernel(intercept)))
        M = bounds.y(intercept)
        B = theory.largest_residual(kappa, M, lambda_0, intercept=intercept)
        fitted = [
            ridge(other, l2_krr(other, intercept), intercept)
            for other in (problem, *problem.replacements())
        ]
        h = fitted[0]
        moved = max(float(np.abs(other - h).max()) for other in fitted[1:])
        stable = theory.learned_ridge_stability(problem.m, kappa, B, lambda_0, intercept=intercept)
        kind = "intercept" if intercept else "no intercept"
        yield f"learned_ridge_stability ({kind})", moved, stable


def check_generalization(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Theorem 17 of 2012 for fixed weights, and theorem 3 of 2009 for l2-krr."""
    bounds, lambda_0, m = Bounds.of(problem), problem.alpha / problem.m, problem.m
    for intercept in (False, True):
        kind, M = "intercept" if intercept else "no intercept", bounds.y(intercept)
        settings = {"intercept": intercept}
        h = ridge(problem, uniform(problem), intercept)
        R2 = float(bounds.kernel(intercept).max())
        error, risk = (float(w @ (h - problem.y) ** 2) for w in (problem.shares, problem.chances))
        bound = theory.two_stage_generalization(
            error, m, R2, M, lambda_0, DELTA, change=0.0, **settings
        )
        yield f"two_stage_generalization ({kind})", risk, bound
        h = ridge(problem, l2_krr(problem, intercept), intercept)
        kappa = float(np.linalg.norm(bounds.kernel(intercept)))
        B = theory.largest_residual(kappa, M, lambda_0, **settings)
        stable = theory.learned_ridge_stability(m, kappa, B, lambda_0, **settings)
        error, risk = (float(w @ (h - problem.y) ** 2) for w in (problem.shares, problem.chances))
        bound = theory.learned_ridge_generalization(error, 2 * B * stable, m, B, DELTA)
        yield f"learned_ridge_generalization ({kind})", risk, bound


def check_concentration(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Proposition 11 and theorem 12 of 2012."""
    bounds = Bounds.of(problem)
    (a, M, square), (b, Q, other) = (
        statistics(problem, w) for w in (problem.chances, problem.shares)
    )
    R2, T2 = bounds.diagonals, bounds.target**2
    for k in range(len(a)):
        bound = theory.product_concentration(problem.m, R2[k], T2, DELTA)
        yield "product_concentration", abs(a[k] - b[k]), bound
    mu = alignf(problem)
    sums = [(mu @ one, mu @ two @ mu, last) for one, two, last in ((a, M, square), (b, Q, other))]
    if all(is_defined(two, last, mu @ R2, T2) for _, two, last in sums):
        rho, found = (one / np.sqrt(two * last) for one, two, last in sums)
        for _, two, last in sums:
            bound = theory.alignment_concentration(
                problem.m, float(mu @ R2), T2, two, last, DELTA, n_kernels=len(mu)
            )
            yield "alignment_concentration", abs(rho - found), bound


def is_defined(square: float, target_square: float, bound: float, target_bound: float) -> bool:
    """Return whether kernel and target vary by more than rounding errors."""
    return square > 1e-12 * bound**2 and target_square > 1e-12 * target_bound**2


def check_alignment(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Theorems 13 to 15 of 2012 and lemma 6, of the distribution."""
    bounds, P, y = Bounds.of(problem), problem.chances, problem.y
    mu = alignf(problem)
    _, M, square = statistics(problem, P)
    C = centered(np.tensordot(mu, problem.K, 1), P)
    r2 = float(np.diag(C)[P > 0].max())
    product = float((P * y) @ C @ (P * y))
    yield "lemma 6, rho_u", product, bounds.target**2 * r2
    if not is_defined(mu @ M @ mu, square, mu @ bounds.diagonals, bounds.target**2):
        return
    g = C @ (P * y)
    v, size = float(P @ (y - P @ y) ** 2), float(np.sqrt(P @ C**2 @ P))
    rho = min(product / (size * v), 1.0)
    risk = float(P @ (y - P @ y - g / size) ** 2) / v
    # In variances of y, so rounding errors are absolute.
    yield "aligned_regressor_error", risk, theory.aligned_regressor_error(rho) + ROUNDING
    if problem.classes:
        gamma = max(1.0, float(np.sqrt((C**2 @ P)[P > 0].max())) / size)
        wrong = float(P[y * g < -1e-12 * np.abs(g).max()].sum())
        bound = theory.aligned_classifier_error(rho, gamma, v)
        yield "aligned_classifier_error", wrong, bound
        yield "moment_classifier_error", wrong, theory.moment_classifier_error(rho, v)
        bound = theory.unnormalized_classifier_error(max(product, 0.0), r2)
        yield "unnormalized_classifier_error", wrong, bound


def check_excess_risk(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Theorems 3 and 8 of 2013: least squares in the ball of the sum of the kernels."""
    P, w, n = problem.chances, problem.shares, problem.m
    K = problem.K.sum(axis=0)
    size = float(np.diag(K).max())
    if size == 0:
        return
    K, y = K / size, problem.y / np.abs(problem.y).max()  # functions and targets in [-1, 1]
    root = np.sqrt(np.outer(P, P))
    eigenvalues = np.maximum(np.linalg.eigvalsh(root * K), 0.0)
    f, best = least_squares(K, y, w), least_squares(K, y, P)
    risk = float(P @ ((f - y) ** 2 - (best - y) ** 2)) / 2
    bound = theory.excess_risk(lambda r: theory.local_rademacher(eigenvalues, r, n), n, DELTA)
    yield "excess_risk", risk, bound
    tails = theory.tail_sums(np.linalg.eigvalsh(root * centered(K, P)).clip(0))
    found = np.zeros(max(n, len(w)))  # of the Gram matrix of all samples
    found[: len(w)] = np.linalg.eigvalsh(np.sqrt(np.outer(w, w)) * centered(K, w)).clip(0)
    D2 = float(np.max(np.diag(K)[:, None] + np.diag(K) - 2 * K))
    limits = theory.tail_sum_bounds(found, D2, DELTA)
    both = min(len(tails), len(limits))
    for theta in range(both):
        yield "tail_sum_bounds", float(tails[theta]), float(limits[theta])
    bound = theory.learned_class_excess_risk(found, n, D2, DELTA)
    yield "learned_class_excess_risk", risk, bound


def least_squares(K: Array, y: Array, w: Array) -> Array:
    """Return the function of norm at most 1 with the least squared error for a distribution w."""
    values, Q = np.linalg.eigh(K)
    kept = values > 1e-10 * values[-1]
    Phi = Q[:, kept] * np.sqrt(values[kept])  # (N, rank), |f| is the norm of the coefficients
    A, b = Phi.T @ (w[:, None] * Phi), Phi.T @ (w * y)

    def solution(lam: float) -> Array:
        return np.linalg.lstsq(A + lam * np.eye(len(A)), b, rcond=1e-13)[0]

    low, high = 0.0, 1.0
    if np.linalg.norm(solution(0.0)) <= 1:
        return Phi @ solution(0.0)
    while np.linalg.norm(solution(high)) > 1:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.linalg.norm(solution(middle)) > 1 else (low, middle)
    return Phi @ solution(high)


def check_svm(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Stability of the SVM without intercept."""
    if not problem.classes:
        return
    R2 = float(Bounds.of(problem).diagonals.max())
    C = 1 / problem.alpha
    mu = align(problem)
    h = svm(problem, mu, C)
    for other in problem.replacements():
        nu = align(other)
        moved = float(np.abs(svm(other, nu, C) - h).max())
        change = float(np.abs(nu - mu).sum())
        yield "svm_stability", moved, theory.svm_stability(problem.m, R2, C, change=change)


def svm(problem: Problem, mu: Array, C: float) -> Array:
    """Return the outputs of an SVM without intercept for all points, by coordinate ascent."""
    K, y = np.tensordot(mu, problem.K, 1), problem.y
    Q, coef = np.outer(y, y) * K, np.zeros(len(y))
    diagonal = np.maximum(np.diag(Q), 1e-12 * float(np.diag(Q).max()) or 1.0)
    for _ in range(2000):
        before = coef.copy()
        for i in range(len(y)):
            step = (1 - Q[i] @ coef) / diagonal[i]
            coef[i] = np.clip(coef[i] + step, 0.0, C * problem.counts[i])
        if np.abs(coef - before).max() <= 1e-10 * C:
            break
    return K @ (coef * y)


def rescaled(problem: Problem, kernel: float, target: float) -> Problem:
    """Return the same problem in other units: kernels and alpha, and targets."""
    return replace(
        problem, features=problem.features * np.sqrt(kernel), y=problem.y * target,
        alpha=problem.alpha * kernel,
    )  # fmt: skip


def check_units(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Compare bounds of the same learner in other units, which must agree."""
    kernel, target = 1e4, 1.0 if problem.classes else 1e3
    same = rescaled(problem, kernel, target)
    for check, power in ((check_two_stages, None), (check_learned_ridge, None)):
        for (name, _, bound), (_, _, again) in zip(check(problem), check(same), strict=True):
            power = 0 if "weights" in name else 2 if "generalization" in name else 1
            ratio = again / (bound * target**power) if bound > 0 else 1.0
            yield f"units of {name}", max(ratio, 1 / ratio) - 1, 1e-3


def check_estimators(problem: Problem) -> Iterator[tuple[str, float, float]]:
    """Entries of `guarantees()` against refits and exact risks.

    The training sample holds every point, so that none is outside of its extent.
    """
    problem = replace(problem, counts=problem.counts + 1)
    if problem.m > 300:
        return
    rng = np.random.default_rng(problem.m)
    center, normalize = bool(rng.integers(2)), rng.choice(["trace", "frobenius", ""]) or None
    method = str(rng.choice(["unif", "align", "alignf", "l2-krr"]))
    model = lk.KernelRegressor(
        "precomputed", method, problem.alpha, center=center, normalize=normalize
    )
    h, found = fitted(model, problem)
    if found is None:
        return
    entries = {entry.name: entry.value for entry in found.entries}
    kind = f"{method}, normalize={normalize}"
    if "change of a prediction" in entries:
        others = [fitted(model, other)[0] for other in problem.replacements()]
        moved = max(float(np.abs(f - h).max()) for f in others if f is not None)
        yield f"change of a prediction ({kind})", moved, entries["change of a prediction"]
    if "squared error, new samples" in entries:
        risk = float(problem.chances @ (h - problem.y) ** 2)
        yield f"squared error, new samples ({kind})", risk, entries["squared error, new samples"]
    if center and "error of a predictor" in entries:
        model.set_params(machine="alignment", method=method if method != "l2-krr" else "unif")
        f, found = fitted(model, problem)
        w, y = problem.shares, problem.y
        risk = float(w @ (f - y) ** 2 / (w @ (y - w @ y) ** 2))
        yield "error of a predictor (regression)", risk, found["error of a predictor"].value
    if center and problem.classes:
        model = lk.KernelClassifier("precomputed", "unif", 1.0, machine="alignment")
        f, found = fitted(model, problem)
        if found is not None:
            wrong = float(problem.shares[f * problem.y < 0].sum())
            yield "error of a predictor (classes)", wrong, found["error of a predictor"].value


def fitted(model: Any, problem: Problem) -> tuple[Array | None, Any]:
    """Return the outputs for all points and the guarantees; None for what is not defined."""
    sample = np.repeat(np.arange(len(problem.y)), problem.counts)
    stack = np.moveaxis(problem.K[:, :, sample], 0, -1)  # (N, m, p)
    outputs = found = None
    with warnings.catch_warnings(), suppress(lk.InputError):  # a constant kernel or target
        warnings.simplefilter("ignore")
        model.fit(stack[sample], problem.y[sample])
        outputs = model._outputs(stack)[:, 0]
        found = model.guarantees(stack[sample], problem.y[sample])
    return outputs, found


# Bounds that hold for every sample, and those that may fail with probability DELTA.
CERTAIN: tuple[Check, ...] = (check_two_stages, check_learned_ridge, check_alignment, check_svm)
PROBABLE: tuple[Check, ...] = (check_generalization, check_concentration, check_excess_risk)
# Checks that take longer, for one of ten problems.
SLOW: tuple[Check, ...] = (check_units, check_estimators)


@dataclass
class Result:
    """The result of the search for one guarantee.

    Attributes
    ----------
    cases : int
    violations : int
    ratio : float
        Largest ratio of the observed value to its bound.
    problem : Problem or None
        The problem of that ratio.
    """

    cases: int = 0
    violations: int = 0
    ratio: float = 0.0
    problem: Problem | None = field(default=None, repr=False)


def search(n_problems: int, seed: int = 0) -> dict[str, Result]:
    """Return the results by guarantee."""
    rng = np.random.default_rng(seed)
    found: dict[str, Result] = {}
    for number in range(n_problems):
        problem = drawn(rng)
        if number % 2 and found:
            nearest = rng.choice(sorted(found))
            problem = changed(found[nearest].problem or problem, rng)
        for check in CERTAIN if number % 10 else (*CERTAIN, *SLOW):
            record(found, check, problem)
        # A sample that was chosen is not a random one.
        fresh = resampled(problem, rng)
        for check in PROBABLE:
            record(found, check, fresh)
    return found


def record(found: dict[str, Result], check: Check, problem: Problem) -> None:
    """Add the cases of one check."""
    for name, observed, bound in check(problem):
        result = found.setdefault(name, Result())
        result.cases += 1
        scale = abs(bound) + 1e-9
        result.violations += not observed <= bound + ROUNDING * scale
        if observed / scale > result.ratio or result.problem is None:
            result.ratio, result.problem = observed / scale, problem


def resampled(problem: Problem, rng: np.random.Generator) -> Problem:
    """Return the problem with a random training sample."""
    counts = rng.multinomial(problem.m, problem.chances)
    return replace(problem, counts=counts, replaced=int(rng.choice(np.flatnonzero(counts))))


def main() -> None:
    """Print what the search finds."""
    n_problems, *seed = map(int, sys.argv[1:] or ["1000"])
    found = search(n_problems, *seed)
    width = max(map(len, found))
    print(f"{'guarantee':<{width}}  {'cases':>8}  {'violations':>10}  {'largest ratio':>13}")
    for name, result in found.items():
        print(f"{name:<{width}}  {result.cases:>8}  {result.violations:>10}  {result.ratio:>13.3g}")
    sys.exit(any(result.violations for result in found.values()))


if __name__ == "__main__":
    main()

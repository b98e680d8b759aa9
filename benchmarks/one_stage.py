"""Time of one-stage methods, relative to one SVM fit and to gradient descent."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from sklearn.svm import SVC

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds
from learnkernels.estimators.fitting import learn, prepare
from learnkernels.execution import Threads
from learnkernels.machines import Ridge
from learnkernels.methods import LearnedWeights, WeightProblem
from learnkernels.methods.l2_ridge import PARALLEL
from learnkernels.methods.objectives import RidgeObjective
from learnkernels.solvers import Ball


def run(quick: bool = False) -> None:
    n = 200 if quick else 2000
    repeats = 1 if quick else 3
    X, y = problem(n)
    gammas = gaussian_gammas()
    learner = lk.KernelLearner(lk.gaussians(gammas), "unif")
    uniform = learner.fit_transform(X, y)
    stack = np.stack([lk.kernels.Gaussian(gamma)(X) for gamma in gammas], axis=-1)
    methods = {
        "l1-svm": lk.methods.L1SVM(tol=1e-3),
        "l2-svm": lk.methods.LpSVM(p=2.0, tol=1e-3),
        "conv": lk.methods.Conv(theta=4, tol=1e-3),
        "dc": lk.methods.DC(theta=4, tol=1e-3),
    }
    C = 10.0
    svc = SVC(kernel="precomputed", C=C)
    one = seconds(lambda: svc.fit(uniform, y), repeats)
    print(f"n={n}, 10 Gaussians, C={C:g}; one SVC fit of the uniform kernel: {one:.3f} s")
    for kind, kernels, data in (
        ("computed", lk.gaussians(gammas), X),
        ("precomputed", "precomputed", stack),
    ):
        times = {}
        for name, method in methods.items():
            # conv and dc divide kernels by tail sums, about n: C on the same scale.
            scale = n if name in ("conv", "dc") else 1
            model = lk.KernelClassifier(kernels, method, C=C * scale)
            model.fit(data[:60, :60] if data.ndim == 3 else data[:60], y[:60])  # compile
            times[name] = seconds(partial(model.fit, data, y), repeats)
            found = model.certificate_
            print(
                f"  {kind} {name}: {times[name]:.2f} s = {times[name] / one:.1f}x, gap "
                f"{found.gap:.0e} after {found.iterations} iterations; "
                f"{times[name] / times['l1-svm']:.2f}x l1-svm"
            )
    ridge_iterations(500 if quick else 1000)


def ridge_iterations(n: int) -> None:
    """Compare the interpolated iteration of 2009 with projected gradient descent, at equal gaps."""
    X, y = problem(n)
    prepared = prepare(
        lk.gaussians(gaussian_gammas()), X, y[:, None], y[:, None], task="regression",
        normalize="trace", center=True, sample_weight=np.ones(n), backend=Threads(),
    )  # fmt: skip

    class Both(lk.methods.L2Ridge):
        """The method, with gradient descent beside it."""

        def learn(self, problem: WeightProblem) -> LearnedWeights:
            start = time.perf_counter()
            found = super().learn(problem)
            time_ours = time.perf_counter() - start
            iterations = descend(problem, self.tol)
            time_descent = time.perf_counter() - start - time_ours
            print(
                f"l2-krr, n={n}: interpolated iteration {found.certificate.iterations} iterations, "
                f"{time_ours:.2f} s; gradient descent {iterations} iterations, "
                f"{time_descent:.2f} s: {time_descent / time_ours:.1f}x"
            )
            return found

    learn(prepared, Both(), Ridge(), 1.0)


def descend(problem: WeightProblem, tol: float, max_iter: int = 300) -> int:
    """Return the iterations of gradient descent with an adaptive step until the gap is `tol`."""
    p = problem.kernels.n_kernels
    ball = Ball(np.zeros(p), 1.0)
    objective = RidgeObjective.of(problem, ball)
    point = objective.evaluate(np.full(p, 1 / np.sqrt(p)))
    step = 1 / np.linalg.norm(point.gradient)
    bound = point.bound
    for iteration in range(1, max_iter + 1):
        moved = np.maximum(point.mu - step * point.gradient, 0.0)
        trial = objective.evaluate(moved / max(np.linalg.norm(moved), 1.0))
        if trial.value > point.value:
            step /= 2
            continue
        step *= 1.5
        point, bound = trial, max(bound, trial.bound)
        parallel = np.abs(ball.argmax_linear(-point.gradient) - point.mu).max() <= PARALLEL
        if parallel and point.value - bound <= tol * abs(point.value):
            return iteration
    return max_iter

"""One-stage methods: against one SVM fit, and the paper's iteration against gradient descent."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.svm import SVC

import learnkernels as lk
from benchmarks.measure import gaussian_gammas, problem, seconds
from learnkernels.estimators.learning import Stage
from learnkernels.gram import Threads
from learnkernels.machines import Ridge
from learnkernels.solvers import Ball
from learnkernels.weights.l2_ridge import PARALLEL
from learnkernels.weights.ridge_task import RidgeTask, ridge_targets


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
                f"{found.gap:.0e} after {found.iterations} steps; "
                f"{times[name] / times['l1-svm']:.2f}x l1-svm"
            )
    ridge_iterations(500 if quick else 1000)


def ridge_iterations(n: int) -> None:
    """The interpolated iteration of 2009 against projected gradient descent, to the same gap."""
    X, y = problem(n)
    stage = Stage.of(
        lk.gaussians(gaussian_gammas()), X, y[:, None], y[:, None], task="regression",
        normalize="trace", center=True, sample_weight=np.ones(n), backend=Threads(),
    )  # fmt: skip

    class Both(lk.methods.L2Ridge):
        """Runs the method, and descent beside it."""

        def learn(self, evidence):
            ours = []
            time_ours = seconds(lambda: ours.append(super(Both, self).learn(evidence)), 1)
            steps = []
            time_descent = seconds(lambda: steps.append(descend(evidence, self.tol)), 1)
            mu, certificate = ours[0]
            print(
                f"l2-krr, n={n}: interpolated iteration {certificate.iterations} rounds, "
                f"{time_ours:.2f} s; gradient descent {steps[0]} rounds, {time_descent:.2f} s: "
                f"{time_descent / time_ours:.1f}x"
            )
            return mu, certificate

    stage.learn(Both(), Ridge(), 1.0)


def descend(evidence, tol, most: int = 300) -> int:
    """Rounds of projected gradient descent with a step that adapts, until the gap is tol."""
    p = evidence.oracle.n_kernels
    ball = Ball(np.zeros(p), 1.0)
    task = RidgeTask(
        evidence.oracle, ridge_targets(evidence), evidence.weights, evidence.alpha, ball
    )
    point = task.evaluate(np.full(p, 1 / np.sqrt(p)))
    step = 1 / np.linalg.norm(point.gradient)
    bound = point.bound
    for rounds in range(1, most + 1):
        moved = np.maximum(point.mu - step * point.gradient, 0.0)
        trial = task.evaluate(moved / max(np.linalg.norm(moved), 1.0))
        if trial.value > point.value:
            step /= 2
            continue
        step *= 1.5
        point, bound = trial, max(bound, trial.bound)
        parallel = np.abs(ball.peak(-point.gradient) - point.mu).max() <= PARALLEL
        if parallel and point.value - bound <= tol * abs(point.value):
            return rounds
    return most

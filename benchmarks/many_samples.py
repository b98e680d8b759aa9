"""More samples than a Gram matrix can hold: exact and approximate fits, and other libraries."""

from __future__ import annotations

import time

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from benchmarks.measure import (
    gaussian_gammas,
    genuine,
    peak_extra_memory,
    seconds,
)

D = 20
ALPHAS = [0.01, 0.1, 1.0, 10.0]


def run(quick: bool = False) -> None:
    exact_on_kin8nm(600 if quick else 8192)
    growth([200, 400] if quick else [10_000, 20_000, 40_000])
    against_peers(400 if quick else 10_000, 50 if quick else 1000)
    many_samples(1000 if quick else 100_000, 50 if quick else 2000, 500 if quick else 10_000)


def exact_on_kin8nm(n: int) -> None:
    """Compare conjugate gradients with the dense solution."""
    data = genuine("kin8nm")
    if data is None:
        print("kin8nm: not available, set LEARNKERNELS_DATA")
        return
    X, y = StandardScaler().fit_transform(data[0][:n]), data[1][:n]
    kernels = ["gaussians", "linear"]
    dense = lk.KernelRegressor(kernels, "alignf", alpha=0.1)
    free = lk.KernelRegressor(kernels, "alignf", alpha=0.1, max_memory=1e8)
    if n * n * 8 <= 1e8:
        free.set_params(max_memory=1e6)
    slow, fast = seconds(lambda: free.fit(X, y), 1), seconds(lambda: dense.fit(X, y), 1)
    difference = np.abs(free.predict(X) - dense.predict(X)).max()
    steps = free.machine_certificates_[0].iterations
    print(
        f"kin8nm, n={n}: {free.solver_} {slow:.1f} s ({steps} products), dense {fast:.1f} s; "
        f"predictions differ by at most {difference:.1e}"
    )


def problem(n: int):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, D))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def growth(sizes: list[int]) -> None:
    """Print the time of exact alignment statistics, and how it grows with n."""
    kernels, times = lk.gaussians(gaussian_gammas(D)), []
    lk.alignment_statistics(kernels, *problem(100))  # compile
    for n in sizes:
        X, y = problem(n)
        times.append(seconds(lambda X=X, y=y: lk.alignment_statistics(kernels, X, y), 1))
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    times_by_n = ", ".join(f"n={n} {time:.2f} s" for n, time in zip(sizes, times, strict=True))
    print(f"alignment statistics: {times_by_n}; time grows as n^{slope:.2f}")


def against_peers(n: int, m: int) -> None:
    """Compare ten learned kernels with one Gaussian of other libraries, on the same samples."""
    X, y = problem(n + 2000)
    gammas = gaussian_gammas(D)
    kernels = lk.gaussians(gammas)
    peers = {
        "ours, landmarks": lk.KernelRegressor(kernels, "alignf", alpha=ALPHAS, n_components=m),
        "ours, one alpha": lk.KernelRegressor(kernels, "alignf", alpha=0.1, n_components=m),
        "ours, all samples, one alpha": lk.KernelRegressor(kernels, "alignf", alpha=0.1),
        "Nystroem + RidgeCV": make_pipeline(
            Nystroem(gamma=gammas[5], n_components=m, random_state=0), RidgeCV(ALPHAS)
        ),
    }
    try:
        from himalaya.kernel_ridge import KernelRidge

        peers["himalaya KernelRidge, one alpha"] = KernelRidge(
            alpha=0.1, kernel="rbf", kernel_params={"gamma": gammas[5]}
        )
    except ImportError:
        print("himalaya: not available, pip install himalaya")
    base = None
    for name, model in peers.items():
        memory = peak_extra_memory(lambda model=model: model.fit(X[:n], y[:n]))
        took = seconds(lambda model=model: model.fit(X[:n], y[:n]), 1)
        error = np.sqrt(np.mean((np.ravel(model.predict(X[n:])) - y[n:]) ** 2))
        base = base or (took, memory, error)
        print(
            f"n={n}, {name}: {took:.2f} s ({took / base[0]:.2f}x), {memory:.0f} MB, "
            f"error {error:.3f} ({error / base[2]:.2f}x)"
        )


def many_samples(n: int, m: int, some: int) -> None:
    """Fit and predict with many samples, and with the dense solution of some of them."""
    X, y = problem(n + 2000)
    kernels = lk.gaussians(gaussian_gammas(D))
    model = lk.KernelRegressor(kernels, "alignf", alpha=0.1, n_components=m)
    weights = lk.KernelLearner(kernels, "alignf")
    memory = peak_extra_memory(lambda: weights.fit(X[:n], y[:n]))
    took = seconds(lambda: weights.fit(X[:n], y[:n]), 1)
    print(f"n={n}: weights by alignf {took:.1f} s, {memory:.0f} MB")
    start = time.perf_counter()
    memory = peak_extra_memory(lambda: model.fit(X[:n], y[:n]))
    fit = time.perf_counter() - start
    predict = seconds(lambda: model.predict(X[n:]), 1)
    error = np.sqrt(np.mean((model.predict(X[n:]) - y[n:]) ** 2))
    print(
        f"n={n}, {m} components: fit {fit:.1f} s, {memory:.0f} MB, predict {predict:.2f} s, "
        f"error {error:.3f}"
    )
    for label, options in ((f"{m} components", {"n_components": m}), ("dense", {})):
        part = lk.KernelRegressor(kernels, "alignf", alpha=0.1, **options).fit(X[:some], y[:some])
        error = np.sqrt(np.mean((part.predict(X[n:]) - y[n:]) ** 2))
        print(f"n={some}, {label}: error {error:.3f}")

"""C chosen in one fit, compared with a grid search over widths and C: time and test accuracy."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import learnkernels as lk
from benchmarks.measure import genuine, problem, seconds

C_VALUES = [0.1, 1.0, 10.0, 100.0]
SETS = [
    "ionosphere", "sonar", "heart_statlog", "breast_cancer_wisconsin", "german_numeric",
    "splice_binary_train",
]  # fmt: skip


def run(quick: bool = False) -> None:
    n, widths = (200, 2) if quick else (2000, 10)
    X, y = problem(n + 2000)
    ours, grid, fast, slow = both(X[:n], y[:n], X[n:], y[n:], widths)
    print(
        f"n={n}: ours {fast:.2f} s, GridSearchCV {slow:.1f} s: {slow / fast:.0f}x faster; "
        f"accuracy {ours:.4f} against {grid:.4f}"
    )
    rows = []
    for name in SETS[: 1 if quick else None]:
        data = genuine(name)
        if data is None:
            print("real data: not available, set LEARNKERNELS_DATA")
            return
        X, y = data
        repeats = [both(*split(X, y, seed), widths) for seed in range(1 if quick else 5)]
        rows.append(np.mean(repeats, axis=0))
        print(
            f"  {name}: accuracy {rows[-1][0]:.4f} against {rows[-1][1]:.4f}, "
            f"{rows[-1][3] / rows[-1][2]:.0f}x faster"
        )
    mean = np.mean(rows, axis=0)
    print(
        f"mean over {len(rows)} real data sets: accuracy {mean[0]:.4f} against {mean[1]:.4f} for "
        f"GridSearchCV, {mean[3] / mean[2]:.0f}x faster"
    )


def split(X, y, seed):
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=seed, stratify=y
    )
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), y_train, scaler.transform(test), y_test


def both(X, y, X_test, y_test, widths):
    """Return test accuracy of the fit and of the grid search, and seconds of both."""
    D = euclidean_distances(X[:1000], squared=True)
    gammas = 2.0 ** (np.round(-np.log2(np.median(D[D > 0]))) + np.arange(widths) - widths // 2)
    ours = lk.KernelClassifier(lk.gaussians(gammas), "alignf", C=C_VALUES, machine="svm")
    ours.fit(X, y)  # compile what this size uses: it would take longer than the fit
    grid = GridSearchCV(SVC(), {"gamma": gammas, "C": C_VALUES}, cv=5)
    fast, slow = seconds(lambda: ours.fit(X, y), 1), seconds(lambda: grid.fit(X, y), 1)
    return ours.score(X_test, y_test), grid.score(X_test, y_test), fast, slow

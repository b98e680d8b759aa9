"""The two machines for classes with landmarks: SVM, the default, and ridge.

For more than two classes the default maps the outputs of the SVM; ``machine="ridge"`` does not.
Larger tables are also fitted with the kernel from a subsample, by passes over all rows.

``python -m benchmarks landmark_classes`` computes what is missing in
docs/results/landmark_classes.json, on one thread. The constants `*DESIGNED_WITH` name the tables
that were used to design the SVM, `*KEPT_ASIDE` those that were not. Seconds are CPU time.
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
from benchmarks.tables_protocol import FURTHER, error, folder, further_folder, split

CLASS_RESULTS = RESULTS.with_name("landmark_classes.json")
DESIGNED_WITH = ("banana", "magic", "mammographic", "phoneme", "ring", "titanic")
KEPT_ASIDE = ("chess", "german", "mushroom", "pima", "spambase", "tic-tac-toe", "twonorm")
# More than two classes.
SEVERAL_DESIGNED_WITH = (
    "contraceptive", "led7digit", "movement_libras", "optdigits", "penbased", "satimage",
    "segment", "splice", "texture", "vehicle", "vowel",
)  # fmt: skip
SEVERAL_KEPT_ASIDE = ("letter", "marketing")
MACHINES, SEVERAL_MACHINES = ("svm", "ridge"), ("auto", "ridge")
N_COMPONENTS, SUBSAMPLE = 200, 1000
# Tables with enough rows for a subsample.
SUBSAMPLED_DESIGNED_WITH = (
    "banana", "magic", "optdigits", "penbased", "phoneme", "ring", "satimage", "texture",
)  # fmt: skip
SUBSAMPLED_KEPT_ASIDE = ("chess", "letter", "marketing", "mushroom", "spambase", "twonorm")


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
    two, several = DESIGNED_WITH + KEPT_ASIDE, SEVERAL_DESIGNED_WITH + SEVERAL_KEPT_ASIDE
    some = SUBSAMPLED_DESIGNED_WITH + SUBSAMPLED_KEPT_ASIDE
    if quick:
        two, several, some = (), ("vehicle",), ()
    for tables, machines, subsample in (
        (two, MACHINES, None),
        (several, SEVERAL_MACHINES, None),
        (some, SEVERAL_MACHINES, SUBSAMPLE),
    ):
        for table in tables:
            if table in FURTHER and further_folder() is None:
                continue
            for machine in machines:
                size = {"m": 20, "rows": 200} if quick else {"m": N_COMPONENTS, "rows": None}
                name = key(table, machine, subsample is not None)
                yield name, partial(measured, table, machine, subsample=subsample, **size)


def key(table: str, machine: str, subsampled: bool) -> str:
    """Return the name of a measurement."""
    return f"{table}, {machine}" + (", subsample" if subsampled else "")


def measured(
    table: str, machine: str, m: int, rows: int | None, subsample: int | None
) -> dict[str, float]:
    """Return error, log loss and seconds of a machine with m landmarks and other defaults."""
    data = split(table, 0, rows, None)
    model = lk.KernelClassifier(n_components=m, machine=machine, subsample=subsample, n_jobs=1)
    lk.KernelClassifier(n_components=20, machine=machine).fit(data.X[:400], data.y[:400])  # compile
    seconds = cpu_seconds(lambda: model.fit(data.X, data.y))
    return {
        "n": len(data.y),
        "error": round(error("classification", data.y_test, model.predict(data.X_test)), 4),
        "log_loss": round(log_loss(data.y_test, model.predict_proba(data.X_test)), 4),
        "seconds": round(seconds, 1),
    }

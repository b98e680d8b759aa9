"""learnkernels: learn the kernel instead of choosing it.

Public names are imported when they are first used, so that ``import learnkernels`` is fast.

>>> import learnkernels as lk
>>> from sklearn.datasets import load_wine
>>> X, y = load_wine(return_X_y=True)
>>> model = lk.KernelClassifier().fit(X, y)
>>> model.certificate_.status
'stationary'
"""

from __future__ import annotations

from importlib import import_module

from learnkernels.errors import (
    ConstantKernelWarning,
    InputError,
    MemoryWarning,
    NeverPredictedWarning,
    TableWarning,
    UndefinedAlignmentWarning,
    UniformBetterWarning,
)
from learnkernels.version import __version__

TYPE_CHECKING = False  # not that of typing, whose import takes longer than all others here
if TYPE_CHECKING:
    from typing import Any

    from learnkernels import datasets, inspection, kernels, methods, model_selection, theory
    from learnkernels.estimators import (
        KernelClassifier,
        KernelLearner,
        KernelRegressor,
        alignment_statistics,
        open_parquet,
    )
    from learnkernels.execution import Dask, Threads
    from learnkernels.gram import alignment
    from learnkernels.inspection.compare import compare
    from learnkernels.inspection.explain import explain
    from learnkernels.kernels import (
        gaussians,
        laplacians,
        learned_metric,
        linear,
        low_rank,
        ngrams,
        on,
        pairs,
        per_feature,
        polynomials,
        spectrum,
        table,
        tanimoto,
        weighted_degree,
    )
    from learnkernels.persistence import load, save
    from learnkernels.reporting.report import report

__all__ = [
    "ConstantKernelWarning",
    "Dask",
    "InputError",
    "KernelClassifier",
    "KernelLearner",
    "KernelRegressor",
    "MemoryWarning",
    "NeverPredictedWarning",
    "TableWarning",
    "Threads",
    "UndefinedAlignmentWarning",
    "UniformBetterWarning",
    "__version__",
    "alignment",
    "alignment_statistics",
    "compare",
    "datasets",
    "explain",
    "gaussians",
    "inspection",
    "kernels",
    "laplacians",
    "learned_metric",
    "linear",
    "load",
    "low_rank",
    "methods",
    "model_selection",
    "ngrams",
    "on",
    "open_parquet",
    "pairs",
    "per_feature",
    "polynomials",
    "report",
    "save",
    "spectrum",
    "table",
    "tanimoto",
    "theory",
    "weighted_degree",
]

_PACKAGES = ("datasets", "inspection", "kernels", "methods", "model_selection", "theory")
_SOURCES = {
    "estimators": (
        "KernelClassifier", "KernelLearner", "KernelRegressor", "alignment_statistics",
        "open_parquet",
    ),
    "execution": ("Dask", "Threads"),
    "gram": ("alignment",),
    "inspection": ("compare", "explain"),
    "kernels": (
        "gaussians", "laplacians", "learned_metric", "linear", "low_rank", "ngrams", "on",
        "pairs", "per_feature", "polynomials", "spectrum", "table", "tanimoto", "weighted_degree",
    ),
    "persistence": ("load", "save"),
    "reporting": ("report",),
}  # fmt: skip
_SOURCE_OF = {name: source for source, names in _SOURCES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"learnkernels.{name}")
    if name in _SOURCE_OF:
        value = getattr(import_module(f"learnkernels.{_SOURCE_OF[name]}"), name)
        globals()[name] = value  # the next access does not come here
        return value
    raise AttributeError(f"module 'learnkernels' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

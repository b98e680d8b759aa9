"""learnkernels: learn the kernel instead of choosing it.

>>> import learnkernels as lk
>>> from sklearn.datasets import load_wine
>>> from sklearn.preprocessing import scale
>>> X, y = load_wine(return_X_y=True)
>>> model = lk.KernelClassifier().fit(scale(X), y)
>>> model.certificate_.status
'optimal'
"""

from learnkernels import methods, theory
from learnkernels.errors import (
    ConstantKernelWarning,
    InputError,
    MemoryWarning,
    UndefinedAlignmentWarning,
)
from learnkernels.estimators import (
    KernelClassifier,
    KernelLearner,
    KernelRegressor,
    alignment_statistics,
)
from learnkernels.gram import Dask, Threads, alignment
from learnkernels.kernels import (
    gaussians,
    laplacians,
    linear,
    low_rank,
    ngrams,
    on,
    per_feature,
    polynomials,
    spectrum,
    weighted_degree,
)
from learnkernels.persistence import load, save
from learnkernels.reports import report
from learnkernels.version import __version__

__all__ = [
    "ConstantKernelWarning",
    "Dask",
    "InputError",
    "KernelClassifier",
    "KernelLearner",
    "KernelRegressor",
    "MemoryWarning",
    "Threads",
    "UndefinedAlignmentWarning",
    "__version__",
    "alignment",
    "alignment_statistics",
    "gaussians",
    "laplacians",
    "linear",
    "load",
    "low_rank",
    "methods",
    "ngrams",
    "on",
    "per_feature",
    "polynomials",
    "report",
    "save",
    "spectrum",
    "theory",
    "weighted_degree",
]

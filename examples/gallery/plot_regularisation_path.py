"""
How regularisation changes the weights
======================================

One-stage methods learn the weights and the machine together, so ``C`` affects both. ``l1-svm``
bounds the sum of the weights, and many of them are zero. ``l2-svm`` bounds the sum of their
squares, and none is zero. This page shows the weights from strong regularisation (small ``C``) to
weak regularisation.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import WeightPathDisplay

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
kernels = [lk.linear(), lk.gaussians(2.0 ** np.arange(-9, 1, 2))]
values = np.geomspace(1e-3, 1e2, 11)

# %%
# Sparse: ``l1-svm``
# ------------------

model = lk.KernelClassifier(kernels, method="l1-svm", C=1).fit(X, y)
sparse = WeightPathDisplay.from_estimator(model, X, y, values=values)

# %%
# With strong regularisation the linear kernel has all the weight. With increasing ``C``, narrower
# Gaussians get weight and wider ones lose it. For ``C`` above about 3 all dual coefficients are
# below ``C``: the classes are separated, and the weights do not change any more.

used = (sparse.weights > 0).sum(axis=1)
print("kernels with weight:", *used)

# %%
# Dense: ``l2-svm``
# -----------------
#
# All weights are positive for every ``C``. As above, weight moves from the linear kernel to the
# narrower Gaussians, but more smoothly.

model = lk.KernelClassifier(kernels, method="l2-svm", C=1).fit(X, y)
dense = WeightPathDisplay.from_estimator(model, X, y, values=values)

# %%
# ``lk.methods.LpSVM(p=...)`` accepts any norm of at least 1. The weights of the two-stage methods
# ``align`` and ``alignf`` do not depend on ``C``. See :doc:`methods <../methods>`.

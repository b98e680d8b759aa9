"""
How regularisation changes the weights
======================================

The one-stage methods learn weights and machine at once, so ``C`` decides on both. ``l1-svm`` bounds
the sum of the weights and makes many of them zero; ``l2-svm`` bounds the sum of their squares and
keeps all. This page follows the weights from strong regularisation (small ``C``) to weak.
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
values = np.geomspace(1e-3, 1e2, 21)

# %%
# Sparse: ``l1-svm``
# ------------------

model = lk.KernelClassifier(kernels, method="l1-svm").fit(X, y)
sparse = WeightPathDisplay.from_estimator(model, X, y, values=values)

# %%
# With strong regularisation the simplest kernel takes all. As samples are allowed to pull harder,
# narrower Gaussians join and wider ones leave. From a ``C`` of about 3 on no sample uses all that
# it is allowed: the classes are separated, and the weights stay as they are.

used = (sparse.weights > 0).sum(axis=1)
print("kernels with weight:", *used)

# %%
# Dense: ``l2-svm``
# -----------------
#
# All kernels have weight throughout. The change is the same in kind, from the linear kernel to the
# narrowest Gaussian, and smoother.

model = lk.KernelClassifier(kernels, method="l2-svm").fit(X, y)
dense = WeightPathDisplay.from_estimator(model, X, y, values=values)

# %%
# Between the two, and beyond, ``lk.methods.LpSVM(p=...)`` takes any norm above 1. The weights of
# the two-stage methods, ``align`` and ``alignf``, do not depend on ``C``: they are learned from the
# labels alone. See :doc:`methods <../methods>`.

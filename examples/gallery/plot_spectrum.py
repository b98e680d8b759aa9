"""
Eigenvalues of kernels and the methods conv and dc
==================================================

The eigenvalues of the Gram matrix measure the complexity of a kernel. The *tail sum* at theta is
the sum of all eigenvalues but the theta largest. If it is small, the learned functions are in a
space of few dimensions. If it is large, the kernel can fit any labels, including noise. The methods
``conv`` and ``dc`` penalise large tail sums.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import SpectrumDisplay

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(scale(X), y, random_state=0)

# %%
# We use six Gaussians, from wide to narrow. :class:`~learnkernels.inspection.SpectrumDisplay` plots
# the tail sum for every theta, relative to the trace.

kernels = lk.gaussians(2.0 ** np.arange(-10, 2, 2))
uniform = lk.KernelClassifier(kernels, method="unif").fit(X_train, y_train)
display = SpectrumDisplay.from_estimator(uniform, X_train, y_train)

# %%
# The five largest eigenvalues of the widest Gaussian contain most of its trace. The eigenvalues of
# the narrowest one are nearly equal, because its Gram matrix is almost diagonal.
#
# ``l1-svm`` penalises all kernels equally, because they have the same trace. ``conv`` divides each
# kernel by its tail sum first, and ``dc`` bounds the tail sum of the combination. The divided
# kernels are about ``n`` times smaller, so ``C`` has to be about ``n`` times larger.

theta, n = 5, len(X_train)
models = {
    "l1-svm": lk.KernelClassifier(kernels, method="l1-svm", C=1.0),
    "conv": lk.KernelClassifier(
        kernels, method=lk.methods.Conv(theta=theta), C=1.0 * n
    ),
    "dc": lk.KernelClassifier(
        kernels, method=lk.methods.DC(theta=theta), C=1.0 * n
    ),
}
shares = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    shares[name] = model.weights_ / model.weights_.sum()
pd.DataFrame(shares, index=model.kernel_names_).round(3)

# %%
# With ``conv`` and ``dc`` most of the weight is on the widest Gaussian. These are the tail sums of
# the three learned kernels:

learned = {}
for name, model in models.items():
    one = SpectrumDisplay.from_estimator(model, X_train, y_train)
    learned[name] = one.eigenvalues["learned kernel"]
    plt.close(one.figure_)  # only the numbers are used
SpectrumDisplay(learned).plot()

# %%
# For the same trace, a smaller tail sum gives a smaller local Rademacher complexity and a better
# bound on the risk (:doc:`guarantees <../guarantees>`). The error has to be measured on test data:

tails = {name: lk.theory.tail_sums(values) for name, values in learned.items()}
rows = {
    name: {"tail sum, share": tails[name][theta] / tails[name][0],
           "test accuracy": model.score(X_test, y_test)}
    for name, model in models.items()
}  # fmt: skip
table = pd.DataFrame(rows).T
table.round(3)

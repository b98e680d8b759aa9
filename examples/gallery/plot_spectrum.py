"""
Spectra, and what conv does with them
=====================================

How much a kernel can express is written in the eigenvalues of its Gram matrix. The *tail sum* at
theta is the sum of all but the theta largest. A kernel with a light tail lives in few directions; a
kernel with a heavy tail can fit anything, noise included. The methods ``conv`` and ``dc`` make
kernels pay for their tails.
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
# Six Gaussians, from wide to narrow. :class:`~learnkernels.inspection.SpectrumDisplay` draws the
# tail sum for every theta, as a share of the trace.

kernels = lk.gaussians(2.0 ** np.arange(-10, 2, 2))
uniform = lk.KernelClassifier(kernels, method="unif").fit(X_train, y_train)
display = SpectrumDisplay.from_estimator(uniform, X_train, y_train)

# %%
# The wide Gaussian has spent most of its trace after five eigenvalues. The narrowest one hardly
# begins to: its Gram is almost diagonal, and says that every sample resembles itself alone.
#
# ``l1-svm`` treats both alike, as all kernels have the same trace. ``conv`` divides each by its
# tail sum first, ``dc`` bounds the tail sum of the combination. After the division kernels are
# about ``n`` times smaller, so ``C`` has to be about ``n`` times larger.

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
# Most of the weight has moved to the widest Gaussian. The spectra of the three learned kernels:

learned = {}
for name, model in models.items():
    one = SpectrumDisplay.from_estimator(model, X_train, y_train)
    learned[name] = one.eigenvalues["learned kernel"]
    plt.close(one.figure_)  # the numbers are wanted, not the picture
SpectrumDisplay(learned).plot()

# %%
# At the same trace a lighter tail is a smaller local Rademacher complexity, and with it a better
# bound on the risk (:doc:`guarantees <../guarantees>`). Whether it is a smaller error is for the
# test to say:

tails = {name: lk.theory.tail_sums(values) for name, values in learned.items()}
rows = {
    name: {"tail sum, share": tails[name][theta] / tails[name][0],
           "test accuracy": model.score(X_test, y_test)}
    for name, model in models.items()
}  # fmt: skip
table = pd.DataFrame(rows).T
table.round(3)

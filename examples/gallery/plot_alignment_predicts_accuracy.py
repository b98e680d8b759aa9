"""
Alignment predicts accuracy
===========================

Centered alignment says how much a kernel resembles the labels: 0 for not at all, 1 for a kernel
that is high exactly where two samples share a class. It costs one pass over the pairs of samples,
and no machine is trained. Learning weights by alignment rests on one observation: kernels that are
better aligned classify better. This page checks it.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import AlignmentAccuracyDisplay

# %%
# Fourteen Gaussians, from so wide that all samples look alike to so narrow that every sample
# resembles itself only.

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
gammas = 2.0 ** np.arange(-10, 4)
model = lk.KernelClassifier(lk.gaussians(gammas)).fit(X, y)

# %%
# :class:`~learnkernels.inspection.AlignmentAccuracyDisplay` cross-validates an SVM with each base
# kernel alone, and draws its accuracy beside the alignment that the model has computed already.

display = AlignmentAccuracyDisplay.from_estimator(model, X, y)

# %%
# Reading from the bottom: the narrowest Gaussians are not aligned, and their SVM finds the larger
# class and no more. As the kernel widens, both numbers rise together. At the top the accuracies are
# level and the alignments still differ a little: alignment then chooses among kernels that are all
# good.
#
# The best aligned kernel is as good as the most accurate one, up to the noise of the folds, and
# choosing it took no training:

best = int(np.argmax(display.alignments))
print(f"best aligned:  {display.names[best]}, accuracy {display.scores[best]:.3f}")
most = int(np.argmax(display.scores))
print(f"most accurate: {display.names[most]}, accuracy {display.scores[most]:.3f}")

# %%
# The combination that ``alignf`` learns is at least as well aligned as any of its kernels:

print(f"alignment of the learned kernel: {model.alignment_:.3f}")
print(f"of the best base kernel:         {model.kernel_alignments_.max():.3f}")

# %%
# The same figure for the five data sets of the 2012 paper, by its protocol, is among the
# :doc:`reproductions <../reproductions/alignment_2012>`.

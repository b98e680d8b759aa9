"""
Convergence and optimality certificates
=======================================

Every fitted model has a certificate of how close its weights are to the optimum. It contains the
objective at the weights and a lower bound of the objective for all feasible weights. If the two
agree, the weights are optimal. Both are computed from the weights, so the certificate does not
depend on the solver.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

import learnkernels as lk
from learnkernels.inspection import ConvergenceDisplay

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)

# %%
# ``l1-svm`` minimises a convex function, so the bound holds for all feasible weights. Its Newton
# steps need few iterations even for a tolerance that is a hundred times smaller than the default:

convex = lk.KernelClassifier(method=lk.methods.L1SVM(tol=1e-6), C=1).fit(X, y)
print(convex.certificate_)

# %%
# ``dc`` bounds the tail sum of the eigenvalues of the learned kernel (:doc:`plot_spectrum`). This
# problem is not convex. ``dc`` solves a sequence of convex problems, each of which lowers the
# objective, and stops when a further step cannot lower it by more than the tolerance. The bound
# holds for the convex problem of the last step only.

stepwise = lk.KernelClassifier(
    method=lk.methods.DC(theta=1, tol=1e-6), C=1.0 * len(X)
).fit(X, y)
certificate = stepwise.certificate_
print(certificate)
print(f"the tail sum exceeds its bound by {certificate.violation:.1e}")

# %%
# The figure shows the gap of both methods. ``l1-svm`` has more steps in the figure than iterations
# in its certificate, which counts only changes of the weights: if most of the gap is that of the
# SVM, a step solves the SVM more accurately and does not change the weights. For ``dc`` the
# objective after each step, ``history`` of the certificate, is compared with the last bound.

history = np.array(certificate.history)
to_go = (history - certificate.dual) / history
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
ConvergenceDisplay.from_estimator(convex, ax=axes[0])
axes[0].set_title("l1-svm: relative duality gap", loc="left")
ConvergenceDisplay(to_go, tol=1e-6).plot(axes[1])
axes[1].set_title("dc: objective minus the last bound", loc="left")
axes[1].set_ylabel("relative distance to the bound")

# %%
# A fit that does not reach its tolerance raises a warning with the gap. The page of each
# :doc:`method <../methods>` describes its certificate.

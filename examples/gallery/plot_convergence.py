"""
The certificate on the way
==========================

Every learned model carries a proof of how good its weights are. Solvers keep two numbers: the
objective at the weights they have, and a bound that no weights can pass. When the two agree, the
weights are optimal, and anyone can check it without trusting the solver.
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
# ``l1-svm`` minimises a convex function, so that the bound holds for all weights. Its Newton steps
# need few rounds even for a tolerance a hundred times smaller than the default:

convex = lk.KernelClassifier(method=lk.methods.L1SVM(tol=1e-6)).fit(X, y)
print(convex.certificate_)

# %%
# ``dc`` bounds the tail of the learned kernel's spectrum (:doc:`plot_spectrum`), which is not
# convex. It solves a sequence of convex problems, each of which lowers the objective, and stops
# when a further step would gain less than the tolerance. The bound holds for the last step,
# not for distant weights.

stepwise = lk.KernelClassifier(
    method=lk.methods.DC(theta=1, tol=1e-6), C=1.0 * len(X)
).fit(X, y)
certificate = stepwise.certificate_
print(certificate)
print(f"the tail sum exceeds its bound by {certificate.violation:.1e}")

# %%
# Both on the way. The steps of ``l1-svm`` in the picture are more than the iterations of its
# certificate, which count changes of the weights: where most of the gap is the SVM's own, a step
# solves the SVM to more digits and leaves the weights. For ``dc`` the objective after each step,
# which the certificate keeps as ``history``, is compared with the bound at the end.

history = np.array(certificate.history)
to_go = (history - certificate.dual) / history
figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
ConvergenceDisplay.from_estimator(convex, ax=axes[0])
axes[0].set_title("l1-svm: gap of the weights so far", loc="left")
ConvergenceDisplay(to_go, tol=1e-6).plot(axes[1])
axes[1].set_title("dc: objective above the last bound", loc="left")
axes[1].set_ylabel("relative distance to the bound")

# %%
# A fit that ends above its tolerance warns, and says how far it came. What the numbers of a
# certificate mean for each method is described in :doc:`methods <../methods>`.

"""
Ten minutes with learnkernels
=============================

A kernel measures the similarity of two samples, and the accuracy of an SVM or of kernel ridge
regression depends on the kernel. Instead of choosing and tuning a single kernel, pass several
kernels: learnkernels learns their weights from the labels. In this tutorial we train a model on a
table, look at the learned weights, compare the model with simpler ones, and save it to a file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_selector
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels.inspection import AlignmentDisplay, WeightsDisplay, compare

# %%
# A table
# -------
#
# The data set has 569 tumours with 30 measurements each. The task is to predict whether a tumour is
# malignant (0) or benign (1).

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# Learn a kernel and predict with it
# ----------------------------------
#
# The base kernels are, by default, Gaussian and Laplacian kernels of several widths and the linear
# kernel, on columns that are standardised inside the kernels. There is nothing to tune: weights and
# regularisation have the smallest error on left-out samples.

model = lk.KernelClassifier().fit(X_train, y_train)
accuracy = model.score(X_test, y_test)
print(f"accuracy on test data: {accuracy:.3f}")

# %%
# ``selection_`` lists the candidates that were compared, with their held-out errors: the family
# with and without a learned metric of the columns, and the weights of several methods.

print(model.selection_)

# %%
# The learned kernel
# ------------------
#
# In a notebook, a fitted model shows its parameters and the kernels with non-zero weight.

model

# %%
# The same information is in attributes: the weight and the name of each base kernel, the learned
# ``C``, and the *alignment* of the learned kernel, a number from 0 to 1 that measures its
# similarity to the target kernel.

weights = pd.Series(model.weights_, model.kernel_names_)
print(weights[weights > 0].round(3).to_string())
print(f"C = {model.C_:.3g}, alignment = {model.alignment_:.3f}")

# %%
# :class:`~learnkernels.inspection.WeightsDisplay` plots the weights.

WeightsDisplay.from_estimator(model)

# %%
# :class:`~learnkernels.inspection.AlignmentDisplay` plots the alignment of every kernel alone. A
# kernel with high alignment can have weight 0 if another kernel carries the same information.

AlignmentDisplay.from_estimator(model)
# sphinx_gallery_thumbnail_number = 2

# %%
# Comparison with simpler methods
# -------------------------------
#
# Simpler methods are equal weights (``unif``) and the weights of highest alignment (``alignf``).
# :func:`~learnkernels.inspection.compare` trains on three of five folds, chooses ``C`` on one fold
# and tests on one, for each of the five folds as the test fold.

comparison = compare(X, y, ["unif", "align", "alignf", "auto"])
table = pd.DataFrame(
    {
        result.method: {
            "error": f"{result.error_mean:.3f} ± {result.error_std:.3f}",
            "alignment on test data": f"{result.test_alignment_mean:.3f}",
            "better than unif": "yes" if result.against_unif == "better" else "no",
        }
        for result in comparison.methods
    }
).T
table

# %%
# On this table all methods are close to each other: equal weights are a strong baseline if every
# kernel is relevant. Learned weights are better if some kernels are irrelevant, as in
# :doc:`plot_views` and :doc:`plot_many_features`, and on most tables of the
# :doc:`benchmark <../tables>`.
#
# Certificate and guarantees
# --------------------------
#
# The certificate contains the leave-one-out error at the weights, the error at the start, and the
# size of a further gradient step. The problem is not convex: if a gradient step changes the weights
# only little they are called stationary, which may be a local optimum. Other methods, such as
# ``alignf``, are convex, and their certificates bound the distance from the optimum.

print(model.certificate_)

# %%
# The certificate is about the optimisation, not about predictions. ``guarantees`` computes bounds
# on the error on new data, and marks those that are vacuous (:doc:`guarantees <../guarantees>`).

found = model.guarantees(X_train, y_train)
for entry in found.entries:
    remark = "vacuous" if entry.vacuous else ""
    print(f"{entry.name:20} {entry.value:8.3f} {remark}")

# %%
# Groups of columns
# -----------------
#
# The table has three columns for every measurement: its mean over the cells of a tumour, the
# standard error of that mean, and the worst value. We make each group a *view* with its own
# kernels. The columns of a view are selected by a prefix of their names, by a list, or by a
# function of the table.

views = [
    lk.on("mean ", name="mean"),
    lk.on(make_column_selector(pattern=" error$"), name="error"),
    lk.on("worst ", name="worst"),
]
by_view = lk.KernelClassifier(views).fit(X_train, y_train)
print(f"accuracy on test data: {by_view.score(X_test, y_test):.3f}")
WeightsDisplay.from_estimator(by_view, by="view")

# %%
# The weight of a view, in ``view_weights_``, is the sum of the weights of its kernels. See
# :doc:`the user guide <../guide>` for tables, texts, DNA and several views.
#
# Another method
# --------------
#
# The default compares methods by held-out error. ``alignf`` finds the combination of highest
# alignment and then trains a machine; ``l1-svm`` learns the weights and an SVM together, with ``C``
# chosen from the list by cross-validation. A :doc:`method <../methods>` is given by its
# name or, to set parameters, as an object such as ``lk.methods.LpSVM(p=1.5)``.

other = lk.KernelClassifier(method="l1-svm", C=[0.1, 1, 10]).fit(X_train, y_train)
print(f"accuracy on test data: {other.score(X_test, y_test):.3f}")
print(other.certificate_)

# %%
# Regression
# ----------
#
# ``KernelRegressor`` does the same for real targets. Several targets (``y`` with several columns)
# share one learned kernel.

D, progress = load_diabetes(return_X_y=True)
D_train, D_test, p_train, p_test = train_test_split(D, progress, random_state=0)
regressor = lk.KernelRegressor().fit(D_train, p_train)
print(f"R² on test data: {regressor.score(D_test, p_test):.3f}")
print(f"alpha = {regressor.alpha_:.3g}")

# %%
# Report
# ------
#
# ``lk.report`` collects these results for other readers: the weights and how stable they are, the
# cross-validated error against uniform weights, the certificate, and how to reproduce the fit.
# ``print(report)`` prints at most five lines, ``report.save("report.html")`` writes a page.
# :doc:`/report` explains it.

report = lk.report(model, X_train, y_train, title="tumours", cv=3, draws=10)
report

# %%
# Save the model
# --------------
#
# ``lk.save`` writes a model or a pipeline to a file. Loading the file runs no code of the file.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "tumours.lk")
    lk.save(model, path)
    again = lk.load(path)
same = bool((again.predict(X_test) == model.predict(X_test)).all())
print(f"the same predictions: {same}")

# %%
# From the command line
# ---------------------
#
# The same steps for a table in a CSV or Parquet file:
#
# .. code-block:: text
#
#    learnkernels compare data.csv --target y --methods unif,alignf,auto
#    learnkernels fit data.csv --target y --save model.lk
#    learnkernels predict model.lk new.csv --output predictions.csv
#    learnkernels report model.lk data.csv --output report.html
#
# ``compare`` prints a table like the one above, with the error of a constant prediction. It marks
# the method with the lowest error, methods that are significantly worse, and with a star those
# that are significantly better than ``unif``. ``--json -`` prints the result as JSON.

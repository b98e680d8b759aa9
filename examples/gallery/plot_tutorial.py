"""
Ten minutes with learnkernels
=============================

A kernel says how similar two samples are, and a kernel machine is as good as its kernel. Instead of
choosing one kernel and tuning it, bring several: learnkernels learns from the labels how much of
each to take. This page goes from a table to a trained model, looks at what was learned, asks
whether it was worth it, and keeps the model in a file.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_selector
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels.inspection import AlignmentDisplay, WeightsDisplay, compare

# %%
# A table
# -------
#
# 569 tumours, 30 measurements each, and the question whether a tumour is malignant (0) or benign
# (1).

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# %%
# Learn a kernel, train a machine
# -------------------------------
#
# Scale the columns first, as for every kernel machine. The base kernels are, by default, ten
# Gaussians whose widths are powers of two around the median distance of the samples, and the linear
# kernel. There is no width to tune. ``C``, the regularisation of the SVM, is chosen from the list
# by cross-validation inside ``fit``; the weights of each fold are learned without that fold.

scaler = StandardScaler().set_output(transform="pandas")
model = make_pipeline(scaler, lk.KernelClassifier(C=[0.1, 1, 10, 100]))
model.fit(X_train, y_train)
accuracy = model.score(X_test, y_test)
print(f"accuracy on test data: {accuracy:.3f}")

# %%
# What was learned
# ----------------
#
# A fitted model shows itself: its parameters, and below them the kernels that have weight.

learned = model[-1]
learned

# %%
# The same as numbers: one weight for each base kernel, their names, the ``C`` that was chosen, and
# the *alignment* of the learned kernel, which says from 0 to 1 how well it matches the labels.

weights = pd.Series(learned.weights_, learned.kernel_names_)
print(weights[weights > 0].round(3).to_string())
print(f"C = {learned.C_:g}, alignment = {learned.alignment_:.3f}")

# %%
# And as a picture.

WeightsDisplay.from_estimator(learned)

# %%
# Why have some kernels no weight? On the right is the alignment of every kernel alone. A kernel
# with high alignment can have weight 0 if another kernel carries the same information.

AlignmentDisplay.from_estimator(learned)
# sphinx_gallery_thumbnail_number = 2

# %%
# Was it worth it?
# ----------------
#
# Compare with the two things that cost less thought: equal weights (``unif``) and the one best
# kernel (``single``). :func:`~learnkernels.inspection.compare` trains on three folds of five,
# chooses ``C`` on one and tests on one, in turn.

comparison = compare(
    X, y, ["unif", "single", "align", "alignf"], preprocess=StandardScaler()
)
table = pd.DataFrame(
    {
        result.method: {
            "error": f"{result.error_mean:.3f} ± {result.error_std:.3f}",
            "alignment on test data": f"{result.test_alignment_mean:.3f}",
            "better than unif": "yes" if result.beats_unif else "no",
        }
        for result in comparison.methods
    }
).T
table

# %%
# On this table the choice hardly matters: no method is better than equal weights by a paired t-test
# at level 0.1. That is worth knowing too. All eleven kernels look at the same columns, and equal
# weights are hard to beat where every kernel is of some use. They are easy to beat where some are
# not, as in :doc:`plot_views` and :doc:`plot_many_features`, and on the data sets of the
# :doc:`papers <../reproductions>`.
#
# How good are the weights?
# -------------------------
#
# As good as any: the certificate holds the objective at the weights, a bound that no weights can
# pass, and the gap between the two.

print(learned.certificate_)

# %%
# That proves the optimisation, not the prediction. ``guarantees`` says what theorems promise of the
# model on new data, and says as well when a promise is empty (:doc:`guarantees <../guarantees>`).

found = learned.guarantees(model[:-1].transform(X_train), y_train)
for entry in found.entries:
    remark = "vacuous" if entry.vacuous else ""
    print(f"{entry.name:20} {entry.value:8.3f} {remark}")

# %%
# Groups of columns
# -----------------
#
# Every measurement is in this table three times: its mean over the cells of a tumour, the error of
# that mean, and the worst value. Make each group a *view*, with kernels of its own. Views are
# chosen by the beginning of the names, by lists, or by a function of the table.

views = [
    lk.on("mean ", name="mean"),
    lk.on(make_column_selector(pattern=" error$"), name="error"),
    lk.on("worst ", name="worst"),
]
by_view = make_pipeline(scaler, lk.KernelClassifier(views, C=[0.1, 1, 10, 100]))
by_view.fit(X_train, y_train)
print(f"accuracy on test data: {by_view.score(X_test, y_test):.3f}")
WeightsDisplay.from_estimator(by_view[-1], by="view")

# %%
# The weight of a view is the sum of its kernels' weights, ``view_weights_``. Texts, DNA and samples
# that lack a view: :doc:`tables, texts, sequences, views <../sources>`.
#
# Another method
# --------------
#
# The default, ``alignf``, finds the combination of highest alignment and then trains the machine.
# ``l1-svm`` learns weights and SVM at once. All :doc:`methods <../methods>` go by a name or, with
# parameters, by an object such as ``lk.methods.LpSVM(p=1.5)``.

other = make_pipeline(scaler, lk.KernelClassifier(method="l1-svm", C=[0.1, 1, 10]))
other.fit(X_train, y_train)
print(f"accuracy on test data: {other.score(X_test, y_test):.3f}")
print(other[-1].certificate_)

# %%
# Numbers instead of classes
# --------------------------
#
# ``KernelRegressor`` does the same with ridge regression. ``alpha`` is chosen from the list by
# exact leave-one-out errors, which cost one eigendecomposition (by folds for methods that learn the
# weights together with the machine). Several targets (``y`` with several columns) share one learned
# kernel.

D, progress = load_diabetes(return_X_y=True)
D_train, D_test, p_train, p_test = train_test_split(D, progress, random_state=0)
regressor = lk.KernelRegressor(alpha=[0.01, 0.1, 1, 10]).fit(D_train, p_train)
print(f"R² on test data: {regressor.score(D_test, p_test):.3f}")
print(f"alpha = {regressor.alpha_:g}")

# %%
# Tell others
# -----------
#
# ``lk.report`` puts all of this on one page for a person who did not run the fit: which kernels and
# how sure that is, how much better than uniform weights on unseen samples, the certificate, how to
# make it again. ``print(report)`` gives five lines, ``report.save("report.html")`` writes the page.
# :doc:`/report` says how to read it.

report = lk.report(model, X_train, y_train, title="tumours", draws=20)
report

# %%
# Keep the model
# --------------
#
# ``lk.save`` writes a model or a whole pipeline. The file runs no code when it is read.

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "tumours.skops")
    lk.save(model, path)
    again = lk.load(path)
same = bool((again.predict(X_test) == model.predict(X_test)).all())
print(f"the same predictions: {same}")

# %%
# From the command line
# ---------------------
#
# The same without Python, for a table in a CSV or Parquet file:
#
# .. code-block:: text
#
#    learnkernels compare data.csv --target y --methods unif,align,alignf
#    learnkernels fit data.csv --target y --save model.skops
#    learnkernels predict model.skops new.csv --output predictions.csv
#    learnkernels report model.skops data.csv --output report.html
#
# ``compare`` prints a table like the one above; a star marks a method whose errors are below those
# of ``unif`` by a paired one-sided t-test at 0.1, and ``--json -`` prints the same for programs.

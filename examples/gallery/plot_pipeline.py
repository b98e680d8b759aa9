"""
In pipelines and searches
=========================

The estimators are scikit-learn's in kind: they stand in a ``Pipeline`` behind a
``ColumnTransformer``, their methods' parameters are searched by ``GridSearchCV``, and the learned
Gram goes to any estimator that takes ``kernel="precomputed"``.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import learnkernels as lk
from learnkernels.inspection.displays.style import BLUE, GREY, INK, ORANGE, tidy

# %%
# A table of 442 patients with numbers and one category. The question: does the disease progress
# faster than in the median patient?

table, progress = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
y = np.where(progress > progress.median(), "fast", "slow")
train, test, y_train, y_test = train_test_split(
    table, y, random_state=0, stratify=y
)

encode = make_column_transformer(
    (OneHotEncoder(drop="if_binary"), ["sex"]), remainder=StandardScaler()
)

# %%
# A search over the method's parameters
# -------------------------------------
#
# Methods are objects with parameters. ``lk.methods.Align(q=...)`` sharpens the weights for ``q``
# below 2 and levels them above. Both ``q`` and ``C`` are chosen by cross-validation.

model = make_pipeline(encode, lk.KernelClassifier(method=lk.methods.Align()))
grid = {
    "kernelclassifier__method__q": [1.1, 1.25, 1.5, 2.0, 4.0],
    "kernelclassifier__C": [0.01, 0.1, 1.0, 10.0],
}
search = GridSearchCV(model, grid).fit(train, y_train)
print(search.best_params_)
print(f"accuracy on test data: {search.score(test, y_test):.3f}")

# %%
# The last step of the best pipeline: a fitted estimator shows what it learned below scikit-learn's
# diagram.

search.best_estimator_[-1]

# %%
# How much does ``q`` matter? With ``C`` of 0.1 and more, less than the folds differ. Where ``C`` is
# too small, sharp weights help:

found = search.cv_results_
qs = np.array([one["kernelclassifier__method__q"] for one in found["params"]])
Cs = np.array([one["kernelclassifier__C"] for one in found["params"]])
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
styles = [(0.01, INK, "D"), (0.1, GREY, "o"), (1.0, BLUE, "s"), (10.0, ORANGE, "^")]
for shift, (C, colour, marker) in enumerate(styles):
    at = Cs == C
    ax.errorbar(
        qs[at] * 1.015 ** (shift - 1.5), found["mean_test_score"][at],
        found["std_test_score"][at] / np.sqrt(search.n_splits_),
        color=colour, marker=marker, ms=5, capsize=2, label=f"C = {C:g}",
    )  # fmt: skip
ax.set_xscale("log")
ax.set_xticks([1.1, 1.25, 1.5, 2, 4], ["1.1", "1.25", "1.5", "2", "4"])
ax.minorticks_off()
ax.set_xlabel("q of align")
ax.set_ylabel("accuracy (± standard error)")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
tidy(ax)

# %%
# The learned Gram for other estimators
# -------------------------------------
#
# :class:`~learnkernels.KernelLearner` is a transformer: it learns the weights and hands out Gram
# matrices. Before scikit-learn's ``SVC``:

by_svc = make_pipeline(encode, lk.KernelLearner(), SVC(kernel="precomputed"))
by_svc.fit(train, y_train)
print(f"accuracy on test data: {by_svc.score(test, y_test):.3f}")

# %%
# And before ``KernelPCA``, for a picture of the test patients as the learned kernel sees them:

by_pca = make_pipeline(
    encode, lk.KernelLearner(), KernelPCA(2, kernel="precomputed")
)
first, second = by_pca.fit(train, y_train).transform(test).T
figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
for label, colour, marker in [("slow", BLUE, "o"), ("fast", ORANGE, "^")]:
    at = y_test == label
    ax.plot(first[at], second[at], marker, color=colour, alpha=0.8, label=label)
ax.set_xlabel("first component")
ax.set_ylabel("second component")
ax.legend(
    title="progression", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False
)
tidy(ax)

"""
Pipelines and grid search
=========================

The estimators follow scikit-learn's conventions. They can be used in a ``Pipeline`` after a
``ColumnTransformer``, ``GridSearchCV`` can search over the parameters of their methods, and the
learned Gram matrix can be used by any estimator with ``kernel="precomputed"``.
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
# The table has 442 patients, numeric columns and one category. The task is to predict whether the
# disease progresses faster than the median.

table, progress = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
y = np.where(progress > progress.median(), "fast", "slow")
train, test, y_train, y_test = train_test_split(
    table, y, random_state=0, stratify=y
)

encode = make_column_transformer(
    (OneHotEncoder(drop="if_binary"), ["sex"]), remainder=StandardScaler()
)

# %%
# Search over the parameters of a method
# --------------------------------------
#
# Methods are objects with parameters. With ``lk.methods.Align(q=...)`` the weights are less equal
# for ``q`` below 2 and more equal above. Both ``q`` and ``C`` are chosen by cross-validation.

model = make_pipeline(encode, lk.KernelClassifier(method=lk.methods.Align()))
grid = {
    "kernelclassifier__method__q": [1.1, 1.5, 4.0],
    "kernelclassifier__C": [0.01, 0.1, 1.0, 10.0],
}
search = GridSearchCV(model, grid, cv=3).fit(train, y_train)
print(search.best_params_)
print(f"accuracy on test data: {search.score(test, y_test):.3f}")

# %%
# In a notebook, the last step of the best pipeline shows the learned kernel below scikit-learn's
# diagram.

search.best_estimator_[-1]

# %%
# The next figure shows the effect of ``q``. For ``C`` of at least 0.1 it is smaller than the
# standard error over the folds. For a smaller ``C``, less equal weights are more accurate.

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
ax.set_xticks([1.1, 1.5, 4], ["1.1", "1.5", "4"])
ax.minorticks_off()
ax.set_xlabel("q of align")
ax.set_ylabel("accuracy (± standard error)")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
tidy(ax)

# %%
# Use the learned Gram matrix in other estimators
# -----------------------------------------------
#
# :class:`~learnkernels.KernelLearner` is a transformer: ``fit`` learns the weights and
# ``transform`` returns Gram matrices. This pipeline uses it with scikit-learn's ``SVC``:

by_svc = make_pipeline(encode, lk.KernelLearner(), SVC(kernel="precomputed"))
by_svc.fit(train, y_train)
print(f"accuracy on test data: {by_svc.score(test, y_test):.3f}")

# %%
# With ``KernelPCA`` it projects the test patients onto the first two principal components of the
# learned kernel:

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

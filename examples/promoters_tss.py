"""
Transcription starts: kernels for long DNA sequences
====================================================

Each sample has 251 bases around a candidate transcription start in Arabidopsis, from 200 before it
to 50 after it. The task is to predict whether a gene starts there. This example makes several views
of one column of sequences, with words at fixed positions (``lk.weighted_degree``) and words at any
position (``lk.spectrum``). It shows that the method for the weights matters. Alignment (``alignf``)
compares whole Gram matrices, including the diagonal. It therefore gives little weight to
weighted-degree kernels, whose Gram matrices are almost diagonal, and here the accuracy is lower.
``l1-svm`` learns the weights together with the SVM and gives these kernels most of the weight, but
it has to train many SVMs.
"""

import os

import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# A sequence kernel uses one column, so we add columns with parts of the sequence.

table = datasets.load("tss_arabidopsis_tata")
starts = table.pop("target")
table["near"] = table["sequence"].str[150:211]  # -50 to +10
table["before"] = table["sequence"].str[:200]
table["after"] = table["sequence"].str[200:]

parts = {
    "positions": ("sequence", lk.weighted_degree(20)),
    "positions near start": ("near", lk.weighted_degree(20, shift=4)),
    "4-mers": ("sequence", lk.spectrum(4)),
    "6-mers": ("sequence", lk.spectrum(6)),
    "4-mers before": ("before", lk.spectrum(4)),
    "4-mers after": ("after", lk.spectrum(4)),
}
views = {name: lk.on(column, kernel, name=name) for name, (column, kernel) in parts.items()}

# %%
# Train on some of the sequences and test on all others. All models choose C from the same values in
# ``fit``. The best single view is the one with the highest cross-validated accuracy on the training
# part.

train, test, y_train, y_test = train_test_split(
    table, starts, train_size=200 if QUICK else 1200, stratify=starts, random_state=0
)


def model(kernels, method):
    return lk.KernelClassifier(kernels, method=method, C=[1, 10], cv=3).fit(train, y_train)


models = {
    f"{method}, all views": model(list(views.values()), method)
    for method in ("l1-svm", "alignf", "unif")
}
alone = {name: model(view, "unif") for name, view in views.items()}
best = max(alone, key=lambda name: alone[name].C_scores_.max())
models["best single view"] = alone[best]

# %%
# The two columns on the right explain the weights of alignf: the views with the highest alignment
# are not those with the highest cross-validated accuracy.

weights = pd.DataFrame(
    {
        "l1-svm": models["l1-svm, all views"].view_weights_,
        "alignf": models["alignf, all views"].view_weights_,
        "alignment alone": {name: found.alignment_ for name, found in alone.items()},
        "accuracy alone (cv)": {name: found.C_scores_.max() for name, found in alone.items()},
    }
)
scores = pd.DataFrame(
    {
        name: {
            "AUC": roc_auc_score(y_test, found.decision_function(test)),
            "accuracy": found.score(test, y_test),
        }
        for name, found in models.items()
    }
).T
three_digits = "{:.3f}".format

print("Weight of each view")
print(weights.to_string(float_format=three_digits))
print(f"\nOn {len(test)} test sequences, after training on {len(train)}")
print(scores.to_string(float_format=three_digits))
print(f"Best single view: {best}")

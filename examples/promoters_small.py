"""
A hundred promoters: learn weights from few sequences
=====================================================

The data set has 106 E. coli DNA sequences of 57 bases each, half of them promoters (UCI). This
example combines kernels of words at fixed positions, of words that may be shifted by a few
positions (``lk.weighted_degree`` with a shift), and of words at any position (``lk.spectrum``). The
data set is so small that a single split is not informative, so means and standard deviations over
many splits are compared.
"""

import os

import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# Define five kernels of one column, each in its own view.

table = datasets.load("promoters")
promoter = table.pop("target") == "+"

kernels = {
    "positions": lk.weighted_degree(6),
    "positions, shift 4": lk.weighted_degree(6, shift=4),
    "2-mers": lk.spectrum(2),
    "3-mers": lk.spectrum(3),
    "4-mers": lk.spectrum(4),
}
views = {name: lk.on("sequence", kernel, name=name) for name, kernel in kernels.items()}


def model(views, method):
    return lk.KernelClassifier(views, method=method, C=[0.1, 1, 10, 100])


# %%
# Train on two thirds and test on one third, many times. All models choose C from the same values in
# ``fit``. The best single view is the one with the highest cross-validated accuracy on the training
# part.

METHODS = ["l1-svm", "alignf", "unif"]
scores, weights, chosen = [], [], []
for seed in range(2 if QUICK else 20):
    train, test, y_train, y_test = train_test_split(
        table, promoter, test_size=1 / 3, stratify=promoter, random_state=seed
    )
    models = {m: model(list(views.values()), m).fit(train, y_train) for m in METHODS}
    weights += [{"method": m, **models[m].view_weights_} for m in METHODS]
    alone = {name: model(view, "unif").fit(train, y_train) for name, view in views.items()}
    best = max(alone, key=lambda name: alone[name].C_scores_.max())
    models["best single view"] = alone[best]
    chosen.append(best)
    scores += [
        {
            "method": name,
            "AUC": roc_auc_score(y_test, found.decision_function(test)),
            "accuracy": found.score(test, y_test),
        }
        for name, found in models.items()
    ]

# %%
# Print means and standard deviations over the splits.

scores = pd.DataFrame(scores).groupby("method", sort=False)
weights = pd.DataFrame(weights).groupby("method", sort=False).mean().T
three_digits = "{:.3f}".format

print("Mean weight of each view")
print(weights.to_string(float_format=three_digits))
print(f"\nOn the test part, {len(chosen)} splits")
print(scores.agg(["mean", "std"]).to_string(float_format=three_digits))
print("\nNumber of splits in which each view was the best single view")
print(pd.Series(chosen).value_counts().to_string())

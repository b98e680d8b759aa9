"""
Breast cancer from three views, one of them missing
===================================================

150 tumours have measurements of micro-RNA, messenger RNA and proteins. 70 further tumours have no
protein data (TCGA, as in the R package mixOmics). This example trains on all three views and
predicts samples with a missing view: with ``missing="neutral"`` such a sample gets the view's mean
in feature space, so the view does not affect its prediction. It compares the accuracy with that of
a model that is trained on the two other views only.
"""

import os

import pandas as pd
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# The prefix of a column name is its view: ``mirna:...``, ``mrna:...``, ``protein:...``.

table = datasets.load("breast_tcga_train")
subtypes = table.pop("target")
new = datasets.load("breast_tcga_test")
new_subtypes = new.pop("target")

mirna, mrna, protein = (lk.on(prefix, lk.gaussians()) for prefix in ("mirna:", "mrna:", "protein:"))


def standardised(train, test):
    """Standardise both tables by the means and deviations of the training table."""
    mean, std = train.mean(), train.std()
    here = test.columns
    return (train - mean) / std, (test - mean[here]) / std[here]


def model(kernels, method="alignf"):
    return lk.KernelClassifier(kernels, method=method, C=[0.1, 1, 10, 100], missing="neutral")


def fitted(train, y):
    """Return the models to compare, and the name of the best single view.

    That view is chosen among those that the new tumours have, by the cross-validation of C inside
    the training part.
    """
    alone = {"mirna": model(mirna).fit(train, y), "mrna": model(mrna).fit(train, y)}
    best = max(alone, key=lambda name: alone[name].C_scores_.max())
    models = {
        "alignf, three views": model([mirna, mrna, protein]).fit(train, y),
        "unif, three views": model([mirna, mrna, protein], "unif").fit(train, y),
        "alignf, two views": model([mirna, mrna]).fit(train, y),
        "unif, two views": model([mirna, mrna], "unif").fit(train, y),
        "best single view": alone[best],
    }
    return models, best


# %%
# Train on the 150 tumours and predict the 70. Their table has no protein columns.

train, test = standardised(table, new)
models, best = fitted(train, subtypes)
learned = models["alignf, three views"]
weights = pd.Series(learned.view_weights_, name="weight")
accuracy = pd.Series({name: found.score(test, new_subtypes) for name, found in models.items()})
three_digits = "{:.3f}".format

print("Weight of each view (alignf)")
print(weights.to_string(float_format=three_digits))
print(f"\nAccuracy on {len(test)} new tumours without protein data")
print(accuracy.to_string(float_format=three_digits))
print(f"Best single view: {best}")

# %%
# With 70 test samples, one tumour changes the accuracy by more than 0.01. Random splits of the 150
# tumours are more informative, and show the effect of the protein view: the test part is predicted
# with and without it.
#
# A model that gives weight to a view is less accurate without the view than a model that was
# trained without it. If you know which views will be missing, train without them. Use "neutral" if
# one model must predict complete and incomplete samples.

scores = []
for seed in range(2 if QUICK else 20):
    train, test, y_train, y_test = train_test_split(
        table, subtypes, test_size=1 / 3, stratify=subtypes, random_state=seed
    )
    train, test = standardised(train, test)
    models, _ = fitted(train, y_train)
    without = test.drop(columns=[name for name in test if name.startswith("protein:")])
    row = {"alignf, three views, all measured": models["alignf, three views"].score(test, y_test)}
    row |= {name: found.score(without, y_test) for name, found in models.items()}
    scores.append(row)
scores = pd.DataFrame(scores)

print(f"\nAccuracy in {len(scores)} splits of the 150, without protein data in the test part")
print(scores.agg(["mean", "std"]).T.to_string(float_format=three_digits))

"""
Breast cancer from three kinds of measurement, one of them missing
==================================================================

150 tumours have micro-RNA, messenger RNA and protein measured; 70 further ones have no protein data
at all (TCGA, as in the R package mixOmics). You learn here how to train on all three views and
still predict where one is missing: ``missing="neutral"`` puts a sample that a view has not seen at
the view's mean in feature space, where it speaks for no class. You also see what that costs: beside
it stands the other way, a model of only the two views that the new tumours have.
"""

import os

import pandas as pd
from sklearn.model_selection import train_test_split

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# The column names say the view: ``mirna:...``, ``mrna:...``, ``protein:...``.

table = datasets.load("breast_tcga_train")
subtypes = table.pop("target")
new = datasets.load("breast_tcga_test")
new_subtypes = new.pop("target")

mirna, mrna, protein = (lk.on(prefix, lk.gaussians()) for prefix in ("mirna:", "mrna:", "protein:"))


def standardised(train, test):
    """Both tables in units of the training table, column by column."""
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
# Train on the 150, predict the 70. Their table has no protein column, and nothing has to be filled.

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
# One tumour is more than 0.01 of accuracy there. Splits of the 150 say more, and also what the
# protein view is worth: the tumours left out are predicted once with it and once without.
#
# A model that learned to rely on a view does worse without it than a model that never saw it. Where
# it is known beforehand what will be missing, train without it; "neutral" is for the one model that
# has to serve complete and incomplete samples.

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

print(f"\nAccuracy in {len(scores)} splits of the 150, protein hidden from the test part")
print(scores.agg(["mean", "std"]).T.to_string(float_format=three_digits))

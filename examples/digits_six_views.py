"""
Handwritten digits from six views
=================================

2000 images of digits are described by six sets of features: Fourier coefficients, profile
correlations, Karhunen-Loeve coefficients, pixel averages, Zernike moments and morphological
features (UCI "Multiple Features"). This example makes each group of columns a view with ``lk.on``,
learns the weights of the views, and compares the result with equal weights and with the best single
view.
"""

import os

import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# Load the table and define a view for each prefix of its column names. A view without kernels of
# its own has the default kernels.

table = datasets.load("mfeat")
digits = table.pop("target")

prefixes = {
    "Fourier": "fou_",
    "profiles": "fac_",
    "Karhunen-Loeve": "kar_",
    "pixels": "pix_",
    "Zernike": "zer_",
    "morphology": "mor_",
}
views = {name: lk.on(prefix, name=name) for name, prefix in prefixes.items()}


# %%
# Views select their columns by name, so the scaler must return a table with names. Every model
# chooses C from the same values, by cross-validation in ``fit``.


def model(kernels, method="alignf"):
    """Standardise the columns, then learn the kernel and classify."""
    return make_pipeline(
        StandardScaler().set_output(transform="pandas"),
        lk.KernelClassifier(kernels, method=method, C=[0.1, 1, 10, 100]),
    )


# %%
# Train on 50 samples of each digit and test on the other 150, several times. The best single view
# is the one with the highest cross-validated accuracy on the training part (``C_scores_``), without
# the test part.

scores, weights, chosen = [], [], []
for seed in range(1 if QUICK else 10):
    train, test, y_train, y_test = train_test_split(
        table, digits, train_size=200 if QUICK else 500, stratify=digits, random_state=seed
    )
    learned = model(list(views.values())).fit(train, y_train)
    equal = model(list(views.values()), "unif").fit(train, y_train)
    alone = {name: model(view).fit(train, y_train) for name, view in views.items()}
    best = max(alone, key=lambda name: alone[name][-1].C_scores_.max())
    scores.append(
        {
            "alignf, six views": learned.score(test, y_test),
            "unif, six views": equal.score(test, y_test),
            "best single view": alone[best].score(test, y_test),
        }
    )
    weights.append(learned[-1].view_weights_)
    chosen.append(best)

# %%
# Print the weights and accuracies. A view can have weight zero although it is informative alone, if
# the other views contain the same information.

scores, weights = pd.DataFrame(scores), pd.DataFrame(weights)
three_digits = "{:.3f}".format

print("Weight of each view (alignf)")
print(weights.agg(["mean", "std"]).T.to_string(float_format=three_digits))
print(f"\nTest accuracy, {len(scores)} splits")
print(scores.agg(["mean", "std"]).T.to_string(float_format=three_digits))
print("\nNumber of splits in which each view was the best single view")
print(pd.Series(chosen).value_counts().to_string())

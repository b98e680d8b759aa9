"""
Which words make a review good or bad
=====================================

The data set has 2000 reviews of kitchen ware with a title and a text, half of them positive
(Blitzer, Dredze and Pereira 2007). This example uses thousands of kernels of rank one, one for each
pair of words (``lk.ngrams``). The weights show which pairs of words distinguish the classes, in the
title and in the text.
"""

import os

import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import learnkernels as lk
from learnkernels import datasets

QUICK = "LEARNKERNELS_QUICK" in os.environ  # a short run

# %%
# The title and the text of a review are two views.

reviews = datasets.load("sentiment_reviews")
reviews = reviews[reviews["domain"] == "kitchen"]
table, labels = reviews[["title", "text"]], reviews["label"]

most = 400 if QUICK else 4000
pairs, words_too = lk.ngrams(2, max_features=most), lk.ngrams((1, 2), max_features=most)
views = {"title": lk.on("title", pairs), "text": lk.on("text", pairs)}
views_words_too = [lk.on("title", words_too), lk.on("text", words_too)]


def model(kernels, method):
    return lk.KernelClassifier(kernels, method=method, C=[0.1, 1, 10])


# %%
# ``align`` weights every pair of words by its own alignment with the labels. ``alignf`` maximises
# the alignment of the combination, and most weights are zero. All models choose C from the same
# values in ``fit``. The best single view is the one with the highest cross-validated accuracy on
# the training part. The 4000 n-grams per view of the last two models include single words.

METHODS = ["align", "alignf", "unif"]
scores, weights, chosen = [], [], []
for seed in [1] if QUICK else range(5):
    train, test, y_train, y_test = train_test_split(
        table, labels, train_size=400 if QUICK else 1200, stratify=labels, random_state=seed
    )
    models = {m: model(list(views.values()), m).fit(train, y_train) for m in METHODS}
    weights += [{"method": m, **models[m].view_weights_} for m in METHODS]
    alone = {name: model(view, "align").fit(train, y_train) for name, view in views.items()}
    best = max(alone, key=lambda name: alone[name].C_scores_.max())
    chosen.append(best)
    tested = models | {"best single view (align)": alone[best]}
    for method in ("align", "unif"):
        tested[f"{method}, words too"] = model(views_words_too, method).fit(train, y_train)
    scores.append({name: found.score(test, y_test) for name, found in tested.items()})

# %%
# Print the pairs of words with the largest weights in the last split, and the number of non-zero
# weights.

scores = pd.DataFrame(scores)
weights = pd.DataFrame(weights).groupby("method", sort=False).mean().T
heaviest = {
    m: pd.Series(models[m].weights_, index=models[m].kernel_names_).nlargest(12)
    for m in ("align", "alignf")
}
three_digits = "{:.3f}".format

for method, top in heaviest.items():
    used = (models[method].weights_ > 0).sum()
    print(f"Largest weights ({method}, {used} of {len(models[method].weights_)} used)")
    print(top.to_string(float_format="{:.4f}".format), end="\n\n")
print("Mean weight of each view")
print(weights.to_string(float_format=three_digits))
print(f"\nTest accuracy, {len(scores)} splits")
print(scores.agg(["mean", "std"]).T.to_string(float_format=three_digits))
print("\nNumber of splits in which each view was the best single view")
print(pd.Series(chosen).value_counts().to_string())

# %%
# The same kernels in a scikit-learn pipeline: a vectorizer, then one kernel for each of its
# columns. For the texts alone the result is the same as with ``lk.ngrams``.

vectorizer = CountVectorizer(ngram_range=(2, 2), max_features=most)
pipeline = make_pipeline(vectorizer, model(lk.per_feature(), "align")).fit(train["text"], y_train)

print("\nTest accuracy of the texts alone, last split")
print(f"lk.ngrams    {alone['text'].score(test, y_test):.3f}")
print(f"pipeline     {pipeline.score(test['text'], y_test):.3f}")

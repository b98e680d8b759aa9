"""Texts as counts of n-grams."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import learnkernels as lk
from learnkernels.kernels import resolve

TEXTS = np.array(
    ["a good book", "a very good film", "bad book", "a very bad film", "bad", "good good book"],
    dtype=object,
)
LABELS = [1, 1, 0, 0, 0, 1]


def test_most_frequent_ngrams_have_a_kernel_each():
    kernels = resolve(lk.ngrams((1, 2), max_features=5), TEXTS)
    vectorizer = CountVectorizer(ngram_range=(1, 2), max_features=5)
    counts = vectorizer.fit_transform(TEXTS).toarray()
    assert [kernel.name for kernel in kernels] == list(vectorizer.get_feature_names_out())
    for column, kernel in enumerate(kernels):
        assert np.array_equal(kernel(TEXTS), np.outer(counts[:, column], counts[:, column]))


def test_ngrams_equal_a_pipeline_with_count_vectorizer():
    ours = lk.KernelClassifier(lk.ngrams(1), "align", C=1.0).fit(list(TEXTS), LABELS)
    pipeline = make_pipeline(
        CountVectorizer(), lk.KernelClassifier(lk.per_feature(), "align", C=1.0)
    )
    pipeline.fit(TEXTS, LABELS)
    assert np.allclose(ours.weights_, pipeline[-1].weights_)
    new = ["good film", "very bad", "unheard of"]
    assert np.allclose(ours.decision_function(new), pipeline.decision_function(new))
    assert ours.n_features_in_ == 1


def test_counts_stay_sparse():
    (kernel, *_) = resolve(lk.ngrams(1), TEXTS)
    assert sparse.issparse(kernel.source.read(TEXTS)[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lk.ngrams(0), "n=0"),
        (lambda: lk.ngrams((3, 2)), "n=\\(3, 2\\)"),
        (lambda: lk.ngrams(max_features=0), "max_features=0"),
        (lambda: lk.ngrams(analyzer="sentence"), "analyzer='sentence'"),
    ],
)
def test_invalid_parameters_raise_input_error(make, message):
    with pytest.raises(lk.InputError, match=message):
        make()


def test_texts_without_ngrams_raise_input_error():
    with pytest.raises(lk.InputError, match="no n-gram of 5 to 5 words"):
        lk.KernelClassifier(lk.ngrams(5), method="alignf", C=1.0).fit(TEXTS, LABELS)


def test_missing_text_raises_input_error():
    table = [*TEXTS[:5], None]
    with pytest.raises(lk.InputError, match="no values for 1 sample"):
        lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0).fit(table, LABELS)
    with pytest.raises(lk.InputError, match="without a value in any view"):
        lk.KernelClassifier(lk.ngrams(1), missing="neutral", method="alignf", C=1.0).fit(
            table, LABELS
        )


def test_strings_may_be_a_list_or_a_column_of_a_frame():
    frame = pd.DataFrame({"text": TEXTS})
    model = lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0).fit(list(TEXTS), LABELS)
    assert np.array_equal(model.predict(frame), model.predict(list(TEXTS)))
    assert np.array_equal(
        lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0)
        .fit(frame, LABELS)
        .predict(list(TEXTS)),
        model.predict(list(TEXTS)),
    )
    with pytest.raises(lk.InputError, match=r"table of shape \(6, 2\)"):
        model.predict(frame.assign(more=1))


@pytest.mark.parametrize("other", [np.ones((2, 1)), np.ones((2, 3)), sparse.csr_array(np.eye(2))])
def test_model_trained_on_texts_refuses_numbers(other):
    model = lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0).fit(list(TEXTS), LABELS)
    with pytest.raises(lk.InputError, match="trained on a list of strings"):
        model.predict(other)
    assert len(model.predict(np.array([["good"], ["bad"]]))) == 2


def test_nan_in_a_list_of_texts_raises_input_error():
    with pytest.raises(lk.InputError, match="no values for 1 sample"):
        lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0).fit(
            [*TEXTS[:5], float("nan")], LABELS
        )


def test_words_of_samples_with_weight_zero_are_ignored():
    model = lk.KernelClassifier(lk.ngrams(1), method="alignf", C=1.0).fit(
        TEXTS, LABELS, [1, 0, 1, 0, 1, 1]
    )
    assert "film" not in model.kernel_names_

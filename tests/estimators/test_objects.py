"""Molecules, graphs, time series and sets, through the packages that describe them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import learnkernels as lk
from learnkernels.kernels import Tanimoto

SMILES = [
    "CCO", "CCCO", "CC(C)O", "CCN", "CCCN", "CC(C)N", "c1ccccc1", "Cc1ccccc1", "Oc1ccccc1",
    "Nc1ccccc1", "CC(=O)O", "CCC(=O)O", "CC(=O)N", "c1ccncc1", "Cc1ccncc1", "C1CCCCC1",
]  # fmt: skip


def test_objects_in_place_of_numbers_raise_input_error_that_names_the_stack():
    objects = np.array([object() for _ in range(4)], dtype=object)
    with pytest.raises(lk.InputError, match=r'not numbers .* kernels="precomputed"'):
        lk.KernelClassifier().fit(objects[:, None], [0, 1, 0, 1])


def test_fingerprints_of_rdkit_have_the_similarities_of_rdkit():
    pytest.importorskip("rdkit", reason="molecules need RDKit: pip install rdkit")
    from rdkit import Chem, DataStructs
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    generator = GetMorganGenerator(radius=2, fpSize=256)
    molecules = [Chem.MolFromSmiles(text) for text in SMILES]
    X = np.array([generator.GetFingerprintAsNumPy(molecule) for molecule in molecules])
    bits = [generator.GetFingerprint(molecule) for molecule in molecules]
    expected = [DataStructs.BulkTanimotoSimilarity(one, bits) for one in bits]
    assert np.allclose(Tanimoto()(X), expected, atol=1e-15)
    y = X.sum(axis=1).astype(float)
    model = lk.KernelRegressor(lk.tanimoto(), "unif", alpha=1e-6).fit(X, y)
    assert np.allclose(model.predict(X), y, atol=1e-3)


def rings(size: int, tail: int):
    """Return a ring of atoms 0 with a tail of atoms 1, as a graph of GraKeL."""
    from grakel import Graph

    edges = [(k, (k + 1) % size) for k in range(size)]
    edges += [(size + k - 1, size + k) for k in range(tail)]
    edges += [(b, a) for a, b in edges]
    return Graph(edges, node_labels={k: int(k >= size) for k in range(size + tail)})


def test_kernels_of_grakel_predict_new_graphs_as_the_matrix_of_all_graphs_does():
    grakel = pytest.importorskip("grakel", reason="graphs need GraKeL: pip install grakel")
    graphs = [rings(size, tail) for size in range(3, 9) for tail in range(1, 6)]
    y = np.array([size for size in range(3, 9) for _ in range(1, 6)], dtype=float)
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    kernels = [
        grakel.VertexHistogram(normalize=True),
        grakel.WeisfeilerLehman(n_iter=2, normalize=True),
    ]
    stack = np.stack([k.fit_transform([graphs[i] for i in train]) for k in kernels], axis=-1)
    new = np.stack([k.transform([graphs[i] for i in test]) for k in kernels], axis=-1)
    model = lk.KernelRegressor("precomputed", "alignf", alpha=0.1).fit(stack, y[train])

    K = [k.fit_transform(graphs) for k in kernels]
    rows = np.arange(30)[:, None]  # the graph of each sample
    functions = [partial(looked_up, matrix=one) for one in K]
    again = lk.KernelRegressor(functions, "alignf", alpha=0.1).fit(rows[train], y[train])
    assert np.allclose(model.weights_, again.weights_)
    assert np.allclose(model.predict(new), again.predict(rows[test]))


def looked_up(A, B, matrix):
    return matrix[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]


def test_global_alignment_kernel_of_tslearn_separates_shifted_shapes(rng):
    metrics = pytest.importorskip("tslearn.metrics", reason="needs tslearn: pip install tslearn")
    times, y = np.linspace(0, 1, 20), np.arange(40) % 2
    shifts = rng.uniform(0.3, 0.7, 40)[:, None]
    X = np.where(y[:, None] == 1, 1, -1) * np.exp(-((times - shifts) ** 2) / 0.005)
    kernels = [partial(metrics.cdist_gak, sigma=sigma) for sigma in (0.5, 2.0)]
    model = lk.KernelClassifier(kernels, "alignf").fit(X[:30], y[:30])
    assert list(model.kernel_names_) == ["cdist_gak(sigma=0.5)", "cdist_gak(sigma=2)"]
    assert model.score(X[30:], y[30:]) == 1.0


def test_sets_in_a_pipeline_have_the_similarity_of_jaccard(rng):
    words = np.array(list("abcdefghij"))
    sets = [set(rng.choice(words, rng.integers(1, 6), replace=False)) for _ in range(40)]
    y = np.array(["a" in one or "b" in one for one in sets])
    vectorizer = CountVectorizer(analyzer=list, binary=True)
    expected = [[len(a & b) / len(a | b) for b in sets] for a in sets]
    assert np.allclose(Tanimoto()(vectorizer.fit_transform(sets)), expected)
    model = make_pipeline(vectorizer, lk.KernelClassifier(lk.tanimoto())).fit(sets[:30], y[:30])
    assert model.score(sets[30:], y[30:]) > 0.8

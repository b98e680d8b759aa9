"""Saving models to files and loading them."""

import hashlib
import json
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_selector
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import learnkernels as lk
from learnkernels.kernels import Custom, Family, Kernel
from learnkernels.kernels.base import CodedKernel
from learnkernels.kernels.exponential import Exponential, Widths
from learnkernels.kernels.wrapped import Evaluated
from learnkernels.methods import METHODS
from learnkernels.persistence import container
from learnkernels.persistence.container import ArrayWriter, packed, unpacked
from learnkernels.persistence.estimators import ESTIMATORS, METHOD
from learnkernels.persistence.kernels import FAMILY, KERNEL
from tests.persistence.examples import MODELS, fitted, outputs

N_FLIPS, N_CUTS = 300, 100
LINEAR = lk.KernelClassifier("linear", method="alignf", C=1.0)


def saved(model, folder):
    path = folder / "model.lk"
    lk.save(model, path)
    return path


def contents(path):
    """Return the document and the arrays of a file."""
    _, document, arrays = unpacked(path.read_bytes(), path)
    return document, arrays.arrays


def forged(path, document, arrays):
    """Write a file with this content and valid checksums, as an attacker would."""
    writer = ArrayWriter()
    for name, values in arrays.items():
        writer.table[name] = writer.table.pop(writer.add(values))
    path.write_bytes(packed(document, writer))
    return path


@pytest.mark.parametrize("name", MODELS)
def test_loaded_model_predicts_the_same_bits_and_its_file_names_no_class(name, tmp_path):
    model, X = fitted(name)
    path = saved(model, tmp_path)
    text = json.dumps(contents(path)[0])
    for word in ("learnkernels", "sklearn", "numpy", "builtins", "__"):
        assert word not in text
    loaded = lk.load(path)
    ours, theirs = outputs(model, X), outputs(loaded, X)
    for call in ours:
        assert ours[call].dtype == theirs[call].dtype
        assert ours[call].tobytes() == theirs[call].tobytes()
    last, again = (one[-1] if hasattr(one, "steps") else one for one in (model, loaded))
    assert vars(last).keys() == vars(again).keys()
    assert as_text(last.get_params()) == as_text(again.get_params())
    assert str(last.certificate_) == str(again.certificate_)
    if hasattr(last, "dual_coef_"):
        assert np.array_equal(last.dual_coef_, again.dual_coef_)


def as_text(params):
    return {name: repr(value) for name, value in params.items()}


def test_loaded_model_has_the_candidates_and_guarantees_of_the_saved_one(classes, tmp_path):
    model = lk.KernelClassifier().fit(*classes)
    loaded = lk.load(saved(model, tmp_path))
    assert loaded.selection_ == model.selection_
    assert str(loaded.selection_) == str(model.selection_)
    assert loaded.guarantees(*classes).to_dict() == model.guarantees(*classes).to_dict()


def test_loaded_model_of_several_targets_has_their_weights_and_scores(tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 4))
    views = [lk.on([0, 1], "gaussians", name="a"), lk.on([2, 3], lk.per_feature(), name="b")]
    model = lk.KernelRegressor(views, weights="per_target").fit(X, X[:, :3])
    loaded = lk.load(saved(model, tmp_path))
    assert np.array_equal(loaded.weights_, model.weights_)
    assert np.array_equal(loaded.alpha_, model.alpha_)
    assert loaded.selection_ == model.selection_
    scores, again = model.score_by_view(X, X[:, :3]), loaded.score_by_view(X, X[:, :3])
    assert all(np.array_equal(scores[view], again[view]) for view in ("a", "b", "mean error"))


@pytest.mark.parametrize("name", ["weights_", "alpha_"])
def test_file_with_weights_of_other_targets_raises(name, tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 4))
    model = lk.KernelRegressor("linear", weights="per_target").fit(X, X[:, :3])
    path = saved(model, tmp_path)
    document, arrays = contents(path)
    at = document["fitted"][name]["targets"]
    arrays[at] = arrays[at][:2]
    with pytest.raises(lk.errors.InputError, match="of another shape"):
        lk.load(forged(path, document, arrays))


@pytest.mark.parametrize(
    "labels",
    [["yes", "no"], np.array(["yes", "no"], object), [1, 2], [True, False], [1.0, 2.0],
     np.array([1, 2], np.int8), np.array(["a", "b"], "U9")],
    ids=str,
)  # fmt: skip
def test_labels_of_every_type_are_saved(labels, classes, tmp_path):
    X, y = classes
    y = np.asarray(labels)[(y == "yes").astype(int)]
    model = lk.KernelClassifier("linear", "unif", C=1.0).fit(X, y)
    predicted = lk.load(saved(model, tmp_path)).predict(X)
    assert predicted.dtype == model.predict(X).dtype
    assert np.array_equal(predicted, model.predict(X))


def concrete(base):
    """Return the subclasses of this library that users can make."""
    own = base.__module__.startswith("learnkernels.")
    abstract = (Family, Kernel, CodedKernel, Exponential, Widths, Evaluated, Custom)
    found = {base} if own and base not in abstract else set()
    return found.union(*map(concrete, base.__subclasses__()))


def test_every_kernel_family_method_and_estimator_has_an_entry():
    """Classes that a model may hold are in the tables; functions of users (Custom) are not."""
    known = {record.cls for record in (*KERNEL.records.values(), *FAMILY.records.values())}
    public = {one for one in concrete(Family) if one.__module__.startswith("learnkernels.")}
    assert {one.__qualname__ for one in public} == {one.__qualname__ for one in known}
    assert all(make() in METHOD for make in METHODS.values())
    for entry in ESTIMATORS.values():
        assert entry.params.keys() == entry.cls().get_params().keys()


def test_saved_svm_contains_support_vectors_only(rng, tmp_path):
    """Two well separated clusters have few support vectors."""
    n, d = 2000, 50
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) + 4 * y[:, None]
    model = lk.KernelClassifier(lk.gaussians([0.01]), method="alignf", C=1.0).fit(X, y)
    support = len(model._functions[0].coef)
    assert support < n / 4
    assert saved(model, tmp_path).stat().st_size < 8 * support * (d + 5) + 20_000


@pytest.mark.parametrize("missing", ["error", "neutral"])
def test_saved_model_contains_no_training_gram_matrices(missing, rng, tmp_path):
    n = 300
    X, y = rng.standard_normal((n, 3)), rng.integers(2, size=n)
    stack = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    for kernels, data in (("precomputed", stack), ([lk.on([0, 1, 2], "rbf")], X)):
        model = lk.KernelClassifier(kernels, missing=missing, method="alignf", C=1.0).fit(data, y)
        path = saved(model, tmp_path)
        assert max(values.size for values in contents(path)[1].values()) < 10 * n
        assert np.array_equal(lk.load(path).decision_function(data), model.decision_function(data))


def own_kernel(A, B):
    return A @ B.T


class OwnClassifier(lk.KernelClassifier):
    """An estimator of a user."""


def with_attribute(model):
    model.note = "mine"
    return model


FOREIGN = {
    "function": lk.KernelClassifier([own_kernel], "alignf", C=1.0),
    "selector": lk.KernelClassifier(lk.on(lambda X: [0], "linear"), "alignf", C=1.0),
    "pattern": lk.KernelClassifier(lk.on(make_column_selector("a"), "linear"), "alignf", C=1.0),
    "estimator": OwnClassifier("linear", "alignf", C=1.0),
    "step": make_pipeline(MinMaxScaler(), LINEAR),
    "search": GridSearchCV(LINEAR, {"C": [1.0]}, cv=2),
    "attribute": with_attribute(lk.KernelClassifier("linear", "alignf", C=1.0)),
    "generator": lk.KernelClassifier(
        "linear", "alignf", C=1.0, random_state=np.random.RandomState(0)
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_objects_that_save_does_not_write_raise_input_error_with_an_alternative(
    name, classes, tmp_path
):
    X, y = classes
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = FOREIGN[name].fit(frame, y)
    with pytest.raises(lk.InputError, match=r"cannot be saved: .*(skops|columns|whole number)"):
        lk.save(model, tmp_path / "model.lk")
    assert not list(tmp_path.iterdir())


def test_saving_an_unfitted_estimator_raises_input_error(tmp_path):
    with pytest.raises(lk.InputError, match="not fitted"):
        lk.save(lk.KernelClassifier(), tmp_path / "model.lk")


EXTERNAL = {
    "address": (LINEAR, {"backend": "tcp://example.org:8786"}),
    "cluster": (LINEAR, {"backend": "dask"}),
    "cluster object": (LINEAR, {"backend": lk.Dask("tcp://example.org:8786")}),
    "checkpoint": (lk.KernelLearner("linear", "alignf"), {"checkpoint": "file"}),
    "folder of pickles": (make_pipeline(StandardScaler(), LINEAR), {"memory": "cache"}),
}


@pytest.mark.parametrize("name", EXTERNAL)
def test_parameters_that_refer_to_external_resources_are_not_saved(name, classes, tmp_path):
    """Otherwise the author of a file could choose hosts to contact and files to read."""
    model, params = EXTERNAL[name]
    model.fit(*classes).set_params(**params)
    try:
        with pytest.raises(lk.InputError, match=r"set .* to None with set_params"):
            lk.save(model, tmp_path / "model.lk")
    finally:
        model.set_params(**dict.fromkeys(params))


@pytest.mark.parametrize("value", ["tcp://example.org:8786", "dask", {"dask": "tcp://a:1"}, 5])
def test_file_with_another_backend_is_refused(value, classes, tmp_path):
    path = saved(LINEAR.fit(*classes), tmp_path)
    document, arrays = contents(path)
    document["params"]["backend"] = value
    with pytest.raises(lk.InputError, match="backend"):
        lk.load(forged(path, document, arrays))


def test_thread_backends_are_saved_and_loaded(classes, tmp_path):
    for backend in ("threads", lk.Threads(2)):
        model = lk.KernelClassifier("linear", backend=backend, method="alignf", C=1.0).fit(*classes)
        assert lk.load(saved(model, tmp_path)).backend == backend


def test_loading_a_non_model_file_raises_input_error(tmp_path):
    for content in (b"", b"not a model", b"x" * 1000):
        (tmp_path / "noise").write_bytes(content)
        with pytest.raises(lk.InputError, match="not a model file of learnkernels"):
            lk.load(tmp_path / "noise")
    with pytest.raises(lk.InputError, match="cannot read"):
        lk.load(tmp_path / "missing")


def test_saving_into_a_missing_folder_raises_input_error(classes, tmp_path):
    with pytest.raises(lk.InputError, match=r"cannot write .*folder does not exist"):
        lk.save(LINEAR.fit(*classes), tmp_path / "missing" / "model.lk")


def test_saving_over_a_folder_raises_input_error_and_leaves_no_file(classes, tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(LINEAR.fit(*classes), tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_altered_or_truncated_files_are_refused(rng, tmp_path):
    """Flip N_FLIPS random bits, truncate at N_CUTS random lengths, and append or remove bytes."""
    path = saved(fitted("list of C")[0], tmp_path)
    content = path.read_bytes()
    for bit in rng.integers(8 * len(content), size=N_FLIPS):
        altered = bytearray(content)
        altered[bit // 8] ^= 1 << (bit % 8)
        refuse(path, altered)
    for length in rng.integers(len(content), size=N_CUTS):
        refuse(path, content[:length])
    refuse(path, content + b"\0")
    refuse(path, content + content)
    refuse(path, content[1:])


def refuse(path, content):
    path.write_bytes(content)
    with pytest.raises(lk.InputError, match=r"damaged|not a model file"):
        lk.load(path)


@pytest.mark.parametrize(("number", "advice"), [(4, "newer version"), (2, "again"), (0, "again")])
def test_file_of_another_format_is_refused(number, advice, classes, tmp_path, monkeypatch):
    with monkeypatch.context() as other:
        other.setattr(container, "FORMAT", number)
        path = saved(LINEAR.fit(*classes), tmp_path)
    with pytest.raises(lk.InputError, match=f"has format {number}; .*{advice}"):
        lk.load(path)


def test_file_of_version_0_1_is_refused_with_the_reason():
    with pytest.raises(lk.InputError, match=r"learnkernels 0\.1 .* older format.* fit the model"):
        lk.load(Path(__file__).with_name("model-format-1.skops"))


def sealed(document):
    """Return a file with any document, and no arrays."""
    writer = ArrayWriter()
    return packed(document, writer)


NESTED = b"[" * 100_000 + b"]" * 100_000
MALFORMED = {
    "list": b"[]",
    "empty": b"{}",
    "noise": b"nonsense",
    "nested": NESTED,
    "nan": b'{"learnkernels":"1","model":NaN,"arrays":{}}',
    "escape codes": b'{"learnkernels":"1\\u001b[2J","model":{},"arrays":{}}',
    "keys": b'{"learnkernels":"1","model":{},"model":{},"arrays":{}}',
    "digits": b'{"learnkernels":"1","model":' + b"9" * 5000 + b',"arrays":{}}',
    "not UTF-8": b'{"\xff',
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_document_raises_input_error(name, tmp_path):
    text = MALFORMED[name].ljust(-(-len(MALFORMED[name]) // 8) * 8)
    body = container.MAGIC + container.LENGTHS.pack(container.FORMAT, len(text)) + text
    path = tmp_path / "model.lk"
    path.write_bytes(body + hashlib.sha256(body).digest())
    with pytest.raises(lk.InputError, match="not a valid model") as error:
        lk.load(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "entry",
    [{"dtype": "O"}, {"dtype": "V8"}, {"dtype": [["a", "O"]]}, {"shape": [10**12]},
     {"shape": [2**40, 2**40, 0]}, {"shape": [-1]}, {"shape": [1.0]}, {"shape": [1] * 40},
     {"shape": []}, {"order": "A"}, {"crc32": 1}, {"more": 1}],
    ids=str,
)  # fmt: skip
def test_arrays_of_other_types_and_shapes_are_refused(entry, classes, tmp_path):
    """Dtypes are names of numbers in a short list, so that bytes never become pointers."""
    path = saved(LINEAR.fit(*classes), tmp_path)
    document, arrays = contents(path)
    writer = ArrayWriter()
    for name, values in arrays.items():
        writer.table[name] = writer.table.pop(writer.add(values))
    first = next(iter(writer.table))
    writer.table[first] = writer.table[first] | entry
    path.write_bytes(packed(document, writer))
    with pytest.raises(lk.InputError, match="not a valid model"):
        lk.load(path)


def test_loading_takes_memory_in_proportion_to_the_file(tmp_path):
    """Documents of empty lists need the most memory for their size."""
    path = tmp_path / "model.lk"
    path.write_bytes(sealed([[] for _ in range(300_000)]))
    tracemalloc.start()
    with pytest.raises(lk.InputError, match="not a valid model"):
        lk.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (container.BYTES_OF_DOCUMENT + 3) * path.stat().st_size


def test_file_that_needs_more_memory_than_is_free_is_refused(classes, tmp_path, monkeypatch):
    path = saved(LINEAR.fit(*classes), tmp_path)
    monkeypatch.setattr("learnkernels.execution.memory.available_memory", lambda: 1e5)
    with pytest.raises(lk.InputError, match=r"loaded, would take .* are free"):
        lk.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_loading_a_pipe_folder_or_device_raises_input_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(lk.InputError, match="is not a file"):
            lk.load(path)


def test_saving_a_non_estimator_raises_input_error(tmp_path):
    with pytest.raises(lk.InputError, match="got int; expected a fitted estimator"):
        lk.save(5, tmp_path / "model.lk")


def test_concurrent_saves_to_one_path_leave_one_complete_model(classes, tmp_path):
    X, y = classes
    models = [
        lk.KernelClassifier("linear", C=C, method="alignf").fit(X, y)
        for C in (0.1, 1.0, 10.0, 100.0)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda model: lk.save(model, tmp_path / "model.lk"), models * 3))
    loaded = lk.load(tmp_path / "model.lk")
    outputs = [model.decision_function(X).tobytes() for model in models]
    assert loaded.decision_function(X).tobytes() in outputs
    assert [path.name for path in tmp_path.iterdir()] == ["model.lk"]


def test_sparse_indices_out_of_bounds_are_refused(classes, tmp_path):
    X, y = classes
    path = saved(LINEAR.fit(sparse.csr_array(X), y), tmp_path)
    document, arrays = contents(path)
    A = document["fitted"]["_functions"][0]["combined"]["kernels"]["samples"][0]["A"]
    arrays[A["indices"]][:] = 2**31 - 5
    with pytest.raises(lk.InputError, match="not a sparse matrix"):
        lk.load(forged(path, document, arrays))


@pytest.mark.parametrize("scale", [1e-70, 1e60])
def test_models_of_very_large_and_small_numbers_are_saved(scale, tmp_path):
    X = scale * np.random.default_rng(0).standard_normal((40, 3))
    for kernels in ("linear", lk.per_feature(), lk.on([0, 1], "linear"), None):
        model = lk.KernelLearner(kernels, "unif").fit(X, X[:, 0] > 0)
        assert np.array_equal(lk.load(saved(model, tmp_path)).transform(X), model.transform(X))

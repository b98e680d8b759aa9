"""Saving models to files and loading them."""

import json
import os
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import learnkernels as lk
from learnkernels.gram.factors.combination import CombinedFactors
from learnkernels.gram.tiles.kernels import TileKernels
from learnkernels.gram.tiles.passes import CombinedTiles, TileFunction
from learnkernels.persistence import container, models
from learnkernels.persistence.allowed_types import objects_in
from learnkernels.persistence.container import with_header

TABLES = {
    "rows": lambda X: X,
    "single precision": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcde")),
    "texts": lambda X: np.array([" ".join("abcdefgh"[int(v) % 8] for v in 9 * row) for row in X]),
    "sequences": lambda X: np.array(["".join("acgt"[int(v) % 4] for v in 9 * row) for row in X]),
}
N_FLIPS, N_CUTS = 1000, 200
MODELS = {
    "default classifier": (lk.KernelClassifier(), "rows"),
    "default regressor": (lk.KernelRegressor(), "frame"),
    "default learner": (lk.KernelLearner(), "rows"),
    "learned metric": (
        lk.KernelRegressor(lk.table() + lk.learned_metric(lk.gaussians(), 2), "loo"),
        "rows",
    ),
    "linear map": (
        lk.KernelClassifier(lk.learned_metric(lk.gaussians(), full=True), "unif", C=1.0),
        "rows",
    ),
    "list of C": (
        lk.KernelClassifier(C=[1, 10], kernels=["gaussians", "linear"], method="alignf"),
        "rows",
    ),
    "probabilities of three classes": (
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        "rows",
    ),
    "wrapped kernels": (
        lk.KernelClassifier(
            ["linear", "rbf", RBF(1.0)], normalize="cosine", method="alignf", C=1.0
        ),
        "rows",
    ),
    "pipeline": (
        make_pipeline(
            StandardScaler(),
            lk.KernelRegressor(
                method=lk.methods.Align(q=3), kernels=["gaussians", "linear"], alpha=1.0
            ),
        ),
        "rows",
    ),
    "search": (
        GridSearchCV(
            lk.KernelRegressor(kernels=["gaussians", "linear"], method="alignf", alpha=1.0),
            {"alpha": [0.1, 1.0]},
            cv=2,
        ),
        "rows",
    ),
    "learner": (lk.KernelLearner(kernels=["gaussians", "linear"], method="alignf"), "rows"),
    "alignment predictor": (
        lk.KernelClassifier(method="align-single", kernels=["gaussians", "linear"], C=1.0),
        "rows",
    ),
    "many kernels": (
        lk.KernelClassifier(method="l1-svm", kernels=["gaussians", "linear"], C=1.0),
        "rows",
    ),
    "a machine for each kernel": (
        lk.KernelRegressor(method="ensemble", kernels=["gaussians", "linear"], alpha=1.0),
        "rows",
    ),
    "conjugate gradients": (
        lk.KernelRegressor(
            max_memory=1e4, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ),
        "rows",
    ),
    "landmarks": (
        lk.KernelRegressor(
            n_components=20, kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ),
        "rows",
    ),
    "threads": (
        lk.KernelRegressor(
            backend=lk.Threads(1), kernels=["gaussians", "linear"], method="alignf", alpha=1.0
        ),
        "rows",
    ),
    "single precision": (
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        "single precision",
    ),
    "factors": (lk.KernelClassifier(lk.per_feature(), method="alignf", C=1.0), "rows"),
    "random features": (
        lk.KernelRegressor([lk.low_rank(lk.gaussians(), 10)], method="alignf", alpha=1.0),
        "rows",
    ),
    "sparse": (
        lk.KernelClassifier(kernels=["gaussians", "linear"], method="alignf", C=1.0),
        "sparse",
    ),
    "views": (
        lk.KernelClassifier(
            [lk.on(["a", "b"], "gaussians"), lk.on(["c"], "linear")], method="alignf", C=1.0
        ),
        "frame",
    ),
    "texts": (lk.KernelClassifier(lk.ngrams(2, analyzer="char"), method="alignf", C=1.0), "texts"),
    "k-mers": (
        lk.KernelClassifier([lk.spectrum(2), lk.spectrum(3)], method="alignf", C=1.0),
        "sequences",
    ),
}


def saved(model, folder):
    path = folder / "model.skops"
    lk.save(model, path)
    return path


@pytest.mark.parametrize(("model", "table"), MODELS.values(), ids=MODELS)
def test_loaded_model_predicts_the_same_bits(model, table, classes, tmp_path):
    X, y = classes
    y = (y == "yes").astype(float) + (X[:, 2] > 1)
    X = TABLES[table](X)
    model.fit(X, y)
    loaded = lk.load(saved(model, tmp_path))
    for call in ("transform", "predict", "decision_function"):
        if hasattr(model, call):
            ours, theirs = getattr(model, call)(X), getattr(loaded, call)(X)
            assert ours.dtype == theirs.dtype
            assert ours.tobytes() == theirs.tobytes()
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    assert fitted.keys() <= vars(loaded).keys()
    assert json.dumps(as_text(loaded.get_params())) == json.dumps(as_text(model.get_params()))


def test_loaded_model_has_the_candidates_of_the_saved_one(classes, tmp_path):
    model = lk.KernelClassifier().fit(*classes)
    loaded = lk.load(saved(model, tmp_path))
    assert loaded.selection_ == model.selection_
    assert str(loaded.selection_) == str(model.selection_)
    assert loaded.guarantees(*classes).to_dict() == model.guarantees(*classes).to_dict()


def as_text(params):
    return {name: repr(value) for name, value in params.items()}


def test_saved_svm_contains_support_vectors_only(rng, tmp_path):
    """Two well separated clusters have few support vectors."""
    n, d = 2000, 50
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) + 4 * y[:, None]
    model = lk.KernelClassifier(lk.gaussians([0.01]), method="alignf", C=1.0).fit(X, y)
    support = max(
        len(p) for p in objects_in(model._functions) if isinstance(p, np.ndarray) and p.ndim == 2
    )
    assert support < n / 4
    size = saved(model, tmp_path).stat().st_size
    assert size < 8 * support * d + 20_000


def test_saving_a_user_function_raises_input_error(classes, tmp_path):
    def own(A, B):
        return A @ B.T

    with pytest.raises(lk.InputError, match="cannot be saved safely"):
        lk.save(
            lk.KernelClassifier([own], method="alignf", C=1.0).fit(*classes),
            tmp_path / "model.skops",
        )
    assert not list(tmp_path.iterdir())


def test_loading_a_non_model_file_raises_input_error(tmp_path):
    for content in (b"", b"not a model", b"x" * 1000):
        (tmp_path / "noise").write_bytes(content)
        with pytest.raises(lk.InputError, match="not a model file of learnkernels, which is a ZIP"):
            lk.load(tmp_path / "noise")
    with pytest.raises(lk.InputError, match="cannot read"):
        lk.load(tmp_path / "missing")


def test_saving_into_a_missing_folder_raises_input_error(classes, tmp_path):
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "missing" / "model.skops")


def test_saving_over_a_folder_raises_input_error_and_leaves_no_file(classes, tmp_path):
    (tmp_path / "taken").mkdir()
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_altered_or_truncated_files_are_refused(classes, rng, tmp_path):
    """Flip N_FLIPS random bits, truncate at N_CUTS random lengths, and append or remove bytes."""
    path = saved(
        lk.KernelClassifier(C=[1, 10], kernels=["gaussians", "linear"], method="alignf").fit(
            *classes
        ),
        tmp_path,
    )
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


def test_file_of_a_later_format_is_refused(classes, tmp_path, monkeypatch):
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(*classes)
    with monkeypatch.context() as future:
        future.setattr(container, "FORMAT", 7)
        future.setattr(container, "__version__", "7.0")
        path = saved(model, tmp_path)
    with pytest.raises(lk.InputError, match=r"7\.0 in format 7; .* newer version"):
        lk.load(path)


def forged(path, **members):
    """Replace members of a model file and write a valid checksum, as an attacker would."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()} | members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    path.write_bytes(with_header(path.read_bytes()))


def test_file_with_foreign_types_is_refused_by_type_name(tmp_path):
    """Only types that models of this library contain are accepted, so a file cannot call code."""
    path = tmp_path / "model.skops"
    path.write_bytes(with_header(skops.io.dumps(FunctionTransformer(np.testing.assert_equal))))
    with pytest.raises(lk.InputError, match="assert_equal"):
        lk.load(path)


def test_schema_that_calls_a_function_is_refused(classes, tmp_path):
    path = saved(lk.KernelClassifier("linear", method="alignf", C=1.0).fit(*classes), tmp_path)
    call = {
        "__class__": "system", "__module__": "os", "__loader__": "ConstructorFromReduceNode",
        "content": {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode",
                    "content": [], "__id__": 2},
        "__id__": 1, "protocol": skops.io._protocol.PROTOCOL,
    }  # fmt: skip
    forged(path, **{"schema.json": json.dumps(call).encode()})
    with pytest.raises(lk.InputError, match=r"os\.system"):
        lk.load(path)


@pytest.mark.parametrize("schema", [b"[]", b"{}", b"nonsense", b'{"protocol": 99}', b"[" * 100_000])
def test_malformed_schema_raises_input_error(schema, classes, tmp_path):
    path = saved(lk.KernelClassifier("linear", method="alignf", C=1.0).fit(*classes), tmp_path)
    forged(path, **{"schema.json": schema})
    with pytest.raises(lk.InputError, match=r"cannot be read by learnkernels|damaged"):
        lk.load(path)


def saved_without_checks(model, path, monkeypatch):
    """Save a model without the checks of `save`, as an attacker's program would."""
    with monkeypatch.context() as forger:
        forger.setattr(models, "external_resource", lambda model: "")
        forger.setattr(models, "untrusted_types", lambda types: [])
        lk.save(model, path)


def with_backend(model, backend):
    model[-1].set_params(backend=backend)


EXTERNAL_RESOURCES = {
    "address": lambda model: with_backend(model, "tcp://example.org:8786"),
    "cluster": lambda model: with_backend(model, "dask"),
    "cluster object": lambda model: with_backend(model, lk.Dask("tcp://example.org:8786")),
    "folder of pickles": lambda model: model.set_params(memory="cache"),
    "checkpoint": lambda model: model.steps.append(
        ("a", lk.KernelLearner(checkpoint="file", kernels=["gaussians", "linear"], method="alignf"))
    ),
    "files": lambda model: model.steps.insert(0, ("a", CountVectorizer(input="filename"))),
    "in an array": lambda model: model.steps.insert(
        0,
        (
            "a",
            FunctionTransformer(
                kw_args={
                    "a": np.array(
                        [
                            lk.KernelLearner(
                                checkpoint="a", kernels=["gaussians", "linear"], method="alignf"
                            )
                        ]
                    )
                }
            ),
        ),
    ),
}


@pytest.mark.parametrize("change", EXTERNAL_RESOURCES.values(), ids=EXTERNAL_RESOURCES)
def test_parameters_that_refer_to_external_resources_are_neither_saved_nor_loaded(
    change, classes, tmp_path, monkeypatch
):
    """Otherwise the author of a file could choose hosts to contact and files to read."""
    model = make_pipeline(
        StandardScaler(), lk.KernelClassifier("linear", method="alignf", C=1.0)
    ).fit(*classes)
    change(model)
    with pytest.raises(lk.InputError, match=r"external resources.*set it to None"):
        lk.save(model, tmp_path / "model.skops")
    saved_without_checks(model, tmp_path / "model.skops", monkeypatch)
    with pytest.raises(lk.InputError, match=r"external resources|Dask"):
        lk.load(tmp_path / "model.skops")


def test_thread_backends_are_saved_and_loaded(classes, tmp_path):
    for backend in ("threads", lk.Threads(2)):
        model = lk.KernelClassifier("linear", backend=backend, method="alignf", C=1.0).fit(*classes)
        assert lk.load(saved(model, tmp_path)).backend == backend


def first(model, kind):
    return next(part for part in objects_in(model) if isinstance(part, kind))


def samples_of(model):
    return first(model, TileKernels).right[0]


def forge(part, **values):
    part.__dict__.update(values)


GAUSSIANS = lk.gaussians([0.1, 0.2])
FORGERIES = {
    "norms": lambda model: forge(samples_of(model), squared=samples_of(model).squared[:1]),
    "raw terms": lambda model: forge(samples_of(model), raw=samples_of(model).raw[:1]),
    "columns": lambda model: forge(samples_of(model), A=samples_of(model).A[:, :1]),
    "rows": lambda model: forge(samples_of(model), A=samples_of(model).A[:1]),
    "coefficients": lambda model: forge(first(model, TileFunction), coef=np.ones((1, 1))),
    "means": lambda model: forge(first(model, CombinedTiles), means=np.zeros(1)),
    "weights": lambda model: forge(first(model, CombinedTiles), factors=np.ones(1)),
    "type of weights": lambda model: forge(first(model, CombinedTiles), factors=[1.0, 1.0]),
    "number of samples": lambda model: forge(first(model, TileKernels), shape=(10**6, 10**6)),
    "no groups": lambda model: forge(first(model, TileKernels), groups=(), left=(), right=()),
    "fewer kernels": lambda model: forge(
        first(model, TileKernels).groups[0], kernels=first(model, TileKernels).kernels[:1]
    ),
    "codes": lambda model: forge(
        first(model, TileKernels).groups[0], codes=np.array([10**12, 10**12])
    ),
    "kernel to square": lambda model: forge(
        first(model, TileKernels).groups[0], earlier=np.array([0, 10**12])
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_arrays_of_inconsistent_shapes_are_refused(forgery, classes, tmp_path):
    """Compiled code would read out of bounds."""
    model = lk.KernelClassifier(GAUSSIANS, "unif", C=1.0).fit(*classes)
    forgery(model)
    with pytest.raises(lk.InputError, match="do not fit together"):
        lk.load(saved(model, tmp_path))


def test_forged_scales_are_refused(classes, tmp_path):
    model = lk.KernelClassifier(GAUSSIANS, "unif", normalize="cosine", C=1.0).fit(*classes)
    forge(first(model, TileKernels), right_scale=np.ones((2, 1)))
    with pytest.raises(lk.InputError, match="scales"):
        lk.load(saved(model, tmp_path))


def test_forged_sequences_are_refused(classes, tmp_path):
    X, y = classes
    model = lk.KernelClassifier(lk.weighted_degree(3), method="alignf", C=1.0).fit(
        TABLES["sequences"](X), y
    )
    planes = samples_of(model).planes
    for forged_planes in (planes[:1], planes[:, :0], planes[:, :, :1], planes.astype(float)):
        forge(samples_of(model), planes=forged_planes)
        with pytest.raises(lk.InputError, match=r"sequences|samples"):
            lk.load(saved(model, tmp_path))


def test_forged_samples_of_a_view_with_missing_values_are_refused(classes, tmp_path):
    X, y = classes
    X = X.copy()
    X[:5, :2] = np.nan
    kernels = [lk.on([0, 1], GAUSSIANS), lk.on([2, 3, 4], GAUSSIANS)]
    model = lk.KernelClassifier(kernels, "unif", missing="neutral", C=1.0).fit(X, y)
    for name in ("inner", "anchors"):
        loaded = lk.load(saved(model, tmp_path))
        group, samples = first(loaded, TileKernels).groups[0], samples_of(loaded)
        forged_samples = samples.inner if name == "inner" else group.anchors
        forge(forged_samples, raw=np.zeros(1))
        with pytest.raises(lk.InputError, match="do not fit together"):
            lk.load(saved(loaded, tmp_path))


def test_forged_factors_are_refused(classes, tmp_path):
    X, y = classes
    model = lk.KernelLearner(lk.per_feature(), method="alignf").fit(X, y)
    forge(first(model, CombinedFactors).factors[0], c=np.zeros(1))
    with pytest.raises(lk.InputError, match="columns of the factors"):
        lk.load(saved(model, tmp_path))
    model = lk.KernelClassifier(lk.per_feature(), method="alignf", C=1.0).fit(X, y)
    forge(model._functions[0], means=(np.zeros(1),))
    with pytest.raises(lk.InputError, match="means and columns"):
        lk.load(saved(model, tmp_path))


def test_sparse_indices_out_of_bounds_are_refused(classes, tmp_path):
    X, y = classes
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(sparse.csr_array(X), y)
    matrix = next(part for part in objects_in(model) if sparse.issparse(part))
    matrix.indices[:] = 2**31 - 5
    with pytest.raises(lk.InputError, match="cannot be read"):
        lk.load(saved(model, tmp_path))


def test_cached_attributes_of_a_file_are_not_used(classes, tmp_path):
    """A forged matrix of the cache could make compiled code read out of bounds."""
    X, y = classes
    model = lk.KernelLearner(lk.per_feature(), method="alignf").fit(sparse.csr_array(X), y)
    expected = model.transform(X)
    factor = first(model, CombinedFactors).factors[0]
    forge(factor, _by_columns=factor.by_columns[:, :1])
    assert np.array_equal(lk.load(saved(model, tmp_path)).transform(X), expected)


@pytest.mark.parametrize("missing", ["error", "neutral"])
def test_saved_model_contains_no_training_gram_matrices(missing, rng, tmp_path):
    n = 300
    X, y = rng.standard_normal((n, 3)), rng.integers(2, size=n)
    stack = np.stack([X @ X.T, (X @ X.T + 1) ** 2], axis=-1)
    for kernels, data in (("precomputed", stack), ([lk.on([0, 1, 2], RBF(1.0))], X)):
        model = lk.KernelClassifier(kernels, missing=missing, method="alignf", C=1.0).fit(data, y)
        sizes = [part.size for part in objects_in(model) if isinstance(part, np.ndarray)]
        assert max(sizes) < 10 * n
        loaded = lk.load(saved(model, tmp_path))
        assert np.array_equal(loaded.decision_function(data), model.decision_function(data))


def test_saved_svm_contains_support_vectors_only_without_missing_samples(rng, tmp_path):
    n, d = 1000, 50
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) + 4 * y[:, None]
    kernels = [lk.on(list(range(d)), lk.gaussians([0.01]))]
    model = lk.KernelClassifier(kernels, missing="neutral", method="alignf", C=1.0).fit(X, y)
    sizes = [len(part) for part in objects_in(model) if getattr(part, "ndim", 0) == 2]
    assert max(sizes) < n / 2
    new = np.where(rng.random((20, 1)) < 0.5, np.nan, X[:20])
    loaded = lk.load(saved(model, tmp_path))
    assert np.array_equal(loaded.decision_function(new), model.decision_function(new))


def test_decompression_bombs_are_refused_before_unpacking(classes, tmp_path, monkeypatch):
    X, y = classes
    model = lk.KernelClassifier("linear", method="alignf", C=1.0).fit(X, y)
    model.zeros = np.zeros(10**6)
    flat = saved(model, tmp_path).read_bytes()
    model.zeros = [model.zeros] * 3
    repeated = saved(model, tmp_path).read_bytes()
    model.zeros = sparse.csr_array(np.zeros((10**6, 1)))  # an archive in the archive
    nested = saved(model, tmp_path).read_bytes()
    path = tmp_path / "bomb"
    for content, free in ((flat, 1e7), (repeated, 3e7), (nested, 6e6)):
        path.write_bytes(content)
        assert len(content) < 10**5
        lk.load(path)
        with monkeypatch.context() as small:
            small.setattr("learnkernels.execution.memory.available_memory", lambda free=free: free)
            with pytest.raises(lk.InputError, match=r"unpacked, would take .* MB are free"):
                lk.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_loading_a_pipe_folder_or_device_raises_input_error(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(lk.InputError, match="is not a file"):
            lk.load(path)


def test_saving_a_non_estimator_raises_input_error(tmp_path):
    with pytest.raises(lk.InputError, match="got int; expected a fitted estimator"):
        lk.save(5, tmp_path / "model.skops")


def test_concurrent_saves_to_one_path_leave_one_complete_model(classes, tmp_path):
    X, y = classes
    models = [
        lk.KernelClassifier("linear", C=C, method="alignf").fit(X, y)
        for C in (0.1, 1.0, 10.0, 100.0)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda model: lk.save(model, tmp_path / "model.skops"), models * 3))
    loaded = lk.load(tmp_path / "model.skops")
    outputs = [model.decision_function(X).tobytes() for model in models]
    assert loaded.decision_function(X).tobytes() in outputs
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]


def test_file_of_an_earlier_format_is_refused():
    """Written by 0.1.0, whose classes no longer exist."""
    message = r"by learnkernels 0\.1\.0 in format 1; .* fit the model again"
    with pytest.raises(lk.InputError, match=message):
        lk.load(Path(__file__).with_name("model-format-1.skops"))

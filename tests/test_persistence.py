"""Models as files."""

import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import learnkernels as lk
from learnkernels import persistence
from learnkernels.persistence import parts_of, sealed

TABLES = {
    "rows": lambda X: X,
    "single precision": lambda X: X.astype(np.float32),
    "sparse": sparse.csr_array,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcde")),
    "texts": lambda X: np.array([" ".join("abcdefgh"[int(v) % 8] for v in 9 * row) for row in X]),
    "sequences": lambda X: np.array(["".join("acgt"[int(v) % 4] for v in 9 * row) for row in X]),
}
MODELS = {
    "list of C": (lk.KernelClassifier(C=[1, 10]), "rows"),
    "probabilities of three classes": (lk.KernelClassifier(), "rows"),
    "wrapped kernels": (
        lk.KernelClassifier(["linear", "rbf", RBF(1.0)], normalize="cosine"),
        "rows",
    ),
    "pipeline": (
        make_pipeline(StandardScaler(), lk.KernelRegressor(method=lk.methods.Align(q=3))),
        "rows",
    ),
    "search": (GridSearchCV(lk.KernelRegressor(), {"alpha": [0.1, 1.0]}, cv=2), "rows"),
    "learner": (lk.KernelLearner(), "rows"),
    "alignment predictor": (lk.KernelClassifier(method="align-single"), "rows"),
    "many kernels": (lk.KernelClassifier(method="l1-svm"), "rows"),
    "a machine for each kernel": (lk.KernelRegressor(method="ensemble"), "rows"),
    "conjugate gradients": (lk.KernelRegressor(max_memory=1e4), "rows"),
    "landmarks": (lk.KernelRegressor(n_components=20), "rows"),
    "threads": (lk.KernelRegressor(backend=lk.Threads(1)), "rows"),
    "single precision": (lk.KernelClassifier(), "single precision"),
    "factors": (lk.KernelClassifier(lk.per_feature()), "rows"),
    "random features": (lk.KernelRegressor([lk.low_rank(lk.gaussians(), 10)]), "rows"),
    "sparse": (lk.KernelClassifier(), "sparse"),
    "views": (
        lk.KernelClassifier([lk.on(["a", "b"], "gaussians"), lk.on(["c"], "linear")]),
        "frame",
    ),
    "texts": (lk.KernelClassifier(lk.ngrams(2, analyzer="char")), "texts"),
    "k-mers": (lk.KernelClassifier([lk.spectrum(2), lk.spectrum(3)]), "sequences"),
}


def saved(model, folder):
    path = folder / "model.skops"
    lk.save(model, path)
    return path


@pytest.mark.parametrize(("model", "table"), MODELS.values(), ids=MODELS)
def test_round_trip_is_exact(model, table, classes, tmp_path):
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
    assert json.dumps(skops_free(loaded.get_params())) == json.dumps(skops_free(model.get_params()))


def skops_free(params):
    return {name: repr(value) for name, value in params.items()}


def test_a_support_vector_machine_keeps_its_support_only(rng, tmp_path):
    """Of two well separated clouds a few samples matter, however many there are."""
    n, d = 2000, 50
    y = np.arange(n) % 2
    X = rng.standard_normal((n, d)) + 4 * y[:, None]
    model = lk.KernelClassifier(lk.gaussians([0.01])).fit(X, y)
    (part,) = model._predictor.parts
    support = max(len(p) for p in parts_of(part) if isinstance(p, np.ndarray) and p.ndim == 2)
    assert support < n / 4
    size = saved(model, tmp_path).stat().st_size
    assert size < 8 * support * d + 20_000


def test_functions_of_the_user_are_refused(classes, tmp_path):
    def own(A, B):
        return A @ B.T

    with pytest.raises(lk.InputError, match="cannot be saved safely"):
        lk.save(lk.KernelClassifier([own]).fit(*classes), tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_models_are_refused(tmp_path):
    for content in (b"", b"not a model", b"x" * 1000):
        (tmp_path / "noise").write_bytes(content)
        with pytest.raises(lk.InputError, match="damaged"):
            lk.load(tmp_path / "noise")
    with pytest.raises(lk.InputError, match="cannot read"):
        lk.load(tmp_path / "nowhere")


def test_a_folder_that_is_not_there_is_a_sentence(classes, tmp_path):
    model = lk.KernelClassifier("linear").fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "nowhere" / "model.skops")


def test_saving_over_a_folder_is_a_sentence_and_leaves_nothing(classes, tmp_path):
    (tmp_path / "taken").mkdir()
    model = lk.KernelClassifier("linear").fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_every_altered_or_cut_off_file_is_refused(classes, rng, tmp_path):
    """1,000 flips of a bit anywhere, 200 cuts, and files that were made longer."""
    path = saved(lk.KernelClassifier(C=[1, 10]).fit(*classes), tmp_path)
    content = path.read_bytes()
    for place in rng.integers(8 * len(content), size=1000):
        altered = bytearray(content)
        altered[place // 8] ^= 1 << (place % 8)
        refuse(path, altered)
    for length in rng.integers(len(content), size=200):
        refuse(path, content[:length])
    refuse(path, content + b"\0")
    refuse(path, content + content)
    refuse(path, content[1:])


def refuse(path, content):
    path.write_bytes(content)
    with pytest.raises(lk.InputError, match="damaged"):
        lk.load(path)


def test_a_file_of_the_future_asks_for_a_newer_version(classes, tmp_path, monkeypatch):
    model = lk.KernelClassifier("linear").fit(*classes)
    with monkeypatch.context() as future:
        future.setattr(persistence, "FORMAT", 2)
        future.setattr(persistence, "__version__", "7.0")
        path = saved(model, tmp_path)
    with pytest.raises(lk.InputError, match=r"by learnkernels 7\.0 in format 2; .* newer version"):
        lk.load(path)


def forged(path, **members):
    """A file with other members, sealed as a forger would."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()} | members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    path.write_bytes(sealed(path.read_bytes()))


def test_types_that_are_none_of_ours_are_refused_by_name(tmp_path):
    """A file may not smuggle in calls: only data of types that our models hold is accepted."""
    path = tmp_path / "model.skops"
    path.write_bytes(sealed(skops.io.dumps(FunctionTransformer(np.testing.assert_equal))))
    with pytest.raises(lk.InputError, match=r"assert_equal.*which a model of .* does not"):
        lk.load(path)


def test_a_schema_that_names_a_call_is_refused(classes, tmp_path):
    path = saved(lk.KernelClassifier("linear").fit(*classes), tmp_path)
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
def test_a_schema_that_is_none_is_a_sentence(schema, classes, tmp_path):
    path = saved(lk.KernelClassifier("linear").fit(*classes), tmp_path)
    forged(path, **{"schema.json": schema})
    with pytest.raises(lk.InputError, match="cannot be read by learnkernels"):
        lk.load(path)


@pytest.mark.parametrize("backend", ["tcp://somebody:8786", "dask", lk.Dask("tcp://somebody:8786")])
def test_a_cluster_is_neither_saved_nor_taken_from_a_file(backend, classes, tmp_path, monkeypatch):
    """Else whoever wrote the file would choose whom `predict` talks to."""
    model = make_pipeline(StandardScaler(), lk.KernelClassifier("linear")).fit(*classes)
    model[-1].set_params(backend=backend)
    with pytest.raises(lk.InputError, match=r"set_params\(backend=None\)"):
        lk.save(model, tmp_path / "model.skops")
    with monkeypatch.context() as forger:
        forger.setattr(persistence, "clusters", lambda model: [])
        forger.setattr(persistence, "strangers", lambda types: [])
        path = saved(model, tmp_path)
    with pytest.raises(lk.InputError, match=r"cluster to work on|Dask.*does not"):
        lk.load(path)


def test_a_bomb_is_refused_before_it_is_unpacked(classes, tmp_path, monkeypatch):
    path = saved(lk.KernelClassifier("linear").fit(*classes), tmp_path)
    forged(path, bomb=b"\0" * 10**7)
    assert path.stat().st_size < 10**5
    monkeypatch.setattr("learnkernels.gram.memory.available_memory", lambda: 1e6)
    with pytest.raises(lk.InputError, match=r"10\.1 MB and 1 MB are free"):
        lk.load(path)


def test_threads_that_save_to_one_place_leave_a_whole_model(classes, tmp_path):
    X, y = classes
    models = [lk.KernelClassifier("linear", C=C).fit(X, y) for C in (0.1, 1.0, 10.0, 100.0)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda model: lk.save(model, tmp_path / "model.skops"), models * 3))
    loaded = lk.load(tmp_path / "model.skops")
    outputs = [model.decision_function(X).tobytes() for model in models]
    assert loaded.decision_function(X).tobytes() in outputs
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]

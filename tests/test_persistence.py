"""Models as files."""

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
from learnkernels.gram.tile_bank import TileBank
from learnkernels.persistence import models, seal
from learnkernels.persistence.seal import sealed
from learnkernels.persistence.trust import parts_of

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
        future.setattr(seal, "FORMAT", 2)
        future.setattr(seal, "__version__", "7.0")
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
    with pytest.raises(lk.InputError, match=r"cannot be read by learnkernels|damaged"):
        lk.load(path)


def written_by_a_forger(model, path, monkeypatch):
    """A model saved without our looking at it, which a forger's own program would do."""
    with monkeypatch.context() as forger:
        forger.setattr(models, "reaching", lambda model: "")
        forger.setattr(models, "strangers", lambda types: [])
        lk.save(model, path)


def with_backend(model, backend):
    model[-1].set_params(backend=backend)


OUTWARDS = {
    "address": lambda model: with_backend(model, "tcp://somebody:8786"),
    "cluster": lambda model: with_backend(model, "dask"),
    "cluster object": lambda model: with_backend(model, lk.Dask("tcp://somebody:8786")),
    "folder of pickles": lambda model: model.set_params(memory="cache"),
    "checkpoint": lambda model: model.steps.append(("a", lk.KernelLearner(checkpoint="file"))),
    "files": lambda model: model.steps.insert(0, ("a", CountVectorizer(input="filename"))),
    "in an array": lambda model: model.steps.insert(
        0, ("a", FunctionTransformer(kw_args={"a": np.array([lk.KernelLearner(checkpoint="a")])}))
    ),
}


@pytest.mark.parametrize("way", OUTWARDS.values(), ids=OUTWARDS)
def test_what_leads_out_of_a_model_is_neither_saved_nor_loaded(way, classes, tmp_path, monkeypatch):
    """Else whoever wrote a file would choose whom `predict` talks to, and what a refit reads."""
    model = make_pipeline(StandardScaler(), lk.KernelClassifier("linear")).fit(*classes)
    way(model)
    with pytest.raises(lk.InputError, match=r"is not saved with it; set it to None"):
        lk.save(model, tmp_path / "model.skops")
    written_by_a_forger(model, tmp_path / "model.skops", monkeypatch)
    with pytest.raises(lk.InputError, match=r"leads out of a model|Dask.*does not"):
        lk.load(tmp_path / "model.skops")


def test_threads_of_this_process_are_no_way_out(classes, tmp_path):
    for backend in ("threads", lk.Threads(2)):
        model = lk.KernelClassifier("linear", backend=backend).fit(*classes)
        assert lk.load(saved(model, tmp_path)).backend == backend


def bank_of(model):
    return next(part for part in parts_of(model) if isinstance(part, TileBank))


def forge(part, **values):
    part.__dict__.update(values)


FORGERIES = {
    "fewer norms": lambda model: forge(
        bank_of(model).right[0], squared=bank_of(model).right[0].squared[:1]
    ),
    "fewer columns": lambda model: forge(
        bank_of(model).right[0], A=bank_of(model).right[0].A[:, :1]
    ),
    "fewer coefficients": lambda model: forge(
        model._predictor.parts[0].parts[0], coef=model._predictor.parts[0].parts[0].coef[:1]
    ),
    "fewer means": lambda model: forge(
        model._predictor.parts[0].parts[0].combination, means=np.zeros(1)
    ),
    "other places": lambda model: forge(bank_of(model).groups[0], positions=np.array([7])),
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_numbers_that_do_not_fit_together_are_refused(forgery, classes, tmp_path):
    """Compiled code would read beyond their ends."""
    model = lk.KernelClassifier(lk.gaussians([0.1])).fit(*classes)
    forgery(model)
    with pytest.raises(lk.InputError, match="fit"):
        lk.load(saved(model, tmp_path))


def test_sparse_indices_beyond_the_end_are_refused(classes, tmp_path):
    X, y = classes
    model = lk.KernelClassifier("linear").fit(sparse.csr_array(X), y)
    matrix = next(part for part in parts_of(model) if sparse.issparse(part))
    matrix.indices[:] = 2**31 - 5
    with pytest.raises(lk.InputError, match="cannot be read"):
        lk.load(saved(model, tmp_path))


def test_what_was_derived_is_derived_anew(classes, tmp_path):
    """The plan of a compiled group, for one, is where compiled code looks for its numbers."""
    X, y = classes
    model = lk.KernelClassifier(lk.gaussians([0.1])).fit(X, y)
    group = bank_of(model).groups[0]
    forge(group, plan=(np.array([10**12]), *group.plan[1:]))
    loaded = lk.load(saved(model, tmp_path))
    again = lk.KernelClassifier(lk.gaussians([0.1])).fit(X, y)
    assert np.array_equal(loaded.decision_function(X), again.decision_function(X))


def test_bombs_are_refused_before_they_are_unpacked(classes, tmp_path, monkeypatch):
    X, y = classes
    model = lk.KernelClassifier("linear").fit(X, y)
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
            small.setattr("learnkernels.gram.memory.available_memory", lambda free=free: free)
            with pytest.raises(lk.InputError, match=r"unpacked, would take .* MB are free"):
                lk.load(path)


def test_pipes_and_devices_are_no_models(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(lk.InputError, match="is no file"):
            lk.load(path)


def test_only_estimators_are_saved(tmp_path):
    with pytest.raises(lk.InputError, match="takes an estimator; found int"):
        lk.save(5, tmp_path / "model.skops")


def test_threads_that_save_to_one_place_leave_a_whole_model(classes, tmp_path):
    X, y = classes
    models = [lk.KernelClassifier("linear", C=C).fit(X, y) for C in (0.1, 1.0, 10.0, 100.0)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda model: lk.save(model, tmp_path / "model.skops"), models * 3))
    loaded = lk.load(tmp_path / "model.skops")
    outputs = [model.decision_function(X).tobytes() for model in models]
    assert loaded.decision_function(X).tobytes() in outputs
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]


def test_a_file_of_the_first_format_is_read():
    """Written by 0.1.0; as long as the format is 1, it must stay readable."""
    kept = lk.load(Path(__file__).with_name("model-format-1.skops"))
    X = kept["X"]
    assert np.allclose(kept["classifier"].decision_function(X), kept["decisions"], atol=1e-10)
    assert np.allclose(kept["regressor"].predict(X[:, :3]), kept["predictions"], atol=1e-10)

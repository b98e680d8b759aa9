"""Models as files."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process.kernels import RBF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnkernels as lk


@pytest.mark.parametrize(
    "model",
    [
        lk.KernelClassifier(C=[1, 10]),
        lk.KernelClassifier(["linear", "rbf", RBF(1.0)], normalize="cosine"),
        make_pipeline(StandardScaler(), lk.KernelRegressor(method=lk.methods.Align(q=3))),
        lk.KernelLearner(),
    ],
    ids=["list of C", "wrapped kernels", "pipeline", "learner"],
)
def test_round_trip_is_exact(model, classes, tmp_path):
    X, y = classes
    y = (y == "yes").astype(float)
    model.fit(X, y)
    lk.save(model, tmp_path / "model.skops")
    loaded = lk.load(tmp_path / "model.skops")
    call = "transform" if hasattr(model, "transform") else "predict"
    assert np.array_equal(getattr(loaded, call)(X), getattr(model, call)(X))


def test_sparse_models_round_trip(classes, tmp_path):
    X, y = classes
    model = lk.KernelClassifier().fit(sparse.csr_array(X), y)
    lk.save(model, tmp_path / "model.skops")
    assert np.array_equal(lk.load(tmp_path / "model.skops").predict(X), model.predict(X))


def test_functions_of_the_user_are_refused(classes, tmp_path):
    def own(A, B):
        return A @ B.T

    with pytest.raises(lk.InputError, match="cannot be saved safely"):
        lk.save(lk.KernelClassifier([own]).fit(*classes), tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_models_are_refused(tmp_path):
    (tmp_path / "noise").write_bytes(b"not a model")
    with pytest.raises(lk.InputError, match="damaged"):
        lk.load(tmp_path / "noise")
    with pytest.raises(lk.InputError, match="cannot read"):
        lk.load(tmp_path / "nowhere")


def test_a_folder_that_is_not_there_is_a_sentence(classes, tmp_path):
    model = lk.KernelClassifier("linear").fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "nowhere" / "model.skops")


def test_functions_of_other_libraries_are_not_vouched_for(tmp_path):
    """A file may not smuggle in calls: only data of types that our models hold is accepted."""
    from sklearn.preprocessing import FunctionTransformer
    from skops.io import dump

    dump(FunctionTransformer(np.testing.assert_equal), tmp_path / "model.skops")
    with pytest.raises(lk.InputError, match="which a model of ours never does"):
        lk.load(tmp_path / "model.skops")


def test_saving_over_a_folder_is_a_sentence_and_leaves_nothing(classes, tmp_path):
    (tmp_path / "taken").mkdir()
    model = lk.KernelClassifier("linear").fit(*classes)
    with pytest.raises(lk.InputError, match="cannot write"):
        lk.save(model, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]

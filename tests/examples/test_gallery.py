"""Every page of the gallery runs without a warning and its statements hold."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "gallery"
IMPORT = re.compile(r"(import|from) \w")


@pytest.fixture
def run():
    """Return a function that runs a page and returns its variables."""
    yield lambda name: runpy.run_path(str(FOLDER / f"plot_{name}.py"))
    plt.close("all")


def test_every_gallery_page_has_a_test():
    tested = {name for name in globals() if name.startswith("test_page_")}
    assert tested == {f"test_page_{path.stem[5:]}" for path in FOLDER.glob("plot_*.py")}


def test_pages_that_import_an_optional_package_are_left_out_without_it(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER.parents[1] / "docs")
    import gallery_order

    packages = set(gallery_order.OPTIONAL.values())
    for path in FOLDER.glob("plot_*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        imported = {re.split(r"[ .]", line)[1] for line in lines if IMPORT.match(line)}
        assert imported & packages == {gallery_order.OPTIONAL.get(path.name)} - {None}
    monkeypatch.setattr(gallery_order, "find_spec", lambda name: None)
    assert all(re.search(gallery_order.left_out(), page) for page in gallery_order.OPTIONAL)
    assert not re.search(gallery_order.left_out(), "plot_tutorial.py")


def test_page_tutorial(run):
    found = run("tutorial")
    assert found["accuracy"] > 0.95
    assert found["weights"].sum() == pytest.approx(1)
    assert len(found["comparison"].methods) == 4
    assert found["model"].certificate_.status == "stationary"
    assert found["other"].certificate_.status == "optimal"
    assert sum(found["by_view"].view_weights_.values()) == pytest.approx(1)
    assert found["same"]


def test_page_alignment_predicts_accuracy(run):
    found = run("alignment_predicts_accuracy")
    display, model = found["display"], found["model"]
    assert display.correlation_ > 0.8
    assert display.scores[found["best"]] > display.scores[found["most"]] - 0.01
    assert model.alignment_ >= model.kernel_alignments_.max()


def test_page_gram(run):
    models = run("gram")["models"]
    uniform, learned = models["uniform weights"], models["learned weights"]
    assert learned.alignment_ > uniform.alignment_ + 0.05
    assert min(learned.view_weights_.values()) == 0


def test_page_views(run):
    found = run("views")
    assert found["models"]["alignf"].view_weights_["noise"] < 0.01
    assert found["models"]["align"].view_weights_["noise"] < 0.15
    assert found["errors"]["alignf"] < found["errors"]["unif"]
    seen, without, alone = found["missing"].values()
    assert seen < without < alone + 0.02 < 0.3


def test_page_missing_assay(run, monkeypatch):
    monkeypatch.setenv("LEARNKERNELS_QUICK", "1")
    found = run("missing_assay")
    table, learned = found["table"], found["learned"]
    assert learned.score(found["new"], found["y_new"]) > 0.85  # largest class: one half
    loss = table["trained without it"] - table["one model"]
    assert loss.mean() < 0.04
    assert table["one model"].mean() > table["cells filled by means"].mean() + 0.05
    protein = learned.kernel_views_ == "protein"
    assert not learned.weights_without("protein")[protein].any()


def test_page_many_features(run):
    table = run("many_features")["table"]
    scores = table["R² on test data"]
    assert scores["unif"] < 0.6 < scores["align"] < scores["alignf"] < scores["l1-krr"]
    assert table["relevant columns among the ten largest"]["l1-krr"] == 10
    assert table["non-zero weights"]["alignf"] < 250
    assert table["non-zero weights"]["align"] > 450


def test_page_components(run):
    found = run("components")
    model, display, scores = found["model"], found["display"], found["scores"]
    weights = dict(zip(model.kernel_names_, model.weights_, strict=True))
    periods = {name: weight for name, weight in weights.items() if name.startswith("period")}
    assert periods.pop("period 0.7") > 10 * max(periods.values())
    for name, part in [("gaussian(0.1)", found["trend"]), ("period 0.7", found["season"])]:
        known = np.corrcoef(display.components[name], part(display.grid))[0, 1]
        assert known > 0.95
    assert scores["trend and season"][1] > 0.8 > 0.3 > scores["Gaussians alone"][1]


def test_page_pairs(run):
    found = run("pairs")
    table = found["table"]
    assert (table["learned weights"] < 1.01 * table["uniform weights"]).all()
    assert table.loc["new pair", "learned weights"] < table.loc["both new", "learned weights"]
    assert all("weights" in model.selection_.chosen for model in found["models"].values())


def test_page_promoters(run):
    found = run("promoters")
    for motif, letters in found["letters"].items():
        assert sum(a == b for a, b in zip(motif, letters, strict=True)) >= 5
    assert np.allclose(found["total"], found["model"].decision_function(found["table"]))
    pairs = [(one.first, one.second) for one in found["stability"].interchangeable]
    assert pairs == [("positions", "positions, shift 3")]
    errors = found["errors"]["test error"]
    assert errors["learned weights"] < errors["uniform weights"] + 0.01
    assert found["errors"].loc["3-mers only", "95 % interval from"] > 0


def test_page_voxels(run):
    found = run("voxels")
    table, gain = found["table"], found["gain"]
    assert (gain[["contours", "motion", "meaning"]] > 0.05).all()
    assert gain["all equally"] < gain["contours and motion"] < gain["contours"]
    assert abs(table.loc["all voxels", "shared"] - table.loc["all voxels", "uniform"]) < 0.005
    single, kinds = found["single"], found["kinds"]
    assert np.mean(found["found"][single] == kinds[single]) > 0.95


def test_page_molecules(run):
    pytest.importorskip("rdkit", reason="the page on molecules needs RDKit")
    scores = run("molecules")["scores"]
    combined = scores.loc[["all, uniform weights", "all, learned weights"]]
    assert (combined.max() > scores.drop(combined.index).max()).all()
    assert (np.ptp(combined, axis=0) < 0.015).all()
    assert (scores["new scaffolds"] < scores["known scaffolds"]).all()


def test_page_graphs(run):
    pytest.importorskip("grakel", reason="the page on graphs needs GraKeL")
    found = run("graphs")
    scores, single = found["scores"], found["single"]
    assert scores["all, learned weights"] > scores["all, uniform weights"]
    assert scores["all, learned weights"] > scores[single] - 0.01
    assert single in found["graph_kernels"]


def test_page_time_series(run):
    pytest.importorskip("tslearn", reason="the page on time series needs tslearn")
    found = run("time_series")
    gain = found["gain"]
    assert gain["32 training series"] > 0.05 and gain["64 training series"] > 0
    assert found["model"].weights_[-2:].sum() < 0.01


def test_page_pipeline(run):
    found = run("pipeline")
    test, y_test = found["test"], found["y_test"]
    assert found["search"].score(test, y_test) > 0.7
    assert found["by_svc"].score(test, y_test) > 0.7
    means = found["found"]["mean_test_score"]
    at = found["Cs"] == 0.01
    assert np.ptp(means[at]) > 0.05 > max(np.ptp(means[found["Cs"] == C]) for C in (0.1, 1, 10))
    sharpest, most_level = means[at][np.argsort(found["qs"][at])][[0, -1]]
    assert sharpest > most_level


def test_page_regularisation_path(run):
    found = run("regularisation_path")
    sparse, dense = found["sparse"], found["dense"]
    assert sparse.names[int(np.argmax(sparse.weights[0]))] == "linear"
    large = sparse.weights[sparse.values > 3.5]
    assert np.abs(large - large[0]).max() < 0.01
    assert found["used"].min() == 1 and np.median(found["used"]) < 6
    assert (dense.weights > 0).all()


def test_page_spectrum(run):
    found = run("spectrum")
    tails = found["table"]["tail sum, share"]
    assert max(tails["conv"], tails["dc"]) < 0.7 * tails["l1-svm"]
    widest = {name: share[0] for name, share in found["shares"].items()}
    assert min(widest["conv"], widest["dc"]) > 0.5 > widest["l1-svm"]


def test_page_convergence(run):
    found = run("convergence")
    gaps, certificate = found["convex"].certificate_.gaps, found["certificate"]
    assert gaps[-1] <= 1e-6 < gaps[0]
    assert len(gaps) - 1 > found["convex"].certificate_.iterations
    assert (np.diff(found["history"]) <= 0).all()
    assert certificate.violation <= 1e-6 and certificate.status == "optimal"


def test_page_centering(run):
    """The two curves of figure 1 of 2012."""
    found = run("centering")
    alpha = found["parts"]
    assert np.allclose(found["older"], np.sqrt(alpha**2 + (1 - alpha) ** 2), atol=0.01)
    assert np.allclose(found["centered"], 1.0)
    assert np.ptp(found["table"]["centered"]) < 1e-9 < 0.5 < np.ptp(found["table"]["not centered"])


def test_page_tail_bound(run):
    """Equation 3 of 2013: the smallest area is the sum of min(r, eigenvalue)."""
    found = run("tail_bound")
    assert np.isclose(found["areas"][found["best"]], found["smallest"])
    assert found["best"] == (found["eigenvalues"] > found["r"]).sum()
    assert min(found["areas"][1], found["areas"][12]) > 1.1 * found["smallest"]

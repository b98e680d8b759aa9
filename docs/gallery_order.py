"""The order of the gallery: first steps first; pages that need a package which is not installed."""

from importlib.util import find_spec

__all__ = ["OPTIONAL", "left_out", "place"]

ORDER = (
    "plot_tutorial.py",
    "plot_alignment_predicts_accuracy.py",
    "plot_centering.py",
    "plot_gram.py",
    "plot_views.py",
    "plot_missing_assay.py",
    "plot_pairs.py",
    "plot_promoters.py",
    "plot_voxels.py",
    "plot_molecules.py",
    "plot_graphs.py",
    "plot_time_series.py",
    "plot_many_features.py",
    "plot_components.py",
    "plot_pipeline.py",
    "plot_regularisation_path.py",
    "plot_tail_bound.py",
    "plot_spectrum.py",
    "plot_convergence.py",
)

# Pages that are left out of the gallery without these packages.
OPTIONAL = {
    "plot_graphs.py": "grakel",
    "plot_molecules.py": "rdkit",
    "plot_time_series.py": "tslearn",
}


def left_out() -> str:
    """Return a pattern of the pages that need a package which is not installed."""
    pages = [page for page, package in OPTIONAL.items() if find_spec(package) is None]
    return "|".join([r"__init__\.py", *pages])


def place(filename: str) -> int:
    """Where an example stands; examples that are not listed come last."""
    return ORDER.index(filename) if filename in ORDER else len(ORDER)

"""The order of the gallery: first steps first."""

__all__ = ["place"]

ORDER = (
    "plot_tutorial.py",
    "plot_alignment_predicts_accuracy.py",
    "plot_centering.py",
    "plot_gram.py",
    "plot_views.py",
    "plot_pairs.py",
    "plot_promoters.py",
    "plot_many_features.py",
    "plot_components.py",
    "plot_pipeline.py",
    "plot_regularisation_path.py",
    "plot_tail_bound.py",
    "plot_spectrum.py",
    "plot_convergence.py",
)


def place(filename: str) -> int:
    """Where an example stands; examples that are not listed come last."""
    return ORDER.index(filename) if filename in ORDER else len(ORDER)

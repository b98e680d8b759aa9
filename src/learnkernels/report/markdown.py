"""A summary as Markdown."""

from __future__ import annotations

from typing import Any

__all__ = ["to_markdown"]


def to_markdown(summary: dict[str, Any]) -> str:
    """The report as text that reads well raw and rendered.

    Parameters
    ----------
    summary : dict
        From `summary`.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> import learnkernels as lk
    >>> from learnkernels.report import summary, to_markdown
    >>> from sklearn.datasets import load_iris
    >>> model = lk.KernelClassifier(kernels="linear").fit(*load_iris(return_X_y=True))
    >>> print(to_markdown(summary(model, data="iris")).splitlines()[0])
    # Learned kernel: iris
    """
    parts = [headline(summary), kernels(summary), comparison(summary), proof(summary)]
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(summary) -> str:
    used = [kernel for kernel in summary["kernels"] if kernel["weight"] != 0]
    first = used[0]
    return (
        f"# Learned kernel: {summary['data'] or summary['estimator']}\n\n"
        f"`{summary['estimator']}` learned with `{summary['method']}` and regularisation "
        f"{summary['regularization']}. {len(used)} of {len(summary['kernels'])} base kernels have "
        f"a weight; the heaviest is `{first['name']}` with {first['weight']:.3f}. The learned "
        f"kernel's centered alignment with the target is {summary['alignment']:.3f}, the best "
        f"base kernel alone has {max(k['alignment'] for k in summary['kernels']):.3f}."
    )


def kernels(summary) -> str:
    rows = [
        f"| `{kernel['name']}` | {kernel['weight']:.4f} | {kernel['alignment']:.4f} |"
        for kernel in summary["kernels"]
    ]
    head = ["## Kernels", "", "| kernel | weight | alignment alone |", "|---|---|---|"]
    return "\n".join(head + rows)


def comparison(summary) -> str:
    found = summary["comparison"]
    if found is None:
        return ""
    error = "misclassified" if found["task"] == "classification" else "root mean squared error"
    rows = [
        f"| {row['method']}{' *' if row['beats_unif'] else ''} | {row['error_mean']:.4f} ± "
        f"{row['error_std']:.4f} | {row['alignment_mean']:.3f} ± {row['alignment_std']:.3f} | "
        f"{row['fit_seconds']:.2f} |"
        for row in found["methods"]
    ]
    head = [
        "## Methods compared",
        "",
        f"| method | {error} | alignment | seconds a fit |",
        "|---|---|---|---|",
    ]
    note = ["", "\\* below `unif` by a paired one-sided t-test at 0.1."]
    return "\n".join(head + rows + note)


def proof(summary) -> str:
    certificate, versions = summary["certificate"], summary["versions"]
    return (
        "## Can I trust it\n\n"
        f"The weights are {certificate['status']}: relative duality gap {certificate['gap']:.1e} "
        f"after {certificate['iterations']} iterations (primal {certificate['primal']:.6g}, dual "
        f"{certificate['dual']:.6g}).\n\n"
        "Made with " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "."
    )

"""Stability of the weights: learn them again on random halves of the samples.

The mean of a half drawn without replacement has the variance of the mean of a bootstrap sample,
s^2 / (n/2) * (1 - 1/2) = s^2 / n. No sample is drawn twice: repeated samples would favour kernels
that are close to the identity matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from learnkernels._warnings import counted_unconverged, suppressed
from learnkernels.checks import require_choice, require_whole
from learnkernels.errors import UndefinedAlignmentWarning
from learnkernels.escaping import printable
from learnkernels.estimators import learn, refit
from learnkernels.estimators.search import fitted_regularization
from learnkernels.gram.centered import InnerProducts
from learnkernels.inspection.explain import last_step
from learnkernels.machines import Ridge
from learnkernels.methods import as_method
from learnkernels.progress import track, within
from learnkernels.templates import render

if TYPE_CHECKING:
    import pandas as pd

# Quantiles of the relative weights on random halves.
LOW, HIGH = 0.05, 0.95
# A kernel with a smaller relative weight on a half does not count as selected there.
SELECTED = 1e-3
# Views are interchangeable if each has at least this mean weight, ...
MIN_SHARE = 0.05
# ... their kernels have at least this alignment, ...
MIN_ALIGNMENT = 0.8
# ... each has the larger weight in at least this part of the halves, ...
MIN_HEAVIER = 0.1
# ... and the part of the first in the sum of their weights has at least this standard deviation.
MIN_SPREAD = 0.15


@dataclass(frozen=True)
class Interchangeable:
    """Two views, or kernels, whose weights change places between random halves.

    Attributes
    ----------
    first, second : str
        Names.
    first_heavier, draws : int
        Number of halves in which the first has the larger weight, and of all halves.
    low, high : float
        5 % and 95 % quantile of the part of the first in the sum of the two weights.
    correlation : float
        Correlation of their weights over the halves, negative.
    alignment : float
        Centered alignment of their kernels with each other.
    """

    first: str
    second: str
    first_heavier: int
    draws: int
    low: float
    high: float
    correlation: float
    alignment: float


def interchange_text(first: str, second: str, kind: str, numbers: dict[str, Any]) -> str:
    """Return the sentence that two views or kernels carry the same information.

    Parameters
    ----------
    first, second : str
        Names as they are shown.
    kind : {"Views", "Kernels"}
    numbers : dict
        The attributes of `Interchangeable`.
    """
    return (
        f"{kind} {first} and {second} carry the same information here: their weights change places "
        f"between random halves ({first} is heavier in {numbers['first_heavier']} of "
        f"{numbers['draws']} and has {100 * numbers['low']:.0f} to {100 * numbers['high']:.0f} % "
        f"of their sum; correlation of the weights {numbers['correlation']:.2f}, alignment of the "
        f"kernels {numbers['alignment']:.2f})."
    )


@dataclass(frozen=True, repr=False)
class WeightStability:
    """Weights learned on random halves of the samples.

    Attributes
    ----------
    names : list of str
        Views or kernels.
    weights : ndarray of shape (n_names,)
        Relative weights learned on all samples; the sum of their absolute values is one.
    drawn : ndarray of shape (n_draws, n_names)
        The same on each half.
    interchangeable : list of Interchangeable
        Pairs that carry the same information.
    unconverged : int
        Number of halves on which the method did not converge.
    by : {"view", "kernel"}
    """

    names: list[str]
    weights: np.ndarray
    drawn: np.ndarray
    interchangeable: list[Interchangeable]
    unconverged: int
    by: str

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each view or kernel, the heaviest first.

        Returns
        -------
        DataFrame
            Columns ``weight``, ``low`` and ``high`` (90 % interval), ``selected`` (part of the
            halves with a weight above 0.1 %) and ``stable`` (whether the interval does not
            contain 0, up to 0.1 %).
        """
        import pandas as pd

        found = map(interval_entries, self.weights, self.drawn.T)
        frame = pd.DataFrame(list(found), index=self.names)
        frame.insert(0, "weight", self.weights)
        frame["stable"] = (frame.low > SELECTED) | (frame.high < -SELECTED)
        return frame.sort_values("weight", key=np.abs, ascending=False, kind="stable")

    @property
    def statements(self) -> list[str]:
        """Return which weights are stable, and which views or kernels are interchangeable."""
        frame = self.to_frame()
        stable = [printable(str(name)) for name in frame.index[frame.stable]]
        draws = len(self.drawn)
        text = f"Stable weights (90 % interval over {draws} random halves excludes 0): "
        found = [f"{text}{', '.join(stable) if stable else 'none'}."]
        for pair in self.interchangeable:
            names = printable(pair.first), printable(pair.second)
            found.append(interchange_text(*names, f"{self.by.capitalize()}s", vars(pair)))
        if self.unconverged:
            found.append(f"Not converged on {self.unconverged} of the halves.")
        return found

    def __repr__(self) -> str:
        return "\n".join([self.to_frame().to_string(float_format="%.3f"), *self.statements])

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        numbers = ("weight", "low", "high", "selected")
        rows = [
            [printable(str(name)), *(f"{row[one]:.3f}" for one in numbers), "yes" * row["stable"]]
            for name, row in frame.iterrows()
        ]
        return render(
            "result_table.html", title=f"Weights on {len(self.drawn)} random halves",
            head=[self.by, *frame.columns], rows=rows, numbers=numbers, notes=self.statements,
        )  # fmt: skip


def weight_stability(
    model: Any, X: Any, y: Any, *, by: str = "view", draws: int = 50, random_state: int = 0,
    sample_weight: Any = None,
) -> WeightStability:  # fmt: skip
    """Learn the weights again on random halves of the samples, to see which are stable.

    Two views are reported as interchangeable if each has a mean weight of at least 0.05, their
    kernels have an alignment of at least 0.8 with each other, their weights are negatively
    correlated over the halves, each of them has the larger weight in at least a tenth of the
    halves, and the fraction that each has of the sum of the two weights has a standard deviation
    of at least 0.15. Read the sum of the two weights: how it is divided depends on the sample.

    Parameters
    ----------
    model : KernelClassifier, KernelRegressor or KernelLearner
        A fitted estimator, or a fitted pipeline or search that ends with one.
    X, y
        The training data, which a model does not keep.
    by : {"view", "kernel"}, default="view"
        Whether to sum the weights of the kernels of each view.
    draws : int, default=50
        Number of halves.
    random_state : int, default=0
        Seed of the halves.
    sample_weight : array of shape (n_samples,) or None, default=None
        The sample weights of the fit, positive.

    Returns
    -------
    WeightStability
        Prints as a table with statements; has ``to_frame()``.

    Examples
    --------
    >>> import numpy as np
    >>> import learnkernels as lk
    >>> rng = np.random.default_rng(0)
    >>> Z = rng.standard_normal((100, 2))
    >>> X = np.hstack([Z, Z + 0.1 * rng.standard_normal(Z.shape)])  # the same, measured twice
    >>> views = [lk.on([0, 1], name="first"), lk.on([2, 3], name="second")]
    >>> model = lk.KernelRegressor(views, "alignf").fit(X, np.sin(2 * Z[:, 0]))
    >>> found = lk.inspection.weight_stability(model, X, np.sin(2 * Z[:, 0]), draws=20)
    >>> [(pair.first, pair.second) for pair in found.interchangeable]
    [('first', 'second')]
    """
    require_choice("by", by, ("view", "kernel"))
    require_whole("weight_stability()", "draws", draws, 2)
    fitted, X, _ = last_step(model, X)
    drawn, unconverged = shares_on_halves(fitted, X, y, draws, random_state, sample_weight)
    labels = fitted.kernel_views_ if by == "view" else fitted.kernel_names_
    inner = refit(fitted, X, y, sample_weight).kernels.statistics.inner
    names = [str(label) for label in dict.fromkeys(labels)]
    return WeightStability(
        names, grouped(shares(fitted.weights_), labels), grouped(drawn, labels),
        interchangeable_pairs(labels, drawn, inner), unconverged, by,
    )  # fmt: skip


def grouped(weights: np.ndarray, labels: Sequence[str] | np.ndarray) -> np.ndarray:
    """Return the sum of the absolute weights of each label; a single weight keeps its sign.

    Parameters
    ----------
    weights : ndarray of shape (..., n_kernels)
    labels : sequence of str of length n_kernels

    Returns
    -------
    ndarray of shape (..., n_labels)
    """
    members = [np.flatnonzero(np.asarray(labels) == label) for label in dict.fromkeys(labels)]
    return np.stack(
        [
            weights[..., own[0]] if len(own) == 1 else np.abs(weights[..., own]).sum(axis=-1)
            for own in members
        ],
        axis=-1,
    )


def interchangeable_pairs(
    labels: np.ndarray, drawn: np.ndarray, inner: InnerProducts
) -> list[Interchangeable]:
    """Return the pairs of labels whose weights change places between halves.

    Parameters
    ----------
    labels : ndarray of shape (n_kernels,)
        View or name of each kernel.
    drawn : ndarray of shape (draws, n_kernels)
        Relative weights on the halves.
    inner : InnerProducts
        Of the kernels on all samples.
    """
    names, weights = list(dict.fromkeys(labels)), np.abs(grouped(drawn, labels))
    heavy = np.flatnonzero(weights.mean(axis=0) >= MIN_SHARE)
    vectors = [np.where(labels == names[k], drawn.mean(axis=0), 0.0) for k in heavy]
    products = [inner.times(v) for v in vectors]
    found = []
    for i, j in combinations(range(len(heavy)), 2):
        size = np.sqrt((vectors[i] @ products[i]) * (vectors[j] @ products[j]))
        alignment = float(vectors[i] @ products[j] / size) if size > 0 else 0.0
        pair = str(names[heavy[i]]), str(names[heavy[j]])
        one = pair_of(pair, weights[:, heavy[i]], weights[:, heavy[j]], alignment)
        if one is not None:
            found.append(one)
    return found


def pair_of(
    names: tuple[str, str], u: np.ndarray, v: np.ndarray, alignment: float
) -> Interchangeable | None:
    """Return two views whose weights u and v change places, None if they do not."""
    part = u / np.where(u + v > 0, u + v, 1.0)
    heavier = int((u > v).sum())
    changes = MIN_HEAVIER * len(u) <= heavier <= (1 - MIN_HEAVIER) * len(u)
    if alignment < MIN_ALIGNMENT or not changes or part.std() < MIN_SPREAD:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):  # NaN if a weight is constant
        correlation = float(np.corrcoef(u, v)[0, 1])
    low, high = np.quantile(part, [LOW, HIGH])
    found = Interchangeable(
        *names, heavier, len(u), float(low), float(high), correlation, alignment
    )
    return found if correlation < 0 else None


def interval_entries(share: float, drawn: np.ndarray) -> dict[str, float]:
    """Return the 90 % interval of a relative weight, and how often the kernel was selected.

    The interval is the union of the quantiles over the halves and of the same quantiles shifted so
    that their median is the weight learned on all samples. Weights on half of the samples can be
    biased (noise kernels get more weight), but have the same variance.
    """
    low, middle, high = np.quantile(drawn, [LOW, 0.5, HIGH])
    least = 0.0 if share >= 0 and (drawn >= 0).all() else -1.0
    shifted = np.clip([share + low - middle, share + high - middle], least, 1.0)
    return {
        "low": min(low, shifted[0]),
        "high": max(high, shifted[1]),
        "selected": float(np.mean(np.abs(drawn) > SELECTED)),
    }


def shares(weights: np.ndarray) -> np.ndarray:
    """Divide weights by the sum of their absolute values, shape (..., n_kernels)."""
    total = np.abs(weights).sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def shares_on_halves(
    fitted: Any, X: Any, y: Any, draws: int, random_state: int, sample_weight: Any = None
) -> tuple[np.ndarray, int]:
    """Learn the weights on random halves of the samples.

    Parameters
    ----------
    fitted : KernelClassifier, KernelRegressor or KernelLearner
        Estimator with the kernels, the method and the regularisation parameter.
    X, y
        Its training data.
    draws : int
        Number of halves.
    random_state : int
        Seed of the halves.
    sample_weight : ndarray of shape (n_samples,) or None
        The sample weights of the fit.

    Returns
    -------
    shares : ndarray of shape (draws, n_kernels)
        Weights divided by the sum of their absolute values.
    unconverged : int
        Number of halves on which the method did not converge.
    """
    again = refit(fitted, X, y, sample_weight)
    prepared, machine = again.prepared, again.machine or Ridge()
    method = as_method(fitted.method)
    rng = np.random.default_rng(random_state)
    weights, unconverged = np.empty((draws, len(fitted.weights_))), 0
    for draw in track(range(draws), draws, "random halves"):
        half = random_half(prepared.Y, prepared.task, rng)
        # Losses are sums over samples: half of the samples need half of alpha, or twice C.
        w = prepared.sums.weights
        fraction = float(w[half].sum() / w.sum())
        value = fitted_regularization(fitted) * (
            1 / fraction if hasattr(fitted, "C_") else fraction
        )
        # Where the alignment is undefined, the weights are uniform.
        with (
            within(f"random half {draw + 1} of {draws}"),
            counted_unconverged() as found,
            suppressed(UndefinedAlignmentWarning),
        ):
            learned = learn(prepared.take(half), method, machine, value)
            weights[draw] = learned.result.weights
        unconverged += found.count
    return shares(weights), unconverged


def random_half(Y: np.ndarray, task: str, rng: np.random.Generator) -> np.ndarray:
    """Draw the sorted indices of half of the samples; of each class half, rounded up."""
    order = rng.permutation(len(Y))
    if task != "classification":
        return np.sort(order[: max(2, (len(Y) + 1) // 2)])
    codes = np.unique(Y, axis=0 if Y.ndim > 1 else None, return_inverse=True)[1].ravel()
    members = [order[codes[order] == code] for code in range(codes.max() + 1)]
    return np.sort(np.concatenate([indices[: (len(indices) + 1) // 2] for indices in members]))

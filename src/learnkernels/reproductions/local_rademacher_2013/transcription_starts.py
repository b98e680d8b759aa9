"""Section 5.1, figure 2: AUC of five kernels on transcription start sites."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import learnkernels as lk
from learnkernels import datasets
from learnkernels.methods import DC, L1SVM, Conv, LpSVM, Uniform
from learnkernels.reproductions.experiment import (
    Claim,
    Outcome,
    Panel,
    Piece,
    Protocol,
    ResultTable,
    Series,
    Value,
    generator,
    interval,
    paper_numbers,
)
from learnkernels.reproductions.local_rademacher_2013.dinucleotides import ENERGY, TWIST, profiles
from learnkernels.theory import tail_sums

START = 200  # bases before the start of transcription
KERNELS = ("TSS", "Promo", "1st Ex", "Angle", "Energ")
METHODS = ("unif", "l1", "l2", "conv", "dc")
OURS = ("conv", "dc")
THETAS = (1, 2, 4, 8, 16)
NORMS = (1.0, 2.0)
CS = (0.01, 0.1, 1.0, 10.0, 100.0)
REPETITIONS = {100: 40, 250: 20, 1000: 6}
GAP = 1e-3  # relative duality gap of the weights
SHOWN = slice(17)  # cut-offs of the figure


def plan(quick: bool) -> list[dict[str, Any]]:
    repetitions, step = ({60: 2}, {"step": 4}) if quick else (REPETITIONS, {})
    return [
        {"size": size, "repetition": repetition} | step
        for size, most in repetitions.items()
        for repetition in range(most)
    ]


def run(size: int, repetition: int, random_state: int, step: int = 1) -> dict[str, Any]:
    """Train on some sequences; compute the AUC on a validation and a test half of the others.

    Kernels have trace n and are not centered. Every `step`-th value of C and theta is tried.
    """
    y, _ = sequences()
    order = generator(random_state, repetition).permutation(len(y))
    train, rest = order[:size], order[size:]
    half = -(-len(rest) // 2)
    parts = {"validation": slice(half), "test": slice(half, None)}
    K = similarities(train)
    K_train, K_rest = K[train], K[rest]  # (n_train or n_rest, n_train, n_kernels)

    def areas(kernels: slice, method: Any, C: float) -> dict[str, Any]:
        # One thread: the kernels are so small that starting threads takes longer than the work.
        model = lk.KernelClassifier("precomputed", method, C=C, center=False, n_jobs=1)
        model.fit(K_train[:, :, kernels], y[train])
        shares = model.weights_ / model.weights_.sum()
        outputs = model.decision_function(K_rest[:, :, kernels])
        return {"weights": shares.tolist()} | {
            part: float(roc_auc_score(y[rest][samples], outputs[samples]))
            for part, samples in parts.items()
        }

    return {
        "methods": {
            name: {
                f"{choice}, C={C:g}": areas(slice(None), method, C * scale)
                for choice, method, scale in choices(name, size, step)
                for C in CS[::step]
            }
            for name in METHODS
        },
        "alone": {
            kernel: {f"C={C:g}": areas(slice(k, k + 1), Uniform(), C) for C in CS[::step]}
            for k, kernel in enumerate(KERNELS)
        },
        "tails": {kernel: tails(K_train[:, :, k]) for k, kernel in enumerate(KERNELS)},
    }


def choices(name: str, size: int, step: int) -> Iterator[tuple[str, Any, int]]:
    """Yield labels, methods and scales of C of one name.

    Tail sums are relative to the trace, which is the sample size, so C is scaled by it.
    """
    if name in ("conv", "dc"):
        kind = Conv if name == "conv" else DC
        for theta in THETAS[::step]:
            for p in NORMS:
                yield f"theta={theta}, l{p:.0f}", kind(theta=theta, p=p, tol=GAP), size
    else:
        rival = {"unif": Uniform(), "l1": L1SVM(tol=GAP), "l2": LpSVM(p=2.0, tol=GAP)}
        yield "", rival[name], 1


def tails(K: np.ndarray) -> list[float]:
    """Return the sums of all but the largest eigenvalues, relative to the trace."""
    found = tail_sums(np.maximum(np.linalg.eigvalsh(K), 0.0))
    return [float(share) for share in found[SHOWN] / found[0]]


@cache
def sequences() -> tuple[np.ndarray, dict[str, tuple[Any, Any]]]:
    """Return the labels, and the kernel and input of each view."""
    table = datasets.load("tss_arabidopsis_tata")
    text = table["sequence"].str.upper()
    views = {
        "TSS": (lk.weighted_degree(20), text),
        "Promo": (lk.spectrum(4), text.str[:START]),
        "1st Ex": (lk.spectrum(4), text.str[START:]),
        "Angle": (lk.linear(), profiles(text, TWIST)),
        "Energ": (lk.linear(), profiles(text, ENERGY)),
    }
    return table["target"].to_numpy(), views


def similarities(train: np.ndarray) -> np.ndarray:
    """Return kernel values with the training sequences, shape (n_sequences, n_train, n_kernels)."""
    y, views = sequences()
    found = []
    for kernel, data in views.values():
        if isinstance(data, pd.Series):
            kernel, data = lk.on("sequence", kernel), data.to_frame("sequence")
        known = data.iloc[train] if hasattr(data, "iloc") else data[train]
        one = lk.KernelLearner(kernel, "unif", center=False, normalize=None).fit(known, y[train])
        found.append(one.transform(data))
    return np.stack(found, axis=2)


PROTOCOL = Protocol(
    "transcription_starts_2013", plan, run, lambda parameters: "tss_arabidopsis_tata", revision=2
)


def transcription_starts(pieces: list[Piece]) -> Outcome:
    """Return tables, claims and panels of figure 2."""
    paper = paper_numbers(__package__, "table of the supplement")
    sizes = sorted({piece.parameters["size"] for piece in pieces})
    by_size = {size: [p for p in pieces if p.parameters["size"] == size] for size in sizes}
    chosen = {
        size: {name: best_choice([p.result["methods"][name] for p in mine]) for name in METHODS}
        for size, mine in by_size.items()
    }
    values = {
        name: {
            f"n = {size}": Value(
                *mean_and_spread(chosen[size][name]["areas"]),
                *paper[name].get(str(size), (None, None)),
            )
            for size in sizes
        }
        for name in METHODS
    }
    small = by_size[sizes[0]]
    alone = {
        kernel: float(best_choice([p.result["alone"][kernel] for p in small])["areas"].mean())
        for kernel in KERNELS
    }
    shares = {
        name: dict(
            zip(KERNELS, map(Value, chosen[sizes[0]][name]["weights"].mean(axis=0)), strict=True)
        )
        for name in METHODS
    }
    shares["AUC alone"] = {kernel: Value(area) for kernel, area in alone.items()}
    claims = [
        *(lead_claim(size, chosen[size], len(mine)) for size, mine in by_size.items()),
        discard_claim(sizes[0], chosen),
    ]
    return Outcome(
        [
            ResultTable(
                "Area under the ROC curve; the paper's data and kernels are others", "", values
            ),
            ResultTable(f"Mean share of each kernel, n = {sizes[0]}", "method", shares),
        ],
        claims,
        panels(sizes, values, shares, alone, small),
    )


def best_choice(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the choice of highest mean validation AUC and its results on the test half.

    Returns
    -------
    dict
        The choice as text, ``areas`` of shape (n_trials,), ``weights`` of (n_trials, n_kernels).
    """
    labels = list(trials[0])
    means = [np.mean([trial[label]["validation"] for trial in trials]) for label in labels]
    label = labels[int(np.argmax(means))]
    return {
        "choice": label.removeprefix(", "),
        "areas": np.array([trial[label]["test"] for trial in trials]),
        "weights": np.array([trial[label]["weights"] for trial in trials]),
    }


def mean_and_spread(areas: np.ndarray) -> tuple[float, float]:
    """Return the mean and the standard deviation."""
    return float(areas.mean()), float(areas.std(ddof=1))


def lead_claim(size: int, chosen: dict[str, Any], repetitions: int) -> Claim:
    """Claim that conv and dc have a higher AUC than the others at one sample size."""
    leads = {
        f"{ours} against {other}": interval(chosen[ours]["areas"] - chosen[other]["areas"])
        for ours in OURS
        for other in METHODS
        if other not in OURS
    }
    return Claim(
        f"n = {size}: conv and dc have a higher AUC than unif, l1 and l2, as in the paper",
        all(lead.low > 0 for lead in leads.values()),
        f"{repetitions} repetitions, higher by, with 95 % intervals: "
        + ", ".join(f"{pair} {lead.shown(4)}" for pair, lead in leads.items()),
    )


def discard_claim(size: int, chosen: dict[int, Any]) -> Claim:
    """Claim that conv and dc give two kernels no weight at the smallest sample size."""
    shares = {
        f"{name} {kernel}": interval(chosen[size][name]["weights"][:, KERNELS.index(kernel)])
        for name in OURS
        for kernel in ("Angle", "Energ")
    }
    picked = {
        name: ", ".join(f"n = {n}: {found[name]['choice']}" for n, found in chosen.items())
        for name in OURS
    }
    return Claim(
        f"conv and dc discard Angle and Energ at n = {size}, as in the paper (below 0.05)",
        all(share.high < 0.05 for share in shares.values()),
        "shares with 95 % intervals: "
        + ", ".join(f"{name} {share.shown()}" for name, share in shares.items())
        + "; chosen by the validation part: "
        + "; ".join(f"{name} {text}" for name, text in picked.items()),
    )


def panels(
    sizes: list[int],
    values: dict[str, dict[str, Value]],
    shares: dict[str, dict[str, Value]],
    alone: dict[str, float],
    small: list[Piece],
) -> list[Panel]:
    """Return the panels of figure 2: AUC, weights, tail sums."""
    areas = [
        Series(
            name, [f"n = {size}" for size in sizes],
            [values[name][f"n = {size}"].ours for size in sizes],
            spread=[values[name][f"n = {size}"].spread or 0.0 for size in sizes],
        )
        for name in METHODS
    ]  # fmt: skip
    names = [f"{kernel}\n{area:.3f}" for kernel, area in alone.items()]
    weights = [
        Series(name, names, [shares[name][kernel].ours for kernel in KERNELS], "bars")
        for name in METHODS
    ]
    mean_tails = {
        kernel: np.mean([piece.result["tails"][kernel] for piece in small], axis=0)
        for kernel in KERNELS
    }
    curves = [
        Series(
            kernel, list(range(len(tails))), tails.tolist(),
        )
        for kernel, tails in mean_tails.items()
    ]  # fmt: skip
    return [
        Panel("AUC on the test parts", "training samples", "AUC", areas),
        Panel(f"weights, n = {sizes[0]}", "kernel, its AUC alone", "share", weights),
        Panel("tail sums", "theta", "share of the trace", curves),
    ]

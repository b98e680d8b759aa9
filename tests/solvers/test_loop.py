"""The outer loop and its certificate."""

from dataclasses import dataclass

import numpy as np
import pytest

from learnkernels.progress import showing
from learnkernels.solvers import Certificate, Iterate, iterate


@dataclass(frozen=True)
class Number(Iterate):
    """A number x whose square is minimised."""

    x: float = 1.0


def halve(now):
    """Halve the number; the bound alternates."""
    x = now.x / 2
    return Number(x, value=x**2, bound=-(x**2) if now.iterations % 2 else -10.0)


START = Number(1.0, value=1.0, bound=-10.0)


def test_certificate_is_optimal_only_for_a_finite_gap():
    assert Certificate.of(np.nan, 1.0, 3, 1e-4).status == "not converged"
    zero = Certificate.of(0.0, 0.0, 3, 1e-4)
    assert zero.status == "optimal" and zero.gap == 0.0


def test_certificate_text_names_the_criterion():
    certificate = Certificate.closed_form(0.5, "alignment")
    assert str(certificate).startswith("closed form for alignment:") and certificate.gap == 0.0


def test_certificate_text_has_the_number_of_iterations():
    assert " 1 iteration (" in str(Certificate.of(1.0, 1.0, 1, 1e-8))
    assert " 2 iterations (" in str(Certificate.of(1.0, 1.0, 2, 1e-8))


def test_loop_keeps_the_best_bound_and_the_number_of_iterations():
    point, certificate = iterate(START, halve, tol=0.0, max_iter=5, criterion="square")
    assert point.iterations == certificate.iterations == 5 and point.x == 1 / 32
    assert point.value == certificate.primal == (1 / 32) ** 2
    assert point.bound == certificate.dual == -((1 / 16) ** 2)  # of the fourth step
    assert certificate.status == "not converged" and certificate.criterion == "square"
    assert certificate.history == tuple(0.25**i for i in range(6)) and len(certificate.gaps) == 6


def test_loop_stops_at_the_tolerance_or_where_the_caller_decides():
    def exact(now):
        return Number(now.x, value=1.0, bound=1.0)

    _, certificate = iterate(START, exact, tol=1e-8, max_iter=50)
    assert certificate.iterations == 1 and certificate.status == "optimal"
    unbounded = Number(1.0, value=1.0)
    _, certificate = iterate(
        unbounded, exact, tol=1e-8, max_iter=50, converged=lambda now: now.iterations > 0
    )
    assert certificate.gap == 0.0 and certificate.status == "optimal"
    point, _ = iterate(START, halve, tol=0.0, max_iter=50, converged=lambda now: now.x < 0.1)
    assert point.iterations == 4


def test_loop_stops_without_progress_and_counts_the_iterations_of_a_step():
    def three_then_none(now):
        return None if now.iterations else Number(0.5, value=0.25, iterations=3)

    point, certificate = iterate(START, three_then_none, tol=0.0, max_iter=50)
    assert certificate.iterations == 3 and point.x == 0.5


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_loop_with_non_finite_values_is_not_optimal(value):
    start = Number(1.0, value=value, bound=-np.inf)
    _, certificate = iterate(start, lambda now: None, tol=1e-4, max_iter=5)
    assert certificate.gap == np.inf and certificate.status == "not converged"


def test_loop_without_a_bound_takes_all_steps():
    point, certificate = iterate(
        Iterate(value=8.0), lambda one: Iterate(value=one.value / 2), tol=1e-3, max_iter=3
    )
    assert (point.value, certificate.iterations) == (1.0, 3)
    assert (certificate.gap, certificate.status) == (np.inf, "not converged")


def test_loop_reports_gap_and_iteration(monkeypatch):
    written = []
    monkeypatch.setattr("learnkernels.solvers.loop.report", written.append)
    with showing(True):
        iterate(START, halve, tol=0.0, max_iter=2)
    assert written == ["gap 1.0e+00, iteration 1"]

"""Simulation of task graphs: limits that can be computed by hand."""

import pytest
from benchmarks.task_graph import Costs, level_widths, simulate

FREE = Costs(leaf=1.0, add=0.0, transfer=0.0, overhead=0.0, tasks=1, fan=4)


@pytest.mark.parametrize(("chunks", "workers", "seconds"), [(1, 1, 1), (12, 4, 3), (13, 4, 4)])
def test_leaves_alone_take_as_many_rounds_as_the_workers_need(chunks, workers, seconds):
    assert simulate(chunks, workers, FREE).seconds == seconds


def test_levels_of_the_tree():
    assert level_widths(1, 4) == [1]
    assert level_widths(17, 4) == [17, 5, 2, 1]


def test_all_totals_are_joined_once():
    costs = Costs(leaf=1.0, add=1.0, transfer=0.0, overhead=0.0, tasks=1, fan=4)
    for chunks in (2, 5, 16, 37):
        found = simulate(chunks, 1, costs)
        assert found.seconds == chunks + (chunks - 1)  # each addition removes one total


def test_one_worker_moves_nothing_and_many_move_all_but_one_of_each_join():
    costs = Costs(leaf=1.0, add=0.0, transfer=1.0, overhead=0.0, tasks=1, fan=4)
    assert simulate(16, 1, costs).moved == 0
    assert simulate(16, 10**9, costs).moved == pytest.approx(15)


def test_scheduler_bounds_the_time_of_short_tasks():
    costs = Costs(leaf=1e-6, add=0.0, transfer=0.0, overhead=1e-3, tasks=2, fan=4)
    found = simulate(1000, 100, costs)
    assert found.seconds >= found.scheduler == pytest.approx(1e-3 * found.tasks)
    assert found.seconds == pytest.approx(found.scheduler, rel=0.01)


def test_more_workers_are_not_slower():
    costs = Costs(leaf=1.0, add=0.01, transfer=0.0, overhead=1e-3, tasks=2, fan=4)
    times = [simulate(200, workers, costs).seconds for workers in (1, 2, 5, 20, 100)]
    assert times == sorted(times, reverse=True)


def test_depth_of_the_tree_is_the_time_after_the_last_leaf():
    costs = Costs(leaf=1.0, add=0.0, transfer=0.5, overhead=0.0, tasks=1, fan=4)
    found = simulate(64, 10**6, costs)
    assert found.tail == pytest.approx(3 * 3 * 0.5, rel=1e-4)  # three levels of three transfers

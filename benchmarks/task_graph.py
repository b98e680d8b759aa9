"""Simulation of the task graph of a pass over chunks: workers, scheduler, network, joins of totals.

    chunk --read and summed (a leaf)--> total --joined, some at a time--> one total

A worker runs one task at a time. Joins go before leaves. The scheduler is one process: each task
takes it some time, and tasks wait for it. A join transfers totals that other workers have.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(frozen=True)
class Costs:
    """Seconds of the parts of a pass.

    Attributes
    ----------
    leaf : float
        To read and sum a chunk, on one worker.
    add : float
        To add one total to another.
    transfer : float
        To send one total to another worker.
    overhead : float
        Of the scheduler, for each task.
    tasks : int
        Tasks of a leaf, for the scheduler.
    fan : int
        Totals that one task joins.
    """

    leaf: float
    add: float
    transfer: float
    overhead: float
    tasks: int = 2
    fan: int = 4


@dataclass(frozen=True)
class Simulated:
    """Seconds until the one total is known, and of the parts that bound it from below.

    Attributes
    ----------
    seconds : float
    work : float
        All tasks, divided by the workers.
    scheduler : float
        The scheduler's time for all tasks.
    tail : float
        After the last leaf.
    tasks : int
    moved : float
        Totals that were sent to another worker.
    """

    seconds: float
    work: float
    scheduler: float
    tail: float
    tasks: int
    moved: float


def simulate(n_chunks: int, n_workers: int, costs: Costs) -> Simulated:
    """Return the time of a pass over chunks, event by event."""
    leaves, joins = n_chunks, deque[tuple[int, int]]()  # waiting; joins as (level, number)
    widths = level_widths(n_chunks, costs.fan)
    arrived: dict[tuple[int, int], int] = {}
    idle, free = n_workers, 0.0  # workers; time at which the scheduler is free
    running: list[tuple[float, int, int]] = []  # end, level, number of the total
    now = last_leaf = busy = spent = moved = 0.0
    tasks, number = 0, 0
    far = 1 - 1 / n_workers  # part of the totals that are on another worker
    while True:
        while idle and (joins or leaves):
            if joins:
                level, place = joins.popleft()
                children = min(costs.fan, widths[level - 1] - costs.fan * place)
                sent = far * (children - 1)
                seconds = sent * costs.transfer + (children - 1) * costs.add
                count, moved = 1, moved + sent
            else:
                level, place, seconds, count = 0, number, costs.leaf, costs.tasks
                leaves, number = leaves - 1, number + 1
            start = max(now, free)
            free = start + count * costs.overhead
            spent += count * costs.overhead
            busy, tasks, idle = busy + seconds, tasks + count, idle - 1
            heappush(running, (free + seconds, level, place))
        if not running:
            break
        now, level, place = heappop(running)
        idle += 1
        last_leaf = now if level == 0 else last_leaf
        if level + 1 < len(widths):
            parent = level + 1, place // costs.fan
            arrived[parent] = arrived.get(parent, 0) + 1
            if arrived[parent] == min(costs.fan, widths[level] - costs.fan * parent[1]):
                joins.append(parent)
                del arrived[parent]
    return Simulated(now, busy / n_workers, spent, now - last_leaf, tasks, moved)


def level_widths(n_leaves: int, fan: int) -> list[int]:
    """Return how many totals each level of the tree has, the leaves first."""
    found = [n_leaves]
    while found[-1] > 1:
        found.append(-(-found[-1] // fan))
    return found

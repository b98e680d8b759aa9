"""Test the tests: change the code at random positions and count the changes that no test detects.

Cosmic Ray changes an operator, a comparison, a condition or a number (a mutant), and runs the tests
of the module. It changes a copy of the sources in a temporary directory.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES, TESTS = Path("src/learnkernels"), Path("tests")
# Modules, and the tests that run for their mutants. Compiled code is not in the list.
MODULES = {
    "solvers/cone.py": ["solvers/test_cone.py"],
    "solvers/conjugate_gradients.py": ["solvers/test_conjugate_gradients.py"],
    "solvers/interior_point.py": ["methods/objectives/test_rank_one.py", "methods/test_conv.py"],
    "solvers/loop.py": ["solvers/test_loop.py"],
    "solvers/newton.py": ["solvers/test_newton.py", "solvers/test_working_set.py"],
    "solvers/nonnegative_qp.py": ["solvers/test_nonnegative_qp.py"],
    "solvers/pivoted_cholesky.py": ["solvers/test_pivoted_cholesky.py"],
    "solvers/shifted_systems.py": ["solvers/test_shifted_systems.py"],
    "solvers/triangular.py": ["solvers/test_triangular.py"],
    "solvers/weight_sets.py": ["solvers/test_weight_sets.py"],
    "solvers/working_set.py": ["solvers/test_working_set.py"],
    "solvers/working_set_qp.py": ["solvers/test_working_set_qp.py"],
    "gram/alignment.py": ["gram/test_alignment.py"],
    "gram/centered.py": ["gram/test_centered.py"],
    "significance.py": ["test_significance.py"],
    "machines/landmark_svm.py": ["machines/test_landmark_svm.py"],
    "machines/streamed_svm.py": ["machines/test_streamed_svm.py"],
    "estimators/statistics.py": ["estimators/test_statistics.py"],
}
# Operators on bits raise a TypeError for real numbers; `|` is also in types, `&` joins conditions.
LEFT_OUT = re.compile(r"(?!.*BitAnd_BitOr)(.*Bit|.*Shift|.*Decorator)")
Position = tuple[int, int]


def sample(mutants: Iterable[tuple[Position, str]], size: int, seed: str) -> set[str]:
    """Draw at most `size` positions, and at each of them the key of one mutant."""
    keys = defaultdict(list)
    for position, key in sorted(mutants):
        keys[position].append(key)
    generator = random.Random(seed)
    positions = generator.sample(sorted(keys), min(size, len(keys)))
    return {generator.choice(keys[position]) for position in positions}


def keep_sample(session: Path, size: int, seed: str) -> int:
    """Mark the mutants outside of the sample as skipped; return the number of possible mutants."""
    from cosmic_ray.work_db import use_db
    from cosmic_ray.work_item import WorkerOutcome, WorkResult

    with use_db(session) as database:
        jobs = {}
        for item in database.work_items:
            (mutation,) = item.mutations
            key = f"{mutation.operator_name} {mutation.occurrence}"
            jobs[key] = (tuple(mutation.start_pos), item.job_id)
        possible = {key: position for key, (position, _) in jobs.items() if not LEFT_OUT.match(key)}
        kept = sample(((position, key) for key, position in possible.items()), size, seed)
        skipped = [job for key, (_, job) in jobs.items() if key not in kept]
        database.set_multiple_results(skipped, WorkResult(WorkerOutcome.SKIPPED))
    return len(possible)


def results(session: Path) -> tuple[int, list[str]]:
    """Return the number of mutants that were tested, and the differences of the survivors."""
    from cosmic_ray.work_db import use_db

    with use_db(session) as database:
        tested = [one for _, one in database.completed_work_items if one.test_outcome is not None]
    return len(tested), sorted(one.diff for one in tested if not one.is_killed)


def survivors(module: str, folder: Path, size: int, seed: str) -> tuple[int, int, list[str]]:
    """Test a sample of the mutants of one module; return possible, tested and survivors."""
    tests = [(TESTS / one).as_posix() for one in MODULES[module]]
    options = ["-x", "-q", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    path = os.pathsep.join([str(folder / "src"), str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}

    def run(*command: str) -> None:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")

    start = time.monotonic()
    run(*command)  # the tests should pass without a mutant
    config, session = folder / "mutants.toml", folder / "mutants.sqlite"
    config.write_text(f"""[cosmic-ray]
module-path = {json.dumps((SOURCES / module).as_posix())}
timeout = {20 + 4 * (time.monotonic() - start)}
excluded-modules = []
test-command = {json.dumps(" ".join(command))}
distributor.name = "local"
""")
    session.unlink(missing_ok=True)
    run(sys.executable, "-m", "cosmic_ray.cli", "init", str(config), str(session))
    possible = keep_sample(session, size, seed)
    run(sys.executable, "-m", "cosmic_ray.cli", "exec", str(config), str(session))
    return (possible, *results(session))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="all if none is given", metavar="MODULE")
    parser.add_argument("--size", type=int, default=8, help="mutants of each module")
    parser.add_argument("--seed", default="0", help="another seed draws other mutants")
    options = parser.parse_args()
    totals = [0, 0, 0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(ROOT / "pyproject.toml", folder)
        for module in options.modules or MODULES:
            possible, tested, alive = survivors(module, folder, options.size, options.seed)
            print(f"{module}: {len(alive)} of {tested} survive ({possible} possible)", flush=True)
            print(*alive, sep="\n", end="\n" if alive else "", flush=True)
            totals = [a + b for a, b in zip(totals, (possible, tested, len(alive)), strict=True)]
    print("{2} of {1} mutants survive ({0} possible)".format(*totals))


if __name__ == "__main__":
    main()

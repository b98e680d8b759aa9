"""Hostile environments: interrupts, a damaged cache, little memory, damaged tables.

``python -m tests.hostile.environment`` prints how many cases of each kind were tried and how many
failed. A case fails if it ends in a traceback, a signal or a hang, or if a result differs.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import learnkernels as lk
from learnkernels.cli.data import read_table

SECONDS = 120
ROWS = 60
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.standard_normal((ROWS, 3)), columns=["a", "b", "y"])
# Limits of the address space in kB.
SPACES = [300_000, 500_000, 700_000, 800_000, 900_000, 1_000_000, 1_100_000, 1_200_000, 1_300_000,
          1_500_000, 2_000_000, 3_000_000, 5_000_000]  # fmt: skip
INTERRUPTS, CACHES, TABLES = 40, 16, 400
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "learnkernels", "fit", str(folder / "table.csv"), "--target", "y"]


def run(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, **options)


def interrupts(folder: Path) -> Iterator[str]:
    """Interrupt a command at many moments, most of them while libraries are imported."""
    start = time.monotonic()
    run(command(folder))
    whole = time.monotonic() - start
    for delay in whole * np.linspace(0, 1, INTERRUPTS) ** 2:
        process = subprocess.Popen(
            command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        _, errors = process.communicate(timeout=SECONDS)
        seconds = time.monotonic() - start
        # Python itself prints a traceback before it has read the first line of this library.
        ours = "Traceback" in errors and "learnkernels" in errors
        yield (
            f"after {delay:.2f} s: {errors[-200:]}"
            if ours
            else (f"stopped after {seconds:.1f} s" if seconds > 10 else "")
        )


def caches(folder: Path) -> Iterator[str]:
    """Damage files of the cache of compiled functions."""
    cache, valid = folder / "cache", folder / "valid"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    expected = run(command(folder), env=environment).stdout
    shutil.copytree(cache, valid)
    for case in range(CACHES):
        shutil.rmtree(cache)
        shutil.copytree(valid, cache)
        files = sorted(cache.rglob("*.nb[ic]"))
        path = files[int(RNG.integers(len(files)))]
        path.write_bytes(damaged(path.read_bytes(), case % 4))
        done = run(command(folder), env=environment)
        same = done.returncode == 0 and done.stdout == expected and "Traceback" not in done.stderr
        yield "" if same else f"{path.name}: {done.stderr[-200:]}"


def damaged(content: bytes, how: int) -> bytes:
    """Return content that is truncated, empty, random, or has one other bit."""
    at = int(RNG.integers(len(content)))
    flipped = content[:at] + bytes([content[at] ^ 1 << int(RNG.integers(8))]) + content[at + 1 :]
    return (content[:at], b"", RNG.bytes(len(content)), flipped)[how]


def spaces(folder: Path) -> Iterator[str]:
    """Limit the address space."""
    for kilobytes in SPACES:
        shell = f"ulimit -v {kilobytes}; exec {' '.join(command(folder))}"
        try:
            done = run(["sh", "-c", shell])
        except subprocess.TimeoutExpired:
            yield f"{kilobytes} kB: hangs"
            continue
        ended = done.returncode in (0, 2) and "Traceback" not in done.stderr
        yield "" if ended else f"{kilobytes} kB: {done.returncode} {done.stderr[-200:]}"


def tables(folder: Path) -> Iterator[str]:
    """Alter compressed tables, and Parquet tables with checksums."""
    path = folder / "table.parquet"
    TABLE.to_parquet(path, write_page_checksum=True)
    text = TABLE.to_csv(index=False).encode()
    contents = {"parquet": path.read_bytes(), **{k: pack(text) for k, pack in PACKERS.items()}}
    for case in range(TABLES):
        name = list(contents)[case % len(contents)]
        how = case // len(contents) % 3
        content = contents[name]
        altered = content + RNG.bytes(20) if how == 2 else damaged(content, 3 if how else 0)
        target = folder / f"altered.{name}"
        target.write_bytes(altered)
        yield unequal(target, name)


def unequal(path: Path, name: str) -> str:
    """Return how a table that was read differs, or the error; an `InputError` is expected."""
    try:
        found = read_table(str(path))
    except lk.InputError:
        return ""
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    same = found.shape == TABLE.shape and np.array_equal(found.to_numpy(), TABLE.to_numpy())
    return "" if same else f"{name}: another table"


KINDS: dict[str, Callable[[Path], Iterator[str]]] = {
    "interrupts of a command": interrupts,
    "damaged caches of compiled functions": caches,
    "limits of the address space": spaces,
    "altered Parquet and compressed CSV files": tables,
}


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        TABLE.to_csv(folder / "table.csv", index=False)
        for kind, cases in KINDS.items():
            endings = list(cases(folder))
            failures = [ending for ending in endings if ending]
            failed += len(failures)
            print(f"{kind}: {len(endings)} tried, {len(failures)} failed", flush=True)
            for failure in failures:
                print(f"    {failure}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Check the wheel and the sdist in ``dist``: what is in them, and that they work elsewhere.

Each is installed into an empty virtual environment in a temporary folder. There a stranger's three
commands run, and mypy checks a script that uses the library's types.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
# Top folders and files of the sdist: the sources, and all that `make test lint docs dist` reads.
SDIST = {
    ".gitignore", "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md",
    "GOVERNANCE.md", "LICENSE", "Makefile", "PKG-INFO", "README.md", "SECURITY.md", "SUPPORT.md",
    "benchmarks", "docs", "examples", "pyproject.toml", "src", "tests", "tools",
}  # fmt: skip
# Passes only if mypy reads our annotations: assert_type refuses Any.
CONSUMER = """
from typing import assert_type

import learnkernels as lk

model = lk.KernelClassifier()
assert_type(model.fit([[0.0], [1.0]], [0, 1]), lk.KernelClassifier)
assert_type(lk.alignment([[1.0]], [[1.0]]), float)
assert_type(lk.__version__, str)
"""
TABLE = "a,b,kind\n" + "".join(
    f"{i % 7},{i % 5},{'high' if i % 7 > i % 5 else 'low'}\n" for i in range(35)
)


def main() -> None:
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    check_wheel(names_in(wheel))
    check_sdist(names_in(sdist))
    for archive in (wheel, sdist):
        print(f"{archive.name}: {archive.stat().st_size / 1e3:.0f} kB", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            check_installed(archive, Path(folder))


def names_in(archive: Path) -> set[str]:
    """Return the files in an archive; those of an sdist without its top folder."""
    if archive.suffix == ".whl":
        return set(zipfile.ZipFile(archive).namelist())
    with tarfile.open(archive) as content:
        return {name.partition("/")[2] for name in content.getnames()}


def check_wheel(names: set[str]) -> None:
    """Check that the wheel has the package as git has it, its metadata, and nothing else."""
    package = {name for name in names if name.startswith("learnkernels/")}
    same(package, {name.removeprefix("src/") for name in tracked("src")}, "the wheel")
    others = {PurePosixPath(name).name for name in names - package}
    same(others, {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE"}, "dist-info")


def check_sdist(names: set[str]) -> None:
    """Check that the sdist has the named files and folders that git has, and the metadata."""
    same(names, set(tracked(*(SDIST - {"PKG-INFO"}))) | {"PKG-INFO"}, "the sdist")


def tracked(*paths: str) -> list[str]:
    return run("git", "ls-files", *paths, cwd=ROOT).splitlines()


def same(found: set[str], expected: set[str], where: str) -> None:
    if found != expected:
        more, less = sorted(found - expected), sorted(expected - found)
        raise SystemExit(f"{where} should not hold {more}, and lacks {less}.")


def check_installed(archive: Path, folder: Path) -> None:
    """Install into an empty environment; a version, a fit, a prediction, and types."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", archive, cwd=folder)
    (folder / "table.csv").write_text(TABLE)
    (folder / "consumer.py").write_text(CONSUMER)
    version = run(python, "-m", "learnkernels", "--version", cwd=folder).strip()
    if f"-{version}" not in archive.name:
        raise SystemExit(f"{archive.name} says that its version is {version}.")
    command = python.with_name("learnkernels")
    run(command, "fit", "table.csv", "--target", "kind", "--save", "model.lk", cwd=folder)
    predictions = run(command, "predict", "model.lk", "table.csv", cwd=folder).split()
    if len(predictions) != len(TABLE.split()):
        raise SystemExit(f"{archive.name}: {len(predictions)} lines of predictions.")
    run(sys.executable, "-m", "mypy", "--python-executable", python, "consumer.py", cwd=folder)


def run(*command: str | Path, cwd: Path) -> str:
    """Return the output of a command; exit with its errors if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()

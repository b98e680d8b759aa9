# Every target works on a fresh machine with Python 3.11 or later and make.
PYTHON ?= python3
# Windows has other folders; there make runs in a POSIX shell, as that of Git.
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
PIP := -m pip install --quiet --upgrade
PROJECT := --editable ".[dask,parquet,report]"
export LEARNKERNELS_DATA ?= $(wildcard $(abspath ../shared/data))

CHROMIUM = $(shell command -v chromium || command -v chromium-browser)
# One process for each core; in each of them one thread for BLAS and OpenMP.
WORKERS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
PARALLEL := --numprocesses $(WORKERS) --dist worksteal
test coverage versions-oldest versions-newest versions-nightly: export OMP_NUM_THREADS = 1
# Tests start many processes, which import faster with compiled modules.
unexport PYTHONDONTWRITEBYTECODE
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test browser lint repository coverage fuzz soak invariances violations mutants bench bench-compare docs versions versions-oldest versions-newest versions-nightly dist clean

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) "pip>=25.1"
	$(BIN)/python -m pip install --quiet $(PROJECT) --group dev
	touch $@

demo: .venv/ready
	$(BIN)/learnkernels demo

test: .venv/ready
	$(BIN)/python -m pytest $(PARALLEL)

# Lines and branches that tests run; compiled functions as Python, on small data.
coverage: .venv/ready
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/coverage erase
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m tests.compile
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest tests/gram/tiles/test_leaves.py
	$(BIN)/coverage run -m pytest $(PARALLEL)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# The report, and the documentation if it is built, in a real browser; installs Debian's Chromium.
browser: .venv/browser
	LEARNKERNELS_BROWSER=$(CHROMIUM) $(BIN)/python -m pytest tests/reporting/test_browser.py tests/docs/test_accessibility.py tests/docs/test_versions.py

.venv/browser: .venv/ready
	$(BIN)/python -m pip install --quiet --group browser
	$(if $(CHROMIUM),,$(AS_ROOT) apt-get update -qq && $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium)
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Conventions of repositories of scientific Python, and the security of the workflows.
repository: .venv/ready
	$(BIN)/python -m pip install --quiet --group repository
	$(BIN)/sp-repo-review .
	$(BIN)/zizmor --offline .github

# More than 10,000 generated cases of absurd data and parameters, and 10,500 forged model files.
fuzz: .venv/ready
	LEARNKERNELS_CASES=1500 $(BIN)/python -m pytest tests/hostile --hypothesis-show-statistics

# Ten minutes of fits, files and predictions in threads; interrupts, damaged caches, little memory.
soak: .venv/ready
	$(BIN)/python -m benchmarks.soak --minutes 10
	$(BIN)/python -m tests.hostile.environment

# Order and repetition of rows, units and precision, for every method and task.
invariances: .venv/ready
	$(BIN)/python -m pytest tests/numerics/test_invariances.py

# A search over 10,000 small problems with exact risks for violated bounds, some ten minutes.
violations: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.theory.violations 10000

# Random errors in copies of the solvers, which tests should detect: make mutants MODULES=solvers/cone.py
mutants: .venv/ready
	$(BIN)/python -m pip install --quiet --group mutants
	OMP_NUM_THREADS=1 $(BIN)/python tools/mutants.py $(MODULES)

# make bench RECORD=--record also writes the numbers that the documentation shows.
bench: .venv/ready
	$(BIN)/python -m pip install --quiet --group peers
	$(BIN)/python -m benchmarks $(RECORD)

# The headline ratios of another revision and of the working tree: make bench-compare REV=3140720 (0.1.0)
bench-compare: .venv/ready
	$(BIN)/python -m benchmarks.compare_revisions $(REV)

docs: .venv/ready
	rm -rf docs/api
	$(BIN)/sphinx-build --fail-on-warning --keep-going -q -b html docs docs/_build/html
	$(BIN)/python tools/check_site.py docs/_build/html
	$(BIN)/python tools/site_versions.py docs/_build/html
	@echo "docs/_build/html/index.html"

# The tests with the oldest and with the newest versions that pyproject.toml allows.
versions: versions-oldest versions-newest

versions-oldest: CHOICE = --only-binary :all: --constraint .venv-oldest/oldest.txt --group oldest
# Pre-releases, also those that projects build every night. Not part of `versions`.
versions-nightly: CHOICE = --pre --extra-index-url https://pypi.anaconda.org/scientific-python-nightly-wheels/simple
versions-oldest versions-newest versions-nightly: versions-%:
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/$(SCRIPTS)/python $(PIP) "pip>=25.1" packaging
	.venv-$*/$(SCRIPTS)/python tools/oldest.py > .venv-$*/oldest.txt
	.venv-$*/$(SCRIPTS)/python $(PIP) $(PROJECT) --group test $(CHOICE)
	.venv-$*/$(SCRIPTS)/python -m pip list
	.venv-$*/$(SCRIPTS)/python -m pytest $(PARALLEL)

# Wheel and sdist in dist/, tried in empty environments. Uploads nothing.
dist:
	$(PYTHON) -m venv --clear .venv-dist
	.venv-dist/$(SCRIPTS)/python $(PIP) "pip>=25.1"
	.venv-dist/$(SCRIPTS)/python $(PIP) --group dist
	rm -rf dist
	.venv-dist/$(SCRIPTS)/python -m build
	.venv-dist/$(SCRIPTS)/python -m twine check --strict dist/*
	.venv-dist/$(SCRIPTS)/python tools/check_dist.py

clean:
	rm -rf .venv .venv-* dist docs/_build docs/api docs/gallery docs/measured docs/messages.md docs/reproductions docs/tables docs/sg_execution_times.rst
	rm -rf learnkernels-demo learnkernels-reproductions

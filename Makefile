# Every target works on a fresh machine with Python 3.11 or later and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install --quiet --upgrade
PROJECT := --editable ".[dask,parquet,report]"
export LEARNKERNELS_DATA ?= $(wildcard $(abspath ../shared/data))

CHROMIUM = $(shell command -v chromium || command -v chromium-browser)
# One process for each core; in each of them one thread for BLAS and OpenMP.
WORKERS ?= $(shell nproc)
PARALLEL := --numprocesses $(WORKERS) --dist worksteal
test versions-oldest versions-newest: export OMP_NUM_THREADS = 1
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test browser lint fuzz soak invariances violations bench docs versions versions-oldest versions-newest dist clean

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) "pip>=25.1"
	$(BIN)/python -m pip install --quiet $(PROJECT) --group dev
	touch $@

demo: .venv/ready
	$(BIN)/learnkernels demo

test: .venv/ready
	$(BIN)/python -m pytest $(PARALLEL)

# The report in a real browser; installs Debian's Chromium where there is none.
browser: .venv/browser
	LEARNKERNELS_BROWSER=$(CHROMIUM) $(BIN)/python -m pytest tests/reporting/test_browser.py

.venv/browser: .venv/ready
	$(BIN)/python -m pip install --quiet --group browser
	$(if $(CHROMIUM),,$(AS_ROOT) apt-get update -qq && $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium)
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

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

bench: .venv/ready
	$(BIN)/python -m pip install --quiet --group peers
	$(BIN)/python -m benchmarks

docs: .venv/ready
	rm -rf docs/api
	$(BIN)/sphinx-build --fail-on-warning --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# The tests with the oldest and with the newest versions that pyproject.toml allows.
versions: versions-oldest versions-newest

versions-oldest: CHOICE = --only-binary :all: --constraint .venv-oldest/oldest.txt --group oldest
versions-oldest versions-newest: versions-%:
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/bin/python $(PIP) "pip>=25.1" packaging
	.venv-$*/bin/python tools/oldest.py > .venv-$*/oldest.txt
	.venv-$*/bin/python $(PIP) $(PROJECT) --group test $(CHOICE)
	.venv-$*/bin/python -m pip list
	.venv-$*/bin/python -m pytest $(PARALLEL)

# Wheel and sdist in dist/, tried in empty environments. Uploads nothing.
dist:
	$(PYTHON) -m venv --clear .venv-dist
	.venv-dist/bin/python $(PIP) "pip>=25.1"
	.venv-dist/bin/python $(PIP) --group dist
	rm -rf dist
	.venv-dist/bin/python -m build
	.venv-dist/bin/python -m twine check --strict dist/*
	.venv-dist/bin/python tools/check_dist.py

clean:
	rm -rf .venv .venv-* dist docs/_build docs/api docs/gallery docs/measured docs/messages.md docs/reproductions docs/tables docs/sg_execution_times.rst
	rm -rf learnkernels-demo learnkernels-reproductions

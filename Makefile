# Every target works on a fresh machine with Python 3.11 or later and make.
PYTHON ?= python3
BIN := .venv/bin
export LEARNKERNELS_DATA ?= $(wildcard $(abspath ../shared/data))

CHROMIUM = $(shell command -v chromium || command -v chromium-browser)
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test browser lint bench docs clean

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: .venv/ready
	$(BIN)/learnkernels demo

test: .venv/ready
	$(BIN)/python -m pytest

# The report in a real browser; installs Debian's Chromium where there is none.
browser: .venv/browser
	LEARNKERNELS_BROWSER=$(CHROMIUM) $(BIN)/python -m pytest tests/reports/test_browser.py

.venv/browser: .venv/ready
	$(BIN)/python -m pip install --quiet --group browser
	$(if $(CHROMIUM),,$(AS_ROOT) apt-get update -qq && $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium)
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/ready
	$(BIN)/python -m pip install --quiet --group peers
	$(BIN)/python -m benchmarks

docs: .venv/ready
	rm -rf docs/api
	$(BIN)/sphinx-build --fail-on-warning --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf .venv docs/_build docs/api docs/gallery docs/measured docs/reproductions docs/sg_execution_times.rst
	rm -rf learnkernels-demo learnkernels-reproductions

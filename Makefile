# Two commands on a fresh machine: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# What `make test-all` installs beside: the R engine, and other packages that some results are compared with.
EXTRAS ?= r peers
PIP_FLAGS ?= --quiet --disable-pip-version-check

.PHONY: demo test test-all lint types docs reproduce benchmark clean

demo: $(VENV)/.installed
	$(BIN)/occstats compare lenz2021 --out report
	@echo
	@echo "Look at report/: report.html in a browser, comparison.json and the tables beside it."

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# Also the tests that `make test` skips: installs R, Chromium, LaTeX and the extras where it can, and says where not.
test-all: $(VENV)/.installed-dev
	.ci/system-packages
	@for extra in $(EXTRAS); do \
	    $(BIN)/python -m pip install $(PIP_FLAGS) --editable ".[$$extra]" \
	        || echo "note: the extra '$$extra' cannot be installed here; its tests will be skipped"; \
	done
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# The site, in build/docs: open index.html there. Warnings are errors; nothing is fetched, then or later.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs build/docs
	@echo "Look at build/docs/index.html"

# The paper's experiment on the data sets in the folder that OCCSTATS_DATA names: sweep, run, and a page
# with every published number beside ours, in results/paper. FAST=--fast for the small data sets alone.
reproduce: $(VENV)/.installed
	$(BIN)/occstats run --preset paper $(FAST) --data "$${OCCSTATS_DATA:?names no folder of data sets}" --out results/paper

# Speed beside other packages, best on a quiet machine; writes benchmarks/descriptors/README.md.
benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[benchmarks]'
	$(BIN)/python benchmarks/descriptors --growth

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_FLAGS) --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[test,dev,distributed]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[docs]'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .venv-oldest report build dist docs/generated .pytest_cache .mypy_cache .ruff_cache

# On a fresh machine, `make demo` and `make test` create a virtual environment first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Optional for `make test-all`: the extra for embedded R, and packages that some tests compare with.
OPTIONAL ?= --editable=.[r] --group=peers
PIP_FLAGS ?= --quiet --disable-pip-version-check

.PHONY: demo test test-all record lint types docs reproduce benchmark clean

demo: $(VENV)/.installed
	$(BIN)/occstats compare lenz2021 --out report
	@echo
	@echo "Open report/report.html in a browser."

# All tests but the slow ones.
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not slow'

# All tests, including those that need R, Chromium, LaTeX or the extras; installs these where possible.
test-all: $(VENV)/.installed-dev
	.ci/system-packages
	@for each in $(OPTIONAL); do \
	    $(BIN)/python -m pip install $(PIP_FLAGS) "$$each" \
	        || echo "note: '$$each' cannot be installed here; its tests will be skipped"; \
	done
	$(BIN)/python -m pytest -n auto --dist worksteal

# Record readings, screens, reports, runs, figures and comparisons again after an intended change; then read `git diff`.
record: $(VENV)/.installed-dev
	OCCSTATS_RECORD=1 $(BIN)/python -m pytest -q -n 0 tests/test_recorded_*.py tests/*/test_recorded_*.py
	$(BIN)/python -m tests.comparison.test_recorded

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/zizmor --quiet --offline .github action.yml
	$(BIN)/sp-repo-review .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

# Build the site in build/docs, without network access. Warnings are errors.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs build/docs
	@echo "Open build/docs/index.html"

# Repeat the paper's experiment on the datasets in the folder OCCSTATS_DATA; results/paper/published.md lists every
# published number next to the new one. FAST=--fast uses only the small datasets.
reproduce: $(VENV)/.installed
	$(BIN)/occstats run --preset paper $(FAST) --data "$${OCCSTATS_DATA:?set it to a folder of datasets}" --out results/paper

# Compare speed with other packages, best on an idle machine; writes benchmarks/descriptors/README.md.
benchmark: $(VENV)/.installed
	$(BIN)/python -m pip install $(PIP_FLAGS) --group benchmarks
	$(BIN)/python benchmarks/descriptors --growth

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_FLAGS) --upgrade pip

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[descriptors]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[distributed]' --group dev
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(PIP_FLAGS) --editable '.[descriptors]' --group docs
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .venv-* report build dist docs/generated .pytest_cache .mypy_cache .ruff_cache

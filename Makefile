# Every target does its own set-up: a virtual environment in $(VENV), reused as long as its inputs are unchanged.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST_ARGS ?=
# Tests run in a process for each core; `make test WORKERS=0` runs them in one, for a debugger say.
WORKERS ?= auto
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile

# One thread: the models in the tests are tiny, and thread pools only fight over the cores.
export OMP_NUM_THREADS ?= 1

.PHONY: help setup demo test test-slow check format reference docs bench clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: $(STAMP) ## Create the virtual environment

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "Python 3.10 or later is needed; name one with: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP) ## Lint and test the broken mini-GPT, and check that both halves say what they should
	$(BIN)/python examples/demo.py

test: $(STAMP) ## Run the tests (without the long sweeps)
	$(PYTEST) $(PYTEST_ARGS)

test-slow: $(STAMP) ## Run the long sweeps only
	$(PYTEST) -m slow $(PYTEST_ARGS)

check: $(STAMP) ## Formatting, lint, types, and our own linter on our own code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/inplace-guard check --isolated --extend-exclude src/minigpt_fixture/breaks src benchmarks examples

format: $(STAMP) ## Format and fix what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(STAMP) ## Measure the reference case again: every table and plot of its page, in under five minutes
	$(BIN)/python -m minigpt_fixture reference --docs docs

docs: $(STAMP) ## Write the generated pages and build the site into site/
	$(BIN)/python tools/build_docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: $(STAMP) ## Time the linter and the guard beside their peers (about 15 minutes)
	$(BIN)/python benchmarks/lint_speed.py
	$(BIN)/python benchmarks/runtime_cost.py

clean: ## Remove the virtual environment, caches and build products
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .inplace_guard_cache

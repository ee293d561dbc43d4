# make course | make test | make lab      the three commands a reader needs; `make help` lists the others
SHELL := /bin/bash
.DEFAULT_GOAL := help

# PYTHON=/path/to/python3.12   use this interpreter
# ENGINES="drake superdex"     install only these engines
PYTHON ?=
ENGINES ?=
# A class may run pages with its own arguments: make course ARGS="--engine drake --chapter 03"
ARGS ?=

export DEXLAB_PYTHON := $(PYTHON)
export DEXLAB_ENGINES := $(ENGINES)
# Where bytecode is not written, every kernel and every child process compiles sympy, torch and the engines again: eight seconds a page.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin

.PHONY: help setup repair course test lab outputs lock benchmark clean

help: ## what each target does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1|/' | column -t -s '|' 2>/dev/null || grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST)

setup: ## make .venv with the pinned engines (nothing happens when it is there)
	@tools/make-venv

repair: ## make .venv again from nothing
	@tools/make-venv --again

course: setup ## run every page on the real engines and write the ledger under build/
	@$(BIN)/dexlab run $(ARGS)

test: setup ## run all tests, the pages included
	@$(BIN)/python -m pytest $(ARGS)

lab: setup ## open the course in JupyterLab
	@$(BIN)/jupyter lab notebooks/00_start_here.ipynb

outputs: setup ## refresh the outputs stored in the pages (refuses when a claim's number changed)
	@$(BIN)/dexlab outputs $(ARGS)

benchmark: setup ## measure speed beside targets and peers (ARGS="ik --readme" for some of them)
	@$(BIN)/python benchmarks/run.py $(ARGS)

lock: setup ## write the locks and environment.yml again from pyproject.toml
	@$(BIN)/python tools/lock.py "$$(tools/make-venv --print-uv)"

clean: ## delete what a run wrote; .venv stays
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

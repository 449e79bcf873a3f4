# Upcard. `make` alone lists what there is.

# Any Python from 3.11 to 3.13; say PYTHON=/path/to/python to choose.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
	2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
NODE_TOOLS := tests/contract/node

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve test lint format jackpot bench bench-growth chaos voids rtp mutants lint-contract lock clean distclean

help: ## list the targets
	@test -t 1 && test -z "$$NO_COLOR" && colour=1; \
	awk -v colour="$$colour" 'BEGIN { FS = ":.*## "; \
		if (colour) { bold = "\033[1m"; cyan = "\033[36m"; off = "\033[0m" } } \
		/^## / { printf "\n%s%s%s\n", bold, substr($$0, 4), off } \
		/^[a-z-]+:.*## / { printf "  %smake %-14s%s %s\n", cyan, $$1, off, $$2 }' \
		$(MAKEFILE_LIST)
	@echo

## Play

serve: .venv/runtime.stamp ## start everything on 127.0.0.1:8000 and print a session to paste
	@$(BIN)/upcard serve

## Prove

test: lint ## the gate: lint, then every test, the rules covered to the last branch
	@$(BIN)/pytest --cov --numprocesses 3 --no-loadscope-reorder

lint: .venv/dev.stamp ## ruff, formatting, mypy --strict, import directions
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

lint-contract: ## openapi.yaml: Spectral, and no breaking change since the last tag (needs node)
	@$(NODE_TOOLS)/check

mutants: .venv/dev.stamp ## change the rules in every small way and see that a test notices
	@$(BIN)/python tests/mutants.py

chaos: .venv/dev.stamp ## people play for money while everything that can die, dies (SEED=1 QUICK=1)
	@$(BIN)/python -m tests.chaos $(if $(SEED),--seed $(SEED)) $(if $(QUICK),--quick) \
		$(if $(LOGS),--logs $(LOGS))

voids: .venv/dev.stamp ## a thousand rounds expire while the jobs that void them are killed
	@UPCARD_MANY=1 $(BIN)/pytest -q tests/jobs

jackpot: .venv/dev.stamp ## a crowd bets on the aces, a thousand hits while workers are killed
	@UPCARD_MANY=1 $(BIN)/pytest -q tests/jackpot

bench: .venv/dev.stamp ## measure a round against a Flask hello and against bare SQL
	@$(BIN)/python -m tests.bench.run

bench-growth: .venv/dev.stamp ## make a million rounds and measure what they cost (ROUNDS=1000000 FOLDER=)
	@$(BIN)/python -m tests.bench.growth $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(FOLDER),--folder $(FOLDER))

rtp: .venv/dev.stamp ## exact and simulated returns, written to docs/rtp.md (an hour; can be stopped)
	@$(BIN)/pytest -q tests/analysis
	@$(BIN)/python -m tests.rtp.run

## Keep

format: .venv/dev.stamp ## put the code in the one format, apply what ruff can mend
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format

lock: ## resolve the dependencies again and write both lock files
	@$(PYTHON) deploy/make_lock.py

clean: ## remove what tests and tools left behind
	@rm -rf .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
		.rtp .ruff_cache .schemathesis build dist mutants $(NODE_TOOLS)/node_modules
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean ## the same, and the virtual environment
	@rm -rf .venv

.venv/%.stamp: requirements.lock requirements-dev.lock pyproject.toml deploy/make_venv.py
	@test -n "$(PYTHON)" || { echo "Upcard needs Python 3.11, 3.12 or 3.13 on the PATH," \
		"or: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) deploy/make_venv.py $*

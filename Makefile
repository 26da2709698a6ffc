# Two commands set everything up: `make run` and `make test`. Both need only Python 3.11+, make and git.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8080

.DEFAULT_GOAL := help
.PHONY: help run test check format openapi train train-quick clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

$(VENV)/.serve: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e .
	@touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q torch==2.13.0
	$(BIN)/pip install -q -e '.[dev]'
	@touch $@ $(VENV)/.serve

run: $(VENV)/.serve ## Install, migrate, start the service on SQLite, label the sample mails, print the console's address
	$(BIN)/python -m service.demo --port $(PORT)

test: $(VENV)/.dev ## Install and run every test
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: $(VENV)/.dev ## Lint, types, corpus, version and API document
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/refund-trainer corpus
	$(BIN)/python -m service.contract --check

format: $(VENV)/.dev ## Lay the code out as `make check` wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: $(VENV)/.dev ## Write openapi.json anew
	$(BIN)/python -m service.contract

train: $(VENV)/.dev ## Make the released models again, into runs/base/model and runs/small/model; some nine hours on two cores
	$(BIN)/refund-trainer train --run runs/base --output runs/base/first --version first --epochs 3
	$(BIN)/refund-trainer go-on --run runs/on --start runs/base/first --output runs/base/model --version 2026.12.8 --minutes 360
	$(BIN)/refund-trainer train --run runs/small --output runs/small/model --version 2026.12.6-small --size small --epochs 3

train-quick: $(VENV)/.dev ## The released model goes on for three minutes, into runs/quick/model
	$(BIN)/refund-trainer go-on --run runs/quick --output runs/quick/model --version quick --minutes 3 --learning-rate 3e-5

clean: ## Remove the environment, caches and local state
	rm -rf $(VENV) var runs .pytest_cache .mypy_cache .ruff_cache

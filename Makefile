# make demo, make test: need python3 (3.10 or newer) with its headers, gcc and make.
# make PYTHON=python3.12 picks the interpreter, make VENV=... the place of the environment.
PYTHON ?= python3
VENV   ?= .venv
PY     := $(VENV)/bin/python
FUSEWISE := $(PY) -m fusewise
# a process a core, a file at a time: most tests keep one core busy
PYTEST := $(PY) -m pytest -q -n auto --maxprocesses 8 --dist loadfile

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test quick check gpu receipt sanitize bench gen build clean

help: ## these lines
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: gen build ## environment, generate, build, then a tour of one new op
	$(PY) examples/tour.py

test: build ## all tests
	$(PYTEST)

quick: $(VENV)/ready ## the tests that need no compiler, of tests/unit; half a minute
	$(PYTEST) --dist worksteal tests/unit

check: export FUSEWISE_WERROR = 1
# without a GPU one architecture shows that all compiles; the defaults' second takes half as long again
check: export FUSEWISE_ARCHS ?= $(shell command -v nvidia-smi > /dev/null || echo 90)
check: $(VENV)/dev ## all that CI runs: format, lint, types, generated is fresh, no warnings, all tests
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m pyright --pythonpath $(PY)
	$(FUSEWISE) generate --check
	$(FUSEWISE) build
	@$(PY) benchmarks/receipt.py
	$(PYTEST)

gpu: build ## on a GPU: all of its tests and self checks, and the receipt of them; some minutes
	$(PY) benchmarks/gpu_suite.py

receipt: ## whether the tests on a GPU were run of this tree, in a line
	@$(PYTHON) benchmarks/receipt.py

sanitize: $(VENV)/ready ## the CPU kernels under the sanitizers for addresses and undefined behaviour
	$(PY) tools/sanitize.py

bench: build ## times every op beside eager and torch.compile; some minutes
	$(FUSEWISE) bench

gen: $(VENV)/ready ## writes generated/ from specs/, templates/ and generator/
	$(FUSEWISE) generate

build: $(VENV)/ready ## compiles generated/ and runtime/; seconds when little changed
	$(FUSEWISE) build

clean: ## removes what can be made again
	rm -rf $(VENV) build dist generated/*/*.so

$(VENV)/ready: tools/bootstrap.py pyproject.toml
	$(PYTHON) tools/bootstrap.py $(VENV)
$(VENV)/dev: $(VENV)/ready
	$(PYTHON) tools/bootstrap.py $(VENV) --dev

# Needs python3 (3.10 or newer) with its headers, g++ and make.
# make PYTHON=python3.12 selects the interpreter, make VENV=... the folder of the environment.
PYTHON ?= python3
VENV   ?= .venv
PY     := $(VENV)/bin/python
FUSEWISE := $(PY) -m fusewise
# one process for each core, one file at a time: most tests use one core; long files come first;
# idle threads leave the cores to the other processes
PYTEST := OMP_WAIT_POLICY=passive $(PY) -m pytest -q -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test quick check gpu receipt sanitize bench gen build docs clean

help: ## lists the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

demo: $(VENV)/ready ## creates the environment, then shows a tour of one new op, built on the way
	$(PY) examples/tour.py

test: build ## runs all tests
	$(PYTEST)

quick: $(VENV)/ready ## the tests that need no compiler, of tests/unit; half a minute
	$(PYTEST) --dist worksteal tests/unit

check: export FUSEWISE_WERROR = 1
check: NO_GPU := $(shell command -v nvidia-smi > /dev/null || echo yes)
# without a GPU, one architecture: the newest of a release
check: export FUSEWISE_ARCHS ?= $(if $(NO_GPU),90-virtual)
check: $(VENV)/dev ## runs what CI runs: format, lint, types, fresh generated/, no warnings, all tests
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m pyright --pythonpath $(PY)
	$(FUSEWISE) generate --check
# without a GPU no kernel of the package runs: the front end of nvcc finds all errors and warnings
	$(if $(NO_GPU),NVCC_APPEND_FLAGS=-fdevice-syntax-only) $(FUSEWISE) build
	@$(PY) benchmarks/receipt.py
	$(PYTEST)

gpu: build ## on a GPU: runs its tests and self checks and writes the receipt; some minutes
	$(PY) benchmarks/gpu_suite.py

receipt: ## tells whether the receipt of the tests on a GPU belongs to this tree
	@$(PYTHON) benchmarks/receipt.py

sanitize: $(VENV)/ready ## runs the CPU kernels under AddressSanitizer and UndefinedBehaviorSanitizer
	$(PY) tools/sanitize.py

bench: build ## compares every op with eager and torch.compile; some minutes
	$(FUSEWISE) bench

gen: $(VENV)/ready ## writes generated/ from specs/, templates/ and generator/, and the schema of specs
	$(FUSEWISE) generate
	$(FUSEWISE) schema --output generator/fusewise/spec.schema.json

build: $(VENV)/ready ## compiles generated/ and runtime/; seconds if little changed
	$(FUSEWISE) build

docs: $(VENV)/dev ## builds the site of the documentation, build/site/index.html; a minute
	rm -rf build/site
	$(PY) -m sphinx -q -E -W --keep-going -t gallery -d build/doctrees -c docs . build/site

clean: ## removes the environment and all built files
	rm -rf $(VENV) build dist generated/*/*.so

$(VENV)/ready: tools/bootstrap.py pyproject.toml
	$(PYTHON) tools/bootstrap.py $(VENV)
$(VENV)/dev: $(VENV)/ready
	$(PYTHON) tools/bootstrap.py $(VENV) --dev

# The two that a newcomer needs are `make demo` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help venv venv-3.11 install demo test lint docs lock clean

help:  ## list the targets
	@grep -hE '^[a-z0-9.-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9.-]+):.*## /  make \1\t/'

venv:  ## make .venv from a lock: Python 3.12 (GPU=1: with CUDA), or PYTHON=3.11
	@tools/setup.sh

venv-3.11:  ## make .venv-3.11 beside it, for tests of the stack with TensorFlow 2.14
	@PYTHON=3.11 tools/setup.sh .venv-3.11

install:  ## put the command tff-lg into an environment of its own: PREFIX=~/tff-lg
	@test -n "$(PREFIX)" || { echo 'make: PREFIX is missing; name the folder to install into: make install PREFIX=~/tff-lg.' >&2; exit 1; }
	@tools/setup.sh $(PREFIX)
	@$(PREFIX)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	@rm -rf build tff_lg.egg-info
	@echo "Installed: $(PREFIX)/bin/tff-lg"

demo: venv  ## say on embedded data which model each client should use: runs/demo/report.html
	@.venv/bin/python -m pipelines.advise --flagfile=pipelines/configs/advise_demo.flags --run_dir=runs/demo

# An environment of the older stack that is there is kept up to date.
test: venv $(patsubst .%,%,$(wildcard .venv-3.11))  ## run every test with Bazel
	@tools/test.sh

lint: venv  ## check style and formatting with ruff, types with mypy, and the language of docs
	@.venv/bin/python -m ruff check .
	@.venv/bin/python -m ruff format --check .
	@.venv/bin/python -m mypy
	@.venv/bin/python -m tools.check_language

# Flags are read from .venv; the site is built without a network.
docs: venv  ## build the site of docs/ into build/site
	@DOCS=1 tools/setup.sh .venv-docs
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict --quiet
	@echo 'Built: build/site/index.html'

lock:  ## resolve requirements*.in to the locks again
	@command -v uv >/dev/null || { echo 'make: uv is needed to resolve the lock: install the package uv, for example with pipx.' >&2; exit 1; }
	uv pip compile requirements.in --config-file tools/uv.toml --constraint tools/constraints-3.12.txt --generate-hashes \
	  --python-version 3.12 --python-platform x86_64-manylinux_2_31 --no-header -o requirements.txt
	uv pip compile requirements-gpu.in --config-file tools/uv.toml --constraint requirements.txt --generate-hashes \
	  --python-version 3.12 --python-platform x86_64-manylinux_2_31 --no-header -o requirements-gpu.txt
	uv pip compile requirements-docs.in --config-file tools/uv.toml --generate-hashes \
	  --python-version 3.12 --python-platform x86_64-manylinux_2_31 --no-header -o requirements-docs.txt
	uv pip compile requirements.in --config-file tools/uv.toml --constraint tools/constraints-3.11.txt --generate-hashes \
	  --python-version 3.11 --python-platform x86_64-manylinux_2_31 --no-header -o requirements-3.11.txt

clean:  ## remove caches and Bazel's outputs, but neither environments nor runs
	@rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . \( -name '.venv*' -o -name runs \) -prune -o -name __pycache__ -prune -exec rm -rf {} +
	@if [ -e .bazel ]; then tools/bazel.sh clean && rm -rf .bazel bazel-out; fi

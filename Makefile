# What users and contributors need; `make help` lists it. The build itself is CMake's (CMakePresets.json has more of
# them). Measuring, recording and what is generated: tools/dev/qgdev --help.
BUILD ?= build
JOBS ?= $(shell nproc)
# The system's Python, whose packages tools/setup.sh installs, before whatever else is first on PATH.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
CLI := $(BUILD)/bin/quantgate
QGDEV := @PYTHON=$(PYTHON) $(PYTHON) tools/dev/qgdev --build $(BUILD) --jobs $(JOBS)

.PHONY: help setup configure build demo test test-python test-torch conformance conformance-installed zoo-check \
    update golden docs docs-output dist web arm64 bench fuzz clean
.DEFAULT_GOAL := help

help: ## this list; tools/dev/qgdev --help has what measures and records
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: ## installs system packages that are missing (Debian 12, Ubuntu 24.04)
	@tools/setup.sh

configure: setup
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release \
	    -DPython3_EXECUTABLE=$(PYTHON)

build: configure ## the command line tool, at build/bin/quantgate
	@cmake --build $(BUILD) -j $(JOBS) --target bin/quantgate

demo: build ## checks the example models for three chips and shows planted mistakes
	@$(PYTHON) tools/dev/demo.py $(CLI)

test: configure ## everything: unit, golden, command line, fuzz corpus, conformance, the Python package
	cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)
	@$(MAKE) --no-print-directory conformance
	@$(MAKE) --no-print-directory conformance-installed
	@$(MAKE) --no-print-directory test-python

test-python: # of that, the Python wheel: built, tested and type-checked in .venv
	$(QGDEV) test python

test-torch: ## PyTorch and ExecuTorch: installs them into .venv (minutes), tests; ALL=1: all of its models
	$(QGDEV) test torch $(if $(ALL),--all)

conformance: ## every unit against ONNX Runtime's QNN provider; ALL=1 asks about single ops again too
	$(QGDEV) conformance ort $(if $(ALL),--all)

# What `conformance` has installed is asked about every 10th configuration of ops again, and holds the float
# reference to ONNX Runtime.
conformance-installed: build
	@[ ! -x .venv/bin/python ] || .venv/bin/python tests/verify/test_reference.py
	$(QGDEV) conformance htp --installed --every 10

zoo-check: ## quantgate against everything recorded of the model zoo (docs/records/zoo.md)
	$(QGDEV) zoo check

update: ## writes everything that is generated and committed anew, after a change of data; review the diff
	$(QGDEV) update

golden: # of that, tests/golden and docs/records/coverage.md
	$(QGDEV) update goldens
	$(QGDEV) update coverage

docs-output: # of that, what the commands in the pages print
	$(QGDEV) update output

docs: ## the documentation site, into build/docs/site; links that lead nowhere fail
	$(QGDEV) site

dist: ## files of a release: static command line, .deb, wheel, sdist, SBOM, checksums; into build/dist/files
	$(QGDEV) dist

web: ## the page for browsers, one file that needs no server: build/web/page/index.html
	$(QGDEV) web

arm64: ## the command line for arm64 Linux, cross-built and tested under qemu-user; build/arm64/files
	$(QGDEV) test arm64

bench: ## time and memory of `quantgate check` on models of 10 to 100,000 nodes
	$(QGDEV) bench cli

fuzz: ## libFuzzer with sanitizers until every target has had FUZZ_MINUTES=30 of processor time
	$(QGDEV) fuzz --minutes $(or $(FUZZ_MINUTES),30)

clean: ## removes the build tree and the Python environment
	rm -rf $(BUILD) build-dist build-dist-python-* .venv

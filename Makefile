# `make help` lists the targets that users and contributors need, `make help-all` all of them. The build itself is CMake's (CMakePresets.json has more of them).
BUILD ?= build
JOBS ?= $(shell nproc)
# The system's Python, whose packages tools/setup.sh installs, before whatever else is first on PATH.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
CLI := $(BUILD)/bin/quantgate
FUZZERS := $(patsubst tests/fuzz/%_fuzz.cc,%,$(wildcard tests/fuzz/*_fuzz.cc))
FUZZ_MINUTES ?= 30
ORT := tests/conformance/ort
FIX := tests/conformance/fix
EXECUTORCH := tests/conformance/executorch
PIP_QUIET := --quiet --disable-pip-version-check
HTP := tests/conformance/htp
HTP_SDKS ?= 2.47 2.48 2.49 2.50 2.51

.PHONY: help help-all setup configure build demo test test-ci test-python test-torch models conformance verify-reference agree record-ort as-run as-run-live record-as-run golden screenshots reference coverage matrix-image bench bench-encodings bench-peers fuzz mutation test-packaging clean
.DEFAULT_GOAL := help

help: ## this list; `make help-all` has the targets that measure and record too
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
help-all: #: this list
	@sed -n 's/^\([a-z-]*\):.*#[:#] /\1\t/p' $(MAKEFILE_LIST) | expand -t 20

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
	@$(MAKE) --no-print-directory conformance-live
	@$(MAKE) --no-print-directory test-python

test-torch: build ## PyTorch and ExecuTorch: installs them into .venv (minutes), tests, asks the backend about slips
	@if PYTHON=$(PYTHON) tools/dev/setup/torch.sh && PYTHON=$(PYTHON) tools/dev/setup/venv.sh tests/python/requirements.txt; then \
	  CXX=$${CXX:-c++} .venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation \
	    --no-deps --no-index . && \
	  .venv/bin/python tests/python/test_torch.py && .venv/bin/python tests/python/test_torch_docs.py && \
	  cd $(EXECUTORCH) && ../../../.venv/bin/python slips.py --live && ../../../.venv/bin/python flows.py && \
	  ../../../.venv/bin/python speed.py && \
	  ../../../.venv/bin/python own_models.py --select $(if $(ALL),test,'_(add|cat|conv2d_bl|linear|reshape)'); \
	else \
	  echo "SKIPPED PyTorch and ExecuTorch: not for this system or Python, or no network"; \
	fi

test-python: build ## builds the Python wheel, tests and type-checks it in .venv
	@if PYTHON=$(PYTHON) tools/dev/setup/venv.sh tests/python/requirements.txt; then \
	  rm -rf $(BUILD)/wheel && \
	  CXX=$${CXX:-c++} CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) QUANTGATE_WERROR=ON \
	    .venv/bin/pip wheel $(PIP_QUIET) --no-build-isolation --no-deps --no-index -w $(BUILD)/wheel . && \
	  .venv/bin/pip install $(PIP_QUIET) --force-reinstall --no-deps --no-index $(BUILD)/wheel/*.whl && \
	  QUANTGATE_WHEEL=$$(echo $(BUILD)/wheel/*.whl) \
	    .venv/bin/python -m unittest discover --start-directory tests/python; \
	else \
	  echo "SKIPPED Python package: no pybind11, mypy or onnx for this Python, or no network"; \
	fi

test-ci: build #: the workflow and hook of docs/guide/ci.md as a new user has them: a clean clone builds itself; real pre-commit
	@if PYTHON=$(PYTHON) tools/dev/setup/venv.sh tests/ci/requirements.txt; then \
	  QUANTGATE_CLI=$(abspath $(CLI)) .venv/bin/python -m unittest discover --start-directory tests/ci; \
	else \
	  echo "SKIPPED pre-commit and workflow: no network"; \
	fi

conformance: build ## every unit against ONNX Runtime's QNN provider; ALL=1 asks about single ops again too
	@if PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt; then \
	  .venv/bin/python $(ORT)/compare.py --live $(if $(ALL),--all) --cli $(CLI) && \
	  QUANTGATE_CLI=$(abspath $(CLI)) .venv/bin/python $(FIX)/test_chains.py && \
	  .venv/bin/python $(FIX)/measure.py --check --cli $(CLI); \
	else \
	  echo "SKIPPED live part: no onnxruntime-qnn for this system, Python or network; recorded answers:"; \
	  $(PYTHON) $(ORT)/compare.py --cli $(CLI); \
	fi

.PHONY: conformance-live conformance-htp record-htp known-htp
# Part of `make test`: what `conformance` has installed is used to ask every 10th configuration of the
# HTP library again, and to hold the float reference to ONNX Runtime.
conformance-live: build
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	@[ ! -x .venv/bin/python ] || .venv/bin/python tests/verify/test_reference.py
	@libs=$$($(PYTHON) $(HTP)/libraries.py --installed); \
	if [ -n "$$libs" ]; then $(PYTHON) $(HTP)/conformance.py --asked-only --live $$libs --every 10; \
	else echo "SKIPPED: no HTP library installed; its recorded answers were replayed"; fi

conformance-htp: build #: every recorded configuration asked of the HTP libraries of QNN 2.47 to 2.51 again
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	$(PYTHON) $(HTP)/conformance.py --live $$($(PYTHON) $(HTP)/libraries.py --folder $(BUILD)/qnn $(HTP_SDKS))

record-htp: build verify-reference #: asks, executes and records tests/conformance/htp anew, about ten minutes
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	.venv/bin/python $(HTP)/conformance.py --record $$($(PYTHON) $(HTP)/libraries.py --folder $(BUILD)/qnn $(HTP_SDKS))
	$(PYTHON) $(HTP)/conformance.py --update

.PHONY: fresh
fresh: build verify-reference #: executes configurations of seeds never looked at: SEED="1 2" SDK="2.47 2.51", minutes each
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	.venv/bin/python $(HTP)/fresh.py $(or $(SEED),1) --libraries $$($(PYTHON) $(HTP)/libraries.py --folder $(BUILD)/qnn $(or $(SDK),2.47 2.51))

known-htp: build #: after a change of the database: known_differences.json, edges_known.json, docs/records/conformance.md
	$(PYTHON) $(HTP)/edges.py --update
	$(PYTHON) $(HTP)/conformance.py --update

.PHONY: record-edges
record-edges: build verify-reference #: makes configurations at the edges of all constraints, asks, executes and records them
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	.venv/bin/python $(HTP)/edges.py --record $$($(PYTHON) $(HTP)/libraries.py --folder $(BUILD)/qnn 2.47 2.51)
	$(PYTHON) $(HTP)/edges.py --update

verify-reference: #: the float reference of `quantgate verify --execute`: NumPy, into .venv
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh tools/quantgate/python/reference/requirements.txt

agree: build #: fresh random configurations against the library: SDK="2.47 2.51" ARCH="v68 v73 v79" SEED=1 COUNT=20000
	cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	$(PYTHON) -m tools.dev.differential --oracle $(BUILD)/bin/qg-oracle --quantgate $(CLI) \
	    --libraries $(BUILD)/backends --opdefs opdefs/htp --sdk $(or $(SDK),2.47 2.51) \
	    --arch $(or $(ARCH),v68 v73 v79) --seed $(or $(SEED),1) --count $(or $(COUNT),20000) \
	    --jobs $(JOBS) --minimise 3 --propose 3 -o $(BUILD)/agree

.PHONY: fix-measured
fix-measured: build #: fixes bad variants of models, asks and runs the provider before and after: docs/records/fix.md, minutes
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt
	.venv/bin/python $(FIX)/measure.py --record --cli $(CLI)

record-ort: #: asks the provider again and rewrites tests/conformance/ort/recorded
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt
	.venv/bin/python $(ORT)/compare.py --record

.PHONY: judge record-graphs
judge: build #: puts the rules' smallest models to the HTP library and to ONNX Runtime's QNN provider, some minutes
	@cmake --build $(BUILD) -j $(JOBS) --target bin/qg-oracle
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt tools/quantgate/python/reference/requirements.txt
	.venv/bin/python tests/conformance/rules/judge.py --oracle $(BUILD)/bin/qg-oracle --provider \
	    --backend-lib $$($(PYTHON) $(HTP)/libraries.py --installed | sed 's/^[^=]*=//')
	$(BUILD)/tools/opdefc/opdefc fmt opdefs/rules/judged.yaml

record-graphs: build #: asks the provider about whole transformer blocks again, half an hour
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt
	.venv/bin/python tests/conformance/graph/ask_graphs.py $(or $(ARCH),v73)
	.venv/bin/python tests/conformance/graph/pack.py $(CLI)
as-run: build #: what --as-run predicts against what was recorded; writes expected.json and the tables of docs/records/as_run.md
	$(PYTHON) $(ORT)/as_run/compare.py --cli $(CLI) --shrink --write docs/records/as_run.md
	$(PYTHON) -m tools.dev.record.all_socs $(CLI) docs/records/as_run.md

as-run-live: #: asks the provider about every 20th small model and compares with what is recorded: ARCH="v68 v73"
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt
	.venv/bin/python $(ORT)/as_run/record.py $(or $(ARCH),v68 v73) --check 20

record-as-run: #: asks the provider about the small models again, four architectures, half an hour
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh $(ORT)/requirements.txt
	.venv/bin/python $(ORT)/as_run/record.py v68 v69 v73 v79 v73-default

golden: build ## rewrites tests/golden from the fixtures of the rules and the database, docs/records/coverage.md; review the diff
	@$(PYTHON) -m tools.dev.record.goldens $(CLI)
	@$(PYTHON) -m tools.dev.record.snapshot $(CLI)
	@$(MAKE) --no-print-directory coverage

reference: build ## a Markdown page per op, rule and JSON format, into build/docs/reference
	@$(PYTHON) -m tools.dev.reference --cli $(CLI) -o $(BUILD)/docs/reference

.PHONY: docs docs-output
docs: build ## the documentation site, into build/docs/site; links that lead nowhere fail
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh tools/dev/site/requirements.txt
	@$(PYTHON) -m tools.dev.site --cli $(CLI) --mkdocs .venv/bin/mkdocs -o $(BUILD)/docs

docs-output: build ## writes what the commands in the pages print now into the pages; review the diff
	@QUANTGATE_CLI=$(abspath $(CLI)) $(PYTHON) tests/docs/test_docs.py --update

coverage: build #: rewrites docs/records/coverage.md out of the database; review the diff
	@$(PYTHON) -m tools.dev.reference --cli $(CLI) --coverage docs/records/coverage.md

matrix-image: build #: rewrites docs/images/matrix.png; needs Chromium
	@$(PYTHON) -m tools.dev.pictures.matrix $(CLI) docs/images/matrix.png

counts: build #: counts of the database per backend and SDK version, printed and into docs/records/database.md
	@QUANTGATE_BUILD=$(abspath $(BUILD)) $(PYTHON) -m tools.dev.record.counts

screenshots: build #: rewrites the pictures of the HTML report in docs/images; needs Chromium
	@QUANTGATE_CLI=$(abspath $(CLI)) QUANTGATE_SCREENSHOTS=$(abspath docs/images) \
	    $(PYTHON) tests/web/test_html.py Browser.test_screenshots

bench: build ## time and memory of `quantgate check` on models of 10 to 100,000 nodes
	@$(PYTHON) -m tools.dev.bench.cli --cli $(CLI)
	@test ! -x .venv/bin/quantgate || .venv/bin/python -m tools.dev.bench.python

.PHONY: bench-core record-bench
bench-core: build #: the benchmarks of the core against the recorded baseline: what takes 1.5 times as long fails; ONLY=REGEX
	@cmake --build $(BUILD) -j $(JOBS) --target tests/bench/quantgate_bench
	@$(PYTHON) -m tools.dev.bench.core --bench $(BUILD)/tests/bench/quantgate_bench --compare tests/bench/baseline.json \
	    $(if $(ONLY),--filter '$(ONLY)')

record-bench: build #: records that baseline anew, and the budgets in docs/records/performance.md; on a machine at rest
	@cmake --build $(BUILD) -j $(JOBS) --target tests/bench/quantgate_bench
	@$(PYTHON) -m tools.dev.bench.core --bench $(BUILD)/tests/bench/quantgate_bench --record tests/bench/baseline.json \
	    --page docs/records/performance.md
	@$(PYTHON) -m tools.dev.bench.cli --cli $(CLI) --page docs/records/performance.md

bench-encodings: build #: time and memory of `quantgate check --encodings` on files of 300 MB
	@$(PYTHON) -m tools.dev.bench.encodings --cli $(CLI)

.PHONY: bench-page
bench-page: build #: how smooth the HTML report of 10,000 findings is, in real time; needs Chromium
	@$(PYTHON) tests/web/bench_page.py --cli $(CLI)

test-packaging: build #: what is installed: consumer projects with GCC and Clang, as a subfolder too, the recipes
	@tools/setup.sh clang
	@cmake --build $(BUILD) -j $(JOBS)
	@if PYTHON=$(PYTHON) tools/dev/setup/venv.sh tools/packaging/requirements.txt; then PATH="$$PWD/.venv/bin:$$PATH"; fi; \
	QUANTGATE_BUILD=$(abspath $(BUILD)) QUANTGATE_CLI=$(abspath $(CLI)) QUANTGATE_COMPILERS="g++ clang++-14" \
	  QUANTGATE_SUBDIRECTORY=1 $(PYTHON) tests/packaging/test_packaging.py

mutation: build #: breaks each comparison of the rules and 400 values of the database: does a test notice? About an hour
	@$(PYTHON) -m tools.dev.mutation rules --build $(BUILD) --jobs $(JOBS)
	@$(PYTHON) -m tools.dev.mutation database --build $(BUILD) --jobs $(JOBS)

bench-peers: build #: a table of quantgate beside its peers, into docs/records/performance.md; LIBRARY=libQnnHtp.so WINML=winml
	@cmake --build $(BUILD) -j $(JOBS) --target tests/bench/quantgate_bench
	@$(PYTHON) -m tools.dev.bench.peers --cli $(CLI) $(if $(LIBRARY),--library $(LIBRARY)) $(if $(WINML),--winml $(WINML)) -o docs/records/performance.md

.PHONY: code-coverage
code-coverage: #: which lines and branches of core the tests reach, into docs/records/robustness.md; fewer than 95 % of the lines fail
	@tools/setup.sh gcovr
	cmake --preset coverage -DPython3_EXECUTABLE=$(PYTHON)
	cmake --build build/coverage -j $(JOBS)
	find build/coverage -name '*.gcda' -delete
	@# Tests that make writing fail don't expect that counts are written too.
	GCOV_ERROR_FILE=/dev/null ctest --test-dir build/coverage --output-on-failure -j $(JOBS)
	@$(MAKE) --no-print-directory conformance BUILD=build/coverage
	$(PYTHON) -m tools.dev.robustness.code_coverage --build build/coverage --jobs $(JOBS) --least 95 --page docs/records/robustness.md

fuzz: ## libFuzzer with sanitizers until every target has had FUZZ_MINUTES=30 of processor time, into docs/records/robustness.md
	@tools/setup.sh clang
	cmake --preset fuzz
	cmake --build build/fuzz -j $(JOBS) --target $(addsuffix _fuzz,$(FUZZERS))
	$(PYTHON) -m tools.dev.robustness.fuzz --fuzzers build/fuzz/tests/fuzz --minutes $(FUZZ_MINUTES) --jobs $(JOBS) \
	    --page docs/records/robustness.md

.PHONY: fuzz-minimise
fuzz-minimise: #: adds to tests/fuzz/corpus what of `make fuzz` reaches the most, 40 inputs a target at most
	$(PYTHON) -m tools.dev.robustness.fuzz --fuzzers build/fuzz/tests/fuzz --minimise

.PHONY: zoo zoo-check
zoo: #: the libraries of the model zoo, into build/zoo/venv; then python3 tools/dev/zoo --help
	PYTHON=$(PYTHON) tools/dev/models/networks/setup.sh build/zoo/venv

zoo-check: build ## quantgate against everything recorded of the model zoo (docs/records/zoo.md)
	$(PYTHON) tools/dev/zoo check --cli $(CLI)

models: setup #: makes docs/examples again, needs PyTorch from PyPI; FULL_WIDTH=DIR: published sizes, into DIR
	PYTHON=$(PYTHON) tools/dev/setup/venv.sh tools/dev/models/examples/requirements.txt
	.venv/bin/python tools/dev/models/examples/make_models.py \
	    $(if $(FULL_WIDTH),--full-width $(FULL_WIDTH))

.PHONY: aimet
aimet: build #: makes tests/data/aimet again with aimet-onnx from PyPI, in an environment of its own
	PYTHON=$(PYTHON) tools/dev/models/aimet/setup.sh $(BUILD)/aimet
	$(BUILD)/aimet/bin/python tools/dev/models/aimet/make_aimet.py --cli $(CLI)

clean: ## removes the build tree and the Python environment
	rm -rf $(BUILD) .venv

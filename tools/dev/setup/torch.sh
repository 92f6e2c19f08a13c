#!/bin/sh
# Installs PyTorch (CPU), ExecuTorch and the backend libraries into .venv for `make test-torch`.
# Exit status 3: PyPI has no package for this system or Python, or can't be reached.
set -eu
cd "$(dirname "$0")/../../.."
[ -x .venv/bin/pip ] || "${PYTHON:-python3}" -m venv .venv || exit 3
if ! .venv/bin/python -c 'import torch' >/dev/null 2>&1; then
  # Without this the newest release comes, with several GB of CUDA packages.
  .venv/bin/pip install --quiet --disable-pip-version-check --retries 2 --timeout 30 \
    torch==2.13.0 >&2 || exit 3
fi
tools/dev/setup/venv.sh tests/conformance/executorch/requirements.txt

#!/bin/sh
# Makes .venv and installs a requirements file into it, once for each content of that file.
#   tools/dev/setup/venv.sh REQUIREMENTS
# Exit status 3: PyPI has no package for this system or Python, or can't be reached.
set -eu
cd "$(dirname "$0")/../../.."
requirements=$1
stamp=".venv/.installed-$(cksum < "$requirements" | tr ' ' -)"
[ -e "$stamp" ] && exit 0
# A Python without ensurepip leaves a venv without pip behind; then the system's own is tried.
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  [ -x .venv/bin/pip ] && break
  rm -rf .venv
  "$python" -m venv .venv || continue
done
[ -x .venv/bin/pip ] || exit 3
.venv/bin/pip install --quiet --disable-pip-version-check --retries 2 --timeout 30 \
  -r "$requirements" >&2 || exit 3
touch "$stamp"

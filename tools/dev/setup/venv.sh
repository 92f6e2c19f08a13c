#!/bin/sh
# Makes .venv and installs a requirements file into it, once for each content of that file; again where another
# one has brought a package in another version since.
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
cp "$requirements" "$stamp"
# Stamps are the files that were installed: those that ask for other versions of these packages hold no longer.
awk 'FNR == 1 { file++ } /^#/ || /^ *$/ { next } { split($0, name, /[^A-Za-z0-9._-]/) }
  file == 1 { wanted[name[1]] = $0; next } name[1] in wanted && wanted[name[1]] != $0 { print FILENAME }' \
  "$requirements" .venv/.installed-* | sort -u | xargs rm -f

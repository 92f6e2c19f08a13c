#!/bin/sh
# Installs what lowering the zoo needs into a virtual environment: tools/dev/zoo_executorch/setup.sh FOLDER
# Exit status 3: PyPI has no package for this system or Python, or can't be reached.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
venv=$1
stamp="$venv/.zoo-$(cat "$root/tests/conformance/executorch/requirements.txt" "$0" | cksum | tr ' ' -)"
[ -e "$stamp" ] && exit 0
[ -x "$venv/bin/pip" ] || "${PYTHON:-python3}" -m venv "$venv" || exit 3
install() {
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 60 "$@" >&2 || exit 3
}
# torch first: without this the newest release comes, with several GB of CUDA packages.
install torch==2.13.0
install --no-deps torchvision==0.28.0 timm==1.0.31
install -r "$root/tests/conformance/executorch/requirements.txt" transformers==5.23.0 'pillow>=12' 'scipy>=1.17'
# A tool under the AGPL: it is installed to make models with, nothing of it is copied.
install --no-deps ultralytics==8.4.190
install opencv-python-headless matplotlib psutil requests polars ultralytics-thop
install "$root"
touch "$stamp"

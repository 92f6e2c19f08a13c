#!/bin/sh
# Installs what the zoo needs into a virtual environment: tools/dev/models/networks/setup.sh FOLDER
# Exit status 3: PyPI has no package for this system or Python, or can't be reached.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$1
aimet=$here/../aimet
stamp="$venv/.zoo-$(cat "$here"/requirements.txt "$aimet"/requirements.txt "$aimet"/itself.txt "$0" | cksum | tr ' ' -)"
[ -e "$stamp" ] && exit 0
[ -x "$venv/bin/pip" ] || "${PYTHON:-python3}" -m venv "$venv" || exit 3
install() {
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 60 "$@" >&2 || exit 3
}
install torch==2.13.0
install --no-deps torchvision==0.28.0 timm==1.0.31
install -r "$here/requirements.txt"
# A tool under the AGPL: it is installed to make models with, nothing of it is copied.
install --no-deps ultralytics==8.4.190
install opencv-python-headless matplotlib psutil requests polars ultralytics-thop
install -r "$aimet/requirements.txt"
install --no-deps -r "$aimet/itself.txt"
touch "$stamp"

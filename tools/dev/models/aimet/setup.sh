#!/bin/sh
# Makes the Python environment of `tools/dev/qgdev models aimet`, once: tools/dev/models/aimet/setup.sh FOLDER
# Its own, because these releases of torch and onnx are not those of the tests in .venv.
set -eu
venv=$1
here=$(dirname "$0")
stamp="$venv/.installed-$(cat "$0" "$here/requirements.txt" "$here/itself.txt" | cksum | tr ' ' -)"
[ -e "$stamp" ] && exit 0
rm -rf "$venv"
"${PYTHON:-python3}" -m venv "$venv"
install() {
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 60 "$@"
}
# Asked for by version and first: otherwise the newest comes, with several GB of CUDA packages.
install torch==2.13.0
install -r "$here/requirements.txt"
install --no-deps -r "$here/itself.txt"
touch "$stamp"

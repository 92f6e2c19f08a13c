#!/bin/sh
# Installs what building and testing needs from the system's packages (Debian 12, Ubuntu 24.04).
# With everything there it only looks, in well under a second. Exit status 2: somebody has to
# install them by hand; the line to run is printed.
#   tools/setup.sh          build and tests
#   tools/setup.sh clang    also Clang: the libFuzzer targets, the consumer project
#   tools/setup.sh gcovr    also gcovr: what of core the tests reach
#   tools/setup.sh web      also emscripten: the page for browsers
#   tools/setup.sh arm64    also the cross compiler and qemu-user: arm64 Linux
set -eu

# Kept in step with docs/extending/dependencies.md.
packages="g++ cmake ninja-build ccache git ca-certificates
  libabsl-dev libprotobuf-dev protobuf-compiler libprotozero-dev libyaml-cpp-dev
  libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libxml2-dev libcli11-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-dev python3-venv python3-yaml python3-jsonschema libc++1"
case "${1:-}" in
  clang) packages="$packages clang-14 libclang-rt-14-dev" ;;
  gcovr) packages="$packages gcovr" ;;
  web) packages="$packages emscripten node-acorn dpkg-dev" ;;
  arm64) packages="$packages g++-aarch64-linux-gnu qemu-user-static" ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "setup: no Debian packages here; docs/extending/dependencies.md lists what has to be installed" >&2
  exit 0
fi

missing=
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install() {
  "$@" env DEBIAN_FRONTEND=noninteractive sh -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends '"$missing"
}

echo "setup: installing$missing" >&2
if [ "$(id -u)" = 0 ]; then
  install >&2
  exit 0
fi
if command -v sudo >/dev/null 2>&1; then
  # Without a terminal there is nobody to type a password.
  if [ -t 0 ]; then sudo=sudo; else sudo="sudo -n"; fi
  # shellcheck disable=SC2086
  if install $sudo >&2; then exit 0; fi
fi
echo "setup: needs root once; run this and start again:" >&2
echo "apt-get update && apt-get install -y --no-install-recommends$missing" >&2
exit 2

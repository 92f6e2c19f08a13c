#!/usr/bin/env bash
# What action.yml runs; its inputs come as variables. Without a program given it builds the one it
# came with. Annotations go to the job's log, a SARIF file is written beside where asked for. The
# exit status is that of the check.
set -uo pipefail

if [ -z "${QUANTGATE:-}" ]; then
  root=$(cd "$(dirname "$0")/.." && pwd)
  echo "::group::Build quantgate"
  make -C "$root" build || exit 2
  echo "::endgroup::"
  QUANTGATE=$root/build/bin/quantgate
fi

# Words of the inputs, patterns expanded: that is what they are for.
# shellcheck disable=SC2206
arguments=($MODELS ${ARGUMENTS:-})
[ -n "${SOC:-}" ] && arguments+=(--soc "$SOC")
[ -n "${SDK:-}" ] && arguments+=(--sdk "$SDK")
[ -n "${FAIL_ON:-}" ] && arguments+=(--fail-on "$FAIL_ON")

if [ -n "${SARIF:-}" ]; then
  "$QUANTGATE" check "${arguments[@]}" --format sarif --exit-zero -o "$SARIF" || exit $?
fi
"$QUANTGATE" check "${arguments[@]}" --format github
status=$?
[ -n "${GITHUB_OUTPUT:-}" ] && echo "exit-status=$status" >> "$GITHUB_OUTPUT"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  {
    echo '```'
    "$QUANTGATE" check "${arguments[@]}" --statistics --exit-zero 2>&1
    echo '```'
  } >> "$GITHUB_STEP_SUMMARY"
fi
exit $status

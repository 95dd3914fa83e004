#!/usr/bin/env bash
# Runs every test with Bazel, then prints how many passed and failed.
#
# Finds Bazel on PATH, as bazel or bazelisk, or installs Debian's where it may.
# Arguments are passed to `bazel test`; without any it tests everything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "make: $*" >&2
  exit 1
}

find_bazel() {
  local candidate
  for candidate in bazel bazelisk; do
    if command -v "$candidate"; then
      return
    fi
  done
  return 1
}

if ! bazel=$(find_bazel); then
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    fail 'Bazel is needed to run the tests: install bazelisk (or, on Debian, the package bazel-bootstrap) and try again.'
  fi
  echo 'No Bazel on PATH: installing the package bazel-bootstrap'
  { DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends bazel-bootstrap >/dev/null; } ||
    fail 'apt-get could not install bazel-bootstrap (its message is above): check the network, or install bazelisk.'
  bazel=$(find_bazel) || fail 'the package bazel-bootstrap was installed, but there is no bazel on PATH.'
fi

# Debian's bazel refuses a .bazelversion that is not among its own: take what it has.
if ! "$bazel" --version >/dev/null 2>&1; then
  export USE_BAZEL_VERSION=latest
  "$bazel" --version >/dev/null 2>&1 ||
    fail "$bazel does not start: run \`$bazel --version\` to see why, or install bazelisk."
fi

events=$(mktemp)
trap 'rm -f "$events"' EXIT
status=0
"$bazel" test --build_event_json_file="$events" "${@:-//...}" || status=$?
.venv/bin/python tools/count_tests.py "$events" "$status"

#!/usr/bin/env bash
# Runs Bazel with the arguments given: `bazel` or `bazelisk` if it is on PATH,
# else Debian's, which is installed where that is allowed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "make: $*" >&2
  exit 1
}

if ! bazel=$(command -v bazel || command -v bazelisk); then
  if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    fail 'Bazel is needed to run the tests, but PATH has neither bazel nor bazelisk:' \
      'install bazelisk (or, on Debian and Ubuntu, the package bazel-bootstrap) and try again.'
  fi
  echo 'Installing the package bazel-bootstrap: there is no bazel and no bazelisk on PATH' >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq &&
    apt-get install -qq -y --no-install-recommends bazel-bootstrap; } >/dev/null ||
    fail 'apt-get could not install bazel-bootstrap (its message is above):' \
      'check the network, or install bazelisk, and try again.'
  hash -r
  bazel=$(command -v bazel) || fail 'bazel-bootstrap is installed, but there is no bazel on PATH.'
fi

# Debian's wrapper refuses the version in .bazelversion unless it has that very one.
if ! "$bazel" --version >/dev/null 2>&1; then
  export USE_BAZEL_VERSION=latest
  "$bazel" --version >/dev/null 2>&1 ||
    fail "$bazel does not start: \`$bazel --version\` says why."
fi

exec "$bazel" "$@"

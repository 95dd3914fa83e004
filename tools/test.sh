#!/usr/bin/env bash
# Runs every test, or the targets given, then prints `N passed, N failed`. Every test includes those
# of `older` on Python 3.11 and TensorFlow 2.14, if `make venv-3.11` has made the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/bazel.sh --version >/dev/null # Finds or installs Bazel, or says why it cannot.

# What depends most on TensorFlow and TFF, and the contract of every method, without those that take
# longest and depend on the versions least. //tests/pipelines:two_stacks_test, which runs a pipeline
# on both stacks, is among the tests of the newer one.
readonly older=(//tests/aggregators/... //tests/compatibility/...
  //tests/learning:methods/contract_test //tests/models/... //tests/runtime/...
  //tests:environment_test
  -//tests/aggregators:factories/dp_mean_test -//tests/aggregators:factories/gathering_test
  -//tests/models:auxiliary_test -//tests/models:bilstm_test -//tests/models:resnet_test
  -//tests/runtime:layer_stress_test -//tests/runtime:private_aggregators_test
  -//tests/runtime:ray_test)

events=$(mktemp -d)
trap 'rm -rf "$events"' EXIT
results=()

# Runs `bazel test` with these arguments, and keeps what count_tests.py is to read.
run_tests() {
  local file=$events/${#results[@]} status=0
  tools/bazel.sh test --build_event_json_file="$file" "$@" || status=$?
  results+=("$file" "$status")
}

run_tests -- "${@:-//...}"
if [[ $# == 0 && ! -e .venv/bin/python3.11 ]]; then
  if [[ -e .venv-3.11/packages.txt ]]; then
    echo 'The same on Python 3.11 with TensorFlow 2.14, for some rooms:'
    run_tests --config=python3.11 -- "${older[@]}"
  else
    echo 'Python 3.11 with TensorFlow 2.14 was not tested: `make venv-3.11` makes its environment.'
  fi
fi
.venv/bin/python tools/count_tests.py "${results[@]}"

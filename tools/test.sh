#!/usr/bin/env bash
# Runs every test, or the targets given, then prints `N passed, N failed`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/bazel.sh --version >/dev/null # Finds or installs Bazel, or says why it cannot.

events=$(mktemp)
trap 'rm -f "$events"' EXIT
status=0
tools/bazel.sh test --build_event_json_file="$events" -- "${@:-//...}" || status=$?
.venv/bin/python tools/count_tests.py "$events" "$status"

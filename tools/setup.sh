#!/usr/bin/env bash
# Makes .venv from the lock, requirements.txt, or does nothing if that is done.
#
# .venv/requirements.txt, a copy of the lock that is written last, marks a
# complete environment: an interrupted install and a changed lock are both seen.
# .venv/packages.txt lists what is installed; Bazel's results depend on it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly venv=.venv
readonly python=$venv/bin/python
readonly complete=$venv/requirements.txt

fail() {
  echo "make: $*" >&2
  exit 1
}

# Prints the full name of a Python 3.11: $PYTHON, python3.11 or python3.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3.11 python3; do
    # Asks the interpreter, not its name: a version manager's python3.11 may be an empty shell.
    if "$candidate" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  fail "Python 3.11 is needed (TensorFlow Federated 0.87 runs on no later one), but ${PYTHON:-python3.11} is not one:" \
    'install python3.11, or name yours with PYTHON=/path/to/python3.11.'
}

# Lists the installed packages, and touches the list only if it has changed.
list_packages() {
  "$python" - "$venv/packages.txt" <<'EOF'
import importlib.metadata, pathlib, sys
names = {f'{d.metadata["Name"]}=={d.version}' for d in importlib.metadata.distributions()}
text = '\n'.join([sys.version, *sorted(names)]) + '\n'
path = pathlib.Path(sys.argv[1])
if not path.exists() or path.read_text() != text:
  path.write_text(text)
EOF
}

if cmp -s requirements.txt "$complete" && "$python" -c '' 2>/dev/null; then
  list_packages
  exit
fi

if [[ "$(uname -sm)" != 'Linux x86_64' ]]; then
  fail "the lock is for Linux on x86_64, where TensorFlow Federated 0.87 is published, but this is $(uname -sm)."
fi

# A changed lock is brought up to date in place; an install that was cut short starts afresh, since
# pip takes a package of which it wrote only the beginning for an installed one.
if [[ ! -e $complete ]] ||
  ! "$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null ||
  ! "$python" -m pip --version >/dev/null 2>&1; then
  base=$(find_python)
  "$base" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$base has no venv module: install it (on Debian and Ubuntu, apt-get install python3.11-venv) and try again."
  echo "Making $venv with $base"
  "$base" -m venv --clear "$venv" || fail "$base could not make $venv: its message is above."
fi

echo 'Installing requirements.txt: 3 GB, a few minutes the first time'
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --no-compile \
  -r requirements.txt ||
  fail 'pip could not install requirements.txt (its message is above): check the network, then run this again.'

# Bazel's sandbox cannot write bytecode: without it every test would compile TensorFlow again.
# Some packages carry files that are not meant for this Python, which is no failure.
echo 'Compiling bytecode'
"$python" -m compileall -qq -j 0 "$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true

list_packages
cp requirements.txt "$complete"

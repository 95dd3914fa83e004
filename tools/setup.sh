#!/usr/bin/env bash
# Makes .venv, or the folder given, from a lock, or does nothing if that is done: requirements.txt
# for Python 3.12, with GPU=1 requirements-gpu.txt, and requirements-3.11.txt for Python 3.11. With
# DOCS=1 it is requirements-docs.txt, which has what builds the site and nothing else.
#
# .venv/requirements.txt, a copy of the lock that is written last, marks a
# complete environment: an interrupted install and a changed lock are both seen.
# .venv/packages.txt lists what is installed; Bazel's results depend on it.
#
# The exit status is 3 if there is no such Python, or none that can make environments, and 1 after
# any other failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly venv=${1:-.venv}
readonly python=$venv/bin/python
readonly complete=$venv/requirements.txt

fail() {
  echo "make: $*" >&2
  exit "${exit_status:-1}"
}

# Prints the minor version of a Python, such as 3.12; nothing if it does not run.
version_of() {
  # Asks the interpreter, not its name: a version manager's python3.12 may be an empty shell.
  "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || true
}

# Prints the lock for a version of Python; nothing if there is none.
lock_of() {
  case ${DOCS:+docs-}$1 in
    docs-3.12) echo requirements-docs.txt ;;
    3.12) echo "requirements${GPU:+-gpu}.txt" ;;
    3.11) echo requirements-3.11.txt ;;
  esac
}

# Prints the Pythons to choose from, the best first: $PYTHON alone if it is set, as a version or a
# path; else what is on PATH, with pyenv's that are not active before an older one that is.
list_pythons() {
  local pyenv_root=${PYENV_ROOT:-${HOME:-}/.pyenv}
  case ${PYTHON:-} in
    '') echo python3.12; ls -d "$pyenv_root"/versions/3.12*/bin/python3.12 2>/dev/null || true
      echo python3; echo python3.11 ;;
    3.*) echo "python$PYTHON"
      ls -d "$pyenv_root/versions/$PYTHON"*/bin/python"$PYTHON" 2>/dev/null || true ;;
    *) echo "$PYTHON" ;;
  esac
}

# Prints the full name of the Python to use.
find_python() {
  local candidate
  while read -r candidate; do
    if [[ -n $(lock_of "$(version_of "$candidate")") ]]; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return
    fi
  done < <(list_pythons)
  local wanted=3.12 found="Python 3.12 is needed${DOCS- (3.11 will do)}, but ${PYTHON:-python3.12} is not one"
  if [[ -n $(lock_of "${PYTHON:-}") ]]; then
    wanted=$PYTHON found="Python $PYTHON is needed, but neither PATH nor pyenv has one"
  fi
  exit_status=3 fail "$found: install python$wanted (on Debian and Ubuntu with apt-get, anywhere with uv" \
    "python install $wanted or pyenv install $wanted), or name yours with PYTHON=/path/to/python$wanted."
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

# What is there stays, unless another Python is asked for.
present=$(version_of "$python")
lock=$(lock_of "$present")
base=${PYTHON:+$(find_python)}
if [[ -n $base && $(version_of "$base") != "$present" ]]; then
  lock=
fi
if [[ -n $lock ]] && cmp -s "$lock" "$complete"; then
  list_packages
  exit
fi

if [[ "$(uname -sm)" != 'Linux x86_64' ]]; then
  fail "the locks are for Linux on x86_64, where TensorFlow Federated 0.87 is published, but this is $(uname -sm)."
fi

# A changed lock is brought up to date in place; an install that was cut short starts afresh, since
# pip takes a package of which it wrote only the beginning for an installed one.
if [[ -z $lock || ! -e $complete ]] || ! "$python" -m pip --version >/dev/null 2>&1; then
  base=${base:-$(find_python)}
  version=$(version_of "$base")
  lock=$(lock_of "$version")
  "$base" -c 'import venv, ensurepip' 2>/dev/null ||
    exit_status=3 fail "$base has no venv module: install it (on Debian and Ubuntu, apt-get install python$version-venv) and try again."
  echo "Making $venv with $base"
  "$base" -m venv --clear "$venv" || fail "$base could not make $venv: its message is above."
fi

size='3 GB, a few minutes the first time'
[[ -z ${DOCS:-} ]] || size='160 MB'
echo "Installing $lock: $size"
# Wheels alone: to build a package, pip would download tools of any version, without a hash.
# TFF 0.87 says that it needs Python < 3.12; tff_lg.compatibility makes it work there.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --no-compile \
  --only-binary=:all: --ignore-requires-python -r "$lock" ||
  fail "pip could not install $lock (its message is above): check the network, then run this again."

# Bazel's sandbox cannot write bytecode: without it every test would compile TensorFlow again.
# Some packages carry files that are not meant for this Python, which is no failure.
echo 'Compiling bytecode'
"$python" -m compileall -qq -j 0 "$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true

list_packages
cp "$lock" "$complete"

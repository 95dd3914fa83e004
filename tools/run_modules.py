"""Runs test modules, each in a process that begins with TensorFlow Federated and ours imported.

The imports take longer than most modules' tests, so they are done once. Each module then runs in a
fork as by `python -m`. So flags, devices and contexts of one never meet those of another. A module
that draws without a seed draws the same again, for instance the initial weights of Keras.

  run_modules.py [--no_preload] FILE...

Bazel's shards take turns at the modules, or at the cases of one module. The JUnit file has the
cases of all; a module's output is printed if it fails. A module that runs a pipeline may have it
forked here, too: see tests/processes.py, which connects to the socket named by
`RUN_MODULES_SOCKET`.
"""

import ast
import atexit
import contextlib
import gc
import importlib
import itertools
import json
import os
import pathlib
import random
import resource
import runpy
import select
import shutil
import socket
import sys
import tempfile
import time
import warnings
import xml.etree.ElementTree
from collections.abc import Iterable, Mapping, MutableMapping, Sequence

SOCKET_VARIABLE = 'RUN_MODULES_SOCKET'
_NO_PRELOAD = '--no_preload'

# The exit status of this process, in a fork.
_fork_status: int | None = None


def shard(paths: Sequence[str], environment: MutableMapping[str, str]) -> Sequence[str]:
  """Returns the modules of this shard, and tells Bazel that there are shards.

  Shards take turns there and back: the one with the longest module has the shorter ones later.
  They take turns at the cases of a single module, by absltest.

  Args:
    paths: of all modules, the longest first.
    environment: Bazel's variables about shards are taken out of it, as modules are not to see them.
  """
  if len(paths) == 1:
    return paths
  count = int(environment.pop('TEST_TOTAL_SHARDS', '1'))
  index = int(environment.pop('TEST_SHARD_INDEX', '0'))
  status_file = environment.pop('TEST_SHARD_STATUS_FILE', None)
  if status_file is not None:
    pathlib.Path(status_file).touch()
  turns = itertools.cycle([*range(count), *reversed(range(count))])
  return [path for path, turn in zip(paths, turns, strict=False) if turn == index]


def run(path: str, folder: pathlib.Path, requests: socket.socket) -> int:
  """Runs a module in a fork, and meanwhile, in forks as well, the programs that it asks for.

  Args:
    path: the module's file, from the folder that Python imports it from.
    folder: for its output, its JUnit file and its temporary files.
    requests: the socket that `listen` made. A request is a line of JSON, the arguments of `_fork`
      by name; the answer is a line with the exit status.

  Returns:
    The exit status; of one that a signal ended, the negative signal. Never returns in a fork.
  """
  temporary = folder / 'tmp'
  temporary.mkdir()
  output = str(folder / 'output')
  pid = _fork(
    path.removesuffix('.py').replace('/', '.'),
    # absl may have been imported before the variable was set.
    [f'--test_tmpdir={temporary}'],
    output,
    output,
    os.environ | {'XML_OUTPUT_FILE': str(folder / 'cases.xml'), 'TEST_TMPDIR': str(temporary)},
    os.getcwd(),
    sys.path,
    seed=0,
  )
  running: dict[int, tuple[int, socket.socket | None]] = {os.pidfd_open(pid): (pid, None)}
  while True:
    ready, _, _ = select.select([requests, *running], [], [])
    for descriptor in ready:
      if descriptor is requests:
        connection, _ = requests.accept()
        pid = _fork(**json.loads(connection.makefile().readline()))
        running[os.pidfd_open(pid)] = pid, connection
        continue
      pid, asker = running.pop(descriptor)
      os.close(descriptor)
      status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
      if asker is None:
        return status
      with asker:
        asker.sendall(b'%d\n' % status)


def listen() -> socket.socket:
  """Returns a socket for requests, whose address forks find in their environment."""
  requests = socket.socket(socket.AF_UNIX)
  # Linux chooses a free name, which needs no file. Process ids are no names: sandboxes share them.
  requests.bind('')
  requests.listen()
  os.environ[SOCKET_VARIABLE] = requests.getsockname().removeprefix(b'\0').decode()
  return requests


def _fork(
  module: str,
  arguments: Sequence[str],
  stdout: str,
  stderr: str,
  environment: Mapping[str, str],
  folder: str,
  paths: Sequence[str],
  seed: int | None = None,
) -> int:
  """Returns the id of a fork of this process that becomes `python -m MODULE ARGUMENTS`.

  Args:
    module: the module's name.
    arguments: for it, without its own name.
    stdout: the file for its output.
    stderr: the file for its errors, maybe the same.
    environment: all its variables.
    folder: the folder that it begins in.
    paths: of its imports.
    seed: of what it draws without one; a program's differs each time.
  """
  sys.stdout.flush()
  with warnings.catch_warnings():
    # The threads are those of OpenBLAS, which starts its own anew in a fork.
    warnings.filterwarnings('ignore', 'This process .* is multi-threaded', DeprecationWarning)
    pid = os.fork()
  if pid:
    return pid
  for path, descriptor in ((stdout, 1), (stderr, 2)):
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), descriptor)
  os.environ.clear()
  os.environ.update(environment)
  os.chdir(folder)
  sys.path[:] = paths
  sys.argv = [module, *arguments]
  random.seed(seed)  # Both Keras draw initial weights' seeds from it.
  global _fork_status
  _fork_status = 1
  try:
    runpy.run_module(module, run_name='__main__', alter_sys=True)
    sys.exit()
  except SystemExit as ending:
    code = ending.code
    _fork_status = code if isinstance(code, int) else int(code is not None)
    raise


def _end_fork() -> None:
  """Ends a fork after its own exit handlers: to take apart what was imported takes 0.3 s."""
  if _fork_status is not None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_fork_status)


def preload(paths: Iterable[str], package: str = 'tff_lg') -> None:
  """Imports what modules import of a package, so that forks have it.

  Without bytecode, which sandboxes cannot keep, each fork would compile it again.

  Args:
    paths: the modules' files.
    package: whose import defines no flags.

  Raises:
    RuntimeError: it started a thread, which forks would miss.
  """
  names = set()
  for path in paths:
    for node in ast.parse(pathlib.Path(path).read_text()).body:
      if isinstance(node, ast.ImportFrom) and f'{node.module}.'.startswith(f'{package}.'):
        names |= {str(node.module), *(f'{node.module}.{alias.name}' for alias in node.names)}
  threads = os.listdir('/proc/self/task')
  for name in sorted(names):
    with contextlib.suppress(ModuleNotFoundError):  # Others are names in a module.
      importlib.import_module(name)
  if len(os.listdir('/proc/self/task')) > len(threads):
    raise RuntimeError(f'The import of {package} started a thread, which forks do not have.')


def write_cases(sources: Iterable[pathlib.Path], target: str) -> None:
  """Writes one JUnit file with the suites of several; those that cannot be read are left out.

  Args:
    sources: JUnit files.
    target: the file to write.
  """
  merged = xml.etree.ElementTree.Element('testsuites')
  for source in sources:
    try:
      merged.extend(xml.etree.ElementTree.parse(source).getroot())
    except (OSError, xml.etree.ElementTree.ParseError):
      continue
  xml.etree.ElementTree.ElementTree(merged).write(target, encoding='utf-8')


def _cpu_seconds() -> float:
  """Returns the CPU seconds of all processes that this one has waited for."""
  usage = resource.getrusage(resource.RUSAGE_CHILDREN)
  return usage.ru_utime + usage.ru_stime


def main(arguments: Sequence[str]) -> int:
  """Runs modules one after the other; returns how many failed."""
  atexit.register(_end_fork)  # Registered first, it runs last.
  folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR')))
  # Else Matplotlib may take a temporary folder, which the first fork would remove as it ends.
  os.environ.setdefault('MPLCONFIGDIR', str(folder))
  # The user's is for neither what tests find nor what they leave.
  os.environ['TFF_LG_CACHE'] = str(folder / 'graphs')
  modules = shard([name for name in arguments if name != _NO_PRELOAD], os.environ)
  if _NO_PRELOAD not in arguments:
    import matplotlib.pyplot
    import pandas

    from tff_lg.compatibility import tff

    del matplotlib, pandas, tff  # Imported for the forks.
    preload(modules)

    # Else each fork would visit all that was imported when it ends, which takes a second.
    gc.freeze()
    # Graphs are made of many objects that stay: to look through them so often takes a twentieth.
    gc.set_threshold(100_000, 50, 100)
  folders = [folder / str(number) for number in range(len(modules))]
  failed = 0
  requests = listen()
  for path, own in zip(modules, folders, strict=True):
    own.mkdir()
    began, cpu_began = time.monotonic(), _cpu_seconds()
    status = run(path, own, requests)
    seconds, cpu_seconds = time.monotonic() - began, _cpu_seconds() - cpu_began
    if status:
      failed += 1
      print((own / 'output').read_text(errors='replace'))
    outcome = f'FAILED ({status})' if status else 'PASSED'
    print(f'{outcome} in {seconds:.1f} s ({cpu_seconds:.1f} of CPU): {path}', flush=True)
  if target := os.environ.get('XML_OUTPUT_FILE'):
    write_cases((own / 'cases.xml' for own in folders), target)
  shutil.rmtree(folder, ignore_errors=True)
  return failed


if __name__ == '__main__':
  sys.exit(bool(main(sys.argv[1:])))

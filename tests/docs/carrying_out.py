"""Processes that carry out commands of pages: for real, or up to where the work begins."""

import contextlib
import dataclasses
import importlib
import importlib.abc
import os
import pathlib
import pkgutil
import runpy
import sys
import traceback
from collections.abc import Sequence
from unittest import mock

_REACHED = 77

# Modules that programs import once their flags are known to be good.
_WORK = ('tff_lg.analysis', 'tff_lg.simulation', 'tff_lg.embeddings.extractor')
# Functions with which the work begins.
_BEGINS = (
  'tff_lg.sweeps.ProcessPool',
  'tff_lg.sweeps.RayPool',
  'tff_lg.data.load_adult',
  'tff_lg.data.load_source',
  'tff_lg.embeddings.EmbeddingSet.load',
  'tff_lg.embeddings.fsd.list_clips',
  'tff_lg.embeddings.image_folder.find_images',
)
# Functions that look at files which a test does not have.
_LOOKS = (
  'pipelines.mixing_run.look_at_data',
  'pipelines.training_run.look_at_data',
  'tff_lg.config.check_warm_start',
  'tff_lg.data.mood_files.read_scored_texts',
  'tff_lg.data.vqa_files.find_files',
  'tff_lg.experiments.new_device_rows.check_rows',
  'tff_lg.embeddings.presets.find_handle',
  'tff_lg.run_folder.source_run.check_finished',
  'tff_lg.run_folder.source_run.check_own_models',
)


def prepare() -> None:
  """Imports what checked programs import, once for all forks."""
  for name in (*_BEGINS, *_LOOKS):
    pkgutil.resolve_name(name)


class _Reached(BaseException):
  """The work begins; not an `Exception`, so that nothing catches it."""


class _Stop(importlib.abc.MetaPathFinder):
  """Stops the program at the import of a module of the work."""

  def find_spec(self, fullname, path, target=None):
    """Returns nothing for other modules, which other finders find."""
    del path, target
    if fullname in _WORK:
      raise _Reached


@dataclasses.dataclass(frozen=True)
class Result:
  """The outcome of a command.

  Attributes:
    code: its exit code; 0 also if it reached the work.
    output: what it printed, and its errors.
    has_reached_work: whether it was stopped where the work begins.
  """

  code: int
  output: str
  has_reached_work: bool


def run(module: str, arguments: Sequence[str], folder: pathlib.Path) -> Result:
  """Runs `python -m MODULE ARGUMENTS` in a folder, in a fork of this process."""
  return _fork(module, arguments, folder, contextlib.nullcontext())


def run_python(code: str, folder: pathlib.Path) -> Result:
  """Runs Python code in a folder, in a fork of this process."""
  (folder / 'code_of_a_page.py').write_text(code)
  return run('code_of_a_page', [], folder)


def check(module: str, arguments: Sequence[str], folder: pathlib.Path) -> Result:
  """Runs `python -m MODULE ARGUMENTS` up to where the work begins, without looking at data."""
  return _fork(module, arguments, folder, _up_to_the_work(module))


@contextlib.contextmanager
def _up_to_the_work(module):
  """Stops a program at the work; a benchmark once its flags are parsed."""
  from tff_lg import config as config_lib

  if module.startswith('benchmarks.'):
    with mock.patch('tff_lg.environment.check_environment', side_effect=_Reached):
      yield
    return
  source = config_lib.resolve(config_lib.TrainConfig())
  with contextlib.ExitStack() as patches:
    for name in _BEGINS:
      patches.enter_context(mock.patch(name, side_effect=_Reached))
    for name in _LOOKS:
      patches.enter_context(mock.patch(name))
    patches.enter_context(
      mock.patch('tff_lg.run_folder.source_run.load_config', return_value=source)
    )
    if module == 'pipelines.report':
      patches.enter_context(mock.patch('os.path.isdir', return_value=True))
    patches.enter_context(mock.patch.object(sys, 'meta_path', [_Stop(), *sys.meta_path]))
    yield


def _fork(module, arguments, folder, context):
  output = folder / 'output.txt'
  pid = os.fork()
  if not pid:
    code = 1
    try:
      code = _in_child(module, arguments, folder, context, output)
    except BaseException:
      traceback.print_exc()
    finally:
      sys.stdout.flush()
      sys.stderr.flush()
      os._exit(code)
  code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
  return Result(0 if code == _REACHED else code, output.read_text(), code == _REACHED)


def _forget_entries():
  """Lets registries be filled again, as flags are made of their entries."""
  for name in list(sys.modules):
    if name.split('.')[0] in ('pipelines', 'tff_lg') and 'compatibility' not in name:
      del sys.modules[name]


def _in_child(module, arguments, folder, context, output):
  with open(output, 'w') as file:
    os.dup2(file.fileno(), 1)
    os.dup2(file.fileno(), 2)
  sys.stdout, sys.stderr = (os.fdopen(number, 'w', closefd=False) for number in (1, 2))
  os.chdir(folder)
  sys.path.insert(0, str(folder))
  imported = [each.removeprefix('--import=') for each in arguments if '--import=' in each]
  if imported:
    _forget_entries()
  for name in imported:
    importlib.import_module(name)
  sys.argv = [module, *arguments]
  try:
    with context:
      runpy.run_module(module, run_name='__main__', alter_sys=True)
  except _Reached:
    return _REACHED
  except SystemExit as end:
    if end.code is None or isinstance(end.code, int):
      return end.code or 0
    print(end.code, file=sys.stderr)
    return 1
  return 0

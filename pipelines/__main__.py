"""Runs a pipeline by its name: `tff-lg train --help`, or `python -m pipelines train --help`."""

import ast
import importlib.metadata
import pathlib
import runpy
import sys

from pipelines import early_signals

_PROGRAM = early_signals.COMMAND
# What a file that is a program ends with.
_IS_PROGRAM = "if __name__ == '__main__':"


def list_pipelines() -> dict[str, str]:
  """Returns what each pipeline does, by name, without importing any."""
  found = {}
  for path in sorted(pathlib.Path(__file__).parent.glob('*.py')):
    text = path.read_text(encoding='utf-8')
    if path.stem != '__main__' and _IS_PROGRAM in text:
      found[path.stem] = (ast.get_docstring(ast.parse(text)) or '').splitlines()[0]
  return found


def main() -> None:
  """Runs the pipeline that the first argument names, with the arguments after it.

  Raises:
    SystemExit: there is no such pipeline, or it ended.
  """
  pipelines = list_pipelines()
  name = sys.argv[1] if len(sys.argv) > 1 else '--help'
  if name in pipelines:
    del sys.argv[1]
    # It is found under its own name, as by `python -m`.
    runpy.run_module(f'pipelines.{name}', run_name='__main__', alter_sys=True)
  elif name in ('--help', '-h', 'help'):
    width = max(map(len, pipelines))
    lines = [f'  {pipeline:{width}}  {what}' for pipeline, what in pipelines.items()]
    print(f'Usage: {_PROGRAM} PIPELINE --name=value ...\n')
    print('\n'.join(lines))
    print(f'\n`{_PROGRAM} PIPELINE --help` lists the flags of one.')
  elif name == '--version':
    print(f'{_PROGRAM} {_version()}')
  else:
    sys.exit(f'{_PROGRAM}: Unexpected pipeline {name!r}; expected one of {", ".join(pipelines)}.')


def _version() -> str:
  try:
    return importlib.metadata.version(_PROGRAM)
  except importlib.metadata.PackageNotFoundError:
    return '(from a clone, not installed)'


if __name__ == '__main__':
  main()

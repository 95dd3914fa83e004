"""The flags of the run, as the command that repeats it."""

import os
import shlex
from collections.abc import Mapping
from typing import Any

from tff_lg import metric_names
from tff_lg.analysis import markup
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section

_LEAD = 'The command that repeats the run in a new folder, with every flag that has a value:'


def build_configuration(run: RunFolder) -> Section:
  """Returns every flag of the run, as the command that repeats it."""
  changes = run.summary.get(metric_names.CHANGED_SETTINGS)
  if changes is None:
    return command_section(command(run))
  return command_section(
    command(run),
    f'Settings were changed on the way: {changes}. The command has the newest value of every flag, '
    'and does not repeat the rounds before:',
  )


def command_section(text: str, lead: str = _LEAD) -> Section:
  """Returns a section that shows the command of a run, after a sentence on it."""
  html = markup.fill('preformatted', lead, text)
  return Section('configuration', 'Configuration', html)


def flags_section(pipeline: str, hparams: Mapping[str, Any], run_dir: str) -> Section:
  """Returns a section with the command that runs a pipeline with these flags in a new folder."""
  return command_section(pipeline_command(pipeline, hparams, run_dir))


def command(run: RunFolder) -> str:
  """Returns the shell command that repeats the run in a new folder, one flag a line."""
  if run.is_synthetic:
    return f'python -m pipelines.report --fast {_new_folder(run.path)}'
  return pipeline_command('train', run.hparams, run.path)


def pipeline_command(pipeline: str, hparams: Mapping[str, Any], run_dir: str) -> str:
  """Returns the shell command that runs a pipeline with these flags in a new folder."""
  arguments = _arguments({name: v for name, v in hparams.items() if name != 'run_dir'})
  return ' \\\n  '.join([f'python -m pipelines.{pipeline}', *arguments, _new_folder(run_dir)])


def _new_folder(run_dir: str) -> str:
  return f'--run_dir={shlex.quote(os.path.normpath(run_dir) + "_again")}'


def _arguments(hparams: Mapping[str, Any]) -> list[str]:
  """Returns flags as the shell takes them; one without a value is left out."""
  arguments = []
  for name, value in hparams.items():
    if isinstance(value, bool):
      arguments.append(f'--{name}' if value else f'--no{name}')
    elif value is not None:
      written = ','.join(map(str, value)) if isinstance(value, list | tuple) else str(value)
      arguments.append(f'--{name}={shlex.quote(written)}')
  return arguments

"""The flags of the run, and the command that repeats it."""

from collections.abc import Mapping
import shlex
from typing import Any

from markupsafe import Markup

from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sections.section import Section


def build_configuration(run: RunFolder) -> Section:
  """The command to reproduce the run, and its flags one by one."""
  flags = Markup().join(
    Markup('<tr><th scope="row">{}</th><td>{}</td></tr>\n').format(f'--{name}', _written(value))
    for name, value in run.hparams.items()
  )
  html = Markup(
    '<p>To reproduce:</p><pre class="command">{}</pre>\n'
    '<details open><summary>All flags</summary><div class="scroll"><table class="flags">'
    '<tbody>\n{}</tbody></table></div></details>'
  ).format(command(run), flags)
  return Section('configuration', 'Configuration', html)


def command(run: RunFolder) -> str:
  """The shell command that repeats the run, one flag a line."""
  if run.is_synthetic:
    return f'python -m pipelines.report --fast --run_dir={shlex.quote(run.path)}'
  return ' \\\n  '.join(['python -m pipelines.train', *_arguments(run.hparams)])


def _arguments(hparams: Mapping[str, Any]) -> list[str]:
  """Flags as the shell takes them; one without a value is left at its default."""
  arguments = []
  for name, value in hparams.items():
    if isinstance(value, bool):
      arguments.append(f'--{name}' if value else f'--no{name}')
    elif value is not None:
      arguments.append(f'--{name}={shlex.quote(_written(value))}')
  return arguments


def _written(value: Any) -> str:
  """A value as a flag takes it: a list with commas."""
  if value is None:
    return '(default)'
  return ','.join(map(str, value)) if isinstance(value, list) else str(value)

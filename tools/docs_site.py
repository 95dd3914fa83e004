"""Adds the generated reference pages to the site: hooks of MkDocs, named in mkdocs.yml.

Each pipeline gets a page of its flags, read from its `--helpxml`. Each room of `tff_lg` gets a page
of its public names, which mkdocstrings fills from their docstrings. Nothing is written to docs/.
"""

import ast
import concurrent.futures
import os
import pathlib
import subprocess
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

_ROOT = pathlib.Path(__file__).resolve().parents[1]
_PYTHON = _ROOT / '.venv/bin/python'
_IS_PROGRAM = "if __name__ == '__main__':"


def pipelines() -> list[str]:
  """Returns the names of all pipelines."""
  return [
    path.stem
    for path in sorted(_ROOT.joinpath('pipelines').glob('*.py'))
    if path.stem != '__main__' and _IS_PROGRAM in path.read_text(encoding='utf-8')
  ]


def rooms() -> dict[str, list[str]]:
  """Returns the public names of each room of `tff_lg`, without importing it."""
  found = {}
  for path in sorted(_ROOT.joinpath('tff_lg').glob('*/__init__.py')):
    for node in ast.parse(path.read_text(encoding='utf-8')).body:
      if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == '__all__':
        found[path.parent.name] = ast.literal_eval(node.value)
  return found


def flags_page(name: str, helpxml: str) -> str:
  """Returns the Markdown page of a pipeline's flags.

  Args:
    name: the pipeline.
    helpxml: what the pipeline prints for `--helpxml`.

  Returns:
    A page with the usage and one table row per flag of the pipeline itself.
  """
  root = ElementTree.fromstring(helpxml)
  first, _, rest = (root.findtext('usage') or '').strip().partition('\n')
  lines = [
    f'# {name}: flags',
    '',
    first,
    '',
    '```',
    f'python -m pipelines.{name} --help',
    '```',
    '',
  ]
  if rest.strip():
    lines += ['```', rest.strip(), '```', '']
  lines += ['| flag | default | meaning |', '|---|---|---|']
  for flag in root.findall('flag'):
    if flag.findtext('key') != 'yes':
      continue
    default = flag.findtext('default') or ''
    cells = (
      f'`--{flag.findtext("name")}`',
      f'`{default}`' if default not in ('', 'None') else '',
      flag.findtext('meaning') or '',
    )
    lines.append('| ' + ' | '.join(_cell(cell) for cell in cells) + ' |')
  return '\n'.join(lines) + '\n'


def room_page(name: str, public: list[str]) -> str:
  """Returns the Markdown page of a room's public names, for mkdocstrings to fill."""
  members = '\n'.join(f'        - {each}' for each in public)
  return f'# tff_lg.{name}\n\n::: tff_lg.{name}\n    options:\n      members:\n{members}\n'


def _cell(text: str) -> str:
  """Escapes a text for a table cell; placeholders such as `<name>` are not HTML."""
  text = ' '.join(text.split()).replace('|', '\\|')
  return text if text.startswith('`') else text.replace('<', '&lt;').replace('*', '\\*')


def _helpxml(name: str) -> str:
  """Returns what a pipeline prints for `--helpxml`."""
  result = subprocess.run(
    [_PYTHON, '-m', f'pipelines.{name}', '--helpxml'],
    cwd=_ROOT,
    env={**os.environ, 'TF_CPP_MIN_LOG_LEVEL': '2'},
    capture_output=True,
    text=True,
    check=False,
  )
  if '</AllFlags>' not in result.stdout:
    raise RuntimeError(f'pipelines.{name} --helpxml printed no flags: {result.stderr}')
  return result.stdout


def on_config(config: Any) -> Any:
  """Adds the generated pages to the navigation, below `Flags` and `Python`."""
  generated: Mapping[str, list[str]] = {
    'Flags': [f'reference/flags/{name}.md' for name in pipelines()],
    'Python': [f'reference/python/{name}.md' for name in rooms()],
  }
  for part in config['nav']:
    for title, items in part.items():
      if title == 'Reference':
        for heading, pages in generated.items():
          items.append({heading: [{pathlib.Path(page).stem: page} for page in pages]})
  return config


def on_files(files: Any, config: Any) -> Any:
  """Adds the generated pages to the files of the site."""
  from mkdocs.structure.files import File

  names = pipelines()
  with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for name, helpxml in zip(names, pool.map(_helpxml, names), strict=True):
      page = flags_page(name, helpxml)
      files.append(File.generated(config, f'reference/flags/{name}.md', content=page))
  for name, public in rooms().items():
    page = room_page(name, public)
    files.append(File.generated(config, f'reference/python/{name}.md', content=page))
  return files

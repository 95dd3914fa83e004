"""Runs the code cells of notebooks and stores what they print; needs no Jupyter.

`python -m tools.notebooks docs/notebooks/own_table.ipynb` writes them into the notebook.
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
from typing import Any


def execute(path: str | os.PathLike[str]) -> dict[str, Any]:
  """Runs a notebook in an empty folder.

  Args:
    path: of the notebook, in Jupyter's format 4.

  Returns:
    The notebook, in which each code cell has its number and what it printed.
  """
  notebook = json.loads(pathlib.Path(path).read_text(encoding='utf-8'))
  names: dict[str, Any] = {'__name__': '__main__'}
  code = [cell for cell in notebook['cells'] if cell['cell_type'] == 'code']
  with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    for number, cell in enumerate(code, start=1):
      printed = io.StringIO()
      with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        exec(compile(''.join(cell['source']), f'{path}, cell {number}', 'exec'), names)
      text = printed.getvalue().splitlines(keepends=True)
      cell['execution_count'] = number
      cell['outputs'] = [{'output_type': 'stream', 'name': 'stdout', 'text': text}] if text else []
  return notebook


def main() -> None:
  """Runs the notebooks that the command names, and writes them."""
  for path in sys.argv[1:]:
    text = json.dumps(execute(os.path.abspath(path)), indent=1, ensure_ascii=False)
    pathlib.Path(path).write_text(text + '\n', encoding='utf-8')


if __name__ == '__main__':
  main()

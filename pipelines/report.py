"""Writes the figures and the report of a run folder again.

  python -m pipelines.report --run_dir=runs/try
  python -m pipelines.report --run_dir=runs/mean --compare_with=runs/median,runs/dp
  python -m pipelines.report --run_dir=runs/adapted
  python -m pipelines.report --run_dir=runs/invented --fast

The folder is of `pipelines.train`, `pipelines.adapt` or `pipelines.new_device`. Reads only its
files; it needs neither the data nor TensorFlow.
"""

import os
from typing import TYPE_CHECKING

from absl import flags

from pipelines import launch, outside, path_flags
from tff_lg import metric_names, metrics, progress

if TYPE_CHECKING:
  from tff_lg.analysis import RunPage

outside.define()
_RUN_DIR = path_flags.define('run_dir', None, 'Folder of a finished run.')
_OUTPUT = path_flags.define(
  'output', None, 'Page to write; report.html in the run folder by default.'
)
_COMPARE_WITH = path_flags.define_list(
  'compare_with', [], 'Folders of other finished runs on the same split, for the comparison.'
)
_METRIC = flags.DEFINE_enum(
  'metric',
  None,
  [*map(metric_names.local_test, metrics.METRICS), metric_names.PARTICIPANT_ACCURACY],
  "The clients' metric by which runs are compared: on their own test data, by default the main one "
  'of the run, such as local_test/accuracy; or the accuracy on the whole test set, its classes '
  "weighted by their shares in the client's training data.",
)
_FAST = flags.DEFINE_bool(
  'fast', False, 'First writes a small run of made-up numbers, marked as such, into --run_dir.'
)


def main() -> None:
  """Checks the flags, then writes the figures and the page."""
  run_dir = launch.given(_RUN_DIR, 'the folder of a run')
  for name, paths in (('run_dir', [run_dir]), ('compare_with', _COMPARE_WITH.value or ())):
    for path in paths:
      if not os.path.isdir(path) and not (_FAST.value and name == 'run_dir'):
        raise ValueError(f'--{name}={path}: there is no such run folder.')

  # pandas and Matplotlib take seconds to import: only for flags that are good.
  with progress.stage('importing pandas'):
    from tff_lg import analysis

  if _FAST.value:
    analysis.write_synthetic_run_folder(run_dir)
  page = analysis.find_page(run_dir)
  if page is not None:
    _write_other(page, run_dir)
    return
  others = [analysis.RunFolder.load(path) for path in _COMPARE_WITH.value or ()]
  path = analysis.write_report(
    run_dir,
    output=_OUTPUT.value,
    builders=analysis.sections_comparing(others, _METRIC.value),
  )
  print(analysis.comparison_text(run_dir))
  if others:
    run = analysis.RunFolder.load(run_dir)
    compared = analysis.compare_runs(run, others, _METRIC.value)
    print(f'\n{analysis.comparison_report(compared, [run, *others])}')
  print(f'Report: {os.path.abspath(path)}')


def _write_other(page: 'RunPage', run_dir: str) -> None:
  """Writes the page of another pipeline's folder, and prints its text."""
  for flag in (_COMPARE_WITH, _METRIC):
    if flag.value:
      raise ValueError(
        f'--{flag.name} does not fit --run_dir={run_dir}, a folder of pipelines.{page.pipeline}; '
        'expected one of pipelines.train.'
      )
  path = page.write(run_dir, output=_OUTPUT.value)
  print(f'{page.text(run_dir)}\n\nReport: {os.path.abspath(path)}')


if __name__ == '__main__':
  launch.run(main)

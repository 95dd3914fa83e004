"""Linear devices: which mixture of local and global model is best, and does theory predict it?

  python -m pipelines.theory --run_dir=runs/theory
  python -m pipelines.theory --run_dir=runs/theory_fast --fast

Draws devices whose true linear models differ by rho. Fits a local model on each and takes their
mean as the global model. Measures the error of alpha * local + (1 - alpha) * global beside its
formula. Prints alpha*, the best weight: by formula, as measured, and as estimated from the devices'
data alone. Writes report.html, figures/theory.png, results.csv (errors over alpha) and
summary.json. Errors are excess errors: against outcomes without noise.

Liang et al. 2020, the experiment on synthetic data. Their script draws noise with a
standard deviation of sigma^2, which is --sigma=2.25 here.
"""

import os

from absl import flags

from pipelines import launch, path_flags, run_dirs
from tff_lg import file_names, files, progress, strict_json

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run, created if needed.')
_DIMS = flags.DEFINE_integer('dims', 20, 'Features d of an example.', lower_bound=1)
_DEVICES = flags.DEFINE_integer('devices', 100, 'Devices M.', lower_bound=2)
_EXAMPLES = flags.DEFINE_integer(
  'examples', 2000, 'Training examples N of a device, more than --dims.', lower_bound=2
)
_TEST_EXAMPLES = flags.DEFINE_integer(
  'test_examples', 1000, 'Test examples of a device.', lower_bound=1
)
_SIGMA = flags.DEFINE_float('sigma', 1.5, 'Standard deviation of the noise, above 0.')
_RHOS = flags.DEFINE_list(
  'rhos',
  ['0.5', '0.1', '0.06', '0.02'],
  "Standard deviations of each coordinate of the devices' true models around their mean; each is "
  'a setting.',
)
_REPEATS = flags.DEFINE_integer(
  'repeats', 50, 'Repeats of each setting, with new devices and data; for intervals.', lower_bound=2
)
_SEED = flags.DEFINE_integer('seed', 0, 'Seed of everything random.', lower_bound=0)
_FAST = flags.DEFINE_bool(
  'fast',
  False,
  'A complete small run in seconds: 10 devices, 200 training and 100 test examples, 3 repeats, '
  'in place of their flags.',
)
_CAPTION = (
  'Error of the mixture over alpha, the weight of the local model, a panel for each rho: as '
  'measured on simulated devices, with its 95 % interval, and by the formulas. Vertical lines are '
  'the best alpha by formula, as measured, and as estimated.'
)
_SMALL = {'devices': 10, 'examples': 200, 'test_examples': 100, 'repeats': 3}


def main() -> None:
  """Checks the flags, then simulates, draws and writes."""
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  values = _values()
  flag_lines = run_dirs.flag_lines(values)
  run_dirs.check_folder(run_dir, flag_lines)
  # SciPy, pandas and Matplotlib take seconds to import: only for flags that are good.
  from tff_lg.analysis import sections, tables, tables_report, theory
  from tff_lg.analysis.figures import theory as figures

  experiment = theory.LinearExperiment(
    settings=theory.LinearSettings(
      **{name: values[name] for name in ('dims', 'devices', 'examples', 'test_examples', 'sigma')}
    ),
    **{name: values[name] for name in ('rhos', 'repeats', 'seed')},
  )

  import pandas as pd

  results = theory.run_linear(experiment, lambda steps: progress.over(steps, len(steps), 'repeat'))
  curves = [result.curve() for result in results]
  summaries = [result.summary() for result in results]
  figure = figures.mixture_errors(curves, summaries, experiment.caption())
  table = theory.results_table(results)
  contents = {
    file_names.FLAGS: flag_lines,
    file_names.RESULTS: pd.concat(curves).to_csv(index=False, lineterminator='\n'),
    file_names.SUMMARY: strict_json.dumps(summaries),
  }
  for name, content in contents.items():
    files.write_atomically(os.path.join(run_dir, name), content)
  report = tables_report.write_tables_report(
    run_dir,
    'Linear devices: local, global and mixed models',
    {'The best weight, and errors': table},
    [sections.Illustration('theory', figure, _CAPTION)],
    sections.flags_section('theory', values, run_dir),
  )
  print(tables.to_text(table))
  print(f'Report: {os.path.abspath(report)}')


def _values() -> dict:
  """Returns the flags' values by name, with `--fast` and the rhos as numbers."""
  try:
    rhos = tuple(map(float, _RHOS.value))
  except ValueError:
    raise ValueError(
      f'--rhos is {",".join(_RHOS.value)}, expected numbers with commas between.'
    ) from None
  values = {
    flag.name: flag.value
    for flag in (_DIMS, _DEVICES, _EXAMPLES, _TEST_EXAMPLES, _SIGMA, _REPEATS, _SEED)
  }
  return values | {'rhos': rhos} | (_SMALL if _FAST.value else {})


if __name__ == '__main__':
  launch.run(main)

r"""Fair representations on UCI Adult: predict income, hide race and sex.

  python -m pipelines.fair --run_dir=runs/fair --data_dir=adult \
    --flagfile=pipelines/configs/adult_fair.flags
  python -m pipelines.fair --run_dir=runs/fair_fast --fast

Ten devices have rows of Adult. Each learns three parts. Its local layers give a representation h,
later layers predict income from h, and an adversary guesses race and sex from h. First the devices
train alone. From there, FedAvg (network and adversary global) and LG-FedAvg (later layers global,
adversary local) each continue for --rounds of --client_epochs. They do so without the adversary's
pressure and with each of --lambdas. In each batch the adversary steps first, then the local layers
against it, with the gradient times lambda. The methods are compared with local learning. Each
device trains alone to its best, with a tuned learning rate, or fits a simple model (--own_models).
With --local_budget=cohort, networks trained alone have the same epochs as the others.

Prints accuracy, AUC and the adversary's AUC as in Table 4 of Liang et al. 2020. It also prints the
AUC of probes that are fitted afterwards on the frozen h, and the parity of predictions. Writes
report.html, results.csv (one row per run), rounds.csv (figures over rounds), summary.json (mean
and standard deviation over --seeds), tables.md and figures/fair.png, accuracy against leakage.

configs/adult_fair.flags is Table 4's setting; docs/FAIRNESS.md explains what is measured. Without
--data_dir the rows are a synthetic table, which says nothing about real people.
"""

import os

from absl import flags

from pipelines import fair_flags, launch, path_flags, run_dirs, runtime_flags
from tff_lg import data, file_names, files, progress, strict_json
from tff_lg.experiments import fair_config

flags.adopt_module_key_flags(fair_flags)
flags.adopt_module_key_flags(runtime_flags)

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run, created if needed.')
_CAPTION = (
  'Accuracy against leakage, a line a method through its lambdas. Up is better, and left, where an '
  'AUC of 50 is a guess: what the adversary that trained along finds, and what boosting finds '
  'afterwards. The horizontal line is always predicting the more frequent class.'
)


def main() -> None:
  """Checks the flags, then trains, measures, draws and writes."""
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  runtime, values = runtime_flags.read(), fair_flags.read()
  flag_lines = run_dirs.flag_lines(values)
  run_dirs.check_folder(run_dir, flag_lines)
  config = fair_config.FairConfig(**values)
  # Checked before what takes long.
  data.load_adult(config.data_dir, num_train=config.train_rows, halve_rows=config.halve_rows)
  # TensorFlow takes seconds to import: only for flags that are good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation
    from tff_lg.analysis import fairness, sections, tables, tables_report
    from tff_lg.analysis.figures import fair as figures
    from tff_lg.experiments import fair

  simulation.set_execution_context(runtime)
  run_dirs.claim_folder(run_dir, flag_lines)
  runs = progress.over(fair.run_fair(config), config.num_runs, 'run')
  results, rounds = fairness.collect(runs, data.ADULT_ATTRIBUTES)

  shown = {
    'Methods': fairness.methods_table(results),
    'Race and sex': fairness.attributes_table(results, data.ADULT_ATTRIBUTES),
  }
  figure = sections.Illustration('fair', figures.accuracy_against_leakage(results), _CAPTION)
  contents = {
    file_names.RESULTS: results.to_csv(index=False, lineterminator='\n'),
    file_names.ROUNDS: rounds.to_csv(index=False, lineterminator='\n'),
    file_names.SUMMARY: strict_json.dumps(fairness.summary(results)),
    file_names.TABLES: '\n\n'.join(map(tables.to_markdown, shown.values())) + '\n',
  }
  for name, content in contents.items():
    files.write_atomically(os.path.join(run_dir, name), content)
  report = tables_report.write_tables_report(
    run_dir,
    'Fair representations on ' + ('Adult' if values['data_dir'] else 'a synthetic table'),
    shown,
    [figure],
    sections.flags_section('fair', values, run_dir),
  )
  print('\n\n'.join(map(tables.to_text, shown.values())))
  print(f'Report: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main)

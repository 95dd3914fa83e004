r"""Advises each client which model to use: its own or a federated one.

  python -m pipelines.advise --task=table --data_dir=patients.csv --client_column=hospital \
    --label_column=readmitted --rounds=50 --run_dir=runs/advice

Trains own models, --methods, LG-FedAvg over --local_layer_shares, and adapts FedAvg's model to each
client. Flags are those of `pipelines.train`. A private or robust --aggregator and an --attack apply
to all federated models, which are also shown without them. Validation data choose models; test data
measure what each client gains. Writes advice.csv, summary.json and report.html; each part is a run
folder in RUN_DIR/parts. With --export_models the chosen models follow, as by `pipelines.export
--all_clients`. Rerun the same command to resume.

--seeds=0-4 makes an advice for each seed, in RUN_DIR/trials, on --jobs processes. It also makes one
advice for all seeds, by the means of scores over seeds.
"""

import dataclasses
import os
import shlex
import shutil
import sys

from absl import flags

from pipelines import advise_seeds, config_flags, launch, run_dirs, run_sets, train, training_run
from tff_lg import config as config_lib
from tff_lg import file_names, progress
from tff_lg.experiments import advise_config
from tff_lg.run_folder import run_settings

_DEFAULTS = advise_config.AdviseOptions()
_METHODS = flags.DEFINE_list(
  'methods', list(_DEFAULTS.methods), 'Federated methods to try, separated by commas.'
)
_SHARES = flags.DEFINE_list(
  'local_layer_shares',
  list(map(str, _DEFAULTS.local_layer_shares)),
  'Shares of local layers that LG-FedAvg tries, unless --global_layers names its split.',
)
_ADAPTATION = flags.DEFINE_list(
  'adaptation',
  list(_DEFAULTS.adaptation),
  "Techniques that adapt FedAvg's model to each client; empty for none.",
)
_EPOCHS = flags.DEFINE_integer(
  'adaptation_epochs', _DEFAULTS.adaptation_epochs, 'Epochs of adaptation at most.'
)
_EXPORT = flags.DEFINE_bool(
  'export_models', False, 'Write the model that each client is advised to use, to RUN_DIR/models.'
)
flags.adopt_module_key_flags(train)
flags.adopt_module_key_flags(config_flags)


def _read() -> tuple[config_lib.TrainConfig, advise_config.AdviseOptions]:
  for name in ('method', 'baselines'):
    if flags.FLAGS[name].present:
      raise config_lib.ConfigError(f'--{name} belongs to a single run; use --methods.')
  given = config_flags.read_options(config_lib.TrainConfig, train.CONFIG)
  if given.folds is not None and given.fold is None:
    raise config_lib.ConfigError('--folds belongs to pipelines.train; use one --fold here.')
  if flags.FLAGS['same_clients'].present:
    raise config_lib.ConfigError(
      '--same_clients belongs to pipelines.train; an advice always has the same clients.'
    )
  try:
    shares = tuple(map(float, _SHARES.value))
  except ValueError:
    raise config_lib.ConfigError(
      f'--local_layer_shares is {",".join(_SHARES.value)}, expected numbers such as 0.25,0.5.'
    ) from None
  is_fast = flags.FLAGS['fast'].value
  options = advise_config.AdviseOptions(
    methods=tuple(_METHODS.value),
    local_layer_shares=shares[:1] if is_fast else shares,
    adaptation=tuple(_ADAPTATION.value),
    adaptation_epochs=min(_EPOCHS.value, 2) if is_fast else _EPOCHS.value,
  )
  config = config_flags.read_options(config_lib.TrainConfig, train.CONFIG)
  config = dataclasses.replace(config, baselines=(advise_config.OWN,))
  config = config_lib.fast(config) if is_fast else config
  return advise_config.base_config(config, options), options


def main() -> None:
  """Checks the flags, then trains all parts, chooses and reports."""
  run_dir = launch.given(train.RUN_DIR, 'a folder for this advice')
  base, options = _read()
  run_dirs.check_can_be_made(run_dir)
  seeds = run_sets.read_seeds()
  if seeds is None:
    run_settings.check_hparams(run_dir, advise_config.list_settings(base, options))
  runs = {} if seeds is None else advise_seeds.plan(base, options, seeds)
  training_run.look_at_data(base)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import analysis, personalization, simulation
    from tff_lg.experiments import advise

  if runs:
    advise_seeds.run_all(runs, run_dir)
  else:
    simulation.set_execution_context(base)
    advise.run_advise(base, options, run_dir)
  command = f'python -m pipelines.advise {shlex.join(sys.argv[1:])}'
  report = analysis.write_advise_report(run_dir, command)
  text = analysis.advise_text(run_dir)
  print(f'\n{text}')
  print(f'\nModels by client, and how to export them: {os.path.join(run_dir, file_names.ADVICE)}')
  if _EXPORT.value:
    models = os.path.join(run_dir, 'models')
    shutil.rmtree(models, ignore_errors=True)  # Of an earlier or a killed run.
    personalization.load_result(run_dir).export_all(models)
    print(f'Models: {os.path.abspath(models)}')
  print(f'Report: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume with the parts that are left')

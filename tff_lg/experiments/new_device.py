"""A new device with transformed data joins finished runs: what does each forget, and learn?

Training continues from a run's last round. The new device takes part in every round, with a share C
of the old devices drawn at random. It starts as the source run's method starts newcomers; old
devices keep theirs, and change them only when they are drawn. What it gains is told by its
opponent: the best model that it trains alone on the same examples.

Liang et al. 2020, Table 3.
"""

import contextlib
import dataclasses
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import (
  client_gains,
  file_names,
  files,
  folder_lock,
  learning,
  metric_names,
  metrics,
  own_models,
  progress,
  seeds,
  training,
)
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.config import own_models as own_model_options
from tff_lg.data import splits
from tff_lg.experiments import new_device_rows
from tff_lg.inputs import held_out, tasks
from tff_lg.run_folder import run_files, run_settings
from tff_lg.simulation import loop_values, trained_run
from tff_lg.training import cohorts, evaluation, run_state

NEW_DEVICE = 'new_device'
_GROUPS = (metric_names.OLD_CLIENTS, metric_names.NEW_CLIENT)
# The part of its training examples by which the new device chooses its own model.
_VALIDATION_FRACTION = 0.1


def run_new_device(config: config_lib.NewDeviceConfig, run_dir: str) -> dict[str, Any]:
  """Lets a new device join each source run, with each share of old devices.

  Args:
    config: `from_run` names at least one run.
    run_dir: made or resumed. `runs/<name>` has the metrics and checkpoints of each training, and
      `own_models/<number>` what the new device trains alone beside each source run. `curves.csv`
      has the main metric of all trainings by round. `clients.parquet` has the metrics of each
      device before and after. `summary.json` has those of both groups and of the own model.

  Returns:
    The summary.

  Raises:
    ValueError: a source run, its data or the folder cannot be used. The message is one sentence.
    checkpoints.CheckpointError: a source run's models are missing or damaged.
    training.RunError: training cannot continue.
  """
  sources = {path: trained_run.load_config(path) for path in config.from_run}
  hparams = dataclasses.asdict(config)
  for number, (path, source) in enumerate(sources.items(), 1):
    config_lib.check_new_device(path, source)
    hparams[f'source_{number}'] = dataclasses.asdict(source)
  new_device_rows.check_rows(sources)
  is_claimed = run_settings.check_hparams(run_dir, hparams, config_lib.NewDeviceConfig)
  if run_settings.is_complete(run_dir):
    return run_files.load_results(run_dir)[0]
  if not is_claimed:
    for path in sources:
      with _load_source(config, path, 'checking'):
        pass  # All of them can be used.
  with folder_lock.hold(run_dir):
    run_settings.claim_hparams(run_dir, hparams, config_lib.NewDeviceConfig)
    return _run_sources(config, sources, run_dir)


def _run_sources(
  config: config_lib.NewDeviceConfig, sources: Collection[str], run_dir: str
) -> dict[str, Any]:
  """Trains on from each source run, writes tables and curves, and gives the summary."""
  curves, tables = [], []
  summary: dict[str, Any] = {}
  for number, path in enumerate(sources, 1):
    with _load_source(config, path) as (last, device):
      own = train_own_model(config, last, device, os.path.join(run_dir, 'own_models', str(number)))
      for share in config.old_clients_share:
        name, metric = (
          f'{last.config.method}_{number}_C{share:g}',
          _main_metric(last.config.model_metrics),
        )
        logging.info('%s joins %s, C = %g.', NEW_DEVICE, path, share)
        folder = os.path.join(run_dir, 'runs', name)
        table = _join(config, last, device, share, folder)
        table[f'{metric_names.OWN_MODEL}/{metric}'] = np.where(table['is_new'], own[metric], np.nan)
        curve = _curve(folder, metric)
        about = {
          'run': name,
          'method': last.config.method,
          'partition': new_device_rows.describe_partition(last.config.partition_options),
          'old_clients_share': share,
        }
        curves.append(curve.assign(**about))
        tables.append(table.assign(**about))
        summary |= _with_prefix(f'{name}/', _summarize(curve, table, metric))
        summary |= _with_prefix(f'{name}/{_GROUPS[1]}/{metric_names.OWN_MODEL}/', own)
  text = pd.concat(curves).to_csv(index=False, lineterminator='\n')
  files.write_atomically(os.path.join(run_dir, file_names.CURVES), text)
  run_files.write_tables(run_dir, summary, pd.concat(tables, ignore_index=True))
  return summary


def _main_metric(metrics_of_run: Sequence[str]) -> str:
  """Returns the column of a run's main metric on clients' test data."""
  return metric_names.local_test(metrics_of_run[0])


def _with_prefix(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
  return {prefix + name: value for name, value in values.items()}


@contextlib.contextmanager
def _load_source(
  config: config_lib.NewDeviceConfig, path: str, what: str = 'loading'
) -> Iterator[tuple[trained_run.LastRound, data_lib.ClientExamples]]:
  """Yields a source run after its last round, closed in the end, and the device that joins it."""
  with progress.stage(f'{what} {path}'):
    last = trained_run.load_last_round(path, config.data_dir)
  with contextlib.closing(last.state.clients):
    yield last, build_new_device(config, last.federated_data, path)


def build_new_device(
  config: config_lib.NewDeviceConfig, federated_data: data_lib.FederatedData, from_run: str
) -> data_lib.ClientExamples:
  """Draws and transforms the new device's examples.

  Args:
    config: how many, and the transformation.
    federated_data: of the source run.
    from_run: its folder, for messages.

  Returns:
    The device. Its training examples come from those of all clients, held-out ones too, and its
    test examples from the whole test set. It has no validation examples, as it chooses nothing.
    Others may have the same images untransformed.

  Raises:
    ValueError: there are too few, or they cannot be transformed; one sentence.
  """
  clients = data_lib.readmit_held_out(federated_data).clients
  known = {
    'train': data_lib.concatenate([client.train for client in clients]),
    'test': federated_data.test,
  }
  drawn = {}
  for number, (part, examples) in enumerate(known.items()):
    size = getattr(config, f'{part}_examples')
    if size > len(examples):
      raise ValueError(
        f'--{part}_examples is {size}, but --from_run={from_run} has {len(examples)}: expected at '
        'most as many.'
      )
    seed = seeds.derive_seed(config.seed, seeds.Purpose.NEW_DEVICE, number)
    chosen = np.random.default_rng(seed).choice(len(examples), size, replace=False)
    try:
      drawn[part] = data_lib.transform(examples.take(chosen), config.transform)
    except data_lib.DataError as error:
      raise ValueError(
        f'--transform={config.transform} does not fit --from_run={from_run}: {error}'
      ) from error
  nothing = drawn['train'].take(np.zeros(0, np.int64))
  return data_lib.ClientExamples(NEW_DEVICE, validation=nothing, **drawn)


def train_own_model(
  config: config_lib.NewDeviceConfig,
  last: trained_run.LastRound,
  device: data_lib.ClientExamples,
  folder: str,
) -> dict[str, Any]:
  """Trains the best model that the new device can have alone; a rerun resumes.

  A tenth of its training examples chooses the kind of model, the learning rate and the number of
  epochs. Then the device trains on all of them, as it does in the rounds.

  Args:
    config: with the options of own models.
    last: the source run, whose network and batches the own network has. It starts from weights that
      nobody has trained.
    device: the new device.
    folder: a run folder of the method `local_only`, created or resumed.

  Returns:
    The main metric on test data, `kind` of the model and, for a network, its `epochs` and
    `learning_rate`.

  Raises:
    ValueError: a kind of model does not fit the data; one sentence.
  """
  seed = seeds.derive_seed(config.seed, seeds.Purpose.NEW_DEVICE, 2)
  budget = own_model_options.defaults()
  own_config = dataclasses.replace(
    config_lib.as_baseline(last.config, own_model_options.LOCAL_ONLY),
    local_budget='best',
    protocol='validation',
    max_evaluated_clients=None,
    own_models=config.own_models,
    local_only_learning_rate=config.local_only_learning_rate,
    **{name: getattr(config, name) or default for name, default in budget.items()},
    seed=seed,
  )
  kept, held = splits.hold_out(
    device.train.strata, _VALIDATION_FRACTION, np.random.default_rng(seed)
  )
  choosing = dataclasses.replace(
    device,
    client_id=f'{NEW_DEVICE}_choosing',
    train=device.train.take(kept),
    validation=device.train.take(held),
  )
  # The device itself has no validation examples: it trains with what the other has chosen.
  alone = dataclasses.replace(
    last.federated_data, clients=(choosing, device), test=device.test, held_out=()
  )
  run_settings.claim(folder, own_config)
  if not run_settings.is_complete(folder):
    model = tasks.build_model(own_config.input_options, alone)
    own_models.run_own_models(own_config.local_learning_options, alone, model, folder)
  summary, table = run_files.load_results(folder)
  row, metric = table.iloc[-1], _main_metric(last.config.model_metrics)
  found = {metric: float(row[metric]), 'kind': row[metric_names.OWN_MODEL]}
  if found['kind'] == own_model_options.NETWORK:
    found['epochs'] = int(row['epochs'])
    found['learning_rate'] = summary[metric_names.own_setting(found['kind'], 'learning_rate')]
  return found


def build_cohorts(
  sampling: config_lib.SamplingOptions, num_old: int, share: float
) -> cohorts.DrawCohort:
  """Returns the rounds of the new client with some of the old ones.

  Args:
    sampling: of the old devices.
    num_old: old devices, 0 to num_old - 1; the new one is num_old.
    share: C. If it is above 0, one old device takes part at least.

  Returns:
    The cohort of any round, counted from 0. The new device is the last, and never drops out.
  """
  cohort = max(round(share * num_old), 1)
  options = config_lib.cohort_options(dataclasses.replace(sampling, clients_per_round=cohort))
  sampler = cohorts.CohortSampler(num_old, **options)
  nobody = cohorts.Cohort([], np.zeros(0, np.float32))

  def draw(round_num: int) -> cohorts.Cohort:
    old = sampler(round_num) if share else nobody
    return cohorts.Cohort([*old.clients, num_old], np.append(old.work_shares, np.float32(1)))

  return draw


def _join(
  config: config_lib.NewDeviceConfig,
  last: trained_run.LastRound,
  device: data_lib.ClientExamples,
  share: float,
  folder: str,
) -> pd.DataFrame:
  """Trains on, in a folder; gives each device's test metric before and after."""
  loop_config = dataclasses.replace(
    last.config,
    **{name: getattr(config, name) for name in ('rounds', 'evaluate_every', 'checkpoint_every')},
    warm_start_rounds=0,
    max_evaluated_clients=None,  # The source's may be all of its clients, one less than now.
    seed=seeds.derive_seed(config.seed, seeds.Purpose.NEW_DEVICE),
  )
  clients = (*last.federated_data.clients, device)
  num_old, process = len(clients) - 1, last.phase.process
  start = last.state.as_start()
  phase = dataclasses.replace(last.phase, num_rounds=config.rounds, until=None)
  participants = training.to_clients(
    dataclasses.replace(last.federated_data, clients=clients, held_out=())
  )
  (newcomer,) = held_out.newcomers(
    process,
    last.state.server_state.global_weights,
    last.state.start_weights,
    [participants.parts['train'][num_old]],
  )
  groups = dict(zip(_GROUPS, (range(num_old), [num_old]), strict=True))
  values = loop_values.loop_values(loop_config, len(clients), folder, groups)
  values['draw_cohort'] = build_cohorts(loop_config.sampling_options, num_old, share)

  metric = _main_metric(last.config.model_metrics)

  def test_metric(state: run_state.RunState, states: Sequence[learning.ClientState]) -> np.ndarray:
    values = evaluation.evaluate_parts(
      process, state.server_state, states, {'test': participants.parts['test']}
    )
    return values['test'][last.config.model_metrics[0]]

  before = test_metric(start, [*start.clients.get(range(num_old)), newcomer])
  end = training.run([phase], participants, start=start, newcomers=[newcomer], **values)
  after = test_metric(end, end.clients.snapshot(range(len(clients))))
  end.clients.close()
  return pd.DataFrame(
    {
      'client_id': [client.client_id for client in clients],
      'is_new': [False] * num_old + [True],
      **{
        f'num_{part}': evaluation.count_examples(process.model, participants.parts[part])
        for part in ('train', 'test')
      },
      f'before/{metric}': before,
      metric: after,
    }
  )


def _curve(folder: str, metric: str) -> pd.DataFrame:
  """Returns the metric of both groups at each evaluated round, from 0."""
  rounds = pd.read_csv(os.path.join(folder, file_names.METRICS))
  names = [metric_names.pooled(f'{group}/{metric}') for group in _GROUPS]
  return rounds[['round_num', *names, metric_names.mean(f'{_GROUPS[0]}/{metric}')]].dropna()


def _summarize(curve: pd.DataFrame, table: pd.DataFrame, metric: str) -> dict[str, float]:
  """Returns both groups' metric before the first and after the last round, and the forgetting."""
  first, last = (curve.drop(columns='round_num').iloc[row].to_dict() for row in (0, -1))
  old = table[~table['is_new'] & table[metric].notna()]
  pooled = metric_names.pooled(f'{_GROUPS[0]}/{metric}')
  is_more_better = metrics.sign(metric_names.metric_of(metric)) > 0
  return {
    **last,
    **{f'before/{name}': value for name, value in first.items()},
    f'forgotten/{pooled}': (first[pooled] - last[pooled]) * (1 if is_more_better else -1),
    metric_names.share_worse(_GROUPS[0]): client_gains.share_worse(
      client_gains.client_gains(old[metric], old[f'before/{metric}'], more_is_better=is_more_better)
    ),
  }

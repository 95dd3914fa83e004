"""An adaptation run: a finished run's clients, adapted, in a table and a summary."""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import adaptation as adaptation_lib
from tff_lg import (
  client_gains,
  file_names,
  folder_lock,
  metric_names,
  own_models,
  progress,
  verdicts,
)
from tff_lg import config as config_lib
from tff_lg import metrics as metrics_lib
from tff_lg.config.option import resolved
from tff_lg.learning.methods import local_only
from tff_lg.personalization import adapting, retraining, validation_curves
from tff_lg.run_folder import run_files, run_settings
from tff_lg.scoring import scores
from tff_lg.simulation import trained_run

_COPIED = (
  'client_id',
  'num_train',
  'num_validation',
  'num_test',
  'num_classes',
  metric_names.IS_MALICIOUS,
  'is_held_out',
  metric_names.IS_VALIDATION_CLIENT,
)


def run_adaptation(config: config_lib.AdaptConfig, run_dir: str) -> dict[str, Any]:
  """Adapts the clients of a finished run; resumes where an earlier call stopped.

  Args:
    config: `from_run` names the run.
    run_dir: folder of the adaptation run, made if need be.

  Returns:
    The summary, as in `summary.json`.

  Raises:
    ValueError: the source run or its data are missing, the folder holds another run, or an
      adaptation does not fit. The message is one sentence.
    checkpoints.CheckpointError: the source run's models are missing or damaged.
  """
  source_config = trained_run.load_config(resolved(config.from_run))
  config = config_lib.resolve_adapt(config, source_config)
  hparams = {**dataclasses.asdict(config), 'source': dataclasses.asdict(source_config)}

  def make_config(**options: Any) -> config_lib.AdaptConfig:
    return config_lib.resolve_adapt(config_lib.AdaptConfig(**options), source_config)

  run_settings.check_hparams(run_dir, hparams, make_config)
  if run_settings.is_complete(run_dir):
    return run_files.load_results(run_dir)[0]
  with progress.stage(f'loading {config.from_run}'):
    source = trained_run.load_trained_run(resolved(config.from_run), config.data_dir)
  if config.local_only_from is not None:
    inputs = source.config.input_options
    own = own_models.load_own_models(config.local_only_from, source.clients, inputs)
    source = dataclasses.replace(source, local_only=own)
  clients = adapting.sample_clients(config, source.is_held_out, source.is_evaluated)
  adapting.check_adaptable(config, source, clients)
  with folder_lock.hold(run_dir):
    run_settings.claim_hparams(run_dir, hparams, make_config)
    return _adapt(config, source, clients, run_dir)


def _adapt(
  config: config_lib.AdaptConfig,
  source: trained_run.TrainedRun,
  clients: np.ndarray,
  run_dir: str,
) -> dict[str, Any]:
  """Adapts clients, writes their table and gives the summary."""
  if config.trains_own_models:
    source = _with_own_models(config, source, clients, os.path.join(run_dir, 'own_models'))
  if source.local_only is None:
    logging.warning(
      '--from_run=%s has no baseline local_only, so nobody is compared with a model of its own: '
      'give --own_models=network to train such models, or --local_only_from.',
      config.from_run,
    )
  started = adapting.with_start(config, source)
  adapted = adapting.adapt_clients(
    config, started, clients, os.path.join(run_dir, file_names.PARTS)
  )
  table = build_table(config, source, clients, adapted)
  if config.retrain_without is not None:
    retrained = retraining.retrain_without(
      config.retrain_without, source, table, os.path.join(run_dir, 'retrained')
    )
    if retrained is not None:
      table = table.join(retrained)
  summary = summarize(table)
  curves = validation_curves.build_curves(adapted, resolved(config.selection_metric))
  run_files.write_validation_curves(run_dir, curves)
  run_files.write_tables(run_dir, summary, table)
  return summary


def _with_own_models(
  config: config_lib.AdaptConfig, source: trained_run.TrainedRun, clients: np.ndarray, folder: str
) -> trained_run.TrainedRun:
  """Trains the clients' own models in a folder; gives the run with their scores."""
  own_config = config_lib.as_own_models(source.config, config)
  run_settings.claim(folder, own_config)
  if not run_settings.is_complete(folder):
    options = own_config.local_learning_options
    own_models.run_own_models(
      options, source.federated_data, source.model, folder, clients, pool=source.pool
    )
  found = own_models.find_own_models(folder, source.clients)
  return dataclasses.replace(source, local_only=found)


def build_table(
  config: config_lib.AdaptConfig,
  source: trained_run.TrainedRun,
  clients: np.ndarray,
  adapted: Mapping[str, adapting.Adapted],
) -> pd.DataFrame:
  """Builds the table of clients.

  Args:
    config: resolved.
    source: the run whose table gives the columns of the federated and the own local models.
    clients: int [n], indices of those that were adapted.
    adapted: by adaptation.

  Returns:
    One row per client. The models M are `local_only` (if there are such), `federated`, the
    adaptations and `best`. Each has the columns `M/validation/...` of the main metric,
    `M/local_test/...` of each metric and, for plain classes of clients in memory,
    `M/participant_test/accuracy`. If the run was scored on others' data, each has
    `M/others_test/...`, too. Each adaptation also has its chosen `M/epoch`, `M/is_finite` and
    settings, such as `M/learning_rate`. `best/name` is the federated or adapted model that is best
    on validation data, the first among equals. A client without validation data has the one that is
    best on all validation data. The mean of models adapted by A for E epochs is
    `A_aggregated_E`, with test accuracies only.
  """
  own = source.clients.iloc[clients].reset_index(drop=True)
  table = own[[name for name in _COPIED if name in own]].copy()
  main = metrics_lib.METRICS[source.config.model_metrics[0]]
  tests = scores.compared_columns(source.config.model_metrics)
  if not source.federated_data.has_plain_labels or source.federated_data.reader is not None:
    tests = tests[:-1]
  if source.config.score_on_others:
    tests += tuple(map(metric_names.others_test, source.config.model_metrics))
  validation = metric_names.validation(main.name)
  metrics = (validation, *tests)
  known = {metric_names.FEDERATED: own}
  if source.local_only is not None:
    known = {local_only.NAME: source.local_only.iloc[clients].reset_index(drop=True), **known}
  for model, frame in known.items():
    for metric in metrics:
      table[f'{model}/{metric}'] = frame.get(metric, np.nan)
    if 'epochs' in frame:
      table[metric_names.epoch(model)] = frame['epochs']
  for model, result in adapted.items():
    for metric in metrics:
      table[f'{model}/{metric}'] = result.values.get(metric, np.nan)
    table[metric_names.epoch(model)] = result.epoch
    table[metric_names.is_finite(model)] = result.is_finite
    settings = pd.DataFrame(result.settings).iloc[result.setting]
    for option, values in settings.items():
      table[f'{model}/{option}'] = values.to_numpy()
    for epochs, aggregated in result.aggregated.items():
      for metric in tests:
        table[f'{metric_names.aggregated(model, epochs)}/{metric}'] = aggregated.get(metric, np.nan)
  candidates = [metric_names.FEDERATED, *config.adaptation]
  best = adaptation_lib.choose(
    np.stack([table[f'{model}/{validation}'] for model in candidates]),
    table['num_validation'].to_numpy(),
    per_client=True,
    maximize=main.more_is_better,
    decides_for_all=adapting.decides_for_all(config, source, clients),
  ).setting
  table[metric_names.BEST_NAME] = np.array(candidates, object)[best]
  for metric in metrics:
    values = table[[f'{model}/{metric}' for model in candidates]].to_numpy()
    table[f'{metric_names.BEST}/{metric}'] = values[np.arange(len(table)), best]
  for column in (verdicts.MARKS, verdicts.VALUES):
    texts = [own.get(column), *(adapted[name].values.get(column) for name in config.adaptation)]
    if all(of_model is not None for of_model in texts):
      of_best = np.stack([np.asarray(of, object) for of in texts])[best, np.arange(len(table))]
      table[f'{metric_names.BEST}/{column}'] = np.array([text or None for text in of_best], object)
  return table


def summarize(table: pd.DataFrame) -> dict[str, Any]:
  """Returns the models' mean scores, and for how many clients one is worse than another.

  Args:
    table: as `build_table` gives it, and with the columns of `retraining.retrain_without`.

  Returns:
    `model/metric/...` and `model/gain_over/model/metric/...` of the clients that took part in
    training. Those of held-out clients are under `held_out/`, and those of the validation clients
    among them under `validation_clients/` instead. After training again, there are `kept/` and
    `removed/` as well. Gains are those of honest clients for which both metrics are known.
  """
  is_held_out, is_validation = (
    table.get(name, pd.Series(False, table.index))
    for name in ('is_held_out', metric_names.IS_VALIDATION_CLIENT)
  )
  groups = {
    '': ~is_held_out,
    metric_names.HELD_OUT: is_held_out & ~is_validation,
    'validation_clients/': is_validation,
  }
  if metric_names.IS_REMOVED in table:
    groups[metric_names.KEPT] = ~is_held_out & ~table[metric_names.IS_REMOVED]
    groups[metric_names.REMOVED] = table[metric_names.IS_REMOVED]
  return {
    f'{prefix}{name}': value
    for prefix, chosen in groups.items()
    if chosen.any()
    for name, value in _summarize_group(table[chosen]).items()
  }


def _summarize_group(table: pd.DataFrame) -> dict[str, Any]:
  summary: dict[str, Any] = {'num_clients': len(table)}
  is_malicious = table.get(metric_names.IS_MALICIOUS, pd.Series(False, table.index))
  names = tuple(name for name in metrics_lib.METRICS if name != 'loss')
  for metric in (*scores.compared_columns(names), *map(metric_names.others_test, names)):
    is_better = metrics_lib.METRICS[metric_names.metric_of(metric)].more_is_better
    columns = {
      name.removesuffix(f'/{metric}'): column
      for name, column in table.items()
      if name.endswith(f'/{metric}') and column.notna().any()
    }
    for name, column in columns.items():
      summary[metric_names.mean(f'{name}/{metric}')] = float(column.mean())
      summary[metric_names.std(f'{name}/{metric}')] = float(column.std(ddof=0))
      for other in (local_only.NAME, metric_names.FEDERATED):
        if other in columns and name not in (local_only.NAME, other):
          gains = client_gains.client_gains(
            column[~is_malicious], columns[other][~is_malicious], more_is_better=is_better
          )
          gain = f'{name}/{metric_names.gain_over(other, metric)}'
          summary[metric_names.mean(gain)] = float(gains.mean())
          summary[metric_names.share_worse(gain)] = client_gains.share_worse(gains)
  return summary

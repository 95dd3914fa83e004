"""Training once more without the clients that taking part does not pay for."""

import dataclasses

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import client_gains, metric_names, metrics
from tff_lg import config as config_lib
from tff_lg.config.option import resolved
from tff_lg.learning.methods import local_only
from tff_lg.run_folder import run_files
from tff_lg.scoring import scores
from tff_lg.simulation import experiment, trained_run


def retrain_without(
  model: str, source: trained_run.TrainedRun, table: pd.DataFrame, run_dir: str
) -> pd.DataFrame | None:
  """Trains a run again without the clients that a model serves worse than their own local one.

  Those clients are held out, and so are those that were before.

  Args:
    model: `federated` or `best`, of the table.
    source: the run.
    table: of adapted clients, see `adaptation_run.build_table`, with own local models. The main
      metric on validation data decides; a client without them stays.
    run_dir: of the new run, created or resumed.

  Returns:
    A row for each client of the table, with `is_removed`, bool, and `retrained/...`. The latter
    are the new model's metrics on the client's data, whether it took part or not. None, with a
    warning, if nobody or everybody is to be removed, or the remaining clients cannot be trained.

  Raises:
    training.RunError: training cannot continue.

  Yu et al. 2020, appendix A.
  """
  main = source.config.model_metrics[0]
  validation = metric_names.validation(main)
  gains = client_gains.client_gains(
    table[f'{model}/{validation}'],
    table[f'{local_only.NAME}/{validation}'],
    more_is_better=metrics.METRICS[main].more_is_better,
  )
  worse = set(table['client_id'][gains.index[gains < 0]])
  is_removed = source.clients['client_id'].isin(worse).to_numpy() & ~source.is_held_out
  num_left = int((~is_removed & ~source.is_held_out).sum())
  if not is_removed.any() or not num_left:
    logging.warning(
      '--retrain_without=%s: %s client is worse off than alone, so nothing is trained again.',
      model,
      'every' if is_removed.any() else 'no',
    )
    return None
  logging.info('Training again without %d clients, %d are left.', is_removed.sum(), num_left)
  try:
    config = config_lib.resolve(
      dataclasses.replace(
        config_lib.without_baselines(source.config),
        held_out_clients=None,
        validation_clients=None,
        held_out_ids=tuple(source.clients['client_id'][is_removed | source.is_held_out]),
        clients_per_round=min(resolved(source.config.clients_per_round), num_left),
        client_fraction=None,
        **config_lib.without_cohort(source.config),
      )
    )
    experiment.run_experiment(config, run_dir)
  except ValueError as error:
    # What has been adapted is not lost for that.
    logging.warning('--retrain_without=%s: nothing is trained again: %s', model, error)
    return None
  scored = pd.concat([run_files.load_results(run_dir)[1], run_files.load_held_out_clients(run_dir)])
  scored = scored.set_index('client_id').loc[table['client_id']]
  removed = set(source.clients['client_id'][is_removed])
  result = pd.DataFrame({metric_names.IS_REMOVED: table['client_id'].isin(removed).to_numpy()})
  compared = scores.compared_columns(source.config.model_metrics)
  for metric in (validation, *compared):
    if metric in scored:
      result[f'{metric_names.RETRAINED}/{metric}'] = scored[metric].to_numpy(np.float64)
  return result

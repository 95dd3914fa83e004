"""Training once more without the clients that taking part does not pay for."""

import dataclasses

import numpy as np
import pandas as pd
from absl import logging

from tff_lg import files
from tff_lg.simulation import aggregating, experiment, run_files, trained_run

_VALIDATION = 'validation/accuracy'


def retrain_without(
  model: str, source: trained_run.TrainedRun, table: pd.DataFrame, run_dir: str
) -> pd.DataFrame | None:
  """Trains a run again without the clients that a model serves worse than their own local one.

  Those clients are held out, and so are those that were before.

  Args:
    model: `federated` or `best`, of the table.
    source: the run.
    table: of adapted clients, see `adaptation_run.build_table`, with own local models. Validation
      accuracies decide; a client without them stays.
    run_dir: of the new run, made or gone on with; the ids of its held-out clients are written
      beside it.

  Returns:
    A row for each client of the table: `is_removed`, bool, and `retrained/...`, the accuracies
    that the new model has on the client's data, whether it took part or not. None if nobody or
    everybody is to be removed.

  Raises:
    rounds.RunError: training cannot go on.

  Yu et al. 2020, appendix A.
  """
  was_held_out = aggregating.is_held_out(source)
  is_worse = table[f'{model}/{_VALIDATION}'] < table[f'local_only/{_VALIDATION}']
  removed = set(table['client_id'][is_worse]) - set(source.clients['client_id'][was_held_out])
  is_removed = source.clients['client_id'].isin(removed).to_numpy()
  num_left = int((~is_removed & ~was_held_out).sum())
  if not removed or not num_left:
    logging.warning(
      '--retrain_without=%s: %s client is worse off than alone, so nothing is trained again.',
      model,
      'every' if removed else 'no',
    )
    return None
  logging.info('Training again without %d of %d clients.', len(removed), len(removed) + num_left)
  ids_file = f'{run_dir}_held_out.txt'
  ids = source.clients['client_id'][is_removed | was_held_out]
  files.write_atomically(ids_file, ''.join(f'{client_id}\n' for client_id in ids))
  config = dataclasses.replace(
    source.config,
    baselines=(),
    held_out_clients=0,
    held_out_file=ids_file,
    clients_per_round=min(source.config.clients_per_round, num_left),
  )
  experiment.run_experiment(config, run_dir)
  scored = pd.concat([run_files.load_results(run_dir)[1], run_files.load_held_out_clients(run_dir)])
  scored = scored.set_index('client_id').loc[table['client_id']]
  result = pd.DataFrame({'is_removed': table['client_id'].isin(removed).to_numpy()})
  for metric in (_VALIDATION, 'local_test/accuracy', 'participant_test/accuracy'):
    if metric in scored:
      result[f'retrained/{metric}'] = scored[metric].to_numpy(np.float64)
  return result

"""Clients' own local models, as the runs that trained them have scored them."""

import os

import pandas as pd

from tff_lg.simulation import run_files

_LOCAL_ONLY = 'local_only'


def find_own_models(run_dir: str, clients: pd.DataFrame) -> pd.DataFrame | None:
  """Finds the scores of clients' own local models in the folder of a run.

  Args:
    run_dir: of a run with the baseline `local_only`, or of an adaptation run that knows such
      models.
    clients: a row a client, with `client_id`.

  Returns:
    A row for each of them, in their order, with `validation/accuracy`, `local_test/accuracy` and
    so on, and the sizes of its data; NaN for a client that the run does not have. None if the run
    has no such models.
  """
  baseline = os.path.join(run_dir, 'baselines', _LOCAL_ONLY)
  if run_files.is_complete(baseline):
    table = run_files.load_results(baseline)[1]
  elif run_files.is_complete(run_dir):
    table = run_files.load_results(run_dir)[1]
    if f'{_LOCAL_ONLY}/validation/accuracy' not in table:
      return None
    table = table.filter(regex=f'^({_LOCAL_ONLY}/|client_id$|num_)')
    table = table.rename(columns=lambda name: name.removeprefix(f'{_LOCAL_ONLY}/'))
  else:
    return None
  return table.set_index('client_id').reindex(clients['client_id']).reset_index()


def load_own_models(run_dir: str, clients: pd.DataFrame) -> pd.DataFrame:
  """The same, of a run that must have them and be of the same clients.

  Raises:
    ValueError: it has no such models, or none of these clients with data of the same sizes; one
      sentence.
  """
  found = find_own_models(run_dir, clients)
  if found is None:
    raise ValueError(
      f'--local_only_from={run_dir} has no own local models, expected a finished run of '
      '`pipelines.train` with --baselines=local_only, or of `pipelines.adapt` with '
      '--local_only_epochs.'
    )
  sizes = ['num_train', 'num_validation', 'num_test']
  is_known = found['num_train'].notna().to_numpy()
  same = found[sizes].to_numpy()[is_known] == clients[sizes].to_numpy()[is_known]
  if not is_known.any() or not same.all():
    raise ValueError(
      f'--local_only_from={run_dir} has models of other clients, or of the same clients with other '
      'data, than --from_run.'
    )
  return found

"""Clients' own local models, as the runs that trained them have scored them."""

import dataclasses
import json

import pandas as pd

from tff_lg import config as config_lib
from tff_lg import metric_names
from tff_lg.config.own_models import LOCAL_ONLY
from tff_lg.run_folder import run_files, run_settings, source_run

# Files of the source run, which may have moved, and what changes no bit.
_MAY_DIFFER = {'embeddings', 'clients', *config_lib.WITHOUT_EFFECT}
# What makes data, their vocabulary, or own local models others, though clients and sizes agree.
_OF_DATA_AND_MODEL = (
  *'task model partition validation_fraction held_out_clients held_out_ids seed protocol '
  'optimistic_choice_on_test_data'.split(),
  *config_lib.PARTITION_OPTIONS.without(),
  *(name for name in config_lib.TASK_OPTIONS.without() if name not in _MAY_DIFFER),
  *config_lib.NETWORK_OPTIONS.without(),
)


def find_own_models(run_dir: str, clients: pd.DataFrame) -> pd.DataFrame | None:
  """Finds the scores of clients' own local models in the folder of a run.

  Args:
    run_dir: of a run with the baseline `local_only`, of a run of that method, or of an adaptation
      run that knows such models.
    clients: one row per client, with `client_id`.

  Returns:
    A row for each of them, in their order, with the sizes of its data and the model's metrics, such
    as `validation/accuracy` and `local_test/accuracy`. NaN for a client that the run does not have.
    None if the run has no such models.
  """
  baseline = source_run.own_models_dir(run_dir)
  if run_settings.is_complete(baseline):
    table = run_files.load_results(baseline)[1]
  elif run_settings.is_complete(run_dir):
    table = run_files.load_results(run_dir)[1]
    if run_settings.load_hparams(run_dir).get('method') != LOCAL_ONLY:
      if not any(name.startswith(f'{LOCAL_ONLY}/{metric_names.VALIDATION}/') for name in table):
        return None
      table = table.filter(regex=f'^({LOCAL_ONLY}/|client_id$|num_)')
      table = table.rename(columns=lambda name: name.removeprefix(f'{LOCAL_ONLY}/'))
  else:
    return None
  return table.set_index('client_id').reindex(clients['client_id']).reset_index()


def load_own_models(
  run_dir: str, clients: pd.DataFrame, inputs: config_lib.InputOptions
) -> pd.DataFrame:
  """Returns those of a run that must have them and be of the same clients.

  Args:
    run_dir: as above.
    clients: as above.
    inputs: of the run that these models are compared with.

  Returns:
    As above.

  Raises:
    ValueError: it has no such models, or of other data or another network; one sentence.
  """
  found = find_own_models(run_dir, clients)
  if found is None:
    raise source_run.without_own_models(run_dir)
  hparams = run_settings.load_hparams(run_dir)
  hparams = hparams.get('source', hparams)
  ours = json.loads(json.dumps(dataclasses.asdict(inputs)))
  # A run of an older version lacks what was always so before.
  different = [
    name for name in _OF_DATA_AND_MODEL if (hparams.get(name) or None) != (ours[name] or None)
  ]
  if different:
    name = different[0]
    raise ValueError(
      f'--local_only_from={run_dir} has other data or another network than --from_run: {name} '
      f'is {hparams.get(name)}, expected {ours[name]}.'
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

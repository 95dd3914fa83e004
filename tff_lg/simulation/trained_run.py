"""A finished training run, loaded from its folder: its data, with chosen models or last round."""

import dataclasses
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from tff_lg import (
  aggregators,
  checkpoints,
  file_names,
  learning,
  metric_names,
  models,
  own_models,
  training,
)
from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg.client_states import phase_stores
from tff_lg.inputs import held_out, tasks
from tff_lg.learning import process as process_lib
from tff_lg.run_folder import data_fingerprint, run_files, run_settings, source_run, tuned_rate
from tff_lg.scoring import others, results, scores
from tff_lg.simulation import run_phases, split_choice
from tff_lg.training import client_data, evaluation, run_state, storage
from tff_lg.training import selection as selection_lib

_Newest = TypeVar('_Newest')


@dataclasses.dataclass(frozen=True, eq=False)
class TrainedRun:
  """The files of a finished run, read.

  Attributes:
    config: of the run, with the places where its data are now.
    federated_data: the clients' data; those that were held out of training stand last.
    model: the run's, with every weight global: its split does not matter here.
    weights: of each client, all weights of its chosen model, global and local merged, without
      those of an auxiliary network. Clients that share weights share the arrays. Empty for a
      client that the run did not evaluate.
    clients: the run's table of clients, where there are any with `is_held_out` and
      `is_validation_client`, bool.
    local_only: each client's own local model, of its baseline, see `own_models`; None without.
  """

  config: config_lib.TrainConfig
  federated_data: data_lib.FederatedData
  model: models.LocalGlobalModel
  weights: tuple[models.ModelWeights, ...]
  clients: pd.DataFrame
  local_only: pd.DataFrame | None

  @property
  def is_held_out(self) -> np.ndarray:
    """Which clients were held out of training, bool [num_clients]."""
    return self._marks('is_held_out')

  @property
  def is_validation_client(self) -> np.ndarray:
    """Which held-out clients choose for all, bool [num_clients]."""
    return self._marks(metric_names.IS_VALIDATION_CLIENT)

  @property
  def is_evaluated(self) -> np.ndarray:
    """Which clients the run evaluated, bool [num_clients]."""
    return self._marks(metric_names.IS_EVALUATED, otherwise=True)

  @functools.cached_property
  def pool(self) -> others.PooledTests | None:
    """The test data on which the run scored others' models; None if it did not."""
    evaluated = np.flatnonzero(self.is_evaluated & ~self.is_held_out)
    return others.pool_tests(self.config.selection_options, self.federated_data, evaluated)

  def _marks(self, column: str, *, otherwise: bool = False) -> np.ndarray:
    if column not in self.clients:
      return np.full(len(self.clients), otherwise)
    return self.clients[column].to_numpy(bool)


@dataclasses.dataclass(frozen=True, eq=False)
class LastRound:
  """A finished run in its state after the last round, to continue with.

  Attributes:
    config: of the run, with the places where its data are now.
    federated_data: the clients that took part and, apart, those that were held out.
    phase: the run's last one.
    state: after its last round.
  """

  config: config_lib.TrainConfig
  federated_data: data_lib.FederatedData
  phase: training.Phase
  state: run_state.RunState


def load_config(run_dir: str, *, is_federated: bool = True) -> config_lib.TrainConfig:
  """Loads the config of a finished run.

  Args:
    run_dir: the run folder.
    is_federated: whether only a run with a federated model is accepted.

  Returns:
    The config of `source_run.load_config`, with what the run has chosen itself: its learning rate,
    its global layers or the rounds of its warm start.

  Raises:
    ValueError: no run, one that is not finished, or one without a federated model.
  """
  config = source_run.load_config(run_dir, is_federated=is_federated)
  for choice in (tuned_rate.load_tuned_rate(run_dir), split_choice.load_choice(run_dir)):
    config = config if choice is None else dataclasses.replace(config, **choice.changes())
  return dataclasses.replace(config, **results.known_end(run_settings.load_summary(run_dir)))


def load_trained_run(
  run_dir: str, data_dir: str | None = None, *, is_federated: bool = True
) -> TrainedRun:
  """Loads a finished run with checkpoints.

  Args:
    run_dir: the run folder.
    data_dir: where its data are now, None for where they were; for the task `embeddings` the
      folder with its files.
    is_federated: whether only a run with a federated model is accepted.

  Returns:
    The run.

  Raises:
    ValueError: as `load_config`; or the data are missing, or not those of the run.
    checkpoints.CheckpointError: the run's models are missing or damaged.
  """
  config, clients, federated_data, model = load_inputs(run_dir, data_dir, is_federated=is_federated)
  num_held_out = len(federated_data.held_out)
  # Only its split is needed: no aggregator, and the last phase alone.
  last = dataclasses.replace(config, aggregator=aggregators.PLAIN_MEAN, warm_start_rounds=0)
  auxiliary = tasks.build_auxiliary(last.input_options, last.method_options, federated_data)
  process = run_phases.build_phases(last, model, auxiliary=auxiliary)[-1].process
  of_held_out = client_data.part_tensors(held_out.as_participants(federated_data), 'train')
  weights = _load_weights(
    run_dir,
    config.client_store,
    config.total_rounds,
    process,
    len(clients) - num_held_out,
    scores.evaluated_clients(clients),
    of_held_out,
  )
  return TrainedRun(
    config=config,
    federated_data=data_lib.readmit_held_out(federated_data),
    model=model,
    weights=weights,
    clients=clients,
    local_only=own_models.find_own_models(run_dir, clients),
  )


def load_last_round(run_dir: str, data_dir: str | None = None) -> LastRound:
  """Loads the state that continues a finished federated run: --aggregator=mean and no attack.

  Args:
    run_dir: the run folder.
    data_dir: as of `load_trained_run`.

  Returns:
    The run after its last round.

  Raises:
    ValueError, checkpoints.CheckpointError: as `load_trained_run`.
  """
  config, _, federated_data, model = load_inputs(run_dir, data_dir)
  auxiliary = tasks.build_auxiliary(config.input_options, config.method_options, federated_data)
  num_clients = len(federated_data.clients)
  phases = run_phases.build_phases(config, model, auxiliary=auxiliary, num_clients=num_clients)
  saved = storage.RunStorage(phases, num_clients, run_dir, config.client_store).restore()
  last = _last(run_dir, config.total_rounds, saved, lambda found: found.state.round_num)
  return LastRound(config, federated_data, phases[-1], last.state)


def load_inputs(
  run_dir: str, data_dir: str | None, *, is_federated: bool = True
) -> tuple[config_lib.TrainConfig, pd.DataFrame, data_lib.FederatedData, models.LocalGlobalModel]:
  """Returns a finished run's config, table of clients, data, and network with initial weights.

  Arguments and errors are those of `load_trained_run`.
  """
  config = load_config(run_dir, is_federated=is_federated)
  if data_dir is not None:
    config = dataclasses.replace(config, **_moved(config.task_options, data_dir))
  clients = _load_clients(run_dir)
  try:
    federated_data = tasks.load_data(config.input_options)
  except (ValueError, OSError) as error:
    raise ValueError(
      f'The data of --from_run={run_dir} cannot be loaded; --data_dir says where they are now: '
      f'{error}'
    ) from error
  model = tasks.build_model(config.input_options, federated_data)
  # Own models know nothing of clients that were held out, unless they were adapted to.
  has_all = is_federated or len(clients) > len(federated_data.clients)
  everybody = data_lib.readmit_held_out(federated_data) if has_all else federated_data
  _check_data(run_dir, clients, everybody, model)
  data_fingerprint.check_data(run_dir, federated_data, '--from_run')
  return config, clients, federated_data, model


def _load_clients(run_dir: str) -> pd.DataFrame:
  """Returns the run's table of clients, with those that were held out."""
  _, clients = run_files.load_results(run_dir)
  others = run_files.load_held_out_clients(run_dir)
  if others is None:
    return clients
  both = [clients.assign(is_held_out=False), others.assign(is_held_out=True)]
  if metric_names.IS_MALICIOUS in clients:
    both[1][metric_names.IS_MALICIOUS] = False
  if metric_names.IS_VALIDATION_CLIENT in others:
    both[0][metric_names.IS_VALIDATION_CLIENT] = False
  if metric_names.IS_EVALUATED in clients:
    both[1][metric_names.IS_EVALUATED] = True
  return pd.concat(both, ignore_index=True)


def _moved(options: config_lib.TaskOptions, data_dir: str) -> dict[str, Any]:
  """Returns the options, by name, that say where the data are, for another folder."""
  task = tasks.find_task(options)
  if task.file_options:
    names = [name for name in task.file_options if getattr(options, name) is not None]
    return {
      name: os.path.join(data_dir, os.path.basename(getattr(options, name))) for name in names
    }
  if task.is_embedded:
    raise ValueError(
      f'--data_dir is {data_dir}, but --task={options.task} is embedded and reads no files.'
    )
  return {'data_dir': data_dir}


def _check_data(
  run_dir: str,
  clients: pd.DataFrame,
  federated_data: data_lib.FederatedData,
  model: models.LocalGlobalModel,
) -> None:
  """Refuses data whose clients are others than those of the run."""
  found = pd.DataFrame(
    {
      'client_id': [client.client_id for client in federated_data.clients],
      **{
        f'num_{part}': evaluation.count_examples(
          model, client_data.part_tensors(federated_data, part)
        )
        for part in ('train', 'validation', 'test')
      },
    }
  )
  if not found.equals(clients[found.columns]):
    raise ValueError(
      f'The data are not those of --from_run={run_dir}: their clients, {len(found)}, or the sizes '
      f'of these are others than in its clients.parquet, which has {len(clients)}.'
    )


def _load_weights(
  run_dir: str,
  client_store: str,
  total_rounds: int,
  process: process_lib.LocalGlobalProcess,
  num_clients: int,
  evaluated: np.ndarray | None,
  held_out_train: Sequence[learning.ClientTensors],
) -> tuple[models.ModelWeights, ...]:
  """Returns all weights of the networks of clients, from the checkpoint after the last round."""
  folder = os.path.join(run_dir, file_names.CHECKPOINTS)
  newest = checkpoints.CheckpointManager(folder).load_latest()
  round_num, arrays, meta = _last(run_dir, total_rounds, newest, lambda loaded: loaded[0])
  server = checkpoints.without_prefix('server', arrays)
  start_weights = run_state.start_weights(arrays)
  clients = phase_stores.create_client_store(
    client_store,
    run_dir,
    meta['phase'],
    process.initialize_client(start_weights),
    num_clients,
    read_only=True,
  )
  clients.load_arrays(checkpoints.without_prefix('clients', arrays), round_num)
  selection = selection_lib.ModelSelection(process, num_clients, clients.chosen)
  selection.load_arrays(
    checkpoints.without_prefix('selection', arrays),
    clients.initial_state,
    process.model.split(start_weights)[0],
  )
  # The global weights are the first leaves of the server's state.
  num_global = len(process.model.split(start_weights)[0])
  of_held_out = held_out.select_models(
    process,
    selection,
    (round_num, tuple(server[str(i)] for i in range(num_global))),
    start_weights,
    held_out_train,
  )
  weights = (
    *selection_lib.selected_weights(process, selection, evaluated),
    *selection_lib.selected_weights(process, of_held_out),
  )
  clients.close()
  return weights


def _last(
  run_dir: str,
  total_rounds: int,
  newest: _Newest | None,
  round_of: Callable[[_Newest], int],
) -> _Newest:
  """Returns the newest checkpoint; rejects one that is missing, or not of the last round."""
  round_num = None if newest is None else round_of(newest)
  saved = run_settings.load_summary(run_dir).get(metric_names.ROUNDS_SAVED, 0)
  last_round = total_rounds - int(saved)
  if newest is None or round_num != last_round:
    raise checkpoints.CheckpointError(
      f'--from_run={run_dir} is finished, but the newest checkpoint in its folder checkpoints is '
      f'{"missing" if round_num is None else f"of round {round_num}"}, expected one of round '
      f'{last_round}: delete summary.json there and run its `pipelines.train` command '
      'again.'
    )
  return newest

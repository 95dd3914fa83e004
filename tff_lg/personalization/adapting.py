"""Adapting all clients of a finished run, chunk by chunk; what is done is kept on disk.

In a first pass each client tries all settings and epochs; a model that its own validation
data choose is evaluated at once. In a second pass clients without a choice of their own train
up to the epoch that is best on all validation data. Adapted weights live as long as their
chunk, so memory does not grow with the number of clients.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from tff_lg import adaptation as adaptation_lib
from tff_lg import config as config_lib
from tff_lg import metric_names, metrics, parts, progress, seeds
from tff_lg.config.option import resolved
from tff_lg.inputs import tasks
from tff_lg.personalization import adaptation_work, aggregating, knn_work
from tff_lg.simulation import trained_run

# Weights of a chunk's clients, of all settings tried.
_BYTES_IN_A_CHUNK = 2**28
_CLIENTS_IN_A_CHUNK = 100


class Adapted(NamedTuple):
  """Clients after one adaptation.

  Attributes:
    settings: what was tried, options by name.
    setting: chosen, int64 [num_clients], an index of them.
    epoch: chosen, int64 [num_clients].
    is_finite: bool [num_clients]; False for a client that kept the federated model, as its
      training gave numbers that are not finite. That is training with the setting chosen for all
      clients, or with every setting where the client chose alone.
    values: of the chosen model, float64 [num_clients], by `validation/...` and `local_test/...`
      of each metric and, of plain classes, `participant_test/accuracy`. NaN for a client without
      such data. Scores by example, see `adaptation_work.ModelEvaluator`.
    curves: the selection metric on validation data, float [num_clients, num_settings, num_epochs]
      at each epoch evaluated, from 0.
    evaluated_epochs: these epochs, int [num_epochs].
    pooled: what a choice for all goes by, the mean of the curves of clients that decide, float64
      [num_settings, num_epochs].
    num_validation: int [num_clients], examples that each client's curves are means over.
    aggregated: by epochs, what `aggregating.aggregate_adapted` gives.
  """

  settings: tuple[dict[str, float], ...]
  setting: np.ndarray
  epoch: np.ndarray
  is_finite: np.ndarray
  values: adaptation_work.Arrays
  curves: np.ndarray
  evaluated_epochs: np.ndarray
  pooled: np.ndarray
  num_validation: np.ndarray
  aggregated: dict[int, adaptation_work.Arrays]


def sample_clients(
  config: config_lib.AdaptConfig, is_held_out: np.ndarray, is_evaluated: np.ndarray
) -> np.ndarray:
  """Returns indices of the clients that are adapted, in order.

  Args:
    config: resolved.
    is_held_out: bool [num_clients], of all clients.
    is_evaluated: bool [num_clients], whether the run has scores of them.

  Returns:
    All evaluated clients, or the held-out ones where validation clients choose; or a seeded sample
    of these.
  """
  chosen = is_held_out | (config.choose != config_lib.VALIDATION_CLIENTS)
  clients = np.flatnonzero(chosen & is_evaluated)
  if config.max_clients is None or config.max_clients >= len(clients):
    return clients
  rng = np.random.default_rng(seeds.derive_seed(config.seed, seeds.Purpose.SAMPLING, 0))
  return np.sort(rng.choice(clients, config.max_clients, replace=False))


def decides_for_all(
  config: config_lib.AdaptConfig, source: trained_run.TrainedRun, clients: np.ndarray
) -> np.ndarray:
  """Returns whose validation data make a choice for all of some clients, bool [n]."""
  if config.choose == config_lib.VALIDATION_CLIENTS:
    return source.is_validation_client[clients]
  return ~source.is_held_out[clients]


def with_start(
  config: config_lib.AdaptConfig, source: trained_run.TrainedRun
) -> trained_run.TrainedRun:
  """Returns the run with the weights that adaptation starts from."""
  if config.start == 'trained':
    return source
  initial = tuple(source.model.initial_weights)
  return dataclasses.replace(source, weights=(initial,) * len(source.weights))


def check_adaptable(
  config: config_lib.AdaptConfig, source: trained_run.TrainedRun, clients: np.ndarray
) -> None:
  """Refuses, before anything is written, what cannot be adapted.

  Args:
    config: resolved.
    source: the run.
    clients: indices of those that are adapted.

  Raises:
    ValueError: an adaptation does not fit the model, or there are no validation data.
  """
  for name in config.adaptation:
    for setting in config.settings(name):
      adaptation_work.build_adaptation(config, name, setting).trained_layers(source.model)
  voting = [name for name in config.adaptation if not adaptation_lib.ADAPTATIONS[name].trains]
  if voting and not source.federated_data.has_plain_labels:
    raise ValueError(
      f'--adaptation has {voting[0]}, a vote on the class of an example, but those of '
      f'--from_run={config.from_run} have no single class: leave it out.'
    )
  if voting and config.aggregate_epochs:
    raise ValueError(
      f'--aggregate_epochs is given, but --adaptation={voting[0]} trains no weights to aggregate.'
    )
  num_models = len({tuple(map(id, source.weights[client])) for client in clients})
  if config.aggregate_epochs and num_models > 1:
    raise ValueError(
      f'--aggregate_epochs is given, but --method={source.config.method} of '
      f'--from_run={config.from_run} keeps weights with the clients, of which there is no mean: '
      'expected a run that sends all of them.'
    )
  of_source = source.config
  for flag, found in (
    ('attack', of_source.attack is not None),
    ('model', tasks.find_network(of_source.task_options).conditioning == 'shared'),
    ('partition', _mixes_clients(of_source.partition)),
    ('max_evaluated_clients', not source.is_evaluated.all()),
  ):
    if config.retrain_without and found:
      raise ValueError(
        f'--retrain_without={config.retrain_without} does not fit --{flag}='
        f'{getattr(of_source, flag)} of --from_run={config.from_run}: without some of its clients '
        'it would be another run for those that are left.'
      )
  if config.retrain_without and source.local_only is None and not config.trains_own_models:
    raise ValueError(
      f'--retrain_without={config.retrain_without} compares with own local models, but '
      f'--from_run={config.from_run} has none: give --own_models=network or --local_only_from.'
    )
  deciding = clients[decides_for_all(config, source, clients)]
  if not any(source.federated_data.clients[client].size('validation') for client in deciding):
    raise ValueError(
      f'No client of --from_run={config.from_run} that chooses epochs for all has validation data, '
      'expected a run with --validation_fraction above 0 and, for '
      f'--choose={config_lib.VALIDATION_CLIENTS}, with --validation_clients.'
    )


def adapt_clients(
  config: config_lib.AdaptConfig,
  source: trained_run.TrainedRun,
  clients: np.ndarray,
  folder: str,
) -> dict[str, Adapted]:
  """Adapts clients of a run by one technique after the other; resumes where a call stopped.

  Args:
    config: resolved, see `check_adaptable`.
    source: the run.
    clients: indices of those that are adapted.
    folder: for the parts that are done.

  Returns:
    Each adaptation's result by its name.

  Raises:
    ValueError: a part that is done is damaged; the sentence names the file.
  """
  evaluator = adaptation_work.ModelEvaluator(source)
  num_bytes = sum(weight.nbytes for weight in source.model.initial_weights)
  adapted = {}
  with progress.Bar(len(clients) * len(config.adaptation), 'client') as bar:
    for name in config.adaptation:
      bar.set_description(name)
      fitting = _BYTES_IN_A_CHUNK // (num_bytes * len(config.settings(name)))
      chunk_size = config.clients_per_chunk or max(min(fitting, _CLIENTS_IN_A_CHUNK), 1)
      done = parts.Parts(folder, name, chunk_size, bar)
      deciding = decides_for_all(config, source, clients)
      if not adaptation_lib.ADAPTATIONS[name].trains:
        voting = knn_work.KnnWork(name, config, source)
        adapted[name] = _adapt(config, clients, deciding, voting, done)
        continue
      work = adaptation_work.AdaptationWork(name, config, source, evaluator)
      result = _adapt(config, clients, deciding, work, done)
      for epochs in config.aggregate_epochs or ():
        result.aggregated[epochs] = aggregating.aggregate_adapted(
          config, source, clients, work, result.curves, result.num_validation, epochs, done
        )
      adapted[name] = result
  return adapted


def _adapt(
  config: config_lib.AdaptConfig,
  clients: np.ndarray,
  deciding: np.ndarray,
  work: adaptation_work.AdaptationWork | knn_work.KnnWork,
  done: parts.Parts,
) -> Adapted:
  """Returns both passes of one adaptation."""
  tried = done.compute_chunks(clients, work.try_all, 'tried')
  num_validation, metric = tried['num_validation'], resolved(config.selection_metric)
  scores = tried[metric_names.validation(metric)]
  choice = adaptation_lib.choose(
    scores.swapaxes(0, 1),
    # Validation clients count alike, others by their examples.
    num_validation > 0 if config.choose == config_lib.VALIDATION_CLIENTS else num_validation,
    per_client=config.choose == 'client',
    maximize=metrics.sign(metric) > 0,
    decides_for_all=deciding,
  )
  rows = np.arange(len(clients))
  epochs = work.epochs[choice.epoch]
  # A setting that is not finite is never better than epoch 0, at which all settings are one.
  is_finite = tried['is_finite'].any(axis=1)
  values = {name: value for name, value in tried.items() if '_test/' in name}
  following = np.flatnonzero(~tried['is_chosen'])
  if len(following):
    # They have all the same setting and epoch, the best on all validation data.
    setting, epoch = int(choice.setting[following[0]]), int(epochs[following[0]])
    trained = done.compute_chunks(
      clients[following], lambda of: work.train_to(of, setting, epoch), 'chosen', is_again=True
    )
    is_finite[following] = trained.pop('is_finite')
    for name, value in trained.items():
      of_all = values.get(name, parts.missing(len(clients), value))
      # An array of texts has no room for longer ones.
      values[name] = of_all.astype(object) if value.dtype.kind == 'U' else of_all
      values[name][following] = value
  for name in (n for n in tried if n.startswith(f'{metric_names.VALIDATION}/')):
    of_epoch = tried[name][rows, choice.setting, choice.epoch].astype(np.float64)
    values[name] = np.where(num_validation > 0, of_epoch, np.nan)
  return Adapted(
    settings=work.settings,
    setting=choice.setting,
    epoch=epochs,
    is_finite=is_finite,
    values=values,
    curves=scores,
    evaluated_epochs=work.epochs,
    pooled=choice.pooled,
    num_validation=num_validation,
    aggregated={},
  )


def _mixes_clients(partition: str | None) -> bool:
  """Returns whether a client's examples depend on who the others are."""
  return partition is not None and config_lib.PARTITIONS[partition].mixes_clients

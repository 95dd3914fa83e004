"""Own networks: each client trains the run's network alone, until it stops improving.

A sample of clients tries a grid of learning rates, and their pooled validation metric chooses one
for all. Then every client trains with that rate up to its own best epoch. A client without
validation data trains for the median of the others' epochs. Each finished chunk of clients is
written to disk. A rerun resumes after it, and memory does not grow with the number of clients.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tff_lg import adaptation, grid_search, learning, metrics, models, parts, progress, seeds
from tff_lg import config as config_lib
from tff_lg.config.option import resolved
from tff_lg.own_models import stored_weights, tuned_sample
from tff_lg.tasks import TASKS
from tff_lg.training import client_data as client_data_lib
from tff_lg.training import evaluation

# Bounds of a chunk, which a killed run repeats: the weights of its clients, their training examples
# times the weights of a model (one epoch takes seconds), and its clients.
_BYTES_IN_A_CHUNK, _WORK_IN_A_CHUNK, _CLIENTS_IN_A_CHUNK = 2**28, 2**32, 100
# Clients of a chunk at least, so that all cores have work.
_FEWEST_IN_A_CHUNK = 8
# Where the federated method sends one gradient over all examples, a client alone has batches.
_BATCH_SIZE = 10


class OwnNetworks(NamedTuple):
  """Clients' own networks after training.

  Attributes:
    search: the learning rates tried, and the best.
    best_epoch: int64 [num_clients], the epoch that was kept; -1 for a client that was not trained.
    num_epochs: int64 [num_clients], epochs trained.
    was_stopped: bool [num_clients], whether training ended by patience and not by the cap.
    settled: validation metrics by name, float64 [num_clients], as means from the best epoch to the
      last one trained. Unlike those of the best epoch they owe little to the choice of it. NaN for
      a client without validation data.
    weights: of the trained clients, read when needed.
  """

  search: grid_search.GridSearch
  best_epoch: np.ndarray
  num_epochs: np.ndarray
  was_stopped: np.ndarray
  settled: dict[str, np.ndarray]
  weights: stored_weights.StoredWeights


def train_networks(
  options: config_lib.LocalLearningOptions,
  model: models.LocalGlobalModel,
  client_data: Mapping[str, client_data_lib.ClientData],
  clients: np.ndarray,
  folder: str,
) -> OwnNetworks:
  """Trains own networks of clients; a rerun resumes after the chunks that are done.

  Args:
    options: of a resolved config.
    model: the network with its initial weights, from which each client starts.
    client_data: each client's tensors, by part.
    clients: int [n], indices of those that train.
    folder: for the chunks that are done.

  Returns:
    The networks.

  Raises:
    ValueError: a file of a chunk is damaged; one sentence that names it.
  """
  work = _Work(options, model, client_data, folder)
  given = options.local_only_learning_rate
  if given is not None and len(given) == 1 or not work.can_tune(clients):
    rate = (given or (config_lib.learning_rate(options, 'client'),))[0]
    return work.train(clients, grid_search.GridSearch(rate, {rate: ()}))
  rates = given or grid_search.grid_around(config_lib.learning_rate(options, 'client'))
  search = grid_search.search(rates, work.tune(clients), grows=given is None)
  return work.train(clients, search)


def retrain_network(
  options: config_lib.LocalLearningOptions,
  model: models.LocalGlobalModel,
  train: client_data_lib.ClientData,
  client: int,
  rate: float,
  epoch: int,
) -> models.ModelWeights:
  """Trains one client's network again, as `train_networks` did.

  Args:
    options: of a resolved config.
    model: the network with its initial weights.
    train: each client's training tensors.
    client: its index.
    rate: the learning rate that was best.
    epoch: the client's epoch that was kept.

  Returns:
    All weights after that epoch.
  """
  parts_of = {'train': train, evaluation.PARTS[options.choices.choose_by]: train}
  work = _Work(options, model, parts_of, folder='')
  return work.retrain(client, rate, epoch)


class _Work:
  """Training of chunks, and what is kept of them."""

  def __init__(
    self,
    options: config_lib.LocalLearningOptions,
    model: models.LocalGlobalModel,
    client_data: Mapping[str, client_data_lib.ClientData],
    folder: str,
  ) -> None:
    self._options, self._model, self._data = options, model, client_data
    self._choose_by = evaluation.PARTS[options.choices.choose_by]
    self._num_validation = evaluation.count_examples(model, client_data[self._choose_by])
    self._parts = parts.Parts(folder, 'network', _chunk_size(model, client_data['train']))
    # Building takes as long as training hundreds of small clients: the best rate's is used again.
    self._process = functools.cache(self._build_process)

  def can_tune(self, clients: np.ndarray) -> bool:
    """Returns whether any of the clients has validation data."""
    return bool(self._num_validation[clients].any())

  def tune(self, clients: np.ndarray) -> Callable[[float], tuple[float, float]]:
    """Returns the score of a learning rate over a sample of the clients."""
    seed = seeds.derive_seed(self._options.seed, seeds.Purpose.OWN_MODELS, 0)
    sample = np.sort(tuned_sample.draw_sample(clients, self._num_validation, seed))
    metric = metrics.for_few_examples(resolved(self._options.selection_metric))
    sign = metrics.sign(metric)

    def score(rate: float) -> tuple[float, float]:
      process, total = self._process(rate), np.zeros(2)
      with progress.Bar(len(sample), 'client', f'own networks, learning rate {rate:g}') as bar:
        for start, chunk in self._parts.chunks(sample):
          function = functools.partial(self._try, process, chunk)
          done = self._parts.compute(function, f'rate_{rate:g}_{start:06d}')
          values = np.stack([sign * done[metric], -done['loss']], axis=1)
          total += self._num_validation[chunk] @ values
          bar.update(len(chunk))
      return tuple(total / self._num_validation[sample].sum())

    return score

  def train(self, clients: np.ndarray, search: grid_search.GridSearch) -> OwnNetworks:
    """Trains each client with the best rate."""
    process = self._process(search.best)
    has_validation = self._num_validation[clients] > 0
    num_clients = len(self._num_validation)
    columns = {name: np.full(num_clients, -1) for name in ('best_epoch', 'num_epochs')}
    settled: dict[str, np.ndarray] = {}
    paths, of_paths = [], []

    def run(chunk: np.ndarray, stage: str, function: Callable[[], parts.Arrays]) -> None:
      arrays = self._parts.compute(function, stage)
      for name, column in columns.items():
        column[chunk] = arrays[name]
      for name in (n for n in arrays if n.startswith('settled/')):
        metric = name.removeprefix('settled/')
        settled.setdefault(metric, np.full(num_clients, np.nan))[chunk] = arrays[name]
      paths.append(self._parts.path(stage))
      of_paths.append(chunk)

    with progress.Bar(len(clients), 'client', 'own networks') as bar:
      for start, chunk in self._parts.chunks(clients[has_validation]):
        run(chunk, f'own_{start:06d}', functools.partial(self._adapt, process, chunk))
        bar.update(len(chunk))
      chosen = columns['best_epoch'][clients[has_validation]]
      most = resolved(self._options.local_only_epochs)
      epoch = int(np.median(chosen)) if len(chosen) else most
      for start, chunk in self._parts.chunks(clients[~has_validation]):
        run(
          chunk,
          f'own_median_{start:06d}',
          functools.partial(self._train_to, process, chunk, epoch),
        )
        bar.update(len(chunk))
    was_stopped = columns['num_epochs'] < resolved(self._options.local_only_epochs)
    was_stopped[clients[~has_validation]] = True
    num_weights = len(self._model.initial_weights)
    return OwnNetworks(
      search,
      was_stopped=was_stopped,
      settled=settled,
      weights=stored_weights.StoredWeights(paths, of_paths, num_weights),
      **columns,
    )

  def retrain(self, client: int, rate: float, epoch: int) -> models.ModelWeights:
    """Returns a client's weights after an epoch."""
    arrays = self._train_to(self._process(rate), np.array([client]), epoch)
    return tuple(arrays[str(i)][0] for i in range(len(self._model.initial_weights)))

  def _build_process(self, rate: float) -> adaptation.AdaptationProcess:
    options = self._options
    return adaptation.build_adaptation_process(
      self._model,
      adaptation.fine_tune(),
      config_lib.optimizer(options, 'client').build(rate),
      learning.TensorBatches(
        options.batch_size or _BATCH_SIZE, augment=TASKS[options.task].augment
      ),
      resolved(options.local_only_epochs),
      selection_metric=metrics.for_few_examples(resolved(options.selection_metric)),
      patience=options.local_only_patience,
    )

  def _outputs(
    self, process: adaptation.AdaptationProcess, clients: np.ndarray
  ) -> Sequence[adaptation.AdaptationOutput]:
    num_clients = len(clients)
    validation = client_data_lib.take(self._data[self._choose_by], clients)[:]
    return process.adapt(
      [self._model.initial_weights] * num_clients,
      [()] * num_clients,
      self._train_data(clients),
      validation,
    )

  def _try(self, process: adaptation.AdaptationProcess, clients: np.ndarray) -> parts.Arrays:
    """Returns the validation metrics of the clients' best epochs."""
    outputs = self._outputs(process, clients)
    return {
      name: np.array([of.validation[name][of.best_epoch] for of in outputs], np.float64)
      for name in outputs[0].validation
    }

  def _adapt(self, process: adaptation.AdaptationProcess, clients: np.ndarray) -> parts.Arrays:
    outputs = self._outputs(process, clients)
    return {
      'best_epoch': np.array([output.best_epoch for output in outputs]),
      'num_epochs': np.array([output.num_epochs for output in outputs]),
      **{
        f'settled/{name}': np.array(
          [of.validation[name][of.best_epoch : of.num_epochs + 1].mean() for of in outputs]
        )
        for name in outputs[0].validation
      },
      **_stack([output.weights for output in outputs]),
    }

  def _train_to(
    self, process: adaptation.AdaptationProcess, clients: np.ndarray, epoch: int
  ) -> parts.Arrays:
    num_clients = len(clients)
    outputs = process.adapt_to_epoch(
      [self._model.initial_weights] * num_clients,
      [()] * num_clients,
      self._train_data(clients),
      [np.int32(epoch)] * num_clients,
    )
    epochs = np.array([epoch if output.is_finite else 0 for output in outputs])
    weights = _stack([output.weights for output in outputs])
    return {'best_epoch': epochs, 'num_epochs': epochs, **weights}

  def _train_data(self, clients: np.ndarray) -> list[learning.ClientTensors]:
    tensors = client_data_lib.take(self._data['train'], clients)[:]
    return [
      of_client._replace(
        # The same for all rates, so that they differ by nothing else.
        seed=seeds.tensor_seed(self._options.seed, seeds.Purpose.OWN_MODELS, 1, int(client))
      )
      for client, of_client in zip(clients, tensors, strict=True)
    ]


def _chunk_size(model: models.LocalGlobalModel, train: client_data_lib.ClientData) -> int:
  num_bytes = sum(weight.nbytes for weight in model.initial_weights)
  num_weights = sum(weight.size for weight in model.initial_weights)
  num_examples = max(evaluation.count_examples(model, train).mean(), 1)
  fitting = min(_BYTES_IN_A_CHUNK // num_bytes, int(_WORK_IN_A_CHUNK / num_weights / num_examples))
  return max(min(fitting, _CLIENTS_IN_A_CHUNK), _FEWEST_IN_A_CHUNK)


def _stack(weights: Sequence[models.ModelWeights]) -> parts.Arrays:
  return {str(i): np.stack(of_clients) for i, of_clients in enumerate(zip(*weights, strict=True))}

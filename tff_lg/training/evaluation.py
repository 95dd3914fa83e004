"""Evaluating all clients' models, on their own data and on the common test set."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tff_lg import metric_names, progress
from tff_lg import metrics as metrics_lib
from tff_lg.data import examples as examples_lib
from tff_lg.learning import batches, client_work
from tff_lg.learning import evaluation as learning_evaluation
from tff_lg.learning import process as process_lib
from tff_lg.learning import server as server_lib
from tff_lg.models import local_global
from tff_lg.training import client_data as client_data_lib
from tff_lg.training import selection as selection_lib

# Clients' data that models are evaluated on, by how their metrics are called.
PARTS = {metric_names.VALIDATION: 'validation', metric_names.LOCAL_TEST: 'test'}

# Clients' metrics by name, one float array [num_clients] each.
ClientValues = dict[str, np.ndarray]


class NewTest(NamedTuple):
  """All clients' chosen models on the whole test set.

  Attributes:
    accuracy: of all of them together. `ensemble_probability` takes the mean of probabilities,
      `ensemble_log_probability` the mean of their logarithms. `ensemble_vote` takes the class with
      most votes, the lower class in ties. `weight_average` is one model with the mean of all
      weights.
    class_accuracy: of each alone, float64 [num_clients, num_classes], on the test examples
      of each class; NaN for a class without any.
  """

  accuracy: dict[str, float]
  class_accuracy: np.ndarray


def count_examples(
  model: local_global.LocalGlobalModel, client_data: Sequence[batches.ClientTensors]
) -> np.ndarray:
  """Returns int64 [num_clients], each client's examples; of sequences, real positions."""
  if isinstance(client_data, client_data_lib.UnreadTensors):
    return client_data.sizes
  return np.array([int(model.count_examples(tensors.y)) for tensors in client_data], np.int64)


def evaluate_clients(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  client_states: Sequence[client_work.ClientState],
  client_data: Sequence[batches.ClientTensors],
  clients: np.ndarray | None = None,
) -> ClientValues:
  """Evaluates each client's own model on its own data.

  Args:
    process: that evaluates.
    server_state: the server's.
    client_states: of every client; a few are in memory at a time.
    client_data: of every client; where they are read when needed, so are they.
    clients: those that are evaluated, by index; None for all.

  Returns:
    The process's metrics by name; NaN for a client without examples, or not evaluated.
  """
  data = {'data': client_data}
  return evaluate_parts(process, server_state, client_states, data, clients)['data']


def evaluate_parts(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  client_states: Sequence[client_work.ClientState],
  client_data: Mapping[str, Sequence[batches.ClientTensors]],
  clients: np.ndarray | None = None,
) -> dict[str, ClientValues]:
  """Evaluates each client's own model on several parts of its own data.

  The arguments are those of `evaluate_clients`, the data by part, and so is what is returned.
  """
  num_clients = len(client_states)
  clients = np.arange(num_clients) if clients is None else clients
  results: dict[str, list[dict[str, float]]] = {part: [] for part in client_data}
  with progress.Bar(len(clients), 'client', 'evaluation', is_nested=True) as bar:
    for chunk in client_data_lib.chunks(len(clients)):
      states = [client_states[client] for client in clients[chunk]]
      for part, of_part in client_data.items():
        data = client_data_lib.take(of_part, clients[chunk])[:]
        results[part] += process.evaluate(server_state, states, data)
      bar.update(len(states))
  values = {}
  for part, found in results.items():
    arrays = {name: np.array([result[name] for result in found], np.float64) for name in found[0]}
    empty = arrays.pop('num_examples') == 0
    values[part] = {
      name: _spread(np.where(empty, np.nan, value), clients, num_clients)
      for name, value in arrays.items()
    }
  return values


def round_scores(
  values: ClientValues, num_examples: np.ndarray, metric: str, scope: str
) -> np.ndarray:
  """Returns how good a round is for each client, greater is better.

  Args:
    values: of all clients, on one part of their data.
    num_examples: of all clients.
    metric: `loss` or a metric of the model.
    scope: `client`, or `pooled` for one score of all.

  Returns:
    float64 [num_clients]; NaN for a client without examples, or whose examples define no value.
  """
  sign = metrics_lib.sign(metric)
  if scope == 'pooled':
    of_all = sign * pooled(values[metric], num_examples, metric)
    return np.full(len(num_examples), -np.inf if np.isnan(of_all) else of_all)
  # A model that has diverged is the worst there is, not one that nobody can judge.
  has_diverged = np.isnan(values[metric]) & (num_examples > 0) & ~_is_undefined(values, metric)
  return np.where(has_diverged, -np.inf, sign * values[metric])


def defined(values: ClientValues, num_examples: np.ndarray, metric: str) -> np.ndarray:
  """Returns, bool [num_clients], whose examples define a metric, as two classes do AUC."""
  return (num_examples > 0) & ~_is_undefined(values, metric)


def _is_undefined(values: ClientValues, metric: str) -> np.ndarray:
  """Returns where a metric that need not be defined has no value though the model has a loss."""
  entry = metrics_lib.METRICS.get(metric)
  if entry is None or entry.is_always_defined:
    return np.zeros(len(values[metric]), bool)
  return np.isnan(values[metric]) & ~np.isnan(values['loss'])


def pooled(values: np.ndarray, num_examples: np.ndarray, metric: str = 'accuracy') -> float:
  """Returns a metric of all examples together; clients without examples do not count.

  NaN if a client with examples has NaN, as a model that has diverged does.
  """
  entry = metrics_lib.METRICS.get(metric)
  is_root = entry is not None and entry.pooling == 'root_mean_square'
  of_clients = np.square(values) if is_root else values
  weighted = np.where(num_examples > 0, of_clients * num_examples, 0)
  mean = float(weighted.sum() / num_examples.sum())
  return mean**0.5 if is_root else mean


def predict_selected(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  selection: selection_lib.ModelSelection,
  client_data: Sequence[batches.ClientTensors],
  clients: np.ndarray,
) -> list[np.ndarray]:
  """Returns each of these clients' chosen model's predictions for its own examples.

  They are probabilities [n, num_classes], numbers [n], or the probability of each label.
  """
  predictions: dict[int, np.ndarray] = {}
  for of_group, global_weights, states in _chunks(selection.groups(clients), 'predictions'):
    predicted = process.predict(
      server_state._replace(global_weights=global_weights),
      states,
      [tensors.x for tensors in client_data_lib.take(client_data, of_group)[:]],
    )
    predictions.update(zip(of_group.tolist(), predicted, strict=True))
  return [predictions[client] for client in clients]


def evaluate_selected(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  selection: selection_lib.ModelSelection,
  client_data: Sequence[batches.ClientTensors],
  clients: np.ndarray | None = None,
) -> ClientValues:
  """Evaluates each client's chosen model on its own data; NaN for those not among `clients`."""
  values: ClientValues = {}
  for of_group, global_weights, states in selection.groups(clients):
    group = evaluate_clients(
      process,
      server_state._replace(global_weights=global_weights),
      states,
      client_data_lib.take(client_data, of_group),
    )
    for name, value in group.items():
      values.setdefault(name, np.full(len(client_data), np.nan))[of_group] = value
  return values


def evaluate_new_test(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  selection: selection_lib.ModelSelection,
  test: examples_lib.Examples,
  clients: np.ndarray | None = None,
) -> NewTest:
  """Evaluates clients' chosen models, alone and together, on the whole test set.

  Args:
    process: that evaluates.
    server_state: the server's.
    selection: the chosen models.
    test: the test set, of at least one example.
    clients: those whose models are evaluated, by index; None for all.

  Returns:
    The accuracies; those of a client alone are NaN where it is not evaluated.

  Liang et al. 2020, section 5.1 (New Test).
  """
  names = learning_evaluation.EnsembleSums._fields
  # By batch of the test set: each client's state is read once, however many batches there are.
  totals: dict[int, list[np.ndarray]] = {}
  class_correct = np.zeros([0, 0])
  groups = _distinct_groups(process, selection, clients)
  for of_group, weights, states in _chunks(groups, 'new test'):
    for start, x, y in _ensemble_batches(test):
      output = process.ensemble(server_state._replace(global_weights=weights), states, x)
      sums = [getattr(output.sums, name) for name in names]
      label = (y[:, np.newaxis] == np.arange(sums[0].shape[1])).astype(np.float64)
      if not totals:
        class_correct = np.zeros([len(selection.best_round), label.shape[1]])
      totals[start] = [a + b for a, b in zip(totals.get(start, [0] * len(sums)), sums, strict=True)]
      class_correct[of_group] += (np.stack(output.predicted)[:, : len(y)] == y) @ label
  accuracy = {
    f'ensemble_{name}': sum(
      int(np.sum(totals[start][number][: len(y)].argmax(axis=1) == y))
      for start, _, y in _ensemble_batches(test)
    )
    / len(test)
    for number, name in enumerate(names)
  }
  accuracy['weight_average'] = evaluate_weight_average(
    process, server_state, selection, test, clients
  )
  by_class = class_accuracy(class_correct, test.y)
  if clients is not None:
    by_class = _spread(by_class[clients], clients, len(by_class))
  return NewTest(accuracy, by_class)


def _ensemble_batches(
  test: examples_lib.Examples,
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
  """Yields where each batch of a test set starts, its features, its labels."""
  size = learning_evaluation.ENSEMBLE_BATCH_SIZE
  for start in range(0, len(test), size):
    yield start, test.x[start : start + size], test.y[start : start + size]


def evaluate_weight_average(
  process: process_lib.LocalGlobalProcess,
  server_state: server_lib.ServerState,
  selection: selection_lib.ModelSelection,
  test: examples_lib.Examples,
  clients: np.ndarray | None = None,
) -> float:
  """Returns the main metric of one model, with mean weights, on the whole test set."""
  groups = _distinct_groups(process, selection, clients)
  mean_global, mean_local = _mean_weights(groups)
  average = evaluate_clients(
    process,
    server_state._replace(global_weights=mean_global),
    [groups[0][2][0]._replace(local_weights=mean_local)],
    [client_data_lib.to_tensors(test)],
  )
  return float(average[process.model.metric_names[0]][0])


def _spread(values: np.ndarray, clients: np.ndarray, num_clients: int) -> np.ndarray:
  """Spreads values [n, ...] of some clients over the places of all; NaN for the others."""
  result = np.full([num_clients, *values.shape[1:]], np.nan)
  result[clients] = values
  return result


def _distinct_groups(
  process: process_lib.LocalGlobalProcess,
  selection: selection_lib.ModelSelection,
  clients: np.ndarray | None,
) -> list:
  """Returns the selection's groups; where all clients have one model, one state stands for all."""
  groups = selection.groups(clients)
  if all(process.model.weight_is_global):
    groups = [(of_group, weights, states[:1]) for of_group, weights, states in groups]
  return groups


def _chunks(groups: list, description: str) -> Iterator[tuple]:
  """Yields the groups in parts of a few clients, whose states are in memory; under a bar."""
  total = sum(len(clients) for clients, _, _ in groups)
  with progress.Bar(total, 'client', description, is_nested=True) as bar:
    for clients, global_weights, states in groups:
      if len(states) < len(clients):  # One stands for all.
        yield clients, global_weights, list(states)
        bar.update(len(clients))
        continue
      for chunk in client_data_lib.chunks(len(clients)):
        yield clients[chunk], global_weights, list(states[chunk])
        bar.update(len(clients[chunk]))


def class_accuracy(class_correct: np.ndarray, y: np.ndarray) -> np.ndarray:
  """Returns the accuracy on the test examples of each class.

  Args:
    class_correct: [num_clients, num_classes], examples of each class that a client's model gets
      right.
    y: int [n], all labels of the test set.

  Returns:
    float64 [num_clients, num_classes]; NaN for a class without examples.
  """
  class_size = np.bincount(y, minlength=class_correct.shape[1])
  return np.where(class_size, class_correct / np.maximum(class_size, 1), np.nan)


def participant_accuracy(class_accuracy: np.ndarray, label_counts: np.ndarray) -> np.ndarray:
  """Returns accuracy on the test set, were its classes as frequent as in the client's own data.

  Args:
    class_accuracy: as of `NewTest`.
    label_counts: [num_clients, num_classes], each client's examples of each class. Classes
      that the test set has not do not count.

  Returns:
    float64 [num_clients]; NaN for a client with no class of the test set.

  Yu et al. 2020: the sum over classes of the share in training times the accuracy.
  """
  counts = np.where(np.isnan(class_accuracy), 0, label_counts)
  total = counts.sum(axis=1)
  weighted = np.nansum(counts * class_accuracy, axis=1)
  return np.where(total, weighted / np.maximum(total, 1), np.nan)


def _mean_weights(groups: list) -> tuple[tuple, tuple]:
  """Returns the mean over clients of their global weights and of their local weights."""
  num_clients = sum(len(states) for _, _, states in groups)

  def add(sums: list, weights: tuple, times: int) -> list:
    return [a + w.astype(np.float64) * times for a, w in zip(sums, weights, strict=True)]

  def mean(sums: list) -> tuple:
    return tuple((total / num_clients).astype(np.float32) for total in sums)

  _, first_weights, first_states = groups[0]
  global_sums, local_sums = [0] * len(first_weights), [0] * len(first_states[0].local_weights)
  for _, weights, states in groups:
    global_sums = add(global_sums, weights, len(states))
    for state in states:
      local_sums = add(local_sums, state.local_weights, 1)
  return mean(global_sums), mean(local_sums)

"""kNN-Per on some clients of a finished run, and the evaluation of what it gives."""

import functools
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import metric_names, models, verdicts
from tff_lg.adaptation import knn_per
from tff_lg.inputs import tasks
from tff_lg.metrics import exact
from tff_lg.parts import Arrays
from tff_lg.personalization import choosing
from tff_lg.simulation import trained_run
from tff_lg.training import evaluation

_BATCH_SIZE = 512
_LEAST_PROBABILITY = 1e-7


class KnnWork:
  """Tries all numbers of neighbours and weights of their vote, as `AdaptationWork` does settings.

  Attributes:
    settings: what is tried, options by name.
    epochs: 0 is the federated model, 1 the model with the vote.
  """

  def __init__(
    self, name: str, config: config_lib.AdaptConfig, source: trained_run.TrainedRun
  ) -> None:
    """Prepares the technique on the clients of a run.

    Args:
      name: of the technique.
      config: resolved.
      source: the run whose clients are adapted; its examples have one class each.
    """
    self._config, self._source = config, source
    self.settings = config.settings(name)
    self.epochs = np.arange(2)
    self._label_counts = source.federated_data.label_counts()
    self._embedded: tuple[models.ModelWeights, _Embedded] | None = None

  def try_all(self, clients: np.ndarray) -> Arrays:
    """Evaluates clients with all settings, and with those that they choose alone.

    Args:
      clients: int [n], indices.

    Returns:
      As `AdaptationWork.try_all`.
    """
    curves = [self._curves(client) for client in clients]
    result: Arrays = {
      metric_names.validation(metric): np.stack([of_client[metric] for of_client in curves])
      for metric in (*self._source.model.metric_names, 'loss')
    }
    num_validation = np.array(
      [self._source.federated_data.clients[client].size('validation') for client in clients]
    )
    is_chosen, choice = choosing.choose_alone(self._config, result, num_validation)
    evaluated: Arrays = {}
    if choice is not None:
      rows = np.flatnonzero(is_chosen)
      chosen = [(clients[row], int(choice.setting[row]), int(choice.epoch[row])) for row in rows]
      evaluated = self._evaluate(chosen)
    return {
      **result,
      'num_validation': num_validation,
      'is_finite': np.ones((len(clients), len(self.settings)), bool),
      'is_chosen': is_chosen,
      **{name: choosing.spread(values, is_chosen) for name, values in evaluated.items()},
    }

  def train_to(self, clients: np.ndarray, setting: int, epoch: int) -> Arrays:
    """Evaluates clients with one setting.

    Args:
      clients: int [n], indices.
      setting: index among the settings.
      epoch: 0 for the federated model, 1 with the vote.

    Returns:
      As `AdaptationWork.train_to`.
    """
    evaluated = self._evaluate([(client, setting, epoch) for client in clients])
    return {'is_finite': np.ones(len(clients), bool), **evaluated}

  def _curves(self, client: int) -> dict[str, np.ndarray]:
    """Returns each metric on validation data, float32 [num_settings, 2]; zeros without data."""
    examples = self._source.federated_data.clients[client].validation
    names = (*self._source.model.metric_names, 'loss')
    if not len(examples):
      return {name: np.zeros((len(self.settings), 2), np.float32) for name in names}
    probabilities = self._predict(client, examples.x, self.settings)
    scores = [self._score(each, examples.y) for each in probabilities]
    curves = {name: np.array([score[name] for score in scores], np.float32) for name in names}
    # The first is the federated model, which all settings begin with.
    return {
      name: np.stack([np.full(len(self.settings), values[0]), values[1:]], axis=1)
      for name, values in curves.items()
    }

  def _evaluate(self, chosen: list[tuple[int, int, int]]) -> Arrays:
    """Returns test metrics of (client, setting, epoch), as `ModelEvaluator` gives them."""
    clients, test = [client for client, _, _ in chosen], self._source.federated_data.test
    names, pool = self._source.model.metric_names, self._source.pool
    columns = list(map(metric_names.local_test, names))
    columns += [] if pool is None else map(metric_names.others_test, names)
    result = {column: np.full(len(chosen), np.nan) for column in columns}
    by_class, marks = [], []
    for row, (client, setting, epoch) in enumerate(chosen):
      settings = self.settings[setting : setting + 1]
      own = self._source.federated_data.clients[client].test
      marks.append('')
      if len(own):
        predictions = self._predict(client, own.x, settings)[epoch]
        marks[-1] = verdicts.to_marks(exact.by_example('classification', predictions, own.y))
        scores = self._score(predictions, own.y)
        for name in names:
          result[metric_names.local_test(name)][row] = np.float32(scores[name])
      if pool is not None:
        is_others = pool.owner != client
        predictions = self._predict(client, pool.examples.x, settings)[epoch][is_others]
        scores = exact.score('classification', names, predictions, pool.examples.y[is_others])
        for name in names:
          result[metric_names.others_test(name)][row] = np.float32(scores[name])
      if self._label_counts is not None:
        predicted = self._predict(client, test.x, settings)[epoch].argmax(axis=1)
        right = test.y[predicted == test.y]
        by_class.append(np.bincount(right, minlength=self._source.federated_data.num_classes))
    result[verdicts.MARKS] = np.array(marks, str)
    if self._label_counts is not None:
      accuracy = evaluation.class_accuracy(np.stack(by_class), test.y)
      result[metric_names.PARTICIPANT_ACCURACY] = evaluation.participant_accuracy(
        accuracy, self._label_counts[clients]
      )
    return result

  def _predict(
    self, client: int, x: np.ndarray, settings: tuple[dict[str, float], ...]
  ) -> np.ndarray:
    """Returns probabilities [1 + len(settings), n, num_classes]: of the model, then by setting."""
    train = self._source.federated_data.clients[client].train
    embed = self._embed_by(self._source.weights[client])
    representations, probabilities = embed(x)
    numbers = sorted({int(setting['knn_neighbours']) for setting in settings})
    votes = np.broadcast_to(probabilities, (len(numbers), *probabilities.shape))
    if len(train):
      votes = knn_per.neighbour_votes(
        embed(train.x)[0], train.y, representations, probabilities.shape[1], numbers
      )
    mixed = [
      (1 - setting['knn_weight']) * probabilities
      + setting['knn_weight'] * votes[numbers.index(int(setting['knn_neighbours']))]
      for setting in settings
    ]
    return np.stack([probabilities, *mixed])

  def _score(self, probabilities: np.ndarray, y: np.ndarray) -> dict[str, float]:
    names = self._source.model.metric_names
    of_labels = np.maximum(probabilities[np.arange(len(y)), y], _LEAST_PROBABILITY)
    loss = float(-np.log(of_labels).mean())
    return {**exact.score('classification', names, probabilities, y), 'loss': loss}

  def _embed_by(self, weights: models.ModelWeights) -> '_Embedded':
    """Returns the network with these weights; remembers examples while clients share them."""
    if self._embedded is None or not _are_same(self._embedded[0], weights):
      self._network.assign(weights)
      pool = self._source.pool
      shared = [self._source.federated_data.test.x, *([] if pool is None else [pool.examples.x])]
      self._embedded = weights, _Embedded(self._network, shared)
    return self._embedded[1]

  @functools.cached_property
  def _network(self) -> '_Network':
    return _Network(self._source)


class _Network:
  """The run's network, up to its last layer with weights and to its end."""

  def __init__(self, source: trained_run.TrainedRun) -> None:
    self._names = source.model.weight_names
    self._is_probability = source.model.outputs_probabilities
    self._whole = tasks.build_keras_model(source.config.input_options, source.federated_data)
    last = [layer for layer in self._whole.layers if layer.weights][-1]
    both = tf.keras.Model(self._whole.inputs, [last.input, self._whole.output])
    self._both = tf.function(
      lambda x: both(x, training=False), autograph=False, reduce_retracing=True
    )

  def assign(self, weights: models.ModelWeights) -> None:
    """Takes over a client's weights."""
    models.assign_weights(self._whole, dict(zip(self._names, weights, strict=True)))

  def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns representations [n, dimension] and probabilities [n, num_classes]."""
    batches = [
      self._both(tf.constant(x[start : start + _BATCH_SIZE]))
      for start in range(0, max(len(x), 1), _BATCH_SIZE)
    ]
    representations, outputs = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    if not self._is_probability:
      outputs = tf.nn.softmax(outputs).numpy()
    return representations.reshape(len(x), -1), outputs


class _Embedded:
  """The network with some weights; features that all clients predict go through it once."""

  def __init__(self, network: _Network, shared: Sequence[np.ndarray]) -> None:
    self._network, self._shared = network, shared
    self._found: dict[int, tuple[np.ndarray, np.ndarray]] = {}

  def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns both as the network gives them; those of shared features are computed once."""
    if not any(x is each for each in self._shared):
      return self._network(x)
    if id(x) not in self._found:
      self._found[id(x)] = self._network(x)
    return self._found[id(x)]


def _are_same(one: models.ModelWeights, other: models.ModelWeights) -> bool:
  """Returns whether two clients share the arrays of their weights."""
  return all(a is b for a, b in zip(one, other, strict=True))

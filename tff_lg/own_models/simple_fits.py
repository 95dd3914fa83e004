"""Fits of simple models to the examples of single clients, with their scores."""

import os
import warnings
from collections.abc import Callable
from concurrent import futures
from typing import Any

import attrs
import numpy as np
import threadpoolctl

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import metric_names, seeds, simple_models
from tff_lg.metrics import exact
from tff_lg.scoring import others
from tff_lg.training import evaluation

# Entries of `SimpleFits.score_all` with a value for each test example of a client.
BY_EXAMPLE = ('of_examples', 'probability', 'prediction')


@attrs.frozen(kw_only=True, eq=False)
class SimpleFits:
  """A simple model that is fitted to some clients' training examples, each fit on a thread.

  Attributes:
    model: what is fitted.
    selection: of a resolved config.
    federated_data: the clients' data.
    pool: test data on which the others' models are scored, too; None for none.
  """

  model: simple_models.SimpleModel
  selection: config_lib.SelectionOptions
  federated_data: data_lib.FederatedData
  pool: others.PooledTests | None = None

  @property
  def seed(self) -> int:
    """Returns the seed of all fits."""
    return seeds.derive_seed(self.selection.seed, seeds.Purpose.OWN_MODELS, 2)

  def score_part(self, clients: np.ndarray, value: float, part: str) -> list[dict[str, float]]:
    """Fits and scores on one part of each client's data.

    Args:
      clients: int [n], indices.
      value: of the model's hyper-parameter.
      part: one of `evaluation.PARTS`.

    Returns:
      For each client `<part>/<metric>`, the loss among them.
    """

    def score(client: int) -> dict[str, float]:
      predict = self._fit(client, value)
      x, y = self._examples(client, part)
      return self._metrics(part, predict(x), y)

    return _map(score, clients)

  def score_all(self, clients: np.ndarray, value: float) -> list[dict[str, Any]]:
    """Fits and scores on all parts of each client's data, on the others' and on the common test.

    Args:
      clients: int [n], indices.
      value: of the model's hyper-parameter.

    Returns:
      For each client `<part>/<metric>`. There is also an array `of_examples` for its test examples,
      with `probability` of the second of two classes, or with `prediction` of numbers. The array
      `class_correct` counts the right examples of the common test set, by class.
    """

    def score(client: int) -> dict[str, Any]:
      predict = self._fit(client, value)
      found: dict[str, Any] = {}
      for part in evaluation.PARTS:
        x, y = self._examples(client, part)
        predictions = predict(x)
        found |= self._metrics(part, predictions, y)
        if part == metric_names.LOCAL_TEST:
          found |= self._by_example(predictions, y)
      return found | self._on_others(client, predict) | self._on_new_test(predict)

    return _map(score, clients)

  def affine(self, client: int, value: float) -> simple_models.Affine:
    """Fits the model to a client and returns it as weights and biases.

    Raises:
      ValueError: the model has no affine form.
    """
    x, y, weights = self._train(client)
    num_classes = self.federated_data.num_classes if self._has_classes else None
    with threadpoolctl.threadpool_limits(1):
      return simple_models.fit_affine(self.model, value, x, y, num_classes, self.seed, weights)

  @property
  def _has_classes(self) -> bool:
    return self.selection.predicts.predicts_classes

  def _fit(self, client: int, value: float) -> simple_models.Predict:
    x, y, weights = self._train(client)
    if self._has_classes:
      num_classes = self.federated_data.num_classes
      return simple_models.fit(self.model, value, x, y, num_classes, self.seed, weights)
    return simple_models.fit_number(self.model, value, x, y, self.seed, weights)

  def _train(self, client: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Returns a client's features, labels and weights; None if it has no weights."""
    train = self.federated_data.clients[client].train
    return train.x, train.y, None if train.weights is None else train.relative_weights()

  def _examples(self, client: int, part: str) -> tuple[np.ndarray, np.ndarray]:
    examples = getattr(self.federated_data.clients[client], evaluation.PARTS[part])
    return examples.x, examples.y

  def _metrics(self, part: str, predictions: np.ndarray, y: np.ndarray) -> dict[str, float]:
    scored = self._score(self.selection.model_metrics, predictions, y)
    return {f'{part}/{name}': v for name, v in scored.items()} | {
      f'{part}/loss': _loss(predictions, y)
    }

  def _score(
    self, metrics: tuple[str, ...], predictions: np.ndarray, y: np.ndarray
  ) -> dict[str, float]:
    return exact.score(self.selection.predicts.name, metrics, predictions, y)

  def _by_example(self, predictions: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Returns arrays by test example of a client, and the AUC where there are two classes."""
    found = {'of_examples': exact.by_example(self.selection.predicts.name, predictions, y)}
    if not self._has_classes:
      return found | {'prediction': predictions}
    if self.federated_data.num_classes != 2:
      return found
    auc = self._score(('auc',), predictions, y)
    return {
      **found,
      'probability': predictions[:, 1],
      **{metric_names.local_test(name): v for name, v in auc.items()},
    }

  def _on_others(self, client: int, predict: simple_models.Predict) -> dict[str, float]:
    if self.pool is None:
      return {}
    examples = self.pool.of_others(client)
    scored = self._score(self.selection.model_metrics, predict(examples.x), examples.y)
    return {metric_names.others_test(name): v for name, v in scored.items()}

  def _on_new_test(self, predict: simple_models.Predict) -> dict[str, np.ndarray]:
    test = self.federated_data.test
    if not len(test) or not self._has_classes:
      return {}
    is_right = predict(test.x).argmax(axis=1) == test.y
    num_classes = self.federated_data.num_classes
    return {'class_correct': np.bincount(test.y[is_right], minlength=num_classes)}


def _map(score: Callable[[int], dict[str, Any]], clients: np.ndarray) -> list[dict[str, Any]]:
  from sklearn import exceptions  # It takes a second to import.

  # One thread a fit: the fits themselves run side by side. A fit that ends by its number of
  # iterations is a candidate like another, which validation data judge.
  with (
    threadpoolctl.threadpool_limits(1),
    warnings.catch_warnings(),
    futures.ThreadPoolExecutor(os.cpu_count()) as threads,
  ):
    warnings.simplefilter('ignore', exceptions.ConvergenceWarning)
    return list(threads.map(score, clients.tolist()))


def _loss(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean cross-entropy, or squared error of numbers; NaN without examples."""
  if not len(y):
    return np.nan
  if predictions.ndim == 1:
    return float(np.square(predictions - y).mean())
  return float(-simple_models.log_likelihoods(predictions, y).mean())

"""Own simple models: each client fits one of `tff_lg.simple_models` to its examples."""

import functools
import os
import warnings
from concurrent import futures
from typing import Any, NamedTuple

import numpy as np
import threadpoolctl

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import grid_search, metric_names, metrics, parts, progress, seeds, simple_models
from tff_lg.config.option import resolved
from tff_lg.metrics import exact
from tff_lg.own_models import tuned_sample
from tff_lg.scoring import others
from tff_lg.training import evaluation

_CLIENTS_IN_A_CHUNK = 100


class OwnSimpleModels(NamedTuple):
  """Clients' own simple models.

  Attributes:
    search: the values of the hyper-parameter tried, and the best.
    values: `<part>/<metric>` to float64 [num_clients]; NaN for a client that was not fitted, or has
      no such examples.
    of_examples: by client, the main metric of each fitted client's test examples, [n]. For classes
      it says which predictions are right.
    predictions: by client, each fitted client's predictions for its test examples. Only if all of
      them are scored together, as for two classes and for numbers; else empty.
  """

  search: grid_search.GridSearch
  values: dict[str, np.ndarray]
  of_examples: dict[int, np.ndarray]
  predictions: dict[int, np.ndarray]


def why_not(federated_data: data_lib.FederatedData) -> str | None:
  """Returns why simple models do not fit these data; None if they do."""
  predicts = metrics.OBJECTIVES[federated_data.objective]
  if not predicts.predicts_numbers and not federated_data.has_plain_labels:
    return 'its examples have more than one label each'
  if federated_data.test.x.dtype != np.float32:
    return 'its examples are tokens and not features'
  return None


def fit_simple_models(
  name: str,
  selection: config_lib.SelectionOptions,
  federated_data: data_lib.FederatedData,
  clients: np.ndarray,
  folder: str,
  pool: others.PooledTests | None = None,
) -> OwnSimpleModels:
  """Fits a simple model for each of some clients; a rerun resumes after the chunks done.

  Args:
    name: of the model, in `simple_models.SIMPLE_MODELS`.
    selection: of a resolved selection.
    federated_data: the clients' data, see `why_not`.
    clients: int [n], indices of those that are fitted.
    folder: for the chunks that are done.
    pool: test data on which the others' models are scored, too; None for none.

  Returns:
    The models' scores.

  Raises:
    ValueError: a file of a chunk is damaged; one sentence that names it.
  """
  model = simple_models.SIMPLE_MODELS[name]
  part = evaluation.PARTS[selection.choices.choose_by]
  seed = _seed(selection)
  sizes = np.array([client.size(part) for client in federated_data.clients])
  sample = tuned_sample.draw_sample(clients, sizes, seed)
  done = parts.Parts(folder, name, _CLIENTS_IN_A_CHUNK)
  metric = metrics.for_few_examples(resolved(selection.selection_metric))
  objective, is_class = selection.predicts.name, selection.predicts.predicts_classes
  names = (*selection.model_metrics, 'loss')

  def fit_and_score(client: int, value: float, parts_scored: tuple[str, ...]) -> dict:
    of_client = federated_data.clients[client]
    x, y, weights = _weighed(of_client.train)
    if is_class:
      predict = simple_models.fit(model, value, x, y, federated_data.num_classes, seed, weights)
    else:
      predict = simple_models.fit_number(model, value, x, y, seed, weights)
    found: dict[str, Any] = {}
    for name in parts_scored:
      examples = getattr(of_client, evaluation.PARTS[name])
      predictions = predict(examples.x)
      scored = exact.score(objective, selection.model_metrics, predictions, examples.y)
      scored['loss'] = _loss(predictions, examples.y)
      found |= {f'{name}/{key}': v for key, v in scored.items()}
      if name == metric_names.LOCAL_TEST:
        found['of_examples'] = exact.by_example(objective, predictions, examples.y)
      if name == metric_names.LOCAL_TEST and not is_class:
        found['prediction'] = predictions
      elif name == metric_names.LOCAL_TEST and federated_data.num_classes == 2:
        found['probability'] = predictions[:, 1]
        found |= {
          metric_names.local_test(key): v
          for key, v in exact.score(objective, ('auc',), predictions, examples.y).items()
        }
    if len(parts_scored) > 1 and pool is not None:
      examples = pool.of_others(client)
      predictions = predict(examples.x)
      scored = exact.score(objective, selection.model_metrics, predictions, examples.y)
      found |= {metric_names.others_test(key): v for key, v in scored.items()}
    if len(parts_scored) > 1 and len(federated_data.test) and is_class:
      predicted = predict(federated_data.test.x).argmax(axis=1)
      found['class_correct'] = np.bincount(
        federated_data.test.y[predicted == federated_data.test.y],
        minlength=federated_data.num_classes,
      )
    return found

  def all_of(of: np.ndarray, value: float, parts_scored: tuple[str, ...]) -> list[dict]:
    from sklearn import exceptions  # It takes a second to import.

    # One thread a fit: the fits themselves run side by side. A fit that ends by its number of
    # iterations is a candidate like another, which validation data judge.
    with (
      threadpoolctl.threadpool_limits(1),
      warnings.catch_warnings(),
      futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
      warnings.simplefilter('ignore', exceptions.ConvergenceWarning)
      return list(pool.map(lambda client: fit_and_score(client, value, parts_scored), of.tolist()))

  def score(value: float) -> tuple[float, float]:
    def compute() -> parts.Arrays:
      found = all_of(sample, value, (selection.choices.choose_by,))
      return {n: np.array([f[f'{selection.choices.choose_by}/{n}'] for f in found]) for n in names}

    values = done.compute(compute, f'tune_{value:g}')
    means = {n: float(sizes[sample] @ v / sizes[sample].sum()) for n, v in values.items()}
    return (metrics.sign(metric) * means[metric], -means['loss'])

  found = grid_search.search(model.values, score, grows=True)
  columns: dict[str, np.ndarray] = {}
  by_example: dict[str, dict[int, np.ndarray]] = {name: {} for name in _BY_EXAMPLE}

  def of_chunk(chunk: np.ndarray) -> parts.Arrays:
    return _as_arrays(all_of(chunk, found.best, tuple(evaluation.PARTS)))

  with progress.Bar(len(clients), 'client', f'own {name}') as bar:
    for start, chunk in done.chunks(clients):
      arrays = done.compute(functools.partial(of_chunk, chunk), f'{start:06d}')
      for key in filter(arrays.__contains__, _BY_EXAMPLE):
        ends = np.cumsum(arrays.pop(f'num_{key}'))[:-1]
        of_clients = np.split(arrays.pop(key), ends)
        by_example[key].update(zip(chunk.tolist(), of_clients, strict=True))
      for key, value in arrays.items():
        shape = (len(federated_data.clients), *value.shape[1:])
        columns.setdefault(key, np.full(shape, np.nan))[chunk] = value
      bar.update(len(chunk))
  class_correct, label_counts = columns.pop('class_correct', None), federated_data.label_counts()
  if class_correct is not None and label_counts is not None:
    columns[metric_names.PARTICIPANT_ACCURACY] = evaluation.participant_accuracy(
      evaluation.class_accuracy(class_correct, federated_data.test.y),
      label_counts,
    )
  predictions = {
    client: np.stack([1 - positive, positive], axis=1)
    for client, positive in by_example['probability'].items()
  }
  predictions |= by_example['prediction']
  return OwnSimpleModels(found, columns, by_example['of_examples'], predictions)


def refit(
  name: str,
  value: float,
  selection: config_lib.SelectionOptions,
  federated_data: data_lib.FederatedData,
  client: int,
) -> simple_models.Affine:
  """Fits one client's simple model as `fit_simple_models` did.

  Args:
    name: of the model.
    value: of its hyper-parameter, the best one.
    selection: of a resolved config.
    federated_data: the clients' data.
    client: its index.

  Raises:
    ValueError: the model has no affine form.
  """
  x, y, weights = _weighed(federated_data.clients[client].train)
  num_classes = federated_data.num_classes if selection.predicts.predicts_classes else None
  with threadpoolctl.threadpool_limits(1):
    return simple_models.fit_affine(
      simple_models.SIMPLE_MODELS[name], value, x, y, num_classes, _seed(selection), weights
    )


def _weighed(train: data_lib.Examples) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
  """Returns a client's features, labels and weights; None if it has no weights."""
  return train.x, train.y, None if train.weights is None else train.relative_weights()


def _seed(selection: config_lib.SelectionOptions) -> int:
  return seeds.derive_seed(selection.seed, seeds.Purpose.OWN_MODELS, 2)


# Arrays with a value for each test example of a client.
_BY_EXAMPLE = ('of_examples', 'probability', 'prediction')


def _loss(predictions: np.ndarray, y: np.ndarray) -> float:
  """Returns the mean cross-entropy, or squared error of numbers; NaN without examples."""
  if not len(y):
    return np.nan
  if predictions.ndim == 1:
    return float(np.square(predictions - y).mean())
  return float(-simple_models.log_likelihoods(predictions, y).mean())


def _as_arrays(found: list[dict]) -> parts.Arrays:
  """Returns one array by name, a row per client; arrays by example are joined over clients."""
  arrays = {
    name: np.array([of[name] for of in found]) for name in found[0] if name not in _BY_EXAMPLE
  }
  for name in filter(found[0].__contains__, _BY_EXAMPLE):
    arrays[f'num_{name}'] = np.array([len(of[name]) for of in found])
    arrays[name] = np.concatenate([of[name] for of in found])
  return arrays

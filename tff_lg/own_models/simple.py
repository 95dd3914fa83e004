"""Own simple models: each client fits one of `tff_lg.simple_models` to its examples."""

import functools
from typing import Any, NamedTuple

import numpy as np

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import grid_search, metric_names, metrics, parts, progress, simple_models
from tff_lg.config.option import resolved
from tff_lg.own_models import simple_fits, tuned_sample
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
    selection: of a resolved config.
    federated_data: the clients' data, see `why_not`.
    clients: int [n], indices of those that are fitted.
    folder: for the chunks that are done.
    pool: test data on which the others' models are scored, too; None for none.

  Returns:
    The models' scores.

  Raises:
    ValueError: a file of a chunk is damaged; one sentence that names it.
  """
  fits = simple_fits.SimpleFits(
    model=simple_models.SIMPLE_MODELS[name],
    selection=selection,
    federated_data=federated_data,
    pool=pool,
  )
  done = parts.Parts(folder, name, _CLIENTS_IN_A_CHUNK)
  found = _tune(fits, clients, done)
  columns: dict[str, np.ndarray] = {}
  by_example: dict[str, dict[int, np.ndarray]] = {name: {} for name in simple_fits.BY_EXAMPLE}

  def of_chunk(chunk: np.ndarray) -> parts.Arrays:
    return _as_arrays(fits.score_all(chunk, found.best))

  with progress.Bar(len(clients), 'client', f'own {name}') as bar:
    for start, chunk in done.chunks(clients):
      arrays = done.compute(functools.partial(of_chunk, chunk), f'{start:06d}')
      for key in filter(arrays.__contains__, simple_fits.BY_EXAMPLE):
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


def _tune(
  fits: simple_fits.SimpleFits, clients: np.ndarray, done: parts.Parts
) -> grid_search.GridSearch:
  """Searches the hyper-parameter on a sample of these clients, by the data that choose."""
  selection = fits.selection
  chosen_by = selection.choices.choose_by
  part = evaluation.PARTS[chosen_by]
  sizes = np.array([client.size(part) for client in fits.federated_data.clients])
  sample = tuned_sample.draw_sample(clients, sizes, fits.seed)
  metric = metrics.for_few_examples(resolved(selection.selection_metric))

  def score(value: float) -> tuple[float, float]:
    def compute() -> parts.Arrays:
      found = fits.score_part(sample, value, chosen_by)
      names = (*selection.model_metrics, 'loss')
      return {name: np.array([of[f'{chosen_by}/{name}'] for of in found]) for name in names}

    values = done.compute(compute, f'tune_{value:g}')
    means = {n: float(sizes[sample] @ v / sizes[sample].sum()) for n, v in values.items()}
    return (metrics.sign(metric) * means[metric], -means['loss'])

  return grid_search.search(fits.model.values, score, grows=True)


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
  fits = simple_fits.SimpleFits(
    model=simple_models.SIMPLE_MODELS[name], selection=selection, federated_data=federated_data
  )
  return fits.affine(client, value)


def _as_arrays(found: list[dict[str, Any]]) -> parts.Arrays:
  """Returns one array by name, a row per client; arrays by example are joined over clients."""
  arrays = {
    name: np.array([of[name] for of in found])
    for name in found[0]
    if name not in simple_fits.BY_EXAMPLE
  }
  for name in filter(found[0].__contains__, simple_fits.BY_EXAMPLE):
    arrays[f'num_{name}'] = np.array([len(of[name]) for of in found])
    arrays[name] = np.concatenate([of[name] for of in found])
  return arrays

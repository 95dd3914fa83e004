"""Clients of any TFF `ClientData`, read when needed."""

import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tff_lg.data import arrays, client_examples, client_parts, client_reader, federated

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.compatibility import tff

# Elements that are read at a time.
_BATCH_SIZE = 4096


def from_client_data(
  train: 'tff.simulation.datasets.ClientData',
  num_classes: int,
  *,
  test: 'tff.simulation.datasets.ClientData | None' = None,
  keys: tuple[str, str] | tuple[int, int] = ('x', 'y'),
  num_examples: Mapping[str, int] | None = None,
  split: client_parts.PartSplit | None = None,
  cache_size: int = 1000,
) -> federated.FederatedData:
  """Lists the clients of a `ClientData`, whose examples are read when needed.

  Args:
    train: the examples; an element is a dict or a tuple, and is not a batch.
    num_classes: labels are in [0, num_classes).
    test: the same clients' test examples, such as TFF's data sets have. Without it, `train` has all
      examples, and test examples are taken out of it.
    keys: of an element's x, numbers, of a static shape, and y, an integer.
    num_examples: how many `train` has of each client; without it each client's are counted
      here, which reads all of them once. Those of `test` are always counted here.
    split: of what is not split; `client_parts.PartSplit()` by default.
    cache_size: clients kept in memory, see `client_reader.ClientReader`.

  Returns:
    The clients of `train` in its order, without a common test set.

  Raises:
    DataError: no client, or one without examples.
    ValueError: the elements have no such x and y.
  """
  split = split or client_parts.PartSplit()
  x_key, y_key = keys
  try:
    row_shape = train.element_type_structure[x_key].shape
    train.element_type_structure[y_key]  # It raises, too.
  except (KeyError, IndexError, TypeError) as error:
    raise ValueError(
      f'keys is {keys}, but an element is {train.element_type_structure}: expected the names, or '
      'numbers, of its x and y.'
    ) from error
  if not row_shape.is_fully_defined():
    raise ValueError(f'x has shape {row_shape}, expected one that is known.')
  client_ids, of_test = list(train.client_ids), frozenset(test.client_ids if test else ())
  name = client_parts.ALL if test is None else 'train'

  def datasets(client_id: str) -> 'dict[str, tf.data.Dataset]':
    of_client = {name: train.create_tf_dataset_for_client(client_id)}
    if test is not None and client_id in of_test:
      of_client['test'] = test.create_tf_dataset_for_client(client_id)
    return of_client

  def count(client_id: str) -> dict[str, int]:
    known = {} if num_examples is None else {name: num_examples[client_id]}
    return {n: known[n] if n in known else _count(of_n) for n, of_n in datasets(client_id).items()}

  def read(number: int) -> client_examples.ClientExamples:
    client_id, parts = client_ids[number], {}
    for part, dataset in datasets(client_id).items():
      batches = list(dataset.batch(_BATCH_SIZE).as_numpy_iterator())
      if batches:
        x, y = (np.concatenate([batch[key] for batch in batches]) for key in keys)
        where = pathlib.Path(f'client {client_id}')
        parts[part] = arrays.to_examples(where, {'x': x, 'y': y}, num_classes)
    return split.split(client_id, parts)

  sizes = [split.sizes(count(client_id)) for client_id in client_ids]
  return client_reader.ClientReader(
    client_ids,
    {part: np.array([of_client[part] for of_client in sizes]) for part in client_parts.PARTS},
    read,
    row_shape=row_shape.as_list(),
    num_classes=num_classes,
    cache_size=cache_size,
  ).federate()


def _count(dataset: 'tf.data.Dataset') -> int:
  """Returns how many elements there are, read only where the pipeline cannot tell."""
  known = int(dataset.cardinality())
  return known if known >= 0 else int(dataset.reduce(np.int64(0), lambda total, _: total + 1))

"""The user's own data in Python: arrays, and data sets of Hugging Face or Flower."""

import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tff_lg import metrics
from tff_lg.data import arrays, examples, several_inputs


def from_arrays(
  x: Any,
  y: Any,
  clients: Any = None,
  *,
  test: tuple[Any, ...] | None = None,
  sample_weight: Any = None,
  class_names: Sequence[str] | None = None,
  objective: str = 'classification',
  test_fraction: float = 0.2,
  seed: int = 0,
  where: str = 'The data',
) -> examples.Source:
  """Makes a data set of arrays.

  Args:
    x: numbers [n, ...], as an array, rows or a pandas table; uint8 is divided by 255, as pixels.
      For a model of several inputs, such numbers of each input by its name.
    y: [n], classes as integers from 0 or as texts; or as `objective` says, numbers [n], or 0 and 1
      [n, num_labels]. Classes are those of all data: one may occur in test examples alone.
    clients: [n], the client of each example, a text or an integer; None if the data name none.
    test: `(x, y)`, or `(x, y, clients)` with clients, for testing. By default a part of each
      client's examples is, stratified by class.
    sample_weight: numbers [n] from 0, the factor of each example's loss in training; metrics count
      examples alike. None for equal weights.
    class_names: in the order of integers; by default the texts by the alphabet, or the integers.
    objective: what y is, see `examples.Examples.objective`.
    test_fraction: without `test`, in [0, 1).
    seed: of the split.
    where: names the data in errors.

  Returns:
    The data set, named 'arrays', for `partition_clients`.

  Raises:
    DataError: values that cannot be; one sentence.
    ValueError: an unknown objective, or a `test_fraction` that is not in [0, 1).
  """
  predicts = metrics.get_objective(objective)
  given = [(x, y, clients)]
  if test is not None:
    num_arrays = 2 if clients is None else 3
    if len(test) != num_arrays:
      raise examples.DataError(
        f'{where}: test has {len(test)} arrays, expected {num_arrays}: x and y'
        f'{"" if clients is None else " and clients"}.'
      )
    given.append((*test, None) if clients is None else test)
  labels = [np.asarray(part[1]) for part in given]
  if predicts.predicts_classes:
    labels, names = arrays.encode_texts(labels, class_names, where)
    labels, found = _count(labels, where)
    class_names = names or found
  elif predicts.predicts_numbers:
    class_names = ('target',)
  elif class_names is None:
    class_names = tuple(map(str, range(labels[0].shape[1] if labels[0].ndim == 2 else 1)))
  examples.check_class_names(class_names, where)
  parts: list[examples.Examples] = []
  inputs: Mapping[str, tuple[int, ...]] = {}
  for (part_x, _, part_clients), part_y in zip(given, labels, strict=True):
    found_arrays = {'x': _to_inputs(part_x, where), 'y': part_y}
    if part_clients is not None:
      found_arrays['users'] = _names(part_clients, where)
    if not parts:
      inputs = several_inputs.shapes(found_arrays['x'])
      if sample_weight is not None:
        found_arrays['weights'] = np.asarray(sample_weight)
    number = None if predicts.predicts_numbers else len(class_names)
    part = arrays.to_examples(pathlib.Path(where), found_arrays, number, objective, inputs)
    parts.append(examples.weigh_alike(part, parts[0]) if parts else part)
  if predicts.predicts_classes and len(class_names) < 2:
    raise examples.DataError(f'{where}: one class found, {class_names[0]}, expected at least two.')
  if len(parts) == 1:
    parts += arrays.split(parts.pop(), np.random.default_rng(seed), test_fraction)
  train, tested = parts
  names = tuple(class_names)
  return examples.Source('arrays', train, tested, len(names), names, inputs=inputs)


def from_datasets(
  datasets: Mapping[str, Any] | Sequence[Any],
  *,
  x: str | Sequence[str] = 'image',
  y: str = 'label',
  test: Mapping[str, Any] | Sequence[Any] | None = None,
  objective: str = 'classification',
  test_fraction: float = 0.2,
  seed: int = 0,
) -> examples.Source:
  """Makes a data set of one Hugging Face `datasets.Dataset` per client.

  Flower's partitions are such: `[federated.load_partition(i) for i in range(num_partitions)]`. A
  single data set whose rows name their clients is a table for `load_table`, or its columns are
  arrays for `from_arrays`.

  Args:
    datasets: by the clients' names, or in their order; anything with `column_names` and columns by
      their names does.
    x: column of the features: numbers, lists of numbers or images, of one shape. For a model of
      several inputs, a column for each, whose name the input has.
    y: column of the labels.
    test: the same clients' test examples; a client may be missing.
    objective: what y is, see `examples.Examples.objective`.
    test_fraction: part of each client's examples that is for testing without `test`, in [0, 1).
    seed: of the split.

  Returns:
    The data set, with the clients as users.

  Raises:
    DataError: no data, no such column, or values that cannot be; one sentence.
  """
  train = _join(datasets, x, y)
  first = next(iter(_by_name(datasets).values()))
  names = getattr(getattr(first, 'features', {}).get(y), 'names', None)
  return from_arrays(
    *train,
    test=None if test is None else _join(test, x, y),
    class_names=None if names is None else tuple(names),
    objective=objective,
    test_fraction=test_fraction,
    seed=seed,
    where='The data sets',
  )


def _by_name(datasets: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
  if isinstance(datasets, Mapping):
    return {str(name): dataset for name, dataset in datasets.items()}
  width = len(str(len(datasets) - 1))  # Padded, so that they sort by number.
  return {f'client_{number:0{width}d}': dataset for number, dataset in enumerate(datasets)}


def _join(
  datasets: Mapping[str, Any] | Sequence[Any], x: str | Sequence[str], y: str
) -> tuple[np.ndarray | dict[str, np.ndarray], np.ndarray, np.ndarray]:
  """Returns the columns of all clients one after the other, and the client of each row."""
  by_name = {name: found for name, found in _by_name(datasets).items() if len(found)}
  if not by_name:
    raise examples.DataError('The data sets have no rows, expected one client with rows at least.')
  features = [x] if isinstance(x, str) else list(x)
  for name, dataset in by_name.items():
    for column in (*features, y):
      if column not in dataset.column_names:
        raise examples.DataError(
          f'The data set of {name}: column {column} not found; it has '
          f'{", ".join(dataset.column_names)}.'
        )
  joined = {column: _join_column(by_name, column) for column in features}
  labels = [np.asarray(found[y]) for found in by_name.values()]
  clients = np.repeat(list(by_name), [len(part) for part in labels])
  return joined[x] if isinstance(x, str) else joined, np.concatenate(labels), clients


def _join_column(by_name: Mapping[str, Any], column: str) -> np.ndarray:
  """Returns the rows of one column of features of all clients."""
  rows = [_to_array(found[column], f'The data set of {name}') for name, found in by_name.items()]
  shapes = {part.shape[1:] for part in rows}
  if len(shapes) > 1:
    listed = ' and '.join(str(list(shape)) for shape in sorted(shapes)[:2])
    raise examples.DataError(f'The data sets: {column} has rows of {listed}, expected one shape.')
  return np.concatenate(rows)


def _to_inputs(x: Any, where: str) -> np.ndarray | dict[str, np.ndarray]:
  """Returns x as an array, or of several inputs as arrays by name."""
  if not isinstance(x, Mapping):
    return _to_array(x, where)
  if not x:
    raise examples.DataError(f'{where}: x has no inputs, expected one array for each.')
  return {str(name): _to_array(values, where, f'the input {name}') for name, values in x.items()}


def _to_array(values: Any, where: str, name: str = 'x') -> np.ndarray:
  """Returns rows as numbers [n, ...]; rows of one number get an axis, grey images a channel."""
  if hasattr(values, '__array__'):  # Also tables and tensors of other libraries.
    values = np.asarray(values)
  if not isinstance(values, np.ndarray) or values.dtype == object:
    rows = [np.asarray(row) for row in values]
    shapes = sorted({row.shape for row in rows})
    if len(shapes) > 1:
      listed = ' and '.join(str(list(shape)) for shape in shapes[:2])
      raise examples.DataError(f'{where}: {name} has rows of {listed}, expected one shape.')
    values = np.stack(rows) if rows else np.zeros([0, 1])
  if values.ndim == 1 or (values.ndim == 3 and values.dtype == np.uint8):
    return values[..., np.newaxis]
  return values


def _names(clients: Any, where: str) -> np.ndarray:
  """Returns the clients' names, str [n]."""
  names = np.asarray(clients)
  wrong = (
    f'{name!r} in row {row}'
    for row, name in enumerate(names.tolist())
    if not isinstance(name, str | int | np.integer) or name == ''
  )
  found = next(wrong, '') if names.dtype.kind in 'iuUO' else f'{names.dtype}'
  if found:
    raise examples.DataError(
      f'{where}: clients has {found}, expected a text or an integer per row.'
    )
  return names.astype(str)


def _count(labels: list[np.ndarray], where: str) -> tuple[list[np.ndarray], tuple[str, ...]]:
  """Returns classes as integers, and their numbers as names."""
  labels = [part.astype(np.int32) if part.dtype.kind == 'b' else part for part in labels]
  largest = max(
    (int(part.max()) for part in labels if part.size and part.dtype.kind in 'iu'), default=0
  )
  if largest >= examples.MOST_CLASSES:
    raise examples.DataError(
      f'{where}: y has the label {largest}, expected at most {examples.MOST_CLASSES - 1}.'
    )
  return labels, tuple(map(str, range(largest + 1)))

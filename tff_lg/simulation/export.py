"""A client's model of a finished run, to be used without this project."""

import dataclasses
import math
import os
import re
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data as data_lib
from tff_lg import errors, file_names, files, metrics, models, strict_json, verdicts
from tff_lg.data import table_encoding
from tff_lg.data.table_encoding import NumberColumn
from tff_lg.inputs import tasks
from tff_lg.simulation import trained_run

_SERVING = 'serving_default'
_OF_EXAMPLES = (verdicts.MARKS, verdicts.VALUES)
_BATCH_SIZE = 512


@dataclasses.dataclass(frozen=True, eq=False)
class ClientModel:
  """The model of one client, with what is known of it.

  Attributes:
    name: of the model: the method of its run, an adaptation, or the kind of an own model.
    inputs: of its run.
    federated_data: with the client, and how columns of a table became features.
    client: the client's examples.
    network: a legacy Keras model with its weights, from features to outputs. Several inputs are
      the columns of one array.
    keras3_network: the same as a user's function builds it, if it is one of Keras 3.
    outputs_probabilities: whether outputs are probabilities, else logits.
    row: of the client, in the run's table of clients.
  """

  name: str
  inputs: config_lib.InputOptions
  federated_data: data_lib.FederatedData
  client: data_lib.ClientExamples | data_lib.UnreadClient
  network: tf.keras.Model
  outputs_probabilities: bool
  row: Mapping[str, Any]
  keras3_network: Any = None

  @property
  def keras_model(self) -> Any:
    """The network of the Keras that it was built with; of several inputs with each by its name."""
    if self.keras3_network is not None:
      return self.keras3_network
    return models.separate_inputs(self.network)

  def predict(self, x: np.ndarray) -> np.ndarray:
    """Returns predictions as `metrics.exact` takes them: probabilities, or numbers."""
    starts = range(0, max(len(x), 1), _BATCH_SIZE)
    batches = (x[start : start + _BATCH_SIZE] for start in starts)
    outputs = np.concatenate([self.network(batch, training=False).numpy() for batch in batches])
    predicts = metrics.OBJECTIVES[self.federated_data.objective]
    if predicts.predicts_numbers:
      return outputs.reshape(-1)
    if predicts.predicts_labels:
      return tf.sigmoid(outputs).numpy()
    return outputs if self.outputs_probabilities else tf.nn.softmax(outputs).numpy()


def client_model(run: trained_run.TrainedRun, client_id: str) -> ClientModel:
  """Returns the model that a client predicts with, its chosen one of a federated run.

  Args:
    run: the finished run.
    client_id: of a client that took part, or was held out.

  Raises:
    ValueError: there is no such client, or the run did not evaluate it.
  """
  index = find_client(run.federated_data, client_id)
  if not run.is_evaluated[index]:
    raise ValueError(
      f'--client is {client_id}, which the run did not evaluate: expected one of those that '
      '--max_evaluated_clients drew, marked in clients.parquet.'
    )
  return with_weights(
    run.config.method,
    run.config.input_options,
    run.federated_data,
    run.federated_data.clients[index],
    run.model,
    run.weights[index],
    run.clients.iloc[index].to_dict(),
  )


def find_client(federated_data: data_lib.FederatedData, client_id: str) -> int:
  """Returns the index of a client.

  Raises:
    ValueError: there is no such client; one sentence.
  """
  ids = [client.client_id for client in federated_data.clients]
  if client_id not in ids:
    raise ValueError(
      f'--client is {client_id}, expected one of the {len(ids)} clients: {errors.list_some(ids)}.'
    )
  return ids.index(client_id)


def with_weights(
  name: str,
  inputs: config_lib.InputOptions,
  federated_data: data_lib.FederatedData,
  client: data_lib.ClientExamples | data_lib.UnreadClient,
  model: models.LocalGlobalModel,
  weights: models.ModelWeights,
  row: Mapping[str, Any],
) -> ClientModel:
  """Returns the network of a run with all weights of one client, global and local.

  Args:
    name: as in `ClientModel`.
    inputs: of the run.
    federated_data: of the run.
    client: one of its clients.
    model: of the run.
    weights: of the client, as the model has them.
    row: of the client, in a table of clients.
  """
  network = tasks.build_keras_model(inputs, federated_data)
  # A functional model may have them in another order.
  named = dict(zip(model.weight_names, weights, strict=True))
  models.assign_weights(network, named)
  original, keras3_network = tasks.build_original(inputs, federated_data), None
  if models.is_keras3(original):
    shape = federated_data.inputs or network.input_shape[1:]
    keras3_network = models.assign_weights(original, named, shape)
  return ClientModel(
    name,
    inputs,
    federated_data,
    client,
    network,
    model.outputs_probabilities,
    row,
    keras3_network,
  )


def export_client(model: ClientModel, output_dir: str) -> None:
  """Writes a client's model.

  - `saved_model`: loads by `tf.saved_model.load(...)` without this project. Its `predict` takes a
    dictionary of a table's columns, each a list, and does what was done to them. It takes a
    dictionary of several inputs, too; other data are the features x. It gives a dictionary with
    `probabilities` and `class`, or for numbers with `value`, in the unit of the table. Several
    labels have `probabilities` alone, one column per label.
  - `model.keras`: the network alone, from features to logits, for the Keras that it was built
    with: legacy Keras (tf_keras), or Keras 3 for a function that returns its models. Several inputs
    go by name.
  - `about.json`: whose model it is, and what its test data say of it.

  Args:
    model: the client's model.
    output_dir: a folder that does not exist yet, or is empty.

  Raises:
    ValueError: a folder with something in it, or a network of a user's that Keras cannot save.
    OSError: the folder cannot be written.
  """
  check_output(output_dir)
  parent = os.path.dirname(os.path.abspath(output_dir))
  os.makedirs(parent, exist_ok=True)
  with tempfile.TemporaryDirectory(dir=parent, prefix='.export') as folder:
    whole = os.path.join(folder, 'whole')
    predictor = _Predictor(model)
    signatures = {_SERVING: predictor.predict.get_concrete_function(predictor.spec)}
    tf.saved_model.save(predictor, os.path.join(whole, 'saved_model'), signatures)
    _save(model.keras_model, os.path.join(whole, 'model.keras'))
    about = strict_json.dumps(_describe(model))
    files.write_atomically(os.path.join(whole, file_names.ABOUT), about)
    files.move_folder(whole, output_dir)


def _save(network: Any, path: str) -> None:
  try:
    network.save(path)
  except (NotImplementedError, TypeError, ValueError) as error:
    raise ValueError(
      f'Keras cannot save the network {network.name}: {errors.describe(error)}'
    ) from error


def check_output(output_dir: str) -> None:
  """Refuses a folder with something in it.

  Raises:
    ValueError: one sentence.
  """
  if os.path.isdir(output_dir) and os.listdir(output_dir):
    raise ValueError(f'--output={output_dir}: the folder is not empty, expected a new one.')


class _Predictor(tf.Module):
  """From raw inputs to probabilities.

  Attributes:
    spec: of what `predict` takes.
  """

  def __init__(self, model: ClientModel) -> None:
    super().__init__()
    data = model.federated_data
    self._network = model.network
    self._class_names = tf.constant(data.class_names)
    self._is_probability = model.outputs_probabilities
    self._predicts = metrics.OBJECTIVES[data.objective]
    self._label = (0.0, 1.0) if data.encoding is None else data.encoding.label
    self._encode: _ColumnEncoder | _InputJoiner | None = None
    if data.encoding is not None:
      self._encode = _ColumnEncoder(data.encoding, model.client.client_id)
    elif data.inputs:
      self._encode = _InputJoiner(data.inputs)
    x = data.clients[0].train.x
    features = tf.TensorSpec([None, *x.shape[1:]], x.dtype, 'x')
    self.spec = features if self._encode is None else self._encode.specs
    self.predict = tf.function(self._predict, autograph=False, reduce_retracing=True)

  def _predict(self, inputs: Any) -> dict[str, tf.Tensor]:
    features = inputs if self._encode is None else self._encode(inputs)
    outputs = self._network(features, training=False)
    if self._predicts.predicts_numbers:
      mean, deviation = self._label
      return {'value': tf.reshape(outputs, [-1]) * deviation + mean}
    if self._predicts.predicts_labels:
      return {'probabilities': tf.sigmoid(outputs)}
    probabilities = outputs if self._is_probability else tf.nn.softmax(outputs)
    names = tf.gather(self._class_names, tf.argmax(probabilities, axis=-1))
    return {'probabilities': probabilities, 'class': names}


class _ColumnEncoder:
  """`TableEncoding.encode` in TensorFlow, with the moments of one client.

  Attributes:
    specs: of each column, by its name.
  """

  def __init__(self, encoding: table_encoding.TableEncoding, client_id: str) -> None:
    self._columns = encoding.columns
    numbers = [column for column in encoding.columns if isinstance(column, NumberColumn)]
    moments = encoding.by_client.get(client_id) or [(c.mean, c.deviation) for c in numbers]
    names = [column.name for column in numbers]
    self._moments = dict(zip(names, moments, strict=True))
    self.specs = {
      column.name: tf.TensorSpec(
        [None],
        tf.float64 if isinstance(column, NumberColumn) else tf.string,
        _tensor_name(column.name),
      )
      for column in encoding.columns
    }

  def __call__(self, columns: Mapping[str, tf.Tensor]) -> tf.Tensor:
    features = []
    for column in self._columns:
      values = columns[column.name][:, tf.newaxis]
      if not isinstance(column, NumberColumn):
        features.append(tf.cast(values == tf.constant([column.categories]), tf.float32))
        continue
      is_missing = tf.math.is_nan(values)
      mean, deviation = self._moments[column.name]
      standardised = tf.where(is_missing, tf.zeros_like(values), (values - mean) / deviation)
      features.append(tf.cast(standardised, tf.float32))
      if column.has_missing:
        features.append(tf.cast(is_missing, tf.float32))
    return tf.concat(features, axis=1)


class _InputJoiner:
  """From named inputs to the columns of one array.

  Attributes:
    specs: of each input, by its name.
  """

  def __init__(self, inputs: Mapping[str, tuple[int, ...]]) -> None:
    self.specs = {
      name: tf.TensorSpec([None, *shape], tf.float32, _tensor_name(name))
      for name, shape in inputs.items()
    }

  def __call__(self, inputs: Mapping[str, tf.Tensor]) -> tf.Tensor:
    sizes = {name: math.prod(spec.shape[1:]) for name, spec in self.specs.items()}
    return tf.concat([tf.reshape(inputs[name], [-1, size]) for name, size in sizes.items()], axis=1)


def _tensor_name(column: str) -> str:
  """Returns a name that graphs and signatures may have."""
  return re.sub('^(?![A-Za-z0-9])', 'column_', re.sub(r'[^A-Za-z0-9_]', '_', column))


def _describe(model: ClientModel) -> dict[str, Any]:
  encoding = model.federated_data.encoding
  about: dict[str, Any] = {
    'client_id': model.client.client_id,
    'method': model.name,
    'task': model.inputs.task,
    'class_names': list(model.federated_data.class_names),
  }
  if encoding is not None:
    about['columns'] = [column.name for column in encoding.columns]
    about['feature_names'] = list(encoding.feature_names)
  if model.federated_data.inputs:
    about['inputs'] = {name: list(shape) for name, shape in model.federated_data.inputs.items()}
  # Without the marks of examples.
  known = {name: v for name, v in model.row.items() if not name.endswith(_OF_EXAMPLES)}
  as_json = {
    name: value.item() if isinstance(value, np.generic) else value for name, value in known.items()
  }
  return about | {
    'client': {
      name: value
      for name, value in as_json.items()
      if value is not None and not (isinstance(value, float) and not np.isfinite(value))
    }
  }

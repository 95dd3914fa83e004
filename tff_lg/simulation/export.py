"""A client's model of a finished run, to be used without this project."""

import os
import re
import tempfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import files, models, strict_json, verdicts
from tff_lg.data import table_encoding
from tff_lg.data.table_encoding import NumberColumn
from tff_lg.inputs import tasks
from tff_lg.simulation import trained_run

_SERVING = 'serving_default'
_OF_EXAMPLES = (verdicts.MARKS, verdicts.VALUES)


def client_model(run: trained_run.TrainedRun, client_id: str) -> tf.keras.Model:
  """Returns the network that a client predicts with, its chosen model of the run.

  Args:
    run: the finished run.
    client_id: of a client that took part, or was held out.

  Returns:
    A legacy Keras model, from features to logits.

  Raises:
    ValueError: there is no such client.
  """
  ids = [client.client_id for client in run.federated_data.clients]
  if client_id not in ids:
    some = ', '.join(ids[:5]) + (', ...' if len(ids) > 5 else '')
    raise ValueError(f'--client is {client_id}, expected one of the {len(ids)} clients: {some}.')
  network = tasks.build_keras_model(run.config, run.federated_data)
  # A functional model may have them in another order.
  values = dict(zip(run.model.weight_names, run.weights[ids.index(client_id)], strict=True))
  models.assign_weights(network, values)
  return network


def export_client(run: trained_run.TrainedRun, client_id: str, output_dir: str) -> None:
  """Writes a client's model.

  - `saved_model`: loads by `tf.saved_model.load(...)` without this project. Its `predict` takes a
    dictionary of a table's columns, each a list, and does what was done to them; of other data the
    features x. It gives a dictionary with `probabilities` and `class`; of numbers `value`, in the
    unit of the table; for several labels `probabilities`, one column per label.
  - `model.keras`: the network alone, from features to logits, for legacy Keras (tf_keras).
  - `about.json`: whose model it is, and what its test data say of it.

  Args:
    run: the finished run.
    client_id: the client.
    output_dir: a folder that does not exist yet, or is empty.

  Raises:
    ValueError: no such client, or a folder with something in it.
    OSError: the folder cannot be written.
  """
  if os.path.isdir(output_dir) and os.listdir(output_dir):
    raise ValueError(f'--output={output_dir}: the folder is not empty, expected a new one.')
  network = client_model(run, client_id)
  parent = os.path.dirname(os.path.abspath(output_dir))
  os.makedirs(parent, exist_ok=True)
  with tempfile.TemporaryDirectory(dir=parent, prefix='.export') as folder:
    whole = os.path.join(folder, 'whole')
    predictor = _Predictor(run, network, client_id)
    signatures = {_SERVING: predictor.predict.get_concrete_function(predictor.spec)}
    tf.saved_model.save(predictor, os.path.join(whole, 'saved_model'), signatures)
    network.save(os.path.join(whole, 'model.keras'))
    about = strict_json.dumps(_describe(run, client_id))
    files.write_atomically(os.path.join(whole, 'about.json'), about)
    os.replace(whole, output_dir)


class _Predictor(tf.Module):
  """From raw inputs to probabilities.

  Attributes:
    spec: of what `predict` takes.
  """

  def __init__(self, run: trained_run.TrainedRun, network: tf.keras.Model, client_id: str) -> None:
    super().__init__()
    self._network = network
    self._class_names = tf.constant(run.federated_data.class_names)
    self._is_probability = run.model.outputs_probabilities
    self._objective = run.federated_data.objective
    encoding = run.federated_data.encoding
    self._label = (0.0, 1.0) if encoding is None else encoding.label
    self._encode = None if encoding is None else _ColumnEncoder(encoding, client_id)
    examples = run.federated_data.clients[0].train
    features = tf.TensorSpec([None, *examples.x.shape[1:]], examples.x.dtype, 'x')
    self.spec = features if self._encode is None else self._encode.specs
    self.predict = tf.function(self._predict, autograph=False, reduce_retracing=True)

  def _predict(self, inputs: Any) -> dict[str, tf.Tensor]:
    features = inputs if self._encode is None else self._encode(inputs)
    outputs = self._network(features, training=False)
    if self._objective == 'regression':
      mean, deviation = self._label
      return {'value': tf.reshape(outputs, [-1]) * deviation + mean}
    if self._objective == 'multilabel':
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


def _tensor_name(column: str) -> str:
  """Returns a name that graphs and signatures may have."""
  return re.sub('^(?![A-Za-z0-9])', 'column_', re.sub(r'[^A-Za-z0-9_]', '_', column))


def _describe(run: trained_run.TrainedRun, client_id: str) -> dict[str, Any]:
  (row,) = run.clients[run.clients['client_id'] == client_id].to_dict('records')
  encoding = run.federated_data.encoding
  about = {
    'client_id': client_id,
    'method': run.config.method,
    'task': run.config.task,
    'class_names': list(run.federated_data.class_names),
  }
  if encoding is not None:
    about['columns'] = [column.name for column in encoding.columns]
    about['feature_names'] = list(encoding.feature_names)
  # Without the marks of examples.
  known = {name: value for name, value in row.items() if name not in _OF_EXAMPLES}
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

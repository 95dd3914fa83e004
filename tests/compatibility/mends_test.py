"""Tests of what is mended in TFF's own code."""

import copy
import functools
import importlib
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest
from tensorflow.python.autograph.pyct import transpiler

from tff_lg.compatibility import computation_pb2, tff

type_serialization = importlib.import_module(
  'tensorflow_federated.python.core.impl.types.type_serialization'
)


class MendsTest(absltest.TestCase):
  def test_models_of_emnist_without_a_seed(self):
    task = tff.simulation.baselines.emnist.create_autoencoder_task(
      tff.simulation.baselines.ClientSpec(num_epochs=1, batch_size=2), use_synthetic_data=True
    )
    weights = task.model_fn().trainable_variables
    self.assertGreater(float(tf.math.reduce_std(weights[0])), 0.0)

  def test_copies_of_a_data_source_share_its_data(self):
    rows = [tf.data.Dataset.range(3), tf.data.Dataset.range(5)]
    datasets = [each.map(lambda x: {'a': x, 'b': x}) for each in rows]
    iterator = tff.program.DatasetDataSource(datasets).iterator()
    again = copy.deepcopy({'iterator': iterator})['iterator']
    self.assertIsNot(again, iterator)
    self.assertEqual(again.federated_type, iterator.federated_type)
    lengths = sorted(len(list(dataset)) for dataset in again.select(2))
    self.assertEqual(lengths, [3, 5])

  def test_each_type_is_read_once(self):
    members = [('numbers', tff.SequenceType(np.float32)), tff.FunctionType(None, np.int32)]
    types = tff.StructType(members)
    serialized = [type_serialization.serialize_type(types) for _ in range(2)]
    first = type_serialization.deserialize_type(copy.deepcopy(serialized[0]))
    self.assertIs(type_serialization.deserialize_type(copy.deepcopy(serialized[1])), first)
    self.assertEqual(first, types)

  def test_functions_of_tff_are_traced_as_they_are(self):
    metrics = tff.learning.metrics.create_functional_metric_fns(
      lambda: [tf.keras.metrics.MeanSquaredError()]
    )
    plain = metrics[0].python_function
    with mock.patch.object(transpiler.PyToPy, 'transform_function') as rewrite:
      tf.function(lambda: plain()).get_concrete_function()
    called = [call.args[0] for call in rewrite.call_args_list]
    self.assertNotIn(plain, called)

  def test_a_type_that_cannot_be_read_is_refused_each_time(self):
    for _ in range(2):
      with self.assertRaises(NotImplementedError):
        type_serialization.deserialize_type(computation_pb2.Type())

  def test_structure_that_is_nested_too_deeply_is_told(self):
    def identity(levels, placement=None):
      member = functools.reduce(lambda inner, _: [('a', inner)], range(levels), np.float32)
      if placement is None:
        return tff.tensorflow.computation(lambda x: x, tff.to_type(member))
      placed = tff.FederatedType(member, placement)
      return tff.federated_computation(lambda x: tff.federated_map(identity(levels), x), placed)

    identity(31)
    identity(28, tff.CLIENTS)
    for levels, placement in ((40, None), (31, tff.CLIENTS), (31, tff.SERVER)):
      with self.assertRaisesRegex(ValueError, 'nested too deeply for TFF, .* about 30 levels'):
        identity(levels, placement)


if __name__ == '__main__':
  absltest.main()

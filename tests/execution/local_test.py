"""Tests of the local runtime as an entry: which settings its options give TensorFlow."""

from unittest import mock

import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import config, runtime, simulation


class LocalTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.create = self.enter_context(mock.patch.object(runtime, 'set_local_execution_context'))
    self.set_visible = self.enter_context(mock.patch.object(tf.config, 'set_visible_devices'))

  @parameterized.parameters((('auto',), 'auto'), (('cpu:0', 'cpu:1'), ('cpu:0', 'cpu:1')))
  def test_devices(self, devices, expected):
    simulation.set_execution_context(config.RuntimeOptions(devices=devices))
    self.assertEqual(self.create.call_args.kwargs['devices'], expected)
    self.set_visible.assert_not_called()

  def test_the_cpu_is_all_that_a_run_on_the_cpu_uses(self):
    simulation.set_execution_context(config.RuntimeOptions(devices=('cpu',)))
    self.set_visible.assert_called_once_with([], 'GPU')
    self.assertEqual(self.create.call_args.kwargs['devices'], 'cpu')

  def test_tensorflow_that_has_started_keeps_its_gpus(self):
    self.set_visible.side_effect = RuntimeError('Visible devices cannot be modified')
    simulation.set_execution_context(config.RuntimeOptions(devices=('cpu',)))
    self.create.assert_called_once()

  @parameterized.parameters(True, False)
  def test_reproducible_gpus(self, value):
    simulation.set_execution_context(config.RuntimeOptions(reproducible_gpus=value))
    self.assertIs(self.create.call_args.kwargs['reproducible_gpus'], value)

  def test_parts_of_gpus(self):
    simulation.set_execution_context(config.RuntimeOptions(gpu_parts=3))
    self.assertEqual(self.create.call_args.kwargs['gpu_parts'], 3)

  def test_gpus_are_reproducible_by_default(self):
    self.assertTrue(config.RuntimeOptions().reproducible_gpus)


if __name__ == '__main__':
  absltest.main()

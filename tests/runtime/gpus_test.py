"""Tests of GPUs' memory and parts; fakes stand for GPUs, and only the calls are looked at."""

import sys
import types
from unittest import mock

import tensorflow as tf
from absl.testing import absltest

from tff_lg import runtime
from tff_lg.runtime import gpus

_GIB = 2**30


class GpusTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.parts = {}
    for name, fake in (
      ('get_visible_devices', lambda kind: ['GPU:0', 'GPU:1']),
      ('get_logical_device_configuration', self.parts.get),
      ('set_logical_device_configuration', self._set),
    ):
      self.enter_context(mock.patch.object(tf.config, name, fake))
    self.grow = self.enter_context(mock.patch.object(tf.config.experimental, 'set_memory_growth'))

  def _set(self, gpu, parts):
    self.parts[gpu] = parts

  def _has_free(self, *num_bytes):
    nvml = mock.MagicMock(name='pynvml')
    nvml.nvmlDeviceGetCount.return_value = len(num_bytes)
    nvml.nvmlDeviceGetHandleByIndex = num_bytes.__getitem__
    nvml.nvmlDeviceGetMemoryInfo = lambda free: types.SimpleNamespace(free=free)
    self.enter_context(mock.patch.dict(sys.modules, pynvml=nvml))

  def test_parts_share_nine_tenths_of_the_fullest_gpu(self):
    self._has_free(80 * _GIB, 40 * _GIB)
    self.assertEqual(gpus.clients_at_a_time(), 4)
    gpus.prepare(['GPU:0', 'GPU:1'], 4)
    for gpu in ('GPU:0', 'GPU:1'):
      self.assertEqual([part.memory_limit for part in self.parts[gpu]], [9 * 1024] * 4)
    self.grow.assert_not_called()
    self.assertEqual(gpus.clients_at_a_time(), 1)

  def test_second_context_keeps_the_parts(self):
    self._has_free(40 * _GIB)
    gpus.prepare(['GPU:0'], 2)
    first = self.parts['GPU:0']
    self._has_free(4 * _GIB)
    gpus.prepare(['GPU:0'], 2)
    self.assertIs(self.parts['GPU:0'], first)

  def test_whole_gpus_take_memory_as_they_need_it(self):
    gpus.prepare(['GPU:0', 'GPU:1'])
    self.assertEqual(self.grow.mock_calls, [mock.call('GPU:0', True), mock.call('GPU:1', True)])
    self.assertEmpty(self.parts)

  def test_gpu_that_the_program_has_split_stays(self):
    self.parts['GPU:0'] = ['part', 'part']
    gpus.prepare(['GPU:0', 'GPU:1'])
    self.grow.assert_called_once_with('GPU:1', True)

  def test_tensorflow_that_has_started(self):
    self._has_free(40 * _GIB)
    started = RuntimeError('Virtual devices cannot be modified after being initialized')
    with (
      mock.patch.object(tf.config, 'set_logical_device_configuration', side_effect=started),
      self.assertRaisesRegex(ValueError, 'gpu_parts is 2, but TensorFlow has started; set'),
    ):
      gpus.prepare(['GPU:0'], 2)

  def test_unknown_memory(self):
    with (
      mock.patch.dict(sys.modules, pynvml=None),
      self.assertRaisesRegex(ValueError, 'gpu_parts: NVML, .*does not start .* `make venv GPU=1`'),
    ):
      gpus.prepare(['GPU:0'], 2)


class RefusedPartsTest(absltest.TestCase):
  def test_no_gpu(self):
    with (
      mock.patch.object(tf.config, 'get_visible_devices', return_value=[]),
      self.assertRaisesRegex(ValueError, 'gpu_parts is 4, but TensorFlow sees no GPU; expected 1.'),
    ):
      runtime.create_local_execution_context(gpu_parts=4)

  def test_no_parts(self):
    with self.assertRaisesRegex(ValueError, 'gpu_parts is 0, expected 1 or more.'):
      runtime.create_local_execution_context(gpu_parts=0)


if __name__ == '__main__':
  absltest.main()

"""Workers: where clients run, in which order results come, and how they end."""

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests import processes
from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import workers

_CPU = tf.config.list_physical_devices('CPU')[0]
# These stand for GPUs; TensorFlow must not have started yet.
tf.config.set_logical_device_configuration(_CPU, [tf.config.LogicalDeviceConfiguration()] * 3)

_SECONDS = 300  # Until what does not end counts as stuck, on a machine that is slow or busy, too.


class ConfigureTensorFlowTest(absltest.TestCase):
  def test_little_is_lost_with_a_tensor(self):
    workers.configure_tensorflow('cpu')
    x = tf.Variable(tf.zeros([1])).value()  # Attributes of tensors.
    tracemalloc.start()
    self.addCleanup(tracemalloc.stop)
    tf.identity(x)
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(1000):
      tf.identity(x)
    after, _ = tracemalloc.get_traced_memory()
    # 16 bytes, where TensorFlow by itself loses 48; the rest is the loop's.
    self.assertLess((after - before) / 1000, 30)


class ReproducibleGpusTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    # The machine's GPUs stay as they are: only the calls are looked at.
    experimental = tf.config.experimental
    for name in (
      'enable_op_determinism',
      'enable_tensor_float_32_execution',
      'set_memory_growth',
    ):
      setattr(self, name, self.enter_context(mock.patch.object(experimental, name)))

  def _with_gpus(self, *gpus):
    self.enter_context(mock.patch.object(tf.config, 'get_visible_devices', lambda kind: list(gpus)))
    self.enter_context(mock.patch.object(tf.config, 'get_logical_device_configuration'))

  def test_on_a_machine_with_a_gpu(self):
    self._with_gpus('GPU:0')
    workers.configure_tensorflow('auto', reproducible_gpus=True)
    self.enable_op_determinism.assert_called_once_with()
    self.enable_tensor_float_32_execution.assert_called_once_with(False)
    self.set_memory_growth.assert_called_once_with('GPU:0', True)

  def test_tensorflow_chooses_by_default(self):
    self._with_gpus('GPU:0')
    runtime.create_local_execution_context()
    self.enable_op_determinism.assert_not_called()
    self.enable_tensor_float_32_execution.assert_not_called()

  def test_random_operations_need_no_seed_on_a_cpu(self):
    self._with_gpus()
    runtime.create_local_execution_context(reproducible_gpus=True)
    self.enable_op_determinism.assert_not_called()


class ChooseDevicesTest(parameterized.TestCase):
  @parameterized.parameters(
    ('cpu', ('cpu:0',)),
    ('cpu:2', ('cpu:2',)),
    (['CPU:1', 'cpu:0'], ('cpu:1', 'cpu:0')),
  )
  def test_names(self, devices, expected):
    self.assertEqual(workers.choose_devices(devices), expected)

  def test_unknown_device(self):
    with self.assertRaisesRegex(
      ValueError, 'devices: there is no gpu:7 on this machine, expected .* cpu:0, cpu:1, cpu:2'
    ):
      runtime.create_local_execution_context(devices=['cpu:0', 'gpu:7'])

  def test_no_device(self):
    with self.assertRaisesRegex(ValueError, 'devices: an empty list'):
      runtime.create_local_execution_context(devices=[])


class WorkerPoolTest(parameterized.TestCase):
  def test_items_run_on_all_devices_at_the_same_time(self):
    devices = ('cpu:0', 'cpu:1', 'cpu:2')
    pool = workers.WorkerPool(devices, 2)
    all_there = threading.Barrier(6, timeout=_SECONDS)  # Broken if fewer run at a time.

    def place(item):
      all_there.wait()
      return item, tf.identity(tf.add(item, 1)).device

    placed = pool.map(place, range(12))
    self.assertEqual([item for item, _ in placed], list(range(12)))
    names = {device.lower().rpartition('/device:')[2] for _, device in placed}
    self.assertEqual(names, set(devices))

  def test_fills_the_cores_that_the_process_may_use(self):
    with mock.patch.object(os, 'sched_getaffinity', return_value={1, 4, 7}):
      pool = workers.WorkerPool(['cpu:0'], None)
    barrier = threading.Barrier(3, timeout=_SECONDS)
    self.assertEqual(pool.map(lambda item: barrier.wait() < 3, range(3)), [True] * 3)
    self.assertEqual(pool._free.qsize(), 3)

  def test_first_error_in_order_and_the_rest_does_not_run(self):
    pool = workers.WorkerPool(('cpu:0',), 1)
    ran, seen = [], threading.Event()

    def fail(item):
      ran.append(item)
      if item == 2:
        raise ValueError(f'item {item}')
      if item > 2:
        seen.wait(_SECONDS)

    with self.assertRaisesRegex(ValueError, 'item 2'):
      pool.map(fail, range(1000))
    seen.set()
    self.assertEqual(pool.map(str, [1, 2]), ['1', '2'])
    self.assertLess(len(ran), 5)

  def test_hears_a_signal_that_does_not_end_a_wait(self):
    pool = workers.WorkerPool(('cpu:0',), 1)
    self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pool.map(str, [0])  # Its thread has started.
    caller, interrupted, seen = threading.get_ident(), threading.Event(), []

    def interrupt(_):
      while sys._current_frames()[caller].f_code is not threading.Condition.wait.__code__:
        pass
      # As one that comes just before the wait: Python notes it, and nobody wakes.
      signal.pthread_kill(threading.get_ident(), signal.SIGINT)
      seen.append(interrupted.wait(_SECONDS))

    with self.assertRaises(KeyboardInterrupt):
      pool.map(interrupt, [0])
    interrupted.set()
    pool.close()
    self.assertEqual(seen, [True])

  def test_error_of_a_time_out_is_the_items(self):
    pool = workers.WorkerPool(('cpu:0',), 1)

    def fail(item):
      raise TimeoutError(f'item {item}')

    with self.assertRaisesRegex(TimeoutError, 'item 7'):
      pool.map(fail, [7])

  def test_close_leaves_no_thread(self):
    pool = workers.WorkerPool(('cpu:0', 'cpu:1'), 2)
    before = threading.active_count()
    pool.map(str, range(8))
    pool.close()
    self.assertLessEqual(threading.active_count(), before)


class PlacementTest(parameterized.TestCase):
  @parameterized.parameters('cpu:1', 'cpu:2')
  def test_operations_run_on_the_device(self, device):
    @tff.tensorflow.computation(tff.SequenceType(np.float32))
    def work(dataset):
      return dataset.reduce(0.0, lambda total, x: total + x)

    computation = tff.federated_computation(
      lambda data: tff.federated_map(work, data),
      tff.FederatedType(work.type_signature.parameter, tff.CLIENTS),
    )
    context = runtime.create_local_execution_context(devices=[device])
    data = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float32))
    devices = testing.devices_of_operations(lambda: context.invoke(computation, [data, data]))
    (found,) = devices['AddV2']
    self.assertEndsWith(found, f'/device:{device.upper()}')

  def test_same_bits_for_any_number_of_workers(self):
    @tff.tensorflow.computation(np.float32)
    def work(x):
      return tf.math.sin(tf.linspace(x, 2.0 * x, 1000))

    @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
    def computation(values):
      return tff.federated_mean(tff.federated_map(work, values), values)

    values = np.random.default_rng(0).random(37, np.float32)
    results = [
      runtime.create_local_execution_context(
        devices=devices, clients_per_device=clients_per_device
      ).invoke(computation, list(values))
      for devices, clients_per_device in (
        (['cpu:0'], 1),
        (['cpu:0'], 2),
        (['cpu:1'], 5),
        (['cpu:0', 'cpu:1', 'cpu:2'], 2),
      )
    ]
    for result in results[1:]:
      np.testing.assert_array_equal(result, results[0])


_PROGRAM = """
import sys
import numpy as np, psutil, tensorflow as tf
from tff_lg import runtime
from tff_lg.compatibility import tff

runtime.set_local_execution_context(clients_per_device=2)

@tff.tensorflow.computation(np.int64)
def work(n):
  with tf.control_dependencies([tf.print('running', output_stream=sys.stdout)]):
    n = tf.identity(n)
  return tf.while_loop(lambda i: i < n, lambda i: i + 1, [np.int64(0)])[0]

@tff.federated_computation(tff.FederatedType(np.int64, tff.CLIENTS))
def computation(counts):
  return tff.federated_map(work, counts)

assert computation([1, 2, 3]) == [1, 2, 3]
assert not psutil.Process().children()
print('ready', flush=True)
"""
_PRINTED = [*['running\n'] * 3, 'ready\n']


def _start(program):
  return subprocess.Popen(
    [sys.executable, '-c', program],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env=processes.environment(),
  )


class ProgramTest(parameterized.TestCase):
  def test_ends_and_leaves_nothing(self):
    process = _start(_PROGRAM)
    # Were a process left, it would hold the pipe, and this call, until the time is out.
    output, errors = process.communicate(timeout=_SECONDS)
    self.assertEqual((process.returncode, output), (0, ''.join(_PRINTED)), errors)

  @parameterized.parameters(1, 5)
  def test_ctrl_c_ends_clients_that_run(self, num_clients):
    forever = f'computation([2**62] * {num_clients})\n'
    restore = 'import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n'
    process = _start(restore + _PROGRAM + forever)
    # A client runs: while TensorFlow copies what clients get, it makes a signal another error.
    expected = [*_PRINTED, 'running\n']
    self.assertEqual([process.stdout.readline() for _ in expected], expected)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=_SECONDS)
    self.assertEqual(process.returncode, -signal.SIGINT, errors)
    self.assertIn('KeyboardInterrupt', errors)


if __name__ == '__main__':
  absltest.main()

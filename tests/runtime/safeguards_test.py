"""Tests of calls that would hang, and of threads that have set no context."""

import concurrent.futures
import subprocess
import sys

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests import processes
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import safeguards

_SECONDS = 200
_FORKED = """
import os, signal
import numpy as np, tensorflow as tf
from tff_lg import runtime
from tff_lg.compatibility import tff

runtime.set_local_execution_context()

@tff.tensorflow.computation(np.int32)
def add_one(x):
  return x + 1

@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def add_one_to_all(xs):
  return tff.federated_map(add_one, xs)

assert add_one_to_all([1, 2]) == [2, 3]
child = os.fork()
if not child:
  signal.alarm(100)
  for run in (lambda: add_one_to_all([1]), runtime.create_local_execution_context):
    try:
      run()
    except RuntimeError as error:
      print(error, flush=True)
  os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert add_one_to_all([1]) == [2]
"""


@tff.tensorflow.computation(np.int32)
def _add_one(x):
  return x + 1


@tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
def _add_one_to_all(xs):
  return tff.federated_map(_add_one, xs)


def _in_a_thread(function):
  with concurrent.futures.ThreadPoolExecutor(1) as threads:
    return threads.submit(function).result(timeout=_SECONDS)


class ThreadsTest(absltest.TestCase):
  def test_threads_without_a_context_use_the_default(self):
    runtime.set_local_execution_context()
    self.assertEqual(_in_a_thread(lambda: _add_one_to_all([1, 2, 3])), [2, 3, 4])

  def test_threads_at_the_same_time(self):
    runtime.set_local_execution_context()
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
      results = list(threads.map(lambda n: _add_one_to_all([n] * 5), range(20)))
    self.assertEqual(results, [[n + 1] * 5 for n in range(20)])

  def test_a_context_that_nobody_holds_serves_no_thread(self):
    safeguards.serve_other_threads(None)
    with self.assertRaisesRegex(RuntimeError, 'TFF has no context in this thread'):
      _in_a_thread(lambda: _add_one(1))


def _call_again(x):
  # Not a lambda: TensorFlow forgets what nothing else holds.
  return np.int32(_add_one_to_all([int(x)])[0])


def _add_in_python(x):
  return x + np.int32(1)


class PyFunctionTest(absltest.TestCase):
  def test_a_call_in_a_client_is_refused(self):
    runtime.set_local_execution_context(clients_per_device=1)

    @tff.tensorflow.computation(np.int32)
    def call_again(x):
      return tf.ensure_shape(tf.numpy_function(_call_again, [x], x.dtype), [])

    @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
    def computation(xs):
      return tff.federated_map(call_again, xs)

    for run in (lambda call: call(), _in_a_thread):
      with self.assertRaisesRegex(Exception, r'A TFF computation is called inside tf\.py_function'):
        run(lambda: computation([1, 2]))
    self.assertEqual(_add_one_to_all([1]), [2])

  def test_other_python_functions_run(self):
    runtime.set_local_execution_context()

    @tff.tensorflow.computation(np.int32)
    def by_python(x):
      return tf.ensure_shape(tf.numpy_function(_add_in_python, [x], x.dtype), [])

    self.assertEqual(by_python(1), 2)


class ForkTest(absltest.TestCase):
  def test_a_forked_process_gets_an_error_and_its_parent_continues(self):
    result = subprocess.run(
      [sys.executable, '-W', 'ignore', '-c', _FORKED],
      env=processes.environment(),
      capture_output=True,
      text=True,
      check=False,
      timeout=_SECONDS,
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertEqual(result.stdout.count('This process was forked from one in which TensorFlow'), 2)


if __name__ == '__main__':
  absltest.main()

"""Tests of cancellation: calls in a scope end, all others continue."""

import threading

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.compatibility import tff
from tff_lg.runtime import cancellation, tensorflow_functions

_PATIENCE = 300  # Seconds; only a failure takes them.
_FOREVER = np.int64(2**62)


class Counter:
  """Counts to a limit in TensorFlow; `ready` may hold it until `go` is set."""

  def __init__(self, go=True):
    self.inside, self.go = threading.Event(), threading.Event()
    if go:
      self.go.set()

    def ready():
      self.inside.set()
      self.go.wait(_PATIENCE)
      return np.int64(0)

    def count(limit):
      start = tf.ensure_shape(tf.numpy_function(self._ready, [], tf.int64), [])
      return tf.while_loop(lambda i: i < limit, lambda i: i + 1, [start])[0]

    self._ready = ready  # TensorFlow keeps no reference.
    part = tff.tensorflow.computation(count, np.int64)
    proto = part.to_compiled_building_block().proto.tensorflow
    self._function = tensorflow_functions.import_computation(proto)

  def __call__(self, limit):
    (result,) = self._function([tf.constant(limit, tf.int64)])
    return result.numpy()


class Runner(threading.Thread):
  """A thread that calls a function within scopes, and keeps its result or error."""

  def __init__(self, function, *scopes):
    super().__init__(daemon=True)
    self._function, self._scopes = function, scopes
    self.result = self.error = None
    self.start()

  def run(self):
    try:
      self.result = self._call(self._scopes)
    except tf.errors.OpError as error:
      self.error = error

  def _call(self, scopes):
    if not scopes:
      return self._function()
    with scopes[0].scope():
      return self._call(scopes[1:])


class ScopeTest(absltest.TestCase):
  def test_nests(self):
    self.assertIsNone(cancellation.current_manager())
    outer, inner = cancellation.Cancellation(), cancellation.Cancellation()
    with outer.scope():
      of_outer = cancellation.current_manager()
      with inner.scope():
        self.assertIsNot(cancellation.current_manager(), of_outer)
        with outer.scope():
          self.assertIs(cancellation.current_manager(), of_outer)
      self.assertIs(cancellation.current_manager(), of_outer)
    self.assertIsNone(cancellation.current_manager())

  def test_ends_by_an_error(self):
    with self.assertRaises(KeyError), cancellation.Cancellation().scope():
      raise KeyError
    self.assertIsNone(cancellation.current_manager())

  def test_is_of_one_thread(self):
    with cancellation.Cancellation().scope():
      here = cancellation.current_manager()
      other = cancellation.Cancellation()
      without = Runner(cancellation.current_manager)
      within = Runner(cancellation.current_manager, other)
      without.join(_PATIENCE)
      within.join(_PATIENCE)
      self.assertIs(cancellation.current_manager(), here)
    self.assertIsNone(without.result)
    self.assertNotIn(within.result, (None, here))


class CancelTest(parameterized.TestCase):
  def assert_cancelled(self, runner):
    runner.join(_PATIENCE)
    self.assertFalse(runner.is_alive())
    self.assertIsInstance(runner.error, tf.errors.CancelledError)

  def assert_not_cancelled(self, runner, result):
    runner.join(_PATIENCE)
    self.assertIsNone(runner.error)
    self.assertEqual(runner.result, result)

  def test_ends_all_that_runs_in_the_scope(self):
    ending = cancellation.Cancellation()
    counters = [Counter(), Counter()]
    runners = [Runner(lambda count=count: count(_FOREVER), ending) for count in counters]
    # Where TensorFlow has one thread only, the second waits.
    self.assertTrue(counters[0].inside.wait(_PATIENCE))
    ending.cancel()
    for runner in runners:
      self.assert_cancelled(runner)

  def test_what_starts_later_ends(self):
    ending = cancellation.Cancellation()
    ending.cancel()
    self.assert_cancelled(Runner(lambda: Counter()(_FOREVER), ending))
    ending.cancel()  # Once more does nothing.
    self.assert_cancelled(Runner(lambda: Counter()(3), ending))

  def test_the_innermost_scope_counts(self):
    outer, inner = cancellation.Cancellation(), cancellation.Cancellation()
    outer.cancel()
    self.assert_not_cancelled(Runner(lambda: Counter()(3), outer, inner), 3)
    self.assert_cancelled(Runner(lambda: Counter()(_FOREVER), inner, outer))

  @parameterized.parameters(0, 1)
  def test_nothing_else_ends(self, num_scopes):
    # One at a time: while it is held it takes a thread of TensorFlow's.
    ending, count = cancellation.Cancellation(), Counter(go=False)
    scopes = [cancellation.Cancellation() for _ in range(num_scopes)]
    runner = Runner(lambda: count(1000), *scopes)
    self.assertTrue(count.inside.wait(_PATIENCE))
    ending.cancel()
    count.go.set()
    self.assert_not_cancelled(runner, 1000)

  def test_the_function_can_be_called_again(self):
    ending, count = cancellation.Cancellation(), Counter()
    runner = Runner(lambda: count(_FOREVER), ending)
    self.assertTrue(count.inside.wait(_PATIENCE))
    ending.cancel()
    self.assert_cancelled(runner)
    self.assertEqual(count(3), 3)
    self.assert_not_cancelled(Runner(lambda: count(4), cancellation.Cancellation()), 4)


if __name__ == '__main__':
  absltest.main()

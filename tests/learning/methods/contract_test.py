"""The contract of every registered method, with a network of 43 weights and three clients."""

import functools

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import aggregators, learning, runtime
from tff_lg.compatibility import tff

# These stand for GPUs; TensorFlow must not have started yet.
_CPU = tf.config.list_physical_devices('CPU')[0]
tf.config.set_logical_device_configuration(_CPU, [tf.config.LogicalDeviceConfiguration()] * 2)

_METHODS = tuple(learning.METHODS)
# Two clients of equal sizes, which can be stacked, and one without examples.
_SIZES = (6, 0, 6)
_EMPTY = 1
_ANY_AGGREGATOR = tuple(name for name in _METHODS if not learning.METHODS[name].needs_mean)
# Arrays that the server has, of four.
_NUM_GLOBAL = {
  **dict.fromkeys(('apfl', 'ditto', 'fedala', 'fedavg', 'fedbn', 'fedprox', 'fedsgd'), 4),
  **dict.fromkeys(('fedalt', 'fedbabu', 'fedper', 'fedrep', 'fedsim', 'lg_fedavg'), 2),
  **{'fednova': 5, 'ifca': 9, 'local_only': 0, 'mtl': 0, 'per_fedavg': 4, 'pfedme': 4},
  'scaffold': 8,
}
# There, what depends on TensorFlow and TFF is the training; contexts and aggregators have tests.
_IS_OLD = tf.__version__.startswith('2.14.')
_AGGREGATORS = {
  'robust': aggregators.median,
  'private': lambda: aggregators.dp_mean(0.5, 1.0, clients_per_round=3, seed=4),
}


def setUpModule():
  runtime.set_local_execution_context(devices='cpu', clients_per_device=2)


def _data():
  rng = np.random.default_rng(2)
  return [
    learning.ClientTensors(
      rng.normal(size=(n, 4)).astype(np.float32),
      np.arange(n, dtype=np.int32) % 3,
      seed=np.array([5, 1], np.int32),
    )
    for n in _SIZES
  ]


_model = functools.cache(testing.classifier)


def _build(method, **changes):
  return testing.method_process(method, _model(), batches=learning.TensorBatches(3, 2), **changes)


def _train(process, num_rounds=2):
  """Returns the last round's output of all clients, and how their models do."""
  weights = process.model.initial_weights
  server_state = process.initialize(weights)
  states = [process.initialize_client(weights)] * len(_SIZES)
  for _ in range(num_rounds):
    output = process.next(server_state, states, _data())
    server_state, states = output.server_state, output.client_states
  return output, process.evaluate(server_state, states, _data())


def _assert_same(one, other, **tolerance):
  for a, b in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
    np.testing.assert_allclose(a, b, **(tolerance or {'rtol': 0, 'atol': 0}))


class ContractTest(parameterized.TestCase):
  @parameterized.parameters(*_METHODS)
  def test_contract(self, method):
    # In one test, as Bazel's shards take turns at tests, and to build a process takes longest.
    process = _build(method)
    with self.subTest('the process has the parts of its entry, and the model is as it was'):
      self.assertIs(process.parts, learning.METHODS[method].parts)
      self.assertEqual(sum(process.model.weight_is_global), _NUM_GLOBAL[method])
      self.assertEqual(_model().weight_is_global, (True,) * 4)
    output, metrics = _train(process)
    with self.subTest('a warm start begins with the network that was trained'):
      self._check_warm_start(process)
    with self.subTest('a newcomer has all that the server has learnt'):
      self._check_newcomer(process, output)
    with self.subTest('a client without examples changes nothing'):
      self._check_empty_client(process, output, metrics)
    if _IS_OLD:
      return
    with self.subTest('on two devices, and two clients in one call'):
      self._check_other_contexts(process, (output, metrics))
    if method in _ANY_AGGREGATOR:
      for name, aggregator in _AGGREGATORS.items():
        with self.subTest(f'{name} aggregator'):
          self._check_aggregator(_build(method, aggregator=aggregator()), output)

  def _check_warm_start(self, process):
    trained = testing.classifier(seed=7).initial_weights
    start = process.warm_start(trained)
    self.assertEqual([w.shape for w in start], [w.shape for w in process.model.initial_weights])
    server, client = process.initialize(start), process.initialize_client(start)
    _assert_same(process.merge(server.global_weights, client.local_weights), trained)

  def _check_newcomer(self, process, output):
    global_weights = output.server_state.global_weights
    start = process.warm_start(testing.classifier(seed=7).initial_weights)
    newcomer = process.initialize_client(process.newcomer(global_weights, start))
    found = process.merge(global_weights, newcomer.local_weights)
    others = process.merge(global_weights, process.initialize_client(start).local_weights)
    for index, weight in enumerate(found):
      learnt = [w for w in global_weights if w.shape == weight.shape]
      # Of the server, or, of layers that no server knows, as everybody began.
      self.assertTrue(
        any(np.array_equal(weight, w) for w in learnt)
        or (not learnt and np.array_equal(weight, others[index]))
      )

  def _check_empty_client(self, process, output, metrics):
    weights = process.model.initial_weights
    start = process.initialize_client(weights)
    _assert_same(output.client_states[_EMPTY], start)
    self.assertEqual(output.metrics.num_clients, 2)
    self.assertEqual(metrics[_EMPTY]['num_examples'], 0)
    server_state, states = process.initialize(weights), [start] * 2
    others = [tensors for tensors in _data() if len(tensors.y)]
    for _ in range(2):
      without = process.next(server_state, states, others)
      server_state, states = without.server_state, without.client_states
    _assert_same(server_state, output.server_state)

  def _check_other_contexts(self, process, expected):
    for options, tolerance in (
      ({'devices': ['cpu:0', 'cpu:1'], 'clients_per_device': 1}, {}),
      ({'devices': 'cpu', 'stacked_clients': 2}, {'rtol': 1e-4, 'atol': 1e-6}),
    ):
      context = runtime.create_local_execution_context(**options)
      with tff.framework.get_context_stack().install(context):
        _assert_same(_train(process), expected, **tolerance)

  def _check_aggregator(self, process, plain):
    output, metrics = _train(process)
    self.assertTrue(output.metrics.aggregate_is_finite)
    self.assertTrue(all(np.isfinite(each['loss']) for each in metrics))
    for one, other in zip(
      output.server_state.global_weights, plain.server_state.global_weights, strict=True
    ):
      # A number such as that of steps may be the same.
      self.assertFalse(np.shape(one) and np.array_equal(one, other))


if __name__ == '__main__':
  absltest.main()

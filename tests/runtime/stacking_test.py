"""Clients in one call compute what they compute one by one."""

import contextlib

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized
from tensorflow.python.ops import data_flow_ops

from tff_lg import learning, models, runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import scheduling, stacking

_ROW = tff.TensorType(np.float32, [None])


@tff.tensorflow.computation(_ROW, np.float32)
def _powers(x, base):
  """Computes a loop as long as the client's data, with a state of each client's own."""

  def step(index, total):
    return index + 1, total * base + x[index]

  return tf.while_loop(lambda index, _: index < tf.size(x), step, (0, 0.0))[1], tf.size(x)


@tff.federated_computation(
  tff.FederatedType(_ROW, tff.CLIENTS), tff.FederatedType(np.float32, tff.SERVER)
)
def _evaluate(rows, base):
  values = tff.federated_map(_powers, (rows, tff.federated_broadcast(base)))
  return values, tff.federated_sum(values[0])


@tff.tensorflow.computation(_ROW, np.int32)
def _doubled(x, times):
  """Computes a loop whose length is a scalar of each client's own."""
  return tf.while_loop(lambda index, _: index < times, lambda index, x: (index + 1, 2 * x), (0, x))[
    1
  ]


@tff.federated_computation(
  tff.FederatedType(_ROW, tff.CLIENTS), tff.FederatedType(np.int32, tff.CLIENTS)
)
def _double(rows, times):
  return tff.federated_map(_doubled, (rows, times))


def _rows(*sizes):
  return [np.arange(1, size + 1, dtype=np.float32) for size in sizes]


@contextlib.contextmanager
def _stacks_made():
  """Yields a list to which the size of each stack is appended that is run."""
  made, original = [], stacking.StackedFunction.__call__

  def spy(stacked, rows):
    made.append(len(rows))
    return original(stacked, rows)

  with absltest.mock.patch.object(stacking.StackedFunction, '__call__', spy):
    yield made


def _without_partitions():
  """Refuses to stack what would copy the clients' tensors in every step, by who has finished."""
  return absltest.mock.patch.object(data_flow_ops, 'dynamic_partition', side_effect=AssertionError)


def _polynomial(row, base=2.0):
  return np.polyval(row, base)


class ChunksTest(absltest.TestCase):
  def test_equal_shapes_together_the_rest_alone(self):
    rows = [[tf.zeros(size), tf.zeros([])] for size in (2, 3, 2, 2, 3, 2, 2)]
    self.assertEqual(stacking.chunks(rows, 2), [[0, 2], [1, 4], [3, 5], [6]])
    self.assertEqual(stacking.chunks(rows, 3), [[0, 2, 3], [1], [4], [5], [6]])
    self.assertEqual(stacking.chunks([], 2), [])

  def test_equal_scalars_together(self):
    scalars = (0.5, 1.0, 1.0, 0.5, np.nan, 1.0, np.nan)
    rows = [[tf.zeros(2), tf.constant(value)] for value in scalars]
    self.assertEqual(stacking.chunks(rows, 2, [1]), [[0, 3], [1, 2], [4, 6], [5]])
    words = [[tf.zeros(2), tf.constant(word)] for word in ('a', 'b', 'a')]
    self.assertEqual(stacking.chunks(words, 2, [1]), [[0, 2], [1]])


class StackedClientsTest(parameterized.TestCase):
  @parameterized.parameters(1, 2, 3, 0)
  def test_values_worked_out_by_a_formula(self, stacked_clients):
    context = runtime.create_local_execution_context(stacked_clients=stacked_clients)
    rows = _rows(3, 1, 3, 3, 2, 1, 3, 3)
    values, total = context.invoke(_evaluate, (rows, 2.0))
    expected = [_polynomial(row) for row in rows]
    np.testing.assert_allclose([value for value, _ in values], expected, rtol=1e-6)
    self.assertEqual([size for _, size in values], [len(row) for row in rows])
    np.testing.assert_allclose(total, sum(expected), rtol=1e-6)

  def test_stacks_are_made(self):
    with _stacks_made() as made:
      context = runtime.create_local_execution_context(stacked_clients=2)
      context.invoke(_evaluate, (_rows(3, 1, 3, 3, 1), 2.0))
    self.assertEqual(made, [2, 2])

  def test_a_cohort_smaller_than_a_stack_is_one_stack(self):
    with _stacks_made() as made:
      context = runtime.create_local_execution_context(stacked_clients=50)
      values, _ = context.invoke(_evaluate, (_rows(3, 3, 3), 2.0))
    self.assertEqual(made, [3])
    np.testing.assert_allclose(values[2][0], _polynomial(_rows(3)[0]), rtol=1e-6)

  def test_a_stack_asks_once_whether_a_loop_continues(self):
    with _stacks_made() as made, _without_partitions():
      context = runtime.create_local_execution_context(stacked_clients=2)
      doubled = context.invoke(_double, (_rows(3, 3, 3, 3, 3), [2, 0, 2, 1, 0]))
    self.assertEqual(made, [2, 2])
    for row, factor in zip(doubled, (4, 1, 4, 2, 1), strict=True):
      self.assertEqual(list(row), [factor, 2 * factor, 3 * factor])

  def test_same_bits_for_any_number_of_workers(self):
    results = []
    for clients_per_device in (1, 3):
      context = runtime.create_local_execution_context(
        stacked_clients=2, clients_per_device=clients_per_device
      )
      results.append(context.invoke(_evaluate, (_rows(3, 3, 3, 2, 2), 1.7)))
    self.assertEqual(*results)

  def test_sequences_are_not_stacked(self):
    @tff.tensorflow.computation(tff.SequenceType(np.int32))
    def total(data):
      return data.reduce(np.int32(0), lambda a, b: a + b)

    @tff.federated_computation(tff.FederatedType(tff.SequenceType(np.int32), tff.CLIENTS))
    def evaluate(data):
      return tff.federated_map(total, data)

    context = runtime.create_local_execution_context(stacked_clients=2)
    self.assertEqual(context.invoke(evaluate, [[1, 2], [3, 4]]), [3, 7])

  def test_a_failing_client_in_a_stack_is_named(self):
    @tff.tensorflow.computation(_ROW)
    def check(x):
      with tf.control_dependencies([tf.debugging.assert_less(x, 2.5, message='too large')]):
        return tf.identity(x)

    @tff.federated_computation(tff.FederatedType(_ROW, tff.CLIENTS))
    def evaluate(values):
      return tff.federated_map(check, values)

    context = runtime.create_local_execution_context(stacked_clients=2)
    self.assertEqual([list(row) for row in context.invoke(evaluate, _rows(2, 2))], [[1, 2]] * 2)
    with self.assertRaisesRegex(runtime.ClientComputationError, 'at client 1: .*too large'):
      context.invoke(evaluate, [*_rows(2), np.array([3, 1], np.float32)])

  def test_refuses_a_negative_number(self):
    with self.assertRaisesRegex(ValueError, 'stacked_clients is -1, expected 0 or more'):
      runtime.create_local_execution_context(stacked_clients=-1)


class MeasuredTest(absltest.TestCase):
  def test_the_faster_way_is_taken(self):
    for seconds, expected in (([1.0, 2.0], 0), ([2.0, 1.0], 2)):
      timed = absltest.mock.patch.object(scheduling, '_seconds', side_effect=seconds)
      with timed, _stacks_made() as made:
        context = runtime.create_local_execution_context(stacked_clients=0, clients_per_device=1)
        context.invoke(_evaluate, (_rows(*[3] * 10), 2.0))
      self.assertLen(made, expected)


class TrainingTest(parameterized.TestCase):
  @parameterized.parameters('dense', 'convolution')
  def test_a_round_equals_one_of_clients_one_by_one(self, kind):
    layers = {
      'dense': [tf.keras.layers.Dense(5, 'relu', name='hidden')],
      'convolution': [
        tf.keras.layers.Reshape((4, 1)),
        tf.keras.layers.Conv1D(3, 2, activation='relu', name='hidden'),
        tf.keras.layers.Flatten(),
      ],
    }
    tf.keras.utils.set_random_seed(0)
    keras_model = tf.keras.Sequential(
      [tf.keras.Input((4,)), *layers[kind], tf.keras.layers.Dense(3, name='output')]
    )
    model = models.from_keras(
      keras_model,
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={},
    ).with_global_layers(['output'])
    process = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        client_optimizer=tff.learning.optimizers.build_sgdm(0.1, 0.9),
        batches=learning.TensorBatches(3, num_epochs=2),
      ),
    )
    rng = np.random.default_rng(0)
    data = [
      learning.ClientTensors(
        rng.normal(size=(size, 4)).astype(np.float32),
        rng.integers(0, 3, size).astype(np.int32),
        np.array([7, client], np.int32),
        np.float32(work_share),
      )
      for client, (size, work_share) in enumerate(
        ((7, 1), (7, 0.5), (5, 1), (7, 1), (7, 0.5), (7, 0))
      )
    ]
    results = []
    for stacked_clients in (1, 2):
      context = runtime.create_local_execution_context(stacked_clients=stacked_clients)
      state = context.invoke(process.initialize, model.initial_weights)
      client_states = [context.invoke(process.initialize_client, model.initial_weights)] * len(data)
      with _stacks_made() as made, _without_partitions():
        results.append(context.invoke(process.next, (state, client_states, data)))
    self.assertEqual(made, [2, 2])
    tf.nest.map_structure(
      lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6), *results
    )


if __name__ == '__main__':
  absltest.main()

"""Tests of the conditional gated activation unit."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import models
from tff_lg.models import cgau


def _sigmoid(z):
  return 1 / (1 + np.exp(-z))


def _random(*shape, seed=0):
  return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _shared(unknown_client='mean', seed=0):
  """Builds two units for three clients and four features, with random weights."""
  layer = models.ConditionalGatedActivation(
    2, conditioning='shared', num_clients=3, unknown_client=unknown_client
  )
  layer.build([(None, 4), (None,)])
  layer.set_weights([_random(*w.shape, seed=seed + i) for i, w in enumerate(layer.get_weights())])
  return layer


def _equation_1(weights, x, c):
  """Computes row by row, with the four matrices of the paper, for c [n, clients]."""
  kernel, bias, conditioning = weights
  (w_f, w_g), (b_f, b_g), (v_f, v_g) = (
    np.split(matrix, 2, axis=-1) for matrix in (kernel, bias, conditioning)
  )
  rows = [
    np.tanh(w_f.T @ row + b_f + v_f.T @ one_hot) * _sigmoid(w_g.T @ row + b_g + v_g.T @ one_hot)
    for row, one_hot in zip(x, c, strict=True)
  ]
  return np.stack(rows)


class EquationTest(parameterized.TestCase):
  def test_one_unit_by_hand(self):
    layer = models.ConditionalGatedActivation(
      1, conditioning='shared', num_clients=2, use_bias=False
    )
    layer.build([(None, 2), (None,)])
    # w_f = (1, 0.5), w_g = (-1, 2); client 0 shifts by 0 and 0, client 1 by 0.5 and -1.
    layer.set_weights([np.array([[1.0, -1.0], [0.5, 2.0]]), np.array([[0.0, 0.0], [0.5, -1.0]])])
    x = tf.constant([[1.0, 1.0], [1.0, 1.0]])
    h = layer((x, tf.constant([0, 1])))
    # tanh(1.5) * sigmoid(1) and tanh(2) * sigmoid(0).
    np.testing.assert_allclose(h, [[0.905148 * 0.731059], [0.964028 * 0.5]], rtol=1e-5)

  def test_index_is_the_one_hot_vector_of_the_paper(self):
    layer, x, client = _shared(), _random(5, 4, seed=9), np.array([0, 2, 1, 1, 0])
    want = _equation_1(layer.get_weights(), x, np.eye(3)[client])
    np.testing.assert_allclose(layer((x, client)), want, rtol=1e-5)

  def test_gradient_touches_the_rows_of_the_batchs_clients_only(self):
    layer = _shared()
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(layer((_random(3, 4), np.array([2, 2, 2]))))
    gradient = tape.gradient(loss, layer.shifts).numpy()
    np.testing.assert_array_equal(gradient[:2], np.zeros((2, 4)))
    self.assertTrue((gradient[2] != 0).all())

  @parameterized.parameters(-1, 3, 1000)
  def test_unknown_client_has_the_mean_of_the_shifts_or_none(self, index):
    x = _random(1, 4, seed=9)
    for unknown_client, c in (('mean', [[1 / 3, 1 / 3, 1 / 3]]), ('zero', [[0, 0, 0]])):
      layer = _shared(unknown_client)
      want = _equation_1(layer.get_weights(), x, np.array(c))
      np.testing.assert_allclose(layer((x, np.array([index]))), want, rtol=1e-5)

  def test_local_shifts_are_those_of_a_client(self):
    shared, x = _shared(), _random(5, 4, seed=9)
    kernel, bias, conditioning = shared.get_weights()
    local = models.ConditionalGatedActivation(2, conditioning='local')
    shift = models.ClientShift(2)
    local((x, shift(x)))
    local.set_weights([kernel, bias])
    shift.set_weights([conditioning[1, :2], conditioning[1, 2:]])
    np.testing.assert_allclose(
      local((x, shift(x))), shared((x, np.full(5, 1))), rtol=1e-5, atol=1e-7
    )

  def test_without_shifts_all_are_the_gated_baseline(self):
    x = _random(5, 4, seed=9)
    none = models.ConditionalGatedActivation(3, seed=4)
    local = models.ConditionalGatedActivation(3, conditioning='local', seed=4)
    shared = models.ConditionalGatedActivation(3, conditioning='shared', num_clients=2, seed=4)
    want = none(x)
    np.testing.assert_array_equal(local((x, models.ClientShift(3)(x))), want)
    shared.build([(None, 4), (None,)])
    shared.shifts.assign(tf.zeros_like(shared.shifts))
    np.testing.assert_array_equal(shared((x, np.zeros(5, np.int32))), want)


class WeightsTest(parameterized.TestCase):
  def test_shapes_and_names(self):
    layer = _shared()
    self.assertEqual(
      [(w.name.split(':')[0].split('/')[-1], tuple(w.shape)) for w in layer.weights],
      [('kernel', (4, 4)), ('bias', (4,)), ('conditioning', (3, 4))],
    )
    shift = models.ClientShift(2)
    np.testing.assert_array_equal(shift(_random(5, 4)), np.zeros(4))
    self.assertEqual([tuple(w.shape) for w in shift.weights], [(2,), (2,)])

  def test_filter_and_gate_start_glorot_uniform_each_by_itself(self):
    layer = models.ConditionalGatedActivation(50, seed=7)
    layer.build((None, 100))
    halves = np.split(layer.kernel.numpy(), 2, axis=1)
    limit = np.sqrt(6 / (100 + 50))
    for half in halves:
      self.assertLessEqual(np.abs(half).max(), limit)
      self.assertGreater(np.abs(half).max(), 0.99 * limit)
    self.assertFalse(np.array_equal(*halves))
    other = models.ConditionalGatedActivation(50, seed=7)
    other.build((None, 100))
    np.testing.assert_array_equal(other.kernel, layer.kernel)

  def test_config_round_trip(self):
    layer = models.ConditionalGatedActivation(
      2,
      conditioning='shared',
      num_clients=3,
      unknown_client='zero',
      use_bias=False,
      seed=6,
      name='gated_1',
    )
    config = layer.get_config()
    copy = models.ConditionalGatedActivation.from_config(config)
    self.assertEqual(copy.get_config(), config)
    inputs = (_random(5, 4), np.array([0, 1, 2, -1, 0]))
    np.testing.assert_array_equal(copy(inputs), layer(inputs))
    shift = models.ClientShift(3, name='shift_1')
    self.assertEqual(models.ClientShift.from_config(shift.get_config()).units, 3)

  def test_split_undoes_append(self):
    x = _random(3, 2)
    column = models.append_client_index(x, np.array([4, -1, 0]), 5)
    features, client = cgau.SplitClientIndex()(column)
    np.testing.assert_array_equal(features, x)
    np.testing.assert_array_equal(client, [4, -1, 0])

  @parameterized.parameters(
    ({'conditioning': 'global'}, 'conditioning is global, expected one of none, shared, local'),
    ({'unknown_client': 'one'}, 'unknown_client is one, expected one of mean, zero'),
    ({'conditioning': 'shared'}, 'num_clients is None, but conditioning shared needs'),
    ({'conditioning': 'shared', 'num_clients': 0}, 'num_clients is 0'),
  )
  def test_refuses(self, options, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      models.ConditionalGatedActivation(2, **options)


if __name__ == '__main__':
  absltest.main()

"""Tests of the optimisers: two steps of each on one weight, worked out in NumPy."""

import subprocess
import sys

import attrs
import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import optimizers

_GRADIENTS = (2.0, -1.0)


def _adam(step, m, v, beta_1, beta_2, epsilon):
  scale = np.sqrt(1 - beta_2**step) / (1 - beta_1**step)
  return scale * m / (np.sqrt(v) + epsilon)


def _expected(name, rate, options):
  """Returns the weight after steps along `_GRADIENTS` from 1, by the papers."""
  w, m = 1.0, 0.0
  v = options.get('initial_accumulator', 0.0)
  for step, g in enumerate(_GRADIENTS, 1):
    g = np.clip(g, -options['gradient_clip_norm'], options['gradient_clip_norm'])
    beta_1, beta_2 = options.get('beta_1', 0.0), options.get('beta_2', 0.0)
    if name in ('sgd', 'momentum'):
      m = options['momentum'] * m + g + options['weight_decay'] * w
      w -= rate * m
      continue
    m += (1 - beta_1) * (g - m)
    if name == 'adagrad':
      v += g**2
      w -= rate * g / np.sqrt(v + options['epsilon'])
      continue
    if name == 'yogi':
      v -= (1 - beta_2) * np.sign(v - g**2) * g**2
    else:
      v += (1 - beta_2) * (g**2 - v)
    if name == 'rmsprop':
      w -= rate * g / (np.sqrt(v) + options['epsilon'])
      continue
    update = _adam(step, m, v, beta_1, beta_2, options['epsilon'])
    w -= rate * (update + options.get('weight_decay', 0.0) * w)
  return w


class OptimizersTest(parameterized.TestCase):
  @parameterized.parameters(*optimizers.OPTIMIZERS)
  def test_two_steps(self, name):
    options = optimizers.OPTIMIZERS[name].options
    # None of them is a default.
    values = {field.name: 0.3 / (1 + n) for n, field in enumerate(attrs.fields(options))}
    values['gradient_clip_norm'] = 1.5  # Clips the first.
    optimizer = options(**values).build(0.1)
    weights = (tf.constant([1.0]),)
    state = optimizer.initialize((tf.TensorSpec([1]),))
    for gradient in _GRADIENTS:
      state, weights = optimizer.next(state, weights, (tf.constant([gradient]),))
    np.testing.assert_allclose(weights[0], [_expected(name, 0.1, values)], rtol=1e-5)

  def test_options_by_default_shape_no_gradient(self):
    for entry in optimizers.OPTIMIZERS.values():
      self.assertStartsWith(type(entry.options().build(0.1)).__module__, 'tensorflow_federated')

  def test_a_gradient_is_clipped_over_all_weights(self):
    optimizer = optimizers.OPTIMIZERS['sgd'].options(gradient_clip_norm=2.5).build(1.0)
    weights = (tf.zeros([1]), tf.zeros([2]))
    state = optimizer.initialize((tf.TensorSpec([1]), tf.TensorSpec([2])))
    # Of norms 5 and 0; that of zeros is no division by zero.
    for gradients, expected in (
      (([3.0], [0.0, 4.0]), ([-1.5], [0.0, -2.0])),
      (([0.0], [0.0, 0.0]), ([0.0], [0.0, 0.0])),
    ):
      _, found = optimizer.next(state, weights, tuple(map(tf.constant, gradients)))
      for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, np.float32(other))

  def test_hyperparameters_stay_those_of_the_optimizer(self):
    optimizer = optimizers.OPTIMIZERS['sgd'].options(weight_decay=0.5).build(0.1)
    state = optimizer.initialize((tf.TensorSpec([1]),))
    self.assertIn('learning_rate', optimizer.get_hparams(state))
    state = optimizer.set_hparams(state, {**optimizer.get_hparams(state), 'learning_rate': 2.0})
    _, (weight,) = optimizer.next(state, (tf.constant([1.0]),), (tf.constant([0.0]),))
    self.assertEqual(weight, 0.0)

  def test_defaults_that_depend_on_the_role(self):
    entries = optimizers.OPTIMIZERS
    self.assertEqual(entries['sgd'].learning_rate, {'client': 0.05, 'server': 1.0})
    self.assertEqual(entries['sgd'].defaults, {'client': {'momentum': 0.5}})
    self.assertEqual(
      {name for name, entry in entries.items() if not entry.is_adaptive}, {'sgd', 'momentum'}
    )

  def test_room_imports_no_tensorflow(self):
    code = 'import sys, tff_lg.optimizers; sys.exit("tensorflow" in sys.modules)'
    self.assertEqual(subprocess.run([sys.executable, '-c', code], check=False).returncode, 0)


if __name__ == '__main__':
  absltest.main()

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
  """The weight after steps along `_GRADIENTS` from 1, by the papers."""
  w, m = 1.0, 0.0
  v = options.get('initial_accumulator', 0.0)
  for step, g in enumerate(_GRADIENTS, 1):
    beta_1, beta_2 = options.get('beta_1', 0.0), options.get('beta_2', 0.0)
    if name in ('sgd', 'momentum'):
      m = options['momentum'] * m + g
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
    optimizer = options(**values).build(0.1)
    weights = (tf.constant([1.0]),)
    state = optimizer.initialize((tf.TensorSpec([1]),))
    for gradient in _GRADIENTS:
      state, weights = optimizer.next(state, weights, (tf.constant([gradient]),))
    np.testing.assert_allclose(weights[0], [_expected(name, 0.1, values)], rtol=1e-5)

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

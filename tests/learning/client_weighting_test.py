"""Tests of how much a client counts."""

import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import config, learning

_UPDATE = (tf.constant([[1.0, -2.0]]), tf.constant([3.0]))
_ZERO = (tf.zeros([1, 2]), tf.zeros([1]))


class ClientWeightingTest(parameterized.TestCase):
  @parameterized.parameters(('examples', 5), ('uniform', 1), ('gradient_norm', 1 + 4 + 9))
  def test_weight(self, name, expected):
    weight = learning.CLIENT_WEIGHTINGS[name](tf.constant(5.0), _UPDATE)
    self.assertEqual((weight, weight.dtype, weight.shape), (expected, tf.float32, []))

  @parameterized.parameters(*learning.CLIENT_WEIGHTINGS)
  def test_client_without_examples_weighs_nothing(self, name):
    self.assertEqual(learning.CLIENT_WEIGHTINGS[name](tf.constant(0.0), _ZERO), 0)

  @parameterized.parameters(('examples', 5), ('uniform', 1), ('gradient_norm', 0))
  def test_without_global_weights(self, name, expected):
    self.assertEqual(learning.CLIENT_WEIGHTINGS[name](tf.constant(5.0), ()), expected)

  def test_every_choice_of_the_flag_is_there(self):
    self.assertCountEqual(learning.CLIENT_WEIGHTINGS, config.CLIENT_WEIGHTINGS)


if __name__ == '__main__':
  absltest.main()

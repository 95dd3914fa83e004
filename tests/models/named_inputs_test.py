"""Tests of networks with several named inputs."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models

layers = tf.keras.layers
_SHAPES = {'table': (2,), 'kind': (1,), 'steps': (2, 3)}


def _network():
  """Returns a network with dropout, an embedding of integers and a recurrent layer."""
  inputs = {
    'kind': tf.keras.Input((1,), name='kind', dtype='int32'),
    'steps': tf.keras.Input((None, 3), name='steps'),
    'table': tf.keras.Input((2,), name='table'),
  }
  parts = [
    layers.Flatten()(layers.Embedding(4, 2, name='kinds')(inputs['kind'])),
    layers.GRU(2, name='gru')(inputs['steps']),
    layers.Dropout(0.5)(layers.Dense(3, activation='relu', name='dense')(inputs['table'])),
  ]
  return tf.keras.Model(inputs, layers.Dense(2, name='output')(layers.Concatenate()(parts)))


def _examples(size=5):
  rng = np.random.default_rng(0)
  x = {name: rng.normal(size=(size, *shape)).astype(np.float32) for name, shape in _SHAPES.items()}
  return {**x, 'kind': rng.integers(0, 4, (size, 1)).astype(np.float32)}


def _joined(x):
  return np.concatenate([x[name].reshape(len(x[name]), -1) for name in _SHAPES], axis=1)


class NamedInputsTest(absltest.TestCase):
  def test_joined_and_separated_again_compute_the_same(self):
    network, x = _network(), _examples()
    joined = models.join_inputs(network, _SHAPES)
    self.assertEqual(joined.input_shape, (None, 9))
    expected = network(x)
    np.testing.assert_array_equal(joined(_joined(x)), expected)
    self.assertEqual([w.name for w in joined.weights], [w.name for w in network.weights])
    separate = models.separate_inputs(joined)
    self.assertCountEqual(separate.input_names, _SHAPES)
    np.testing.assert_array_equal(separate(x), expected)
    path = self.create_tempdir().full_path + '/model.keras'
    separate.save(path)
    kept = tf.keras.models.load_model(path)
    self.assertFalse([layer for layer in kept.layers if isinstance(layer, models.TakeInput)])
    np.testing.assert_array_equal(kept(x), expected)
    self.assertIs(models.separate_inputs(network), network)

  def test_refuses(self):
    for inputs, sentence in (
      ({'table': (2,), 'kind': (1,)}, 'inputs kind, steps, table, but an example has table, kind'),
      ({**_SHAPES, 'table': (3,)}, r'takes the input table as \[2\], but an example has \[3\]'),
      ({**_SHAPES, 'steps': (6,)}, r'takes the input steps as \[None, 3\], but an example has \[6'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        models.join_inputs(_network(), inputs)


if __name__ == '__main__':
  absltest.main()

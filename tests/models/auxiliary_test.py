"""Tests of auxiliary networks: losses and gradients are those of plain Keras models."""

import itertools

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models
from tff_lg.models import auxiliary

_LABEL_LOSS = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
_GLOBAL = ('hidden_2', 'output')


def _network(side=4) -> tf.keras.Model:
  return models.build_mlp((side, side, 1), 3, (6, 5), seed=2)


def _build(kind, keras_model=None, global_layers=_GLOBAL, **options) -> models.AuxiliaryNetwork:
  return models.build_auxiliary(
    kind,
    keras_model or _network(),
    global_layers,
    **{'label_loss': _LABEL_LOSS, 'units': (7,), 'seed': 4, **options},
  )


def _initial(network: models.AuxiliaryNetwork) -> dict[str, np.ndarray]:
  """Returns all weights that the network's loss takes, by name, with no zeros among them."""
  of_layers = {weight.name.split(':')[0]: weight.numpy() for weight in _network().weights}
  return {name: {**of_layers, **network.own_weights}[name] + 0.1 for name in network.weight_names}


def _images(n=2, side=4) -> np.ndarray:
  return np.random.default_rng(n).normal(size=(n, side, side, 1)).astype(np.float32)


def _loss_and_gradients(network, weights, x, y, key=(3, 0)):
  """Returns what the network says of a batch, gradients by name."""

  def run():
    tensors = tuple(map(tf.constant, weights.values()))
    with tf.GradientTape() as tape:
      tape.watch(tensors)
      loss = network.loss(tensors, tf.constant(x), tf.constant(y), tf.constant(key, tf.int64))
    return loss, tape.gradient(loss, tensors)

  loss, gradients = testing.in_graph(run)
  return loss, dict(zip(weights, gradients, strict=True))


def _expected(weights, x, answer, loss):
  """Computes the same of a plain Keras model with these weights, in eager mode."""
  layers = [
    tf.keras.layers.Dense(len(weights[f'{name}/bias']), activation, name=name)
    for name, activation in (
      ('hidden_1', 'relu'),
      ('auxiliary/hidden_1', 'relu'),
      ('auxiliary/output', None),
    )
  ]
  keras_model = tf.keras.Sequential([tf.keras.layers.Flatten(), *layers])
  keras_model(x)
  for layer in layers:
    layer.set_weights([weights[f'{layer.name}/kernel'], weights[f'{layer.name}/bias']])
  with tf.GradientTape() as tape:
    value = loss(answer, keras_model(x))
  gradients = tape.gradient(value, keras_model.trainable_weights)
  names = [weight.name.split(':')[0] for weight in keras_model.trainable_weights]
  return float(value), dict(zip(names, gradients, strict=True))


class AgainstKerasTest(parameterized.TestCase):
  def _assert_same(self, got, want):
    self.assertAlmostEqual(got[0], want[0], places=5)
    self.assertCountEqual(got[1], want[1])
    for name, gradient in want[1].items():
      np.testing.assert_allclose(got[1][name], gradient, rtol=1e-4, atol=1e-6)
      self.assertTrue(np.any(gradient), name)

  def test_supervised(self):
    network, x, y = _build('supervised'), _images(), np.array([2, 0], np.int32)
    weights = _initial(network)
    self._assert_same(
      _loss_and_gradients(network, weights, x, y), _expected(weights, x, y, _LABEL_LOSS)
    )

  def test_autoencoder(self):
    network, x = _build('autoencoder'), _images()
    weights = _initial(network)
    self._assert_same(
      _loss_and_gradients(network, weights, x, np.zeros(2, np.int32)),
      _expected(weights, x, x.reshape(2, 16), tf.keras.losses.MeanSquaredError()),
    )

  def test_jigsaw(self):
    """The draw is not shown: it must be one of the 24 ways to ask, and not always one."""
    network = _build('jigsaw')
    weights = _initial(network)
    drawn = []
    for step, x in enumerate(_images(4)[:, np.newaxis]):
      got = _loss_and_gradients(network, weights, x, np.zeros(1, np.int32), (3, step))
      tiles = [x[:, i : i + 2, j : j + 2] for i in (0, 2) for j in (0, 2)]
      asked = [
        _expected(
          weights,
          np.concatenate(
            [np.concatenate([tiles[a], tiles[b]], 2), np.concatenate([tiles[c], tiles[d]], 2)], 1
          ),
          np.array([answer]),
          _LABEL_LOSS,
        )
        for answer, (a, b, c, d) in enumerate(itertools.permutations(range(4)))
      ]
      (one,) = [i for i, (loss, _) in enumerate(asked) if abs(loss - got[0]) < 1e-6]
      self._assert_same(got, asked[one])
      drawn.append(one)
    self.assertGreater(len(set(drawn)), 1)


class JigsawTest(parameterized.TestCase):
  def test_tiles_by_hand(self):
    image = np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1)
    got = auxiliary.permute_tiles(tf.constant(image), tf.constant([[3, 0, 1, 2]]), 2)
    self.assertEqual(
      got[0, :, :, 0].numpy().tolist(),
      [[10, 11, 0, 1], [14, 15, 4, 5], [2, 3, 8, 9], [6, 7, 12, 13]],
    )

  @parameterized.parameters(2, 3)
  def test_each_image_has_its_own_order(self, side):
    images = np.random.default_rng(0).normal(size=(5, 6, 12, 3)).astype(np.float32)
    rng = np.random.default_rng(1)
    orders = np.array([rng.permutation(side * side) for _ in images])
    got = auxiliary.permute_tiles(tf.constant(images), tf.constant(orders), side).numpy()
    height, width = 6 // side, 12 // side
    for image, order, placed in zip(images, orders, got, strict=True):
      for place, tile in enumerate(order):
        (row, column), (i, j) = divmod(place, side), divmod(tile, side)
        np.testing.assert_array_equal(
          placed[row * height : (row + 1) * height, column * width : (column + 1) * width],
          image[i * height : (i + 1) * height, j * width : (j + 1) * width],
        )

  def test_key_and_seed_decide_what_is_drawn(self):
    network, x, y = _build('jigsaw'), _images(8), np.zeros(8, np.int32)
    weights = _initial(network)
    loss, _ = _loss_and_gradients(network, weights, x, y)
    self.assertEqual(_loss_and_gradients(network, weights, x, y)[0], loss)
    other_step, _ = _loss_and_gradients(network, weights, x, y, (3, 1))
    self.assertNotAlmostEqual(other_step, loss, places=4)
    other_seed, _ = _loss_and_gradients(_build('jigsaw', seed=5), weights, x, y)
    self.assertNotAlmostEqual(other_seed, loss, places=4)

  def test_nine_tiles_where_they_fit(self):
    drawn = auxiliary._permutations(9, seed=3)
    self.assertEqual(drawn.shape, (24, 9))
    self.assertLen({tuple(order) for order in drawn.tolist()}, 24)
    np.testing.assert_array_equal(np.sort(drawn), np.tile(np.arange(9), [24, 1]))
    np.testing.assert_array_equal(drawn, auxiliary._permutations(9, seed=3))
    network = _build('jigsaw', _network(side=6))
    self.assertEqual(network.own_weights['auxiliary/output/kernel'].shape, (7, 24))


class RepresentationTest(parameterized.TestCase):
  def test_own_weights_are_apart_from_those_of_the_layers_below(self):
    network = _build('supervised', units=())
    self.assertEqual(
      network.weight_names,
      ('hidden_1/kernel', 'hidden_1/bias', 'auxiliary/output/kernel', 'auxiliary/output/bias'),
    )
    shapes = {name: weight.shape for name, weight in network.own_weights.items()}
    self.assertEqual(shapes, {'auxiliary/output/kernel': (6, 3), 'auxiliary/output/bias': (3,)})

  def test_dropout_below_is_that_of_the_step(self):
    keras_model = models.build_mlp((4, 4, 1), 3, (6, 5), seed=2, dropout_rate=0.5)
    network = _build('supervised', keras_model, units=())
    self.assertEqual(
      network.weight_names,
      ('hidden_1/kernel', 'hidden_1/bias', 'auxiliary/output/kernel', 'auxiliary/output/bias'),
    )
    weights = dict.fromkeys(network.weight_names)
    weights |= {name: value for name, value in _initial(_build('supervised', units=())).items()}
    batch = _images(), np.zeros(2, np.int32)
    one, same, other = (
      _loss_and_gradients(network, weights, *batch, key)[0] for key in ((1, 0), (1, 0), (1, 1))
    )
    self.assertEqual(one, same)
    self.assertNotAlmostEqual(one, other, places=4)

  def test_it_is_what_the_first_global_layer_gets(self):
    for global_layers, size in ((('fc_1', 'output'), 5 * 5 * 16), (('conv_2',), 14 * 14 * 6)):
      network = _build('autoencoder', models.build_lenet(), global_layers)
      self.assertEqual(network.own_weights['auxiliary/hidden_1/kernel'].shape, (size, 7))
      self.assertEqual(network.own_weights['auxiliary/output/kernel'].shape, (7, 32 * 32 * 3))

  def test_each_position_of_a_sequence_has_one(self):
    def build():
      return models.build_lstm(5, 4, embedding_units=2, lstm_units=(3, 2))

    loss = models.SequenceCrossentropy(padding=0)
    network = _build('supervised', build(), ('lstm_2', 'output'), units=(), label_loss=loss)
    self.assertEqual(network.own_weights['auxiliary/output/kernel'].shape, (3, 5))
    by_name = {weight.name.split(':')[0]: weight for weight in build().weights}
    weights = {
      name: np.array(network.own_weights.get(name, by_name.get(name)))
      for name in network.weight_names
    }
    x, y = np.array([[1, 2, 0, 0]], np.int32), np.array([[2, 3, 0, 0]], np.int32)
    got, _ = _loss_and_gradients(network, weights, x, y)
    keras_model = build()
    hidden = tf.keras.Model(keras_model.input, keras_model.get_layer('lstm_1').output)(x)
    logits = hidden @ network.own_weights['auxiliary/output/kernel']
    self.assertAlmostEqual(got, float(loss(y, logits)), places=5)

  @parameterized.parameters(
    ('lenet', ('conv_1', 'conv_2'), 'layers conv_1, conv_2 out of conv_1, conv_2, fc_1, fc_2, out'),
    ('lenet', (), r'global layers \(none\) out of conv_1'),
    ('resnet', models.RESNET18_BODY, 'no one representation by local layers alone'),
    ('cgau', ('gated_2', 'output'), 'no one representation by local layers alone'),
  )
  def test_global_layers_that_come_first_are_refused(self, name, global_layers, sentence):
    build = {
      'lenet': models.build_lenet,
      'resnet': models.build_resnet18,
      'cgau': lambda: models.build_cgau((6,), 2, (4, 4), conditioning='local'),
    }
    with self.assertRaisesRegex(ValueError, sentence):
      _build('supervised', build[name](), global_layers)

  @parameterized.parameters(
    ('adversary', (4, 4, 1), 'is adversary, expected one of supervised, autoencoder, jigsaw'),
    ('jigsaw', (4, 5, 1), r'an example has the shape \(4, 5, 1\)'),
    ('jigsaw', (16,), r'an example has the shape \(16,\)'),
  )
  def test_kinds_that_do_not_fit_are_refused(self, kind, shape, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      _build(kind, models.build_mlp(shape, 3, (6, 5)))

  def test_tokens_are_not_numbers(self):
    keras_model = models.build_lstm(5, 4, embedding_units=2, lstm_units=(3, 2))
    with self.assertRaisesRegex(ValueError, 'gives back numbers, but the network takes int32'):
      _build('autoencoder', keras_model, ('output',))


if __name__ == '__main__':
  absltest.main()

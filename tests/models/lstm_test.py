"""Tests of the recurrent networks: their weights, tied ones too, and what they compute."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models

_TOKENS = np.array([[2, 3, 4], [2, 5, 0]], np.int32)


def _functional(**options) -> models.LocalGlobalModel:
  keras_model = models.build_lstm(6, 3, embedding_units=4, lstm_units=(5, 4), **options)
  return models.from_keras_sequences(keras_model, padding=0, unknown=1)


def _sigmoid(x):
  return 1 / (1 + np.exp(-x))


def _lstm(x, kernel, recurrent_kernel, bias):
  """Computes Hochreiter and Schmidhuber's cell over [n, T, features]; Keras's order of gates."""
  h = c = np.zeros([len(x), len(recurrent_kernel)])
  outputs = []
  for t in range(x.shape[1]):
    i, f, g, o = np.split(x[:, t] @ kernel + h @ recurrent_kernel + bias, 4, axis=1)
    c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    h = _sigmoid(o) * np.tanh(c)
    outputs.append(h)
  return np.stack(outputs, axis=1)


class LstmTest(parameterized.TestCase):
  def test_sizes_of_the_papers(self):
    words = models.build_lstm(10_000, 20)
    # Embedding, two layers of 4 x (200 x 200 + 200 x 200 + 200), output.
    self.assertEqual(words.count_params(), 2_000_000 + 2 * 320_800 + 2_010_000)
    tied = models.build_lstm(10_000, 20, tied=True)
    self.assertEqual(tied.count_params(), 2_010_000 + 2 * 320_800)
    chars = models.build_lstm(90, 80, embedding_units=8, lstm_units=(256, 256))
    self.assertEqual(chars.count_params(), 90 * 8 + 271_360 + 525_312 + 256 * 90 + 90)

  def test_names_of_the_layers(self):
    self.assertEqual(_functional().layer_names, ('embedding', 'lstm_1', 'lstm_2', 'output'))
    self.assertEqual(_functional(tied=True).layer_names, ('embedding', 'lstm_1', 'lstm_2'))

  def test_dropout_in_training_alone(self):
    keras_model = models.build_lstm(6, 3, embedding_units=4, lstm_units=(5, 4), dropout_rate=0.5)
    names = [layer.name for layer in keras_model.layers if 'dropout' in layer.name]
    self.assertEqual(names, ['dropout_0', 'dropout_1', 'dropout_2'])
    plain = models.build_lstm(6, 3, embedding_units=4, lstm_units=(5, 4))
    np.testing.assert_array_equal(keras_model(_TOKENS), plain(_TOKENS))
    dropped = keras_model(_TOKENS, training=True)
    self.assertFalse(np.array_equal(dropped, plain(_TOKENS)))
    np.testing.assert_array_equal(dropped, keras_model(_TOKENS, training=True))

  @parameterized.parameters(False, True)
  def test_computes_what_numpy_does(self, tied):
    model = _functional(tied=tied)
    by_name = dict(zip(model.weight_names, model.initial_weights, strict=True))
    groups = {}
    for name, value in by_name.items():
      groups.setdefault(name.partition('/')[0], []).append(value)
    embedding = groups['embedding'][0]
    hidden = embedding[_TOKENS]
    for layer in ('lstm_1', 'lstm_2'):
      hidden = _lstm(hidden, *groups[layer])
    kernel, bias = (embedding.T, groups['embedding'][1]) if tied else groups['output']
    logits = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_TOKENS), training=False)
    )
    np.testing.assert_allclose(logits, hidden @ kernel + bias, rtol=1e-4, atol=1e-6)

  def test_tied_matrix_is_one_weight_with_both_gradients(self):
    model = _functional(tied=True)
    weights = [w + 0.1 for w in model.initial_weights]

    def gradient():
      watched = [tf.constant(w) for w in weights]
      with tf.GradientTape() as tape:
        tape.watch(watched)
        output = model.predict(watched, tf.constant(_TOKENS[:1]), training=True)
        loss = model.functional.loss(output, tf.constant(_TOKENS[:1]))
      return tf.convert_to_tensor(tape.gradient(loss, watched)[0])

    # Token 5 is neither input nor target here: only the output moves it.
    rows = np.abs(testing.in_graph(gradient)).sum(axis=1)
    self.assertGreater(rows.min(), 0)

  def test_padding_changes_nothing_before_it(self):
    model = _functional()
    other = _TOKENS.copy()
    other[1, 2] = 5
    one, two = (
      testing.in_graph(
        lambda x=x: model.predict(model.initial_weights, tf.constant(x), training=False)
      )
      for x in (_TOKENS, other)
    )
    np.testing.assert_array_equal(one[:, :2], two[:, :2])

  @parameterized.parameters(False, True)
  def test_seed_decides_the_initial_weights(self, tied):
    one, same, other = (_functional(tied=tied, seed=s).initial_weights for s in (1, 1, 2))
    for a, b in zip(one, same, strict=True):
      np.testing.assert_array_equal(a, b)
    for a, b in zip(one, other, strict=True):
      self.assertTrue(not b.any() or not np.array_equal(a, b) or a.ndim == 1)

  def test_layers_of_one_size_start_from_different_weights(self):
    model = models.build_lstm(5, 2, embedding_units=3, lstm_units=(3, 3))
    first, second = (model.get_layer(name).get_weights() for name in ('lstm_1', 'lstm_2'))
    for index in (0, 1):
      self.assertFalse(np.array_equal(first[index], second[index]))

  @parameterized.parameters(({'lstm_units': ()},), ({'lstm_units': (3,), 'tied': True},))
  def test_refuses(self, options):
    with self.assertRaisesRegex(ValueError, 'lstm_units is'):
      models.build_lstm(5, 2, embedding_units=2, **options)


if __name__ == '__main__':
  absltest.main()

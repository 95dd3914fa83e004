"""Tests of the Bi-LSTM: its weights, what it computes, and that padding does not matter."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models

_TOKENS = np.array([[2, 3, 4, 5], [5, 3, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0]], np.int32)


def _functional(sequence_length=4, **options) -> models.LocalGlobalModel:
  sizes = {'embedding_units': 3, 'bilstm_units': 2, 'hidden_units': (5, 4)}
  return models.from_keras(
    models.build_bilstm(6, sequence_length, 3, **{**sizes, **options}),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


def _predict(model, tokens, training=False):
  return testing.in_graph(
    lambda: model.predict(model.initial_weights, tf.constant(tokens), training=training)
  )


def _sigmoid(x):
  return 1 / (1 + np.exp(-x))


def _last_state(x, kernel, recurrent_kernel, bias):
  """Computes Hochreiter and Schmidhuber's cell over [T, features]; Keras's order of gates."""
  h = c = np.zeros(len(recurrent_kernel))
  for x_t in x:
    i, f, g, o = np.split(x_t @ kernel + h @ recurrent_kernel + bias, 4)
    c = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    h = _sigmoid(o) * np.tanh(c)
  return h


class BilstmTest(parameterized.TestCase):
  def test_sizes_of_the_paper(self):
    # Embedding; twice 4 x (100 x 128 + 128 x 128 + 128); two layers of 512; five classes.
    expected = 1000 * 100 + 2 * 117_248 + (256 * 512 + 512) + (512 * 512 + 512) + (512 * 5 + 5)
    self.assertEqual(models.build_bilstm(1000, 30, 5).count_params(), expected)

  def test_layers_in_the_order_of_a_split(self):
    model = _functional()
    self.assertEqual(model.layer_names, ('embedding', 'bilstm', 'hidden_1', 'hidden_2', 'output'))
    self.assertLen(model.with_global_layers(['bilstm']).split(model.initial_weights)[0], 6)

  def test_names_do_not_depend_on_networks_before(self):
    self.assertEqual(_functional().weight_names, _functional().weight_names)

  def test_computes_what_numpy_does_on_the_real_tokens(self):
    model = _functional()
    groups = {}
    for name, value in zip(model.weight_names, model.initial_weights, strict=True):
      groups.setdefault(name.rpartition('/')[0], []).append(value)
    embedding, forward, backward, *dense = groups.values()
    expected = []
    for text in _TOKENS:
      x = embedding[0][text[text != 0]]
      hidden = np.concatenate([_last_state(x, *forward), _last_state(x[::-1], *backward)])
      for kernel, bias in dense[:-1]:
        hidden = np.maximum(hidden @ kernel + bias, 0)
      expected.append(hidden @ dense[-1][0] + dense[-1][1])
    np.testing.assert_allclose(_predict(model, _TOKENS), expected, rtol=1e-4, atol=1e-7)

  @parameterized.parameters(False, True)
  def test_padding_does_not_change_a_prediction(self, training):
    longer = np.pad(_TOKENS, ((0, 0), (0, 3)))
    np.testing.assert_allclose(
      _predict(_functional(), _TOKENS, training),
      _predict(_functional(sequence_length=7), longer, training),
      rtol=1e-6,
    )

  def test_padding_gets_no_gradient(self):
    model = _functional()

    def gradient():
      weights = [tf.constant(w) for w in model.initial_weights]
      with tf.GradientTape() as tape:
        tape.watch(weights)
        output = model.predict(weights, tf.constant(_TOKENS), training=True)
        loss = model.functional.loss(output, tf.constant([0, 1, 2, 0]))
      return tf.convert_to_tensor(tape.gradient(loss, weights)[0])

    moved = testing.in_graph(gradient).any(axis=1)
    np.testing.assert_array_equal(moved, [False, False, True, True, True, True])

  def test_seed_decides_the_initial_weights(self):
    one, same, other = (_functional(seed=s).initial_weights for s in (1, 1, 2))
    for a, b, c in zip(one, same, other, strict=True):
      np.testing.assert_array_equal(a, b)
      self.assertTrue(a.ndim == 1 or not np.array_equal(a, c))

  def test_directions_start_from_different_weights(self):
    weights = models.build_bilstm(6, 4, 3, bilstm_units=2).get_layer('bilstm').get_weights()
    for forward, backward in zip(weights[:2], weights[3:5], strict=True):
      self.assertFalse(np.array_equal(forward, backward))

  def test_two_hidden_layers_of_one_size_differ(self):
    model = models.build_bilstm(6, 4, 3, bilstm_units=2, hidden_units=(4, 4))
    first, second = (model.get_layer(name).get_weights()[0] for name in ('hidden_1', 'hidden_2'))
    self.assertFalse(np.array_equal(first, second))


if __name__ == '__main__':
  absltest.main()

"""Tests of the adversary: its gradients are those of two players that move in turn."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models
from tff_lg.learning import evaluation

_GLOBAL = ('hidden_2', 'output')
_RATE = 0.3


def _network() -> tf.keras.Model:
  return models.build_mlp((4,), 2, (6, 5), seed=2)


def _build(strength, **options) -> models.Adversary:
  return models.build_adversary(
    _network(), _GLOBAL, 2, strength=strength, learning_rate=_RATE, units=(3,), seed=7, **options
  )


def _batch() -> tuple[np.ndarray, np.ndarray]:
  x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
  return x, np.array([[0, 1, 0], [1, 1, 1], [0, 0, 0], [1, 0, 1], [1, 1, 0]], np.int32)


def _weights(network) -> list[np.ndarray]:
  """Returns all weights that the network's loss takes, with no zeros among them."""
  of_layers = {weight.name.split(':')[0]: weight.numpy() for weight in _network().weights}
  return [{**of_layers, **network.own_weights}[name] + 0.1 for name in network.weight_names]


def _error(weights, x, attributes):
  """Computes the mean binary cross-entropy of a dense ReLU network 4-6-3-2, in eager mode."""
  hidden = tf.constant(x)
  for kernel, bias in zip(weights[0:4:2], weights[1:4:2], strict=True):
    hidden = tf.nn.relu(hidden @ kernel + bias)
  logits = hidden @ weights[4] + weights[5]
  return tf.reduce_mean(
    tf.nn.sigmoid_cross_entropy_with_logits(tf.constant(attributes, tf.float32), logits)
  )


def _gradients(weights, x, attributes):
  tensors = list(map(tf.constant, weights))
  with tf.GradientTape() as tape:
    tape.watch(tensors)
    error = _error(tensors, x, attributes)
  return float(error), [gradient.numpy() for gradient in tape.gradient(error, tensors)]


class BuildAdversaryTest(parameterized.TestCase):
  def test_names_and_sizes(self):
    network = _build(1.0)
    layers = ('hidden_1', 'adversary/hidden_1', 'adversary/output')
    self.assertEqual(
      network.weight_names,
      tuple(f'{layer}/{weight}' for layer in layers for weight in ('kernel', 'bias')),
    )
    shapes = [weight.shape for weight in network.own_weights.values()]
    self.assertEqual(shapes, [(6, 3), (3,), (3, 2), (2,)])

  @parameterized.parameters(0.0, 1.0, 2.5)
  def test_players_move_in_turn(self, strength):
    network = _build(strength)
    weights, (x, y) = _weights(network), _batch()

    def run():
      tensors = tuple(map(tf.constant, weights))
      with tf.GradientTape() as tape:
        tape.watch(tensors)
        loss = network.loss(tensors, tf.constant(x), tf.constant(y), None)
      return loss, tape.gradient(loss, tensors, unconnected_gradients='zero')

    loss, got = testing.in_graph(run)
    error, gradients = _gradients(weights, x, y[:, 1:])
    self.assertAlmostEqual(loss, error, places=6)
    for one, other in zip(got[2:], gradients[2:], strict=True):
      np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-7)
    after_step = weights[:2] + [
      weight - _RATE * gradient for weight, gradient in zip(weights[2:], gradients[2:], strict=True)
    ]
    _, against_it = _gradients(after_step, x, y[:, 1:])
    for one, other in zip(got[:2], against_it[:2], strict=True):
      np.testing.assert_allclose(one, -strength * other, rtol=1e-4, atol=1e-7)
      self.assertTrue(np.any(other))

  def test_guesses_are_without_dropout(self):
    keras_model = models.build_mlp((4,), 2, (6, 5), seed=2, dropout_rate=0.5)
    network = models.build_adversary(
      keras_model, _GLOBAL, 2, strength=1.0, learning_rate=_RATE, units=(3,), seed=7
    )
    weights, (x, _) = _weights(network), _batch()
    h, logits = testing.in_graph(
      lambda: network.guess(tuple(map(tf.constant, weights)), tf.constant(x))
    )
    expected = np.maximum(x @ weights[0] + weights[1], 0)
    np.testing.assert_allclose(h, expected, rtol=1e-5)
    expected = np.maximum(expected @ weights[2] + weights[3], 0) @ weights[4] + weights[5]
    np.testing.assert_allclose(logits, expected, rtol=1e-4)

  def test_class_is_not_asked(self):
    network = _build(1.0)
    weights, (x, y) = _weights(network), _batch()
    losses = [
      testing.in_graph(
        lambda labels=labels: network.loss(
          tuple(map(tf.constant, weights)), tf.constant(x), tf.constant(labels), None
        )
      )
      for labels in (y, y * [0, 1, 1] + [9, 0, 0], 1 - y)
    ]
    self.assertEqual(losses[0], losses[1])
    self.assertNotAlmostEqual(losses[0], losses[2], places=3)

  @parameterized.parameters(-1.0, np.nan)
  def test_refuses_strength(self, strength):
    with self.assertRaisesRegex(ValueError, 'strength of the adversary is .*, expected'):
      _build(strength)

  def test_refuses_a_network_without_local_layers_below(self):
    with self.assertRaisesRegex(ValueError, 'no one representation by local layers alone'):
      models.build_adversary(_network(), ('hidden_1',), 1, strength=1.0, learning_rate=0.1)


class ProtectedClassifierTest(absltest.TestCase):
  def test_loss_and_accuracy_are_those_of_the_class(self):
    model = models.protected_classifier(_network(), 2)
    x, y = _batch()
    logits = _network()(x).numpy()
    log_probability = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def run():
      weights = tuple(map(tf.constant, model.initial_weights))
      tensors = tf.constant(x), tf.constant(y)
      metrics = evaluation.evaluate_weights(
        model,
        weights,
        learning.TensorBatches(None, shuffle=False),
        learning.ClientTensors(*tensors),
      )
      return learning.supervised(model, weights, weights, *tensors), metrics

    loss, metrics = testing.in_graph(run)
    self.assertAlmostEqual(loss, -log_probability[np.arange(5), y[:, 0]].mean(), places=5)
    self.assertAlmostEqual(metrics['loss'], loss, places=6)
    self.assertEqual(metrics['accuracy'], np.float32(np.mean(logits.argmax(axis=1) == y[:, 0])))
    self.assertEqual(metrics['num_examples'], 5)


if __name__ == '__main__':
  absltest.main()

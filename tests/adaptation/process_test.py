"""Tests of adapting clients: small models, by hand, in numpy and against learning."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.adaptation import testing
from tests.learning import testing as learning_testing
from tff_lg import adaptation, learning, models, simulation
from tff_lg.compatibility import tff

_sgd = tff.learning.optimizers.build_sgdm
_IN_ORDER = learning.TensorBatches(2, shuffle=False)
_START = (np.array([[1.0]], np.float32), np.array([[2.0]], np.float32))  # Base 1, head 2.


def setUpModule():
  simulation.set_execution_context()


def _linear_head(num_epochs=3, **options) -> adaptation.AdaptationProcess:
  """Trains the head h of y = h * x: each epoch of (1, y) halves its distance to y."""
  return adaptation.build_adaptation_process(
    learning_testing.linear_model(),
    adaptation.freeze_base(),
    _sgd(0.25),
    _IN_ORDER,
    num_epochs,
    selection_metric='loss',
    **options,
  )


def _adapt_linear(process, *clients) -> list[adaptation.AdaptationOutput]:
  train, validation = zip(*clients, strict=True)
  num_clients = len(clients)
  return process.adapt([_START] * num_clients, [()] * num_clients, list(train), list(validation))


def _head(output) -> float:
  return float(output.weights[1][0, 0])


class AdaptTest(parameterized.TestCase):
  def test_best_epoch_is_that_of_the_own_validation_data(self):
    one, tensors = learning_testing.tensors((1, 1)), learning_testing.tensors
    outputs = _adapt_linear(
      _linear_head(),
      (one, tensors((1, 1.5))),
      (one, tensors((1, 1), (2, 2))),
      (one, tensors((1, 3))),
    )
    # Heads 2, 1.5, 1.25, 1.125.
    expected = [
      (1, 1.5, [0.25, 0, 0.0625, 0.140625]),
      (3, 1.125, [2.5, 0.625, 0.15625, 0.0390625]),
      (0, 2, [1, 2.25, 3.0625, 3.515625]),
    ]
    for output, (epoch, head, losses) in zip(outputs, expected, strict=True):
      self.assertEqual((output.best_epoch, _head(output)), (epoch, head))
      np.testing.assert_allclose(output.validation['loss'], losses)
      np.testing.assert_allclose(output.validation['error'], losses)
      np.testing.assert_array_equal(output.weights[0], _START[0])
      self.assertTrue(output.is_finite)
    self.assertEqual([output.num_validation_examples for output in outputs], [1, 2, 1])

  def test_the_earliest_of_equals_and_clients_without_data(self):
    one, none = learning_testing.tensors((1, 1)), learning_testing.tensors()
    learned = learning_testing.tensors((1, 2))
    outputs = _adapt_linear(_linear_head(), (learned, learned), (one, none), (none, one))
    self.assertEqual([int(output.best_epoch) for output in outputs], [0, 0, 0])
    self.assertEqual([_head(output) for output in outputs], [2, 2, 2])
    self.assertEqual([bool(output.is_finite) for output in outputs], [True] * 3)
    np.testing.assert_array_equal(outputs[1].validation['loss'], np.zeros(4))
    self.assertEqual(outputs[1].num_validation_examples, 0)
    np.testing.assert_array_equal(outputs[2].validation['loss'], np.ones(4))

  @parameterized.parameters(float('nan'), float('inf'), 1e38)
  def test_what_is_not_finite_keeps_the_start_and_says_so(self, y):
    process = _linear_head()
    one, bad = learning_testing.tensors((1, 1)), learning_testing.tensors((1, y))
    good, flagged = _adapt_linear(process, (one, one), (bad, learning_testing.tensors((1, 1))))
    self.assertEqual((good.best_epoch, good.is_finite), (3, True))
    self.assertEqual((flagged.best_epoch, flagged.is_finite, _head(flagged)), (0, False, 2))
    np.testing.assert_array_equal(flagged.validation['loss'], np.ones(4))
    kept = process.adapt_to_epoch([_START] * 2, [()] * 2, [one, bad], [1, 1])
    self.assertEqual([_head(output) for output in kept], [1.5, 2])
    self.assertEqual([bool(output.is_finite) for output in kept], [True, False])

  def test_evaluations_some_epochs_apart(self):
    process = _linear_head(4, evaluate_every_epochs=2)
    self.assertEqual(process.epochs, (0, 2, 4))
    one = learning_testing.tensors((1, 1))
    (output,) = _adapt_linear(process, (one, learning_testing.tensors((1, 1.25))))
    self.assertEqual((output.best_epoch, _head(output)), (2, 1.25))
    np.testing.assert_allclose(output.validation['loss'], [0.75**2, 0, 0.1875**2])

  @parameterized.named_parameters(
    ('fine_tune', adaptation.fine_tune()), ('distillation', adaptation.distillation())
  )
  def test_dropout_follows_the_seed_of_the_client(self, technique):
    model = learning_testing.gated_classifier()
    process = adaptation.build_adaptation_process(
      model, technique, _sgd(0.1), learning.TensorBatches(3, shuffle=False), 2
    )
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 4)).astype(np.float32), rng.integers(0, 3, 6).astype(np.int32)
    one, same, other = process.adapt_to_epoch(
      [model.initial_weights] * 3,
      [()] * 3,
      [learning.ClientTensors(x, y, np.array([seed, 0], np.int32)) for seed in (1, 1, 2)],
      [2] * 3,
    )
    for a, b in zip(one.weights, same.weights, strict=True):
      np.testing.assert_array_equal(a, b)
    self.assertGreater(np.abs(one.weights[0] - other.weights[0]).max(), 1e-4)

  def test_to_an_epoch_for_each_client(self):
    process = _linear_head(4, evaluate_every_epochs=2)
    one = learning_testing.tensors((1, 1))
    outputs = process.adapt_to_epoch([_START] * 4, [()] * 4, [one] * 4, [0, 2, 3, 4])
    self.assertEqual([_head(output) for output in outputs], [2, 1.25, 1.25, 1.0625])

  def test_aggregate_is_the_mean_of_what_is_finite(self):
    tensors = learning_testing.tensors
    # Heads after an epoch: 1.5, 2.5 and none.
    data = [tensors((1, 1)), tensors((1, 3)), tensors((1, float('nan')))]
    output = _linear_head().aggregate([_START] * 3, [()] * 3, data, [1] * 3, [1.0, 3.0, 5.0])
    self.assertEqual(_head(output), 2.25)
    np.testing.assert_array_equal(output.weights[0], _START[0])
    self.assertEqual(list(output.is_finite), [True, True, False])

  def test_accuracy_is_maximized(self):
    model = testing.softmax_regression()
    process = adaptation.build_adaptation_process(
      model, adaptation.fine_tune(), _sgd(0.5), _IN_ORDER, 4
    )
    train, validation = testing.two_features(6, 1), testing.two_features(9, 2)
    (output,) = process.adapt([model.initial_weights], [()], [train], [validation])
    kernel, bias = model.initial_weights
    accuracy = np.mean((validation.x @ kernel + bias).argmax(1) == validation.y)
    self.assertAlmostEqual(output.validation['accuracy'][0], accuracy, places=6)
    self.assertEqual(output.best_epoch, output.validation['accuracy'].argmax())

  def test_tokens(self):
    model = testing.tokens_model()
    process = adaptation.build_adaptation_process(
      model, adaptation.distillation(), _sgd(0.01), _IN_ORDER, 2
    )
    data = learning.ClientTensors(
      np.array([[2, 3, 2], [2, 1, 0]], np.int32), np.array([[3, 2, 1], [3, 0, 0]], np.int32)
    )
    (output,) = process.adapt([model.initial_weights], [()], [data], [data])
    self.assertEqual(output.num_validation_examples, 4)
    self.assertLess(output.validation['loss'][2], output.validation['loss'][0])


class TechniquesTest(absltest.TestCase):
  def test_fine_tuning_is_local_training(self):
    model = learning_testing.classifier()
    rng = np.random.default_rng(0)
    data = [
      learning.ClientTensors(
        rng.normal(size=(n, 4)).astype(np.float32), rng.integers(0, 3, n).astype(np.int32)
      )
      for n in (5, 3)
    ]
    optimizer = _sgd(0.1, 0.9)
    local_only = learning.METHODS['local_only'].build_process(
      model,
      learning.ProcessSettings(optimizer, learning.TensorBatches(2, num_epochs=3, shuffle=False)),
    )
    states = [local_only.initialize_client(model.initial_weights)] * 2
    expected = local_only.next(
      local_only.initialize(model.initial_weights), states, data
    ).client_states
    process = adaptation.build_adaptation_process(
      model, adaptation.fine_tune(), optimizer, _IN_ORDER, 3
    )
    outputs = process.adapt_to_epoch([model.initial_weights] * 2, [()] * 2, data, [3, 3])
    for output, state in zip(outputs, expected, strict=True):
      for got, weight in zip(output.weights, state.local_weights, strict=True):
        np.testing.assert_allclose(got, weight, rtol=1e-5, atol=1e-7)

  def test_freezing_leaves_the_bits_of_what_does_not_train(self):
    model = learning_testing.classifier()
    start = testing.weights(model, 1)
    rng = np.random.default_rng(0)
    data = learning.ClientTensors(
      rng.normal(size=(5, 4)).astype(np.float32), rng.integers(0, 3, 5).astype(np.int32)
    )
    weights = {}
    for layers in (('output',), ('hidden_1',)):
      process = adaptation.build_adaptation_process(
        model, adaptation.freeze_base(layers), _sgd(0.1, 0.9), _IN_ORDER, 2
      )
      (output,) = process.adapt_to_epoch([start], [()], [data], [2])
      weights[layers[0]] = output.weights
    for index, layer in enumerate(('hidden_1', 'hidden_1', 'output', 'output')):
      for trained, got in weights.items():
        same = np.array_equal(got[index], start[index])
        self.assertEqual(same, trained != layer, msg=f'{layer} where {trained} trains')

  def test_ewc_pulls_back_to_each_clients_start(self):
    model, rate = learning_testing.linear_model(), 0.01
    starts = [_START, (np.array([[1.5]], np.float32), np.array([[0.5]], np.float32))]
    data = [learning_testing.tensors((1, 0)), learning_testing.tensors((1, 3))]
    public = learning_testing.tensors((1, 1), (2, 1))

    def adapt(technique):
      process = adaptation.build_adaptation_process(
        model, technique, _sgd(rate), _IN_ORDER, 20, selection_metric='loss'
      )
      measured = process.measure(starts, public)
      return measured, process.adapt_to_epoch(starts, measured, data, [20, 20])

    _, fine_tuned = adapt(adaptation.fine_tune())
    measured, without = adapt(adaptation.ewc(0.0))
    _, penalised = adapt(adaptation.ewc(0.1))
    for k, start in enumerate(starts):
      np.testing.assert_array_equal(np.array(without[k].weights), np.array(fine_tuned[k].weights))
      w = start = np.array(start, np.float64).ravel()
      residuals = np.array([w.prod() - 1, 2 * w.prod() - 1])
      fisher = np.mean(
        [(2 * r * x * w[::-1]) ** 2 for r, x in zip(residuals, (1, 2), strict=True)], axis=0
      )
      np.testing.assert_allclose(np.ravel(measured[k]), fisher, rtol=1e-5)
      target = data[k].y[0, 0]
      for _ in range(20):
        w = w - rate * (2 * (w.prod() - target) * w[::-1] + 0.1 * fisher * (w - start))
      np.testing.assert_allclose(np.ravel(penalised[k].weights), w, rtol=1e-4)
      distance = np.abs(np.ravel(penalised[k].weights) - start).max()
      self.assertLess(distance, np.abs(np.ravel(fine_tuned[k].weights) - start).max())

  def test_nothing_is_measured_where_nothing_is_needed(self):
    process = _linear_head()
    self.assertEqual(
      [tuple(m) for m in process.measure([_START], learning_testing.tensors())], [()]
    )


class OrderTest(absltest.TestCase):
  def test_same_bits_whatever_the_order_of_clients_and_to_the_best_epoch(self):
    model = models.from_keras(
      models.build_mlp((2,), 3, (8,), dropout_rate=0.3),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )
    process = adaptation.build_adaptation_process(
      model, adaptation.distillation(0.1), _sgd(0.3), learning.TensorBatches(4), 5
    )
    train = [testing.two_features(n, n) for n in (9, 12, 7, 10)]
    validation = [testing.two_features(20, 100 + n) for n in range(4)]
    start, nothing = [model.initial_weights] * 4, [()] * 4
    outputs = process.adapt(start, nothing, train, validation)
    turned = process.adapt(start, nothing, train[::-1], validation[::-1])[::-1]
    epochs = [int(output.best_epoch) for output in outputs]
    self.assertGreater(max(epochs), 0)
    alone = process.adapt_to_epoch(start, nothing, train, epochs)
    for output, same, again in zip(outputs, turned, alone, strict=True):
      self.assertEqual(output.best_epoch, same.best_epoch)
      for weight, *others in zip(output.weights, same.weights, again.weights, strict=True):
        for other in others:
          np.testing.assert_array_equal(weight, other)
      for name, values in output.validation.items():
        np.testing.assert_array_equal(values, same.validation[name])


class RefusesTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'batches': learning.DatasetBatches()}, 'expected TensorBatches of one epoch'),
    ({'batches': learning.TensorBatches(2, 2)}, 'expected TensorBatches of one epoch'),
    ({'batches': learning.TensorBatches(2, max_steps=1)}, 'expected TensorBatches of one epoch'),
    ({'num_epochs': 0}, 'num_epochs is 0 and'),
    ({'num_epochs': 3, 'evaluate_every_epochs': 2}, 'num_epochs is 3 and evaluate_every_epochs 2'),
    ({'selection_metric': 'auc'}, 'selection_metric is auc, expected one of accuracy, loss'),
    ({'adaptation': adaptation.freeze_base(['top'])}, 'trained_layers has top'),
  )
  def test_settings(self, changes, sentence):
    settings = {
      'adaptation': adaptation.fine_tune(),
      'client_optimizer': _sgd(0.1),
      'batches': _IN_ORDER,
      'num_epochs': 1,
      **changes,
    }
    with self.assertRaisesRegex(ValueError, sentence):
      adaptation.build_adaptation_process(testing.softmax_regression(), **settings)


if __name__ == '__main__':
  absltest.main()

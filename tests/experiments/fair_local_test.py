"""Tests of devices' own models, on a problem with one weight and on separable rows."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import learning, models, simulation
from tff_lg.compatibility import tff
from tff_lg.config import own_models
from tff_lg.experiments import fair_local


def setUpModule():
  simulation.set_execution_context()


def _devices(sizes, seed=0):
  """Makes rows of two features; the label says which is greater, attributes are noise."""
  rng = np.random.default_rng(seed)
  devices = []
  for size in sizes:
    x = rng.normal(size=(size, 2)).astype(np.float32)
    y = (x[:, 0] > x[:, 1]).astype(np.int32)
    devices.append(
      learning.ClientTensors(x, np.column_stack([y, rng.integers(0, 2, (size, 2))]).astype('int32'))
    )
  return devices


def _model():
  """Builds a logistic regression with an extra weight that the objective below trains."""
  keras_model = models.build_mlp((2,), 2, (), seed=0)
  model = models.protected_classifier(keras_model, 2)
  return model.with_extra_weights({'extra/weight': np.zeros(1, np.float32)})


def _objective(model, weights, initial_weights, x, y):
  """Moves the extra weight to 1, whatever the rows."""
  supervised = learning.supervised(model, weights, initial_weights, x, y)
  return supervised + 0.5 * tf.reduce_sum(tf.square(weights[-1] - 1.0))


def _trainer(epochs=6, patience=2, rates=(0.5,)):
  return fair_local.NetworkTrainer(
    _model(),
    _objective,
    tff.learning.optimizers.build_sgdm,
    learning.TensorBatches(None),
    own_models.OwnModelOptions(
      local_only_epochs=epochs, local_only_patience=patience, local_only_learning_rate=rates
    ),
    learning_rate=0.5,
  )


class HoldOutTest(absltest.TestCase):
  def test_a_tenth_of_each_device_by_class_and_by_seed(self):
    devices = _devices((50, 20))
    first, again, other = (fair_local.hold_out(devices, seed) for seed in (0, 0, 1))
    for number, size in enumerate((50, 20)):
      train, validation = (part[number] for part in first)
      self.assertLen(validation.y, size // 10)
      rows = np.concatenate([train.x, validation.x])
      np.testing.assert_array_equal(
        rows[np.argsort(rows[:, 0])], devices[number].x[np.argsort(devices[number].x[:, 0])]
      )
      np.testing.assert_array_equal(validation.x, again[1][number].x)
      self.assertFalse(np.array_equal(validation.x, other[1][number].x))
    self.assertLen(set(first[1][0].y[:, 0].tolist()), 2)


class NetworkTrainerTest(absltest.TestCase):
  def test_all_rows_and_all_weights_train_for_the_epochs_chosen(self):
    devices = _devices((40, 20))
    own = _trainer().train(_model().initial_weights, devices, seed=0)
    # These rows are separable: the loss falls in each epoch.
    np.testing.assert_array_equal(own.epochs, [6, 6])
    np.testing.assert_array_equal(own.was_stopped, [False, False])
    np.testing.assert_array_equal(own.is_finite, [True, True])
    for device, weights in zip(devices, own.weights, strict=True):
      # Steps of gradient descent on all of the device's rows, by hand.
      kernel, bias = (weight.astype(np.float64) for weight in _model().initial_weights[:2])
      label = np.eye(2)[device.y[:, 0]]
      for _ in range(6):
        logits = device.x @ kernel + bias
        error = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True) - label
        kernel -= 0.5 * device.x.T @ error / len(label)
        bias -= 0.5 * error.mean(axis=0)
      np.testing.assert_allclose(weights[0], kernel, rtol=1e-4, atol=1e-5)
      np.testing.assert_allclose(weights[1], bias, rtol=1e-4, atol=1e-5)
      self.assertAlmostEqual(weights[2][0], 1 - 0.5**6, places=5)

  def test_patience_stops_a_device_that_learns_nothing(self):
    (device,) = _devices((40,))
    noise = np.random.default_rng(1).integers(0, 2, device.y.shape).astype(np.int32)
    own = _trainer(epochs=50).train(_model().initial_weights, [device._replace(y=noise)], seed=0)
    self.assertTrue(own.was_stopped.all())
    self.assertLess(own.epochs[0], 50)

  def test_the_rate_with_the_lowest_held_out_loss_is_chosen(self):
    own = _trainer(rates=(0.001, 0.5)).train(_model().initial_weights, _devices((40, 20)), seed=0)
    self.assertEqual(own.search.best, 0.5)
    self.assertEqual(list(own.search.tried), [0.001, 0.5])


class FitSimpleTest(absltest.TestCase):
  def test_each_device_has_a_model_of_its_own_rows(self):
    devices = _devices((60, 60))
    # The second device has the labels the other way round.
    devices[1] = devices[1]._replace(y=1 - devices[1].y)
    predict, search = fair_local.fit_simple('linear', devices, seed=0)
    self.assertIn(search.best, search.tried)
    for of_device, device in zip(predict, devices, strict=True):
      accuracy = (of_device(device.x).argmax(axis=1) == device.y[:, 0]).mean()
      self.assertGreater(accuracy, 0.95)


if __name__ == '__main__':
  absltest.main()

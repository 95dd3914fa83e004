"""Tests of fitting a simple model to one client."""

import numpy as np
from absl.testing import absltest
from scipy import special

from tff_lg import simple_models
from tff_lg.simple_models import simple_model


class _Recorder:
  """Predicts the shares of the labels that it was fitted to."""

  def fit(self, x, y):
    self.shape = x.shape
    self.shares = np.unique(y, return_counts=True)[1] / len(y)
    return self

  def predict(self, x):
    return np.full(len(x), 7, np.float32)

  def predict_proba(self, x):
    assert x.shape[1:] == self.shape[1:]
    return np.tile(self.shares, (len(x), 1))


class FitTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.built = []

    def build(value, num_examples, seed):
      self.built.append((value, num_examples, seed))
      return _Recorder()

    self.model = simple_models.SimpleModel('strength', (1.0,), build, build)

  def _fit(self, y, num_classes=4):
    x = np.zeros((len(y), 2, 3), np.float32)
    return simple_models.fit(self.model, 0.5, x, np.array(y, np.int32), num_classes, 7)

  def test_classes_that_the_client_does_not_know_have_no_probability(self):
    predict = self._fit([1, 3, 3, 3])
    np.testing.assert_array_equal(predict(np.zeros((2, 2, 3))), [[0, 0.25, 0, 0.75]] * 2)
    self.assertEqual(self.built, [(0.5, 4, 7)])

  def test_one_class_and_no_example(self):
    np.testing.assert_array_equal(self._fit([2, 2])(np.zeros((1, 2, 3))), [[0, 0, 1, 0]])
    np.testing.assert_array_equal(self._fit([])(np.zeros((1, 2, 3))), [[0.25] * 4])
    self.assertEmpty(self.built)

  def test_weight_of_two_is_an_example_twice_and_of_none_no_example(self):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)).astype(np.float32), rng.integers(0, 2, 30)
    times = rng.integers(0, 3, 30)
    linear = simple_models.SIMPLE_MODELS['linear']
    weighed = simple_models.fit(linear, 1.0, x, y, 2, 0, times.astype(np.float32))
    repeated = simple_models.fit(linear, 1.0, np.repeat(x, times, 0), np.repeat(y, times), 2, 0)
    np.testing.assert_allclose(weighed(x), repeated(x), atol=1e-5)
    self.assertGreater(
      np.abs(weighed(x) - simple_models.fit(linear, 1.0, x, y, 2, 0)(x)).max(), 0.01
    )
    affine = simple_models.fit_affine(linear, 1.0, x, y, 2, 0, times.astype(np.float32))
    logits = (x - affine.mean) / affine.scale @ affine.kernel + affine.bias
    np.testing.assert_allclose(special.softmax(logits, axis=1), weighed(x), atol=1e-5)
    boosting = simple_models.SIMPLE_MODELS['boosting']
    of_weight_0 = simple_models.fit_number(boosting, 0.1, x, y, 0, (y == 1).astype(np.float32))
    np.testing.assert_allclose(of_weight_0(x), 1.0)

  def test_nothing_to_predict(self):
    self.assertEqual(self._fit([0, 1])(np.zeros((0, 2, 3))).shape, (0, 4))

  def test_numbers(self):
    y = np.array([1, 2, 6], np.float32)

    def fit(y):
      x = np.zeros((len(y), 2, 3), np.float32)
      return simple_model.fit_number(self.model, 0.5, x, y, 7)

    predicted = fit(y)(np.zeros((2, 2, 3)))
    np.testing.assert_array_equal(predicted, [7, 7])
    self.assertEqual((predicted.dtype, self.built), (np.float64, [(0.5, 3, 7)]))
    self.assertEqual(fit(y)(np.zeros((0, 2, 3))).shape, (0,))
    # Too few to fit: their mean.
    np.testing.assert_array_equal(fit(y[1:2])(np.zeros((1, 2, 3))), [2])
    np.testing.assert_array_equal(fit(y[:0])(np.zeros((1, 2, 3))), [0])
    self.assertLen(self.built, 2)


class FitAffineTest(absltest.TestCase):
  def _check(self, y, num_classes):
    rng = np.random.default_rng(0)
    x = 5 + 3 * rng.random((len(y), 2, 2), np.float32)
    y, model = np.array(y), simple_models.SIMPLE_MODELS['linear']
    affine = simple_models.fit_affine(model, 0.1, x, y, num_classes, 0)
    outputs = (x.reshape(-1, 4) - affine.mean) / affine.scale @ affine.kernel + affine.bias
    if num_classes is None:
      expected = simple_models.fit_number(model, 0.1, x, y, 0)(x)
      np.testing.assert_allclose(outputs[:, 0], expected, rtol=1e-5)
      return
    expected = simple_models.fit(model, 0.1, x, y, num_classes, 0)(x)
    np.testing.assert_allclose(special.softmax(outputs, axis=1), expected, rtol=1e-4)

  def test_gives_what_fit_gives(self):
    self._check([0, 2, 2, 0, 2, 0], 3)
    self._check([0, 1, 3, 3, 1, 0], 4)
    self._check([1, 1], 3)
    self._check([], 3)
    self._check([0.5, 1.5, -2.0, 0.0], None)
    self._check([1.5], None)

  def test_refuses_trees(self):
    trees, one = simple_models.SIMPLE_MODELS['boosting'], np.zeros((1, 2), np.float32)
    with self.assertRaisesRegex(ValueError, 'The model has no affine form'):
      simple_models.fit_affine(trees, 0.1, one, one[:, 0], None, 0)


class LogLikelihoodsTest(absltest.TestCase):
  def test_a_class_of_probability_zero_has_a_finite_loss(self):
    probabilities = np.array([[0.25, 0.75], [1.0, 0.0]])
    np.testing.assert_allclose(
      simple_models.log_likelihoods(probabilities, np.array([1, 1])), np.log([0.75, 1e-7])
    )


if __name__ == '__main__':
  absltest.main()

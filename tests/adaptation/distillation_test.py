"""Tests of the distillation objective against scipy and derivatives by hand."""

import numpy as np
import scipy.special
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.adaptation import testing
from tests.learning import testing as learning_testing
from tff_lg import adaptation, models


def _loss(distillation, model, weights, start, x, y) -> tuple[float, list[np.ndarray]]:
  """Returns the objective's value and its gradient by the weights."""

  def loss_and_gradients():
    current = testing.as_tensors(weights)
    before = current if start is weights else testing.as_tensors(start)
    with tf.GradientTape() as tape:
      tape.watch(current)
      loss = distillation.objective(())(model, current, before, tf.constant(x), tf.constant(y))
    return loss, [tf.convert_to_tensor(g) for g in tape.gradient(loss, current)]

  return learning_testing.in_graph(loss_and_gradients)


def _cross_entropy(logits, y) -> float:
  return float(
    np.mean(scipy.special.logsumexp(logits, -1) - np.take_along_axis(logits, y[:, None], 1)[:, 0])
  )


class DistillationTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.model = testing.softmax_regression()
    self.weights, self.start = (testing.weights(self.model, seed) for seed in (1, 2))
    self.x, self.y = testing.two_features(5, seed=3)[:2]
    self.student, self.teacher = (self.x @ w + b for w, b in (self.weights, self.start))

  @parameterized.parameters(('labels', 0.7 * 3**2, 0.3), ('teacher', 0.3, 0.7 * 3**2))
  def test_value_and_gradient(self, scaled_term, label_factor, teacher_factor):
    distillation = adaptation.distillation(0.7, 3.0, scaled_term)
    p, q = testing.softmax(self.teacher / 3), testing.softmax(self.student / 3)
    divergence = np.mean(np.sum(scipy.special.rel_entr(p, q), axis=1))
    loss, gradients = _loss(distillation, self.model, self.weights, self.start, self.x, self.y)
    expected = label_factor * _cross_entropy(self.student, self.y) + teacher_factor * divergence
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    error = testing.softmax(self.student) - np.eye(3)[self.y]
    by_output = (label_factor * error + teacher_factor * (q - p) / 3) / 5
    np.testing.assert_allclose(gradients[0], self.x.T @ by_output, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(gradients[1], by_output.sum(axis=0), rtol=1e-3, atol=1e-6)

  def test_losses_of_the_students_layers_are_added_once(self):
    dense = tf.keras.layers.Dense(3, kernel_regularizer='l2', name='dense')
    model = models.from_keras(
      tf.keras.Sequential([tf.keras.layers.InputLayer((2,)), dense]),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={},
    )
    one, other = (
      _loss(adaptation.distillation(0.7, 3.0), each, self.weights, self.start, self.x, self.y)[0]
      for each in (model, self.model)
    )
    # 0.01 is Keras's default.
    np.testing.assert_allclose(one - other, 0.01 * np.sum(self.weights[0] ** 2), rtol=1e-4)

  def test_the_teachers_term_is_scaled_by_default(self):
    alpha, temperature = 0.95, 6.0
    divergence, cross_entropy = [], []
    for student, teacher, label in zip(self.student, self.teacher, self.y, strict=True):
      p, q = (np.exp(z / temperature) for z in (teacher, student))
      p, q = p / p.sum(), q / q.sum()
      divergence.append(np.sum(p * np.log(p / q)))
      cross_entropy.append(np.log(np.exp(student).sum()) - student[label])
    expected = alpha * temperature**2 * np.mean(divergence) + (1 - alpha) * np.mean(cross_entropy)
    loss, _ = _loss(adaptation.distillation(), self.model, self.weights, self.start, self.x, self.y)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)

  def test_temperature_does_not_change_the_teachers_share(self):
    norms = []
    for temperature in (20.0, 40.0):
      distillation = adaptation.distillation(1.0, temperature)
      _, gradients = _loss(distillation, self.model, self.weights, self.start, self.x, self.y)
      norms.append(np.linalg.norm(gradients[0]))
    # That of KL alone would be four times smaller.
    self.assertAlmostEqual(norms[1] / norms[0], 1, delta=0.1)

  def test_labels_scaled_with_alpha_one_is_the_scaled_cross_entropy(self):
    distillation = adaptation.distillation(1.0, 6.0, 'labels')
    loss, _ = _loss(distillation, self.model, self.weights, self.start, self.x, self.y)
    np.testing.assert_allclose(loss, 36 * _cross_entropy(self.student, self.y), rtol=1e-5)

  def test_at_the_start_the_teacher_gives_no_gradient(self):
    loss, gradients = _loss(
      adaptation.distillation(1.0, 2.0), self.model, self.start, self.start, self.x, self.y
    )
    self.assertAlmostEqual(float(loss), 0, places=6)
    for gradient in gradients:
      np.testing.assert_allclose(gradient, np.zeros(gradient.shape), atol=1e-6)

  def test_outputs_that_are_probabilities(self):
    loss, _ = _loss(
      adaptation.distillation(0.7, 3.0),
      testing.softmax_regression('softmax'),
      self.weights,
      self.start,
      self.x,
      self.y,
    )
    expected, _ = _loss(
      adaptation.distillation(0.7, 3.0), self.model, self.weights, self.start, self.x, self.y
    )
    np.testing.assert_allclose(loss, expected, rtol=1e-4)

  def test_mean_over_the_tokens_that_the_loss_counts(self):
    model = testing.tokens_model()
    (student,), (teacher,) = weights, start = testing.weights(model, 1), testing.weights(model, 2)
    x = np.array([[1, 2, 3], [3, 1, 1]], np.int32)
    y = np.array([[2, 3, 1], [1, 0, 0]], np.int32)
    loss, _ = _loss(adaptation.distillation(1.0, 2.0), model, weights, start, x, y)
    counted = x[y > 0]
    p, q = testing.softmax(teacher[counted] / 2), testing.softmax(student[counted] / 2)
    expected = 2**2 * np.mean(np.sum(scipy.special.rel_entr(p, q), axis=-1))
    np.testing.assert_allclose(loss, expected, rtol=1e-5)

  def test_nothing_but_padding_is_zero(self):
    model = testing.tokens_model()
    x = np.array([[1, 2, 3]], np.int32)
    loss, _ = _loss(
      adaptation.distillation(1.0),
      model,
      testing.weights(model, 1),
      testing.weights(model, 2),
      x,
      0 * x,
    )
    self.assertEqual(loss, 0)

  def test_the_teacher_is_in_evaluation_mode_and_the_student_trains(self):
    model = models.from_keras(
      models.build_mlp((2,), 3, (4,), dropout_rate=0.5),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={},
    ).with_dropout_key(np.array([1, 2]))
    weights, start = testing.weights(model, 1), testing.weights(model, 2)

    def outputs():
      x = tf.constant(self.x)
      return [
        model.predict(testing.as_tensors(w), x, training)
        for w, training in ((weights, True), (weights, False), (start, False))
      ]

    student, in_evaluation, teacher = learning_testing.in_graph(outputs)
    self.assertFalse(np.allclose(student, in_evaluation))
    p, q = testing.softmax(teacher), testing.softmax(student)
    loss, _ = _loss(adaptation.distillation(1.0, 1.0), model, weights, start, self.x, self.y)
    np.testing.assert_allclose(loss, np.mean(np.sum(scipy.special.rel_entr(p, q), 1)), rtol=1e-4)

  @parameterized.parameters(
    ((1.5, 6.0, 'labels'), 'alpha is 1.5, expected'),
    ((0.5, 0.0, 'labels'), 'temperature is 0.0, expected'),
    ((0.5, 6.0, 'both'), 'scaled_term is both, expected teacher or labels'),
  )
  def test_refuses(self, arguments, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      adaptation.distillation(*arguments)


if __name__ == '__main__':
  absltest.main()

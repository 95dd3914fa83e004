"""Tests of evaluating clients' own models and of an ensemble of them."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.learning import evaluation


def setUpModule():
  simulation.set_execution_context()


class EvaluateTest(absltest.TestCase):
  """y = head * base * x, head 3 from the server, bases 1, 2 and 1 at the clients."""

  def test_each_client_on_its_own_data(self):
    model = testing.linear_model(('head',))
    process = learning.build_local_global_process(
      model, testing.settings(evaluation_batches=learning.TensorBatches(2, shuffle=False))
    )
    server_state = process.initialize(model.initial_weights)
    server_state = server_state._replace(global_weights=(np.array([[3]], np.float32),))
    clients = [
      process.initialize_client(model.initial_weights)._replace(
        local_weights=(np.array([[base]], np.float32),)
      )
      for base in (1, 2, 1)
    ]
    # The first client has a whole batch of two and a rest of one.
    data = [testing.tensors((1, 1), (1, 1), (2, 2)), testing.tensors((1, 1)), testing.tensors()]
    results = process.evaluate(server_state, clients, data)
    expected = [(2**2 + 2**2 + 4**2) / 3, 5**2, 0]
    for metric in ('loss', 'error'):
      np.testing.assert_allclose([result[metric] for result in results], expected, rtol=1e-6)
    self.assertEqual([result['num_examples'] for result in results], [3, 1, 0])


class ScalarOutputTest(absltest.TestCase):
  """y = w * x, w 2 at first, the output for an example of shape []."""

  def setUp(self):
    super().setUp()
    dense = tf.keras.layers.Dense(
      1, use_bias=False, kernel_initializer=tf.keras.initializers.Constant(2.0), name='output'
    )
    layers = [tf.keras.layers.InputLayer(input_shape=(1,)), dense, tf.keras.layers.Reshape(())]
    model = models.from_keras(
      tf.keras.Sequential(layers),
      loss=tf.keras.losses.MeanSquaredError(),
      metrics={'error': tf.keras.metrics.MeanSquaredError},
      label_spec=tf.TensorSpec([None], tf.float32),
    )
    self.process = learning.build_local_global_process(model, testing.settings())
    self.state = self.process.initialize(model.initial_weights)
    self.clients = [self.process.initialize_client(model.initial_weights)]

  def test_is_trained_and_evaluated(self):
    data = [learning.ClientTensors(np.array([[1], [3]], np.float32), np.array([1, 5], np.float32))]
    (before,) = self.process.evaluate(self.state, self.clients, data)
    self.assertEqual((before['loss'], before['error'], before['num_examples']), (1, 1, 2))
    output = self.process.next(self.state, self.clients, data)
    # Residuals 1 and 1: the gradient is 1 + 3.
    np.testing.assert_allclose(output.server_state.global_weights, [[[1.6]]], rtol=1e-6)

  def test_has_no_probabilities_of_classes(self):
    x = np.zeros([evaluation.ENSEMBLE_BATCH_SIZE, 1], np.float32)
    for predict, examples in ((self.process.predict, [x]), (self.process.ensemble, x)):
      with self.assertRaisesRegex(ValueError, r'one number for an example, of shape \[\], and no'):
        predict(self.state, self.clients, examples)


class PredictTest(parameterized.TestCase):
  @parameterized.named_parameters(('logits', None), ('probabilities', 'softmax'))
  def test_each_client_its_own_examples(self, output_activation):
    model = testing.classifier(output_activation=output_activation)
    model = model.with_global_layers(('output',))
    process = learning.build_local_global_process(model, testing.settings())
    rng = np.random.default_rng(0)
    server_state = process.initialize(model.initial_weights)
    locals_ = [
      tuple(rng.normal(size=w.shape).astype(np.float32) for w in model.initial_weights[:2])
      for _ in range(3)
    ]
    # More examples than there are in a batch of an evaluation, some, and none.
    x = [rng.normal(size=(n, 4)).astype(np.float32) for n in (600, 2, 0)]
    predictions = process.predict(
      server_state, [learning.ClientState(weights, ()) for weights in locals_], x
    )
    kernel, bias = server_state.global_weights
    for got, examples, (hidden_kernel, hidden_bias) in zip(predictions, x, locals_, strict=True):
      logits = np.maximum(examples @ hidden_kernel + hidden_bias, 0) @ kernel + bias
      exponentials = np.exp(logits)
      self.assertEqual(got.shape, (len(examples), 3))
      expected = exponentials / exponentials.sum(axis=1, keepdims=True)
      np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6)


class EnsembleTest(parameterized.TestCase):
  @parameterized.named_parameters(('logits', None), ('probabilities', 'softmax'))
  def test_sums_over_clients(self, output_activation):
    model = testing.classifier(output_activation=output_activation)
    model = model.with_global_layers(('output',))
    process = learning.build_local_global_process(model, testing.settings())
    server_state = process.initialize(model.initial_weights)
    rng = np.random.default_rng(0)
    locals_ = [
      tuple(rng.normal(size=w.shape).astype(np.float32) for w in model.initial_weights[:2])
      for _ in range(3)
    ]
    clients = [
      process.initialize_client(model.initial_weights)._replace(local_weights=w) for w in locals_
    ]
    x = rng.normal(size=(evaluation.ENSEMBLE_BATCH_SIZE, 4)).astype(np.float32)
    sums, predicted = process.ensemble(server_state, clients, x)

    kernel, bias = server_state.global_weights
    probabilities, votes = [], []
    for hidden_kernel, hidden_bias in locals_:
      logits = np.maximum(x @ hidden_kernel + hidden_bias, 0) @ kernel + bias
      exponentials = np.exp(logits)
      probabilities.append(exponentials / exponentials.sum(axis=1, keepdims=True))
      votes.append(np.eye(3)[logits.argmax(axis=1)])
    np.testing.assert_allclose(sums.probability, np.sum(probabilities, axis=0), rtol=1e-4)
    np.testing.assert_allclose(
      sums.log_probability, np.log(probabilities).sum(axis=0), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_array_equal(sums.vote, np.sum(votes, axis=0))
    np.testing.assert_array_equal(predicted, np.argmax(votes, axis=2))

    few_sums, few_predicted = process.ensemble(server_state, clients, x[:7])
    for few, all_ in zip((*few_sums, *few_predicted), (*sums, *predicted), strict=True):
      self.assertLen(few, evaluation.ENSEMBLE_BATCH_SIZE)
      np.testing.assert_allclose(few[:7], all_[:7], rtol=1e-6)
      np.testing.assert_array_equal(few[7:], 0)


if __name__ == '__main__':
  absltest.main()

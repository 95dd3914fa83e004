"""Tests of LG-FedAvg as a setting, and of its auxiliary networks in whole rounds."""

import functools

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.compatibility import tff
from tff_lg.training import communication

_LOSS = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
_KINDS = ('supervised', 'autoencoder', 'jigsaw')
_LITTLE = 1e-12  # Weight of the network's own loss.


def setUpModule():
  simulation.set_execution_context()


def _build(*global_layers):
  return learning.METHODS['lg_fedavg'].build_process(
    testing.classifier(), testing.settings(), global_layers=global_layers
  )


class LgFedAvgTest(parameterized.TestCase):
  def test_layers_named_are_global(self):
    process = _build('output')
    self.assertEqual(process.model.weight_is_global, (False, False, True, True))
    shapes = [tuple(weight.shape) for weight in process.upload_type[0]]
    self.assertEqual(shapes, [(5, 3), (3,)])

  @parameterized.parameters(
    ((), 'at least one global layer out of hidden_1, output'),
    (('top',), 'named top; its layers are hidden_1, output'),
  )
  def test_refuses(self, global_layers, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      _build(*global_layers)


def _keras_model():
  return models.build_mlp((4, 4, 1), 3, (6, 5), seed=2)


def _network(kind) -> models.AuxiliaryNetwork:
  return models.build_auxiliary(
    kind, _keras_model(), ('hidden_2', 'output'), label_loss=_LOSS, units=(7,), seed=3
  )


@functools.cache
def _process(
  kind=None, weight=1.0, rate=0.125, global_layers=('hidden_2', 'output'), by='examples'
):
  """Builds LG-FedAvg on images of 4 x 4 and three classes."""
  model = models.from_keras(
    _keras_model(),
    loss=_LOSS,
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )
  settings = learning.ProcessSettings(
    tff.learning.optimizers.build_sgdm(rate),
    learning.TensorBatches(3, num_epochs=2),
    client_weighting=learning.CLIENT_WEIGHTINGS[by],
  )
  return learning.METHODS['lg_fedavg'].build_process(
    model,
    settings,
    global_layers=global_layers,
    auxiliary=kind and _network(kind),
    global_loss_weight=weight,
  )


def _data(num_clients=2):
  rng = np.random.default_rng(6)
  return [
    learning.ClientTensors(
      rng.normal(size=(5 + client, 4, 4, 1)).astype(np.float32),
      rng.integers(0, 3, 5 + client).astype(np.int32),
      seed=np.array([client, 1], np.int32),
    )
    for client in range(num_clients)
  ]


def _run(process, data, num_rounds=2):
  weights = process.model.initial_weights
  output = None
  server_state = process.initialize(weights)
  client_states = [process.initialize_client(weights)] * len(data)
  for _ in range(num_rounds):
    output = process.next(server_state, client_states, data)
    server_state, client_states = output.server_state, output.client_states
  return output


class AuxiliaryTest(parameterized.TestCase):
  @parameterized.parameters(*_KINDS)
  def test_not_one_number_more_travels(self, kind):
    plain, process = _process(), _process(kind, _LITTLE)
    self.assertTrue(process.upload_type.is_equivalent_to(plain.upload_type))
    self.assertTrue(process.download_type.is_equivalent_to(plain.download_type))
    self.assertEqual(
      communication.count_round(process, 3, 2), communication.count_round(plain, 3, 2)
    )

  @parameterized.parameters(*_KINDS)
  def test_with_little_weight_training_is_plain(self, kind):
    # A power of two scales loss and rate without rounding; beside it the network's loss is lost.
    scale = 2.0**40
    plain, scaled = _run(_process(), _data()), _run(_process(kind, scale, 0.125 / scale), _data())
    for got, want in zip(
      scaled.server_state.global_weights, plain.server_state.global_weights, strict=True
    ):
      np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)
    for got, want in zip(scaled.client_states, plain.client_states, strict=True):
      for one, other in zip(got.local_weights, want.local_weights, strict=False):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)

  @parameterized.parameters(*_KINDS)
  def test_with_great_weight_it_moves_local_layers_and_itself_only(self, kind):
    # The loss of the model has no weight, so that global layers stay.
    process = _process(kind, _LITTLE)
    output = _run(process, _data())
    start, local_start = process.model.split(process.model.initial_weights)
    for got, want in zip(output.server_state.global_weights, start, strict=True):
      np.testing.assert_allclose(got, want, atol=1e-9)
    for state in output.client_states:
      for got, want in zip(state.local_weights, local_start, strict=True):
        self.assertGreater(np.abs(got - want).max(), 1e-4)

  def test_step_is_that_of_both_losses(self):
    data = _data(1)
    process = learning.METHODS['lg_fedavg'].build_process(
      models.from_keras(_keras_model(), loss=_LOSS, metrics={}),
      testing.settings(0.1),
      global_layers=('hidden_2', 'output'),
      auxiliary=_network('supervised'),
      global_loss_weight=0.5,
    )
    output = _run(process, data, num_rounds=1)
    own, keras_model = _network('supervised').own_weights, _keras_model()
    names = [f'auxiliary/{layer}' for layer in ('hidden_1', 'output')]
    head = [tf.Variable(own[f'{name}/{kind}']) for name in names for kind in ('kernel', 'bias')]
    with tf.GradientTape() as tape:
      hidden = keras_model.get_layer('hidden_1')(tf.reshape(data[0].x, [-1, 16]))
      logits = tf.nn.relu(hidden @ head[0] + head[1]) @ head[2] + head[3]
      loss = _LOSS(data[0].y, logits) + 0.5 * _LOSS(data[0].y, keras_model(data[0].x))
    variables = [*keras_model.trainable_weights, *head]
    expected = [
      variable - 0.1 * gradient
      for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True)
    ]
    self.assertAlmostEqual(output.client_metrics[0].loss, float(loss), places=5)
    got = process.model.merge(
      output.server_state.global_weights, output.client_states[0].local_weights
    )
    for one, other in zip(got, expected, strict=True):
      np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)

  def test_predictions_and_ensembles_are_without_it(self):
    plain, process = _process(), _process('jigsaw', _LITTLE)
    data = _data()
    results = []
    for one in (plain, process):
      server_state = one.initialize(one.model.initial_weights)
      states = [one.initialize_client(one.model.initial_weights)] * 2
      results.append(
        (
          one.evaluate(server_state, states, data),
          one.predict(server_state, states, [of.x for of in data]),
          one.ensemble(server_state, states, data[0].x),
        )
      )
    tf.nest.map_structure(np.testing.assert_array_equal, *results)

  def test_gradient_norm_is_that_of_global_weights(self):
    process = _process('autoencoder', 2.0, by='gradient_norm')
    data = _data()
    start, _ = process.model.split(process.model.initial_weights)
    alone = [_run(process, [of], 1).server_state.global_weights for of in data]
    updates = [[new - old for new, old in zip(one, start, strict=True)] for one in alone]
    norms = np.array([sum(np.sum(np.square(delta)) for delta in update) for update in updates])
    together = _run(process, data, 1).server_state.global_weights
    for index, got in enumerate(together):
      mean = sum(n * update[index] for n, update in zip(norms, updates, strict=True)) / norms.sum()
      np.testing.assert_allclose(got, start[index] + mean, rtol=1e-4, atol=1e-6)

  def test_network_on_global_layers_is_refused(self):
    with self.assertRaisesRegex(ValueError, 'on top of hidden_1/kernel, hidden_1/bias, expected'):
      _process('supervised', global_layers=('hidden_1', 'output'))


if __name__ == '__main__':
  absltest.main()

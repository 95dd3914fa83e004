"""Every algorithm of `tff.learning`, and ours, gives the same on TFF's context and on ours."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing as learning_testing
from tests.runtime import testing
from tff_lg import learning, runtime
from tff_lg.compatibility import tff

_SGD = tff.learning.optimizers.build_sgdm(0.1)
_DATA = learning_testing.random_datasets()


def _functional():
  return learning_testing.classifier().functional


def _keras_model():
  return tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(input_shape=(4,)),
      tf.keras.layers.Dense(3, kernel_initializer='ones', name='head'),
    ]
  )


def _variable_model():
  return tff.learning.models.from_keras_model(
    _keras_model(),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    input_spec=_DATA[0].element_spec,
    metrics=[tf.keras.metrics.SparseCategoricalAccuracy()],
  )


def _reconstruction():
  def model_fn():
    keras_model = tf.keras.Sequential(
      [
        tf.keras.layers.InputLayer(input_shape=(4,)),
        tf.keras.layers.Dense(5, kernel_initializer='ones', name='shared'),
        tf.keras.layers.Dense(3, kernel_initializer='ones', name='own'),
      ]
    )
    return tff.learning.models.ReconstructionModel.from_keras_model_and_layers(
      keras_model=keras_model,
      global_layers=keras_model.layers[:1],
      local_layers=keras_model.layers[1:],
      input_spec=_DATA[0].element_spec,
    )

  return tff.learning.algorithms.build_fed_recon(
    model_fn,
    loss_fn=lambda: tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    client_optimizer_fn=_SGD,
    reconstruction_optimizer_fn=_SGD,
  )


def _personalization():
  def strategy(model, train_data, test_data, context=None):
    del context
    count = train_data.reduce(0.0, lambda total, batch: total + tf.reduce_sum(batch[0]))
    return collections.OrderedDict(total=count, test=test_data.reduce(0, lambda n, _: n + 1))

  return tff.learning.algorithms.build_personalization_eval_computation(
    _variable_model,
    collections.OrderedDict(count=lambda: strategy),
    baseline_evaluate_fn=lambda model, data: collections.OrderedDict(
      batches=data.reduce(0, lambda n, _: n + 1)
    ),
  )


_ALGORITHMS = {
  'weighted_fed_avg': lambda: tff.learning.algorithms.build_weighted_fed_avg(_functional(), _SGD),
  'weighted_fed_avg_with_variables': lambda: tff.learning.algorithms.build_weighted_fed_avg(
    _variable_model, _SGD
  ),
  'unweighted_fed_avg': lambda: tff.learning.algorithms.build_unweighted_fed_avg(
    _functional(), _SGD
  ),
  'fed_prox': lambda: tff.learning.algorithms.build_weighted_fed_prox(_functional(), 0.5, _SGD),
  'fed_sgd': lambda: tff.learning.algorithms.build_fed_sgd(_functional(), _SGD),
  'mime': lambda: tff.learning.algorithms.build_weighted_mime_lite(_functional(), _SGD),
  'reconstruction': _reconstruction,
  'clipped': lambda: tff.learning.algorithms.build_weighted_fed_avg(
    _functional(),
    _SGD,
    model_aggregator=tff.learning.robust_aggregator(zeroing=True, clipping=True),
  ),
  'secure': lambda: tff.learning.algorithms.build_weighted_fed_avg(
    _functional(), _SGD, model_aggregator=tff.learning.secure_aggregator()
  ),
}


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts()


def _rounds(process, data, num_rounds=2):
  state = process.initialize()
  for _ in range(num_rounds):
    output = process.next(state, data)
    state = output.state
  return output


def _sorted(metrics):
  """Returns metrics of clients, which TFF samples in any order, as sorted numbers."""
  return {name: sorted(np.round(values, 4).tolist()) for name, values in metrics.items()}


class LearningAlgorithmsTest(parameterized.TestCase):
  @parameterized.named_parameters(_ALGORITHMS.items())
  def test_same_result(self, build):
    process = build()
    with testing.installed(_STOCK):
      theirs = _rounds(process, _DATA)
    with testing.installed(_OURS):
      ours = _rounds(process, _DATA)
    testing.assert_same(ours, theirs)

  def test_fed_eval(self):
    process = tff.learning.algorithms.build_fed_eval(_functional())
    with testing.installed(_STOCK):
      theirs = process.next(process.initialize(), _DATA)
    with testing.installed(_OURS):
      ours = process.next(process.initialize(), _DATA)
    testing.assert_same(ours, theirs)

  def test_kmeans(self):
    process = tff.learning.algorithms.build_fed_kmeans(2, (4,), random_seed=(1, 2))
    data = [dataset.unbatch().map(lambda x, y: x) for dataset in _DATA]
    with testing.installed(_STOCK):
      theirs = _rounds(process, data)
    with testing.installed(_OURS):
      ours = _rounds(process, data)
    testing.assert_same(ours, theirs)

  def test_personalization_eval(self):
    computation = _personalization()
    weights = tff.learning.models.ModelWeights(
      [np.ones((4, 3), np.float32), np.zeros(3, np.float32)], []
    )
    data = [
      collections.OrderedDict(train_data=examples, test_data=examples.take(2))
      for examples in (dataset.unbatch() for dataset in _DATA)
    ]
    with testing.installed(_STOCK):
      theirs = computation(weights, data)
    with testing.installed(_OURS):
      ours = computation(weights, data)
    self.assertEqual(sorted(ours), sorted(theirs))
    for name in ('count', 'baseline_metrics'):
      self.assertEqual(_sorted(ours[name]), _sorted(theirs[name]))

  @parameterized.named_parameters(('fedavg', True), ('lg', False))
  def test_ours(self, everything_global):
    model = learning_testing.classifier()
    if not everything_global:
      model = model.with_global_layers(('output',))
    process = learning.build_local_global_process(
      model, learning_testing.settings(batches=learning.TensorBatches(3, 2))
    )
    rng = np.random.default_rng(0)
    data = [
      learning.ClientTensors(rng.random((n, 4), np.float32), rng.integers(0, 3, n).astype(np.int32))
      for n in (5, 8, 0)
    ]

    def run():
      state = process.initialize(model.initial_weights)
      clients = [process.initialize_client(model.initial_weights)] * 3
      output = process.next(state, clients, data)
      evaluated = process.evaluate(output.server_state, output.client_states, data)
      return output, evaluated

    with testing.installed(_STOCK):
      theirs = run()
    with testing.installed(_OURS):
      ours = run()
    testing.assert_same(ours, theirs)

  def test_ours_with_dropout_stacked_and_not(self):
    model = learning_testing.gated_classifier()
    process = learning.build_local_global_process(
      model, learning_testing.settings(batches=learning.TensorBatches(3, 2))
    )
    rng = np.random.default_rng(0)
    data = [
      learning.ClientTensors(rng.random((n, 4), np.float32), rng.integers(0, 3, n).astype(np.int32))
      for n in (6, 8, 6, 6, 8)
    ]

    def run():
      server_state = process.initialize(model.initial_weights)
      client_states = [process.initialize_client(model.initial_weights)] * len(data)
      for round_num in range(3):
        of_round = [
          tensors._replace(seed=np.array([round_num, client], np.int32))
          for client, tensors in enumerate(data)
        ]
        output = process.next(server_state, client_states, of_round)
        server_state, client_states = output.server_state, output.client_states
      return server_state, client_states

    with testing.installed(_STOCK):
      theirs = run()
    stacking = runtime.create_local_execution_context(stacked_clients=3)
    for context in (_OURS, stacking):
      with testing.installed(context):
        testing.assert_same(run(), theirs)


if __name__ == '__main__':
  absltest.main()

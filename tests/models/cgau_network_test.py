"""Tests of networks of gated units, alone and in the process."""

import functools

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


def tearDownModule():
  _process.cache_clear()  # TensorFlow cannot free a function once Python ends.


def _build(conditioning='none', units=(5, 4), dropout_rate=0.0, **options):
  return models.build_cgau(
    (3,),
    2,
    units,
    conditioning=conditioning,
    num_clients=2,
    dropout_rate=dropout_rate,
    **options,
  )


def _wrap(keras_model):
  model = models.from_keras(
    keras_model,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )
  num_layers = sum(layer.startswith('gated_') for layer in model.layer_names)
  return model.with_global_layers(models.cgau_global_layers(num_layers))


@functools.cache
def _process(conditioning, unknown_client='mean'):
  """Builds the process of one layer of four units, 3-4-2, once, for that takes a while."""
  model = _wrap(_build(conditioning, units=(4,), unknown_client=unknown_client, seed=5))
  return learning.build_local_global_process(model, testing.settings(0.5))


def _clients(conditioning='none'):
  """Makes two clients of 6 and 9 examples; the label is x0's sign, reversed at one client."""
  rng = np.random.default_rng(0)
  data = []
  for client, size in enumerate((6, 9)):
    x = rng.normal(size=(size, 3)).astype(np.float32)
    y = ((x[:, 0] > 0) ^ bool(client)).astype(np.int32)
    if conditioning == 'shared':
      x = models.append_client_index(x, client, 2)
    data.append(learning.ClientTensors(x, y, np.array([1, client], np.int32)))
  return data


def _run(process, data, num_rounds):
  weights = process.model.initial_weights
  state = process.initialize(weights)
  clients = [process.initialize_client(weights)] * len(data)
  for _ in range(num_rounds):
    output = process.next(state, clients, data)
    state, clients = output.server_state, output.client_states
  return state, clients


def _gradients(conditioning, weights, data):
  """Computes those of a one-layer network's mean cross-entropy, written out by the chain rule."""
  kernel, bias, shift, output_kernel, output_bias = weights
  x = data.x[:, :3]
  units = len(bias) // 2
  z = x @ kernel + bias
  if conditioning == 'shared':
    c = np.eye(2)[data.x[:, 3].astype(int)]
    z = z + c @ shift
  elif conditioning == 'local':
    z = z + shift
  f, g = np.tanh(z[:, :units]), 1 / (1 + np.exp(-z[:, units:]))
  h = f * g
  logits = h @ output_kernel + output_bias
  p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
  d_logits = (p - np.eye(2)[data.y]) / len(x)
  d_h = d_logits @ output_kernel.T
  d_z = np.concatenate([d_h * g * (1 - f**2), d_h * f * g * (1 - g)], axis=1)
  d_shift = c.T @ d_z if conditioning == 'shared' else d_z.sum(axis=0)
  return [x.T @ d_z, d_z.sum(axis=0), d_shift, h.T @ d_logits, d_logits.sum(axis=0)]


class BuildTest(parameterized.TestCase):
  def test_layers_and_sizes(self):
    names = {
      conditioning: [
        layer.name
        for layer in _build(conditioning, dropout_rate=0.5).layers
        if layer.trainable_weights
      ]
      for conditioning in ('none', 'shared', 'local')
    }
    self.assertEqual(names['none'], ['gated_1', 'gated_2', 'output'])
    self.assertEqual(names['shared'], names['none'])
    self.assertCountEqual(names['local'], [*names['none'], 'shift_1', 'shift_2'])
    # 3 * 10 + 10, 5 * 8 + 8, 4 * 2 + 2; and two clients' 10 + 8 shifts, or one's.
    self.assertEqual(_build().count_params(), 98)
    self.assertEqual(_build('shared').count_params(), 98 + 36)
    self.assertEqual(_build('local').count_params(), 98 + 18)

  def test_equal_seeds_start_with_equal_kernels(self):
    def kernels(conditioning, seed):
      model = _build(conditioning, seed=seed)
      return [model.get_layer(name).kernel.numpy() for name in models.cgau_global_layers()]

    for conditioning in ('shared', 'local'):
      for one, other in zip(kernels('none', 3), kernels(conditioning, 3), strict=True):
        np.testing.assert_array_equal(one, other)
    self.assertFalse(np.array_equal(kernels('none', 3)[0], kernels('none', 4)[0]))

  def test_outputs_are_logits_of_both_layers(self):
    model, x = _build(seed=1), np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    h = x
    for name in ('gated_1', 'gated_2'):
      layer = model.get_layer(name)
      z_f, z_g = np.split(h @ layer.kernel.numpy() + layer.bias.numpy(), 2, axis=1)
      h = np.tanh(z_f) / (1 + np.exp(-z_g))
    np.testing.assert_allclose(model(x), h @ model.get_layer('output').kernel.numpy(), rtol=1e-4)

  def test_dropout_is_on_in_training_only_and_follows_the_seed(self):
    x = tf.constant(np.random.default_rng(0).normal(size=(40, 3)), tf.float32)
    model = _build(units=(20, 20), dropout_rate=0.5, seed=2)
    plain = _build(units=(20, 20), seed=2)
    np.testing.assert_array_equal(model(x), plain(x))
    dropped = model(x, training=True)
    self.assertGreater(np.abs(dropped - plain(x)).max(), 0.01)
    again = _build(units=(20, 20), dropout_rate=0.5, seed=2)
    np.testing.assert_array_equal(again(x, training=True), dropped)

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, r'input_shape is \(3, 2\), expected that of a feature'):
      models.build_cgau((3, 2), 2)
    with self.assertRaisesRegex(ValueError, 'conditioning is both, expected one of none'):
      models.build_cgau((3,), 2, conditioning='both')
    with self.assertRaisesRegex(ValueError, 'needs the number of clients'):
      models.build_cgau((3,), 2, conditioning='shared')


class SplitTest(absltest.TestCase):
  def test_names_go_with_their_weights_though_shifts_and_biases_are_all_zero(self):
    # Of equal shape too: the shifts of 4 units and the bias of 2 units are zeros [4].
    starts_at_zero = _wrap(_build('local', units=(4, 2, 4)))
    keras_model = _build('local', units=(4, 2, 4))
    rng = np.random.default_rng(0)
    keras_model.set_weights([rng.normal(size=w.shape) for w in keras_model.get_weights()])
    all_different = _wrap(keras_model)
    self.assertEqual(starts_at_zero.weight_names, all_different.weight_names)
    for name, is_global in zip(
      starts_at_zero.weight_names, starts_at_zero.weight_is_global, strict=True
    ):
      self.assertEqual(is_global, not name.startswith('shift_'), name)

  def test_local_shifts_are_never_uploaded(self):
    process = _process('local')
    shapes = ((3, 8), (8,), (4, 2), (2,))
    weights = tuple(tff.TensorType(np.float32, shape) for shape in shapes)
    self.assertEqual(process.upload_type, tff.to_type((weights, tff.TensorType(np.float32))))
    self.assertEqual(process.upload_type, _process('none').upload_type)
    self.assertEqual(process.download_type, _process('none').download_type)
    local_types = process.initialize_client.type_signature.result.local_weights
    self.assertEqual([tuple(local_type.shape) for local_type in local_types], [(4,), (4,)])

  def test_shared_shifts_are_uploaded(self):
    shapes = [tuple(weight.shape) for weight in _process('shared').upload_type[0]]
    self.assertEqual(shapes, [(3, 8), (8,), (2, 8), (4, 2), (2,)])


class TrainingTest(parameterized.TestCase):
  @parameterized.parameters('none', 'shared', 'local')
  def test_two_rounds_equal_federated_averaging_by_hand(self, conditioning):
    process, data = _process(conditioning), _clients(conditioning)
    model = process.model
    state, clients = _run(process, data, 2)

    start = dict(zip(model.weight_names, model.initial_weights, strict=True))
    shift = start.get('gated_1/conditioning', np.zeros(8))
    weights = [
      start[name] for name in ('gated_1/kernel', 'gated_1/bias', 'output/kernel', 'output/bias')
    ]
    weights.insert(2, shift)
    local_shifts = [shift, shift]
    for _ in range(2):
      results = []
      for client, examples in enumerate(data):
        mine = list(weights)
        if conditioning == 'local':
          mine[2] = local_shifts[client]
        gradients = _gradients(conditioning, mine, examples)
        results.append([w - 0.5 * g for w, g in zip(mine, gradients, strict=True)])
      local_shifts = [result[2] for result in results]
      weights = [(6 * one + 9 * other) / 15 for one, other in zip(*results, strict=True)]

    merged = model.merge(state.global_weights, clients[1].local_weights)
    got = dict(zip(model.weight_names, merged, strict=True))
    for name, want in (
      ('gated_1/kernel', weights[0]),
      ('gated_1/bias', weights[1]),
      ('output/kernel', weights[3]),
      ('output/bias', weights[4]),
    ):
      np.testing.assert_allclose(got[name], want, rtol=1e-4, atol=1e-6)
    if conditioning == 'shared':
      np.testing.assert_allclose(got['gated_1/conditioning'], weights[2], rtol=1e-4, atol=1e-6)
    if conditioning == 'local':
      for client, want in zip(clients, local_shifts, strict=True):
        np.testing.assert_allclose(np.concatenate(client.local_weights), want, rtol=1e-4, atol=1e-6)

  def test_dropout_gives_the_same_bits_again(self):
    model = _wrap(_build('local', dropout_rate=0.5))
    batches = learning.TensorBatches(2, num_epochs=3)
    process = learning.build_local_global_process(model, testing.settings(batches=batches))
    one, other = (_run(process, _clients(), 2) for _ in range(2))
    for a, b in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
      np.testing.assert_array_equal(a, b)


class UnknownClientTest(parameterized.TestCase):
  def test_weights_by_hand(self):
    known = [([1.0, 2.0], [4.0]), ([3.0, 0.0], [2.0])]
    known = [tuple(np.array(w, np.float32) for w in client) for client in known]
    mean = models.unknown_client_weights(known)
    np.testing.assert_array_equal(mean[0], [2.0, 1.0])
    np.testing.assert_array_equal(mean[1], [3.0])
    self.assertEqual(mean[0].dtype, np.float32)
    zero = models.unknown_client_weights(known, 'zero')
    np.testing.assert_array_equal(zero[0], [0.0, 0.0])
    np.testing.assert_array_equal(zero[1], [0.0])

  def test_weights_refuse(self):
    with self.assertRaisesRegex(ValueError, 'known is empty'):
      models.unknown_client_weights([])
    with self.assertRaisesRegex(ValueError, 'unknown_client is first, expected one of mean, zero'):
      models.unknown_client_weights([(np.zeros(2),)], 'first')

  @parameterized.parameters('mean', 'zero')
  def test_new_client_is_evaluated_alike_in_both_forms(self, choice):
    """A local model of the same weights says of a new client what the shared one says."""
    process = _process('shared', choice)
    state, clients = _run(process, _clients('shared'), 3)
    new = _clients()[0]
    as_shared = new._replace(x=models.append_client_index(new.x, models.UNKNOWN_CLIENT, 2))
    want = process.evaluate(state, clients[:1], [as_shared])[0]

    trained = dict(zip(process.model.weight_names, state.global_weights, strict=True))
    known = [(row[:4], row[4:]) for row in trained['gated_1/conditioning']]
    local_process = _process('local')
    weights = local_process.model.initial_weights
    global_weights, _ = local_process.model.split(
      [trained.get(name) for name in local_process.model.weight_names]
    )
    got = local_process.evaluate(
      local_process.initialize(weights)._replace(global_weights=global_weights),
      [learning.ClientState(models.unknown_client_weights(known, choice), ())],
      [new],
    )[0]
    self.assertAlmostEqual(got['loss'], want['loss'], places=5)
    self.assertEqual(got['accuracy'], want['accuracy'])

  def test_index_is_appended(self):
    x = np.array([[1.5, 2.5]], np.float32)
    column = models.append_client_index(x, 1, 2)
    np.testing.assert_array_equal(column, [[1.5, 2.5, 1.0]])
    self.assertEqual(column.dtype, np.float32)
    unknown = models.append_client_index(x, models.UNKNOWN_CLIENT, 2)
    np.testing.assert_array_equal(unknown, [[1.5, 2.5, -1.0]])
    self.assertEqual(models.append_client_index(x[:0], 1, 2).shape, (0, 3))

  @parameterized.parameters(2, -2)
  def test_index_out_of_range(self, index):
    sentence = f'client index {index} found, expected 0 to 1, or -1 for an unknown client'
    with self.assertRaisesRegex(ValueError, sentence):
      models.append_client_index(np.zeros((2, 3), np.float32), np.array([0, index]), 2)


if __name__ == '__main__':
  absltest.main()

"""Tests of networks with several named inputs."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.inputs import tasks
from tff_lg.metrics import OBJECTIVES

layers = tf.keras.layers
_SHAPES = {'table': (2,), 'kind': (1,), 'steps': (2, 3)}


def setUpModule():
  simulation.set_execution_context()


def _network():
  """Returns a network with dropout, an embedding of integers and a recurrent layer."""
  inputs = {
    'kind': tf.keras.Input((1,), name='kind', dtype='int32'),
    'steps': tf.keras.Input((None, 3), name='steps'),
    'table': tf.keras.Input((2,), name='table'),
  }
  parts = [
    layers.Flatten()(layers.Embedding(4, 2, name='kinds')(inputs['kind'])),
    layers.GRU(2, name='gru')(inputs['steps']),
    layers.Dropout(0.5)(layers.Dense(3, activation='relu', name='dense')(inputs['table'])),
  ]
  return tf.keras.Model(inputs, layers.Dense(2, name='output')(layers.Concatenate()(parts)))


def _examples(size=5):
  rng = np.random.default_rng(0)
  x = {name: rng.normal(size=(size, *shape)).astype(np.float32) for name, shape in _SHAPES.items()}
  return {**x, 'kind': rng.integers(0, 4, (size, 1)).astype(np.float32)}


def _joined(x):
  return np.concatenate([x[name].reshape(len(x[name]), -1) for name in _SHAPES], axis=1)


class NamedInputsTest(absltest.TestCase):
  def test_joined_and_separated_again_compute_the_same(self):
    network, x = _network(), _examples()
    joined = models.join_inputs(network, _SHAPES)
    self.assertEqual(joined.input_shape, (None, 9))
    expected = network(x)
    np.testing.assert_array_equal(joined(_joined(x)), expected)
    self.assertEqual([w.name for w in joined.weights], [w.name for w in network.weights])
    separate = models.separate_inputs(joined)
    self.assertCountEqual(separate.input_names, _SHAPES)
    np.testing.assert_array_equal(separate(x), expected)
    path = self.create_tempdir().full_path + '/model.keras'
    separate.save(path)
    kept = tf.keras.models.load_model(path)
    self.assertFalse([layer for layer in kept.layers if isinstance(layer, models.TakeInput)])
    np.testing.assert_array_equal(kept(x), expected)
    self.assertIs(models.separate_inputs(network), network)

  def test_two_clients_by_hand(self):
    # f(a, b) = u a + v b from u = v = 1, a step of 0.1 on the squared error; v is local.
    ones = tf.keras.initializers.Ones()
    a, b = (tf.keras.Input((1,), name=name) for name in 'ab')
    terms = [
      layers.Dense(1, use_bias=False, kernel_initializer=ones, name=name)(x)
      for name, x in (('of_a', a), ('of_b', b))
    ]
    network = tf.keras.Model([a, b], layers.Add()(terms))
    joined = models.join_inputs(network, {'b': (1,), 'a': (1,)})
    model = tasks.as_local_global(joined, OBJECTIVES['regression'], ('mae',))
    model = model.with_global_layers(['of_a'])
    process = learning.build_local_global_process(
      model, testing.settings(0.1, learning.TensorBatches(None))
    )
    # (b, a) and y: errors 1 + 2 - 0 = 3 and 3 + 1 - 5 = -1.
    clients = [
      learning.ClientTensors(np.array([[2, 1]], np.float32), np.array([0], np.float32)),
      learning.ClientTensors(np.array([[1, 3]], np.float32), np.array([5], np.float32)),
    ]
    weights = model.initial_weights
    states = [process.initialize_client(weights) for _ in clients]
    output = process.next(process.initialize(weights), states, clients)
    # Gradients of u: 2 * 3 * 1 and 2 * -1 * 3; of v: 2 * 3 * 2 and 2 * -1 * 1.
    (u,) = output.server_state.global_weights
    np.testing.assert_allclose(u, [[(1 - 0.6 + 1 + 0.6) / 2]], rtol=1e-6)
    v = [state.local_weights[0][0, 0] for state in output.client_states]
    np.testing.assert_allclose(v, [1 - 1.2, 1 + 0.2], rtol=1e-5)

  def test_refuses(self):
    for inputs, sentence in (
      ({'table': (2,), 'kind': (1,)}, 'inputs kind, steps, table, but an example has table, kind'),
      ({**_SHAPES, 'table': (3,)}, r'takes the input table as \[2\], but an example has \[3\]'),
      ({**_SHAPES, 'steps': (6,)}, r'takes the input steps as \[None, 3\], but an example has \[6'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        models.join_inputs(_network(), inputs)


if __name__ == '__main__':
  absltest.main()

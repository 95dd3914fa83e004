"""Tests of the split of a model's weights."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tests.models import testing as models_testing
from tff_lg import models


def _wrap(keras_model) -> models.LocalGlobalModel:
  return models.from_keras(
    keras_model,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


class SplitTest(absltest.TestCase):
  def test_mnist_split_of_the_paper(self):
    model = _wrap(models.build_mlp((28, 28, 1), 10))
    model = model.with_global_layers(('hidden_3', 'hidden_4', 'output'))
    self.assertEqual(sum(w.size for w in model.split(model.initial_weights)[0]), 99_978)
    self.assertIn('15.79% of 633,226', model.describe_split())

  def test_cifar_split_of_the_paper(self):
    model = _wrap(models.build_lenet()).with_global_layers(('conv_1', 'conv_2'))
    self.assertEqual(sum(w.size for w in model.split(model.initial_weights)[0]), 2_872)
    self.assertIn('4.48% of 64,102', model.describe_split())

  def test_all_weights_are_global_at_first(self):
    model = testing.classifier()
    self.assertEqual(model.layer_names, ('hidden_1', 'output'))
    self.assertEqual(
      model.weight_names, ('hidden_1/kernel', 'hidden_1/bias', 'output/kernel', 'output/bias')
    )
    self.assertEqual(model.weight_is_global, (True,) * 4)

  def test_split_and_merge_are_inverse(self):
    model = testing.classifier().with_global_layers(('hidden_1',))
    self.assertEqual(model.split('abcd'), (('a', 'b'), ('c', 'd')))
    self.assertEqual(model.merge(*model.split('abcd')), tuple('abcd'))
    with self.assertRaises(ValueError):
      model.split('abc')

  def test_order_of_the_layers_named_does_not_matter(self):
    model = testing.classifier()
    one, other = (
      model.with_global_layers(names) for names in (('output', 'hidden_1'), ('output',))
    )
    self.assertEqual(one.weight_is_global, (True,) * 4)
    self.assertEqual(other.weight_is_global, (False, False, True, True))
    self.assertEqual(other.with_all_global().weight_is_global, (True,) * 4)
    self.assertEqual(other.with_global_layers(()).weight_is_global, (False,) * 4)

  def test_unknown_layer_lists_those_there_are(self):
    with self.assertRaisesRegex(ValueError, 'named top, flatten; its layers are hidden_1, output'):
      testing.classifier().with_global_layers(('top', 'output', 'flatten'))

  def test_description_by_hand(self):
    model = testing.classifier().with_global_layers(('output',))
    lines = [line.split() for line in model.describe_split().splitlines()]
    self.assertEqual(lines[1], ['hidden_1/kernel', 'local', '(4,', '5)', '20', '80'])
    self.assertEqual(lines[4], ['output/bias', 'global', '(3,)', '3', '12'])
    # 5 * 3 + 3 of 43 weights are global, 4 * 5 + 5 local.
    self.assertEqual(lines[5], ['all', 'global', '41.86%', 'of', '43', '18', '72'])
    self.assertEqual(lines[6], ['all', 'local', '58.14%', 'of', '43', '25', '100'])


class ServerCopyTest(absltest.TestCase):
  model = property(lambda self: testing.classifier().with_server_copy())

  def test_client_has_its_own_and_the_server_another(self):
    self.assertEqual(self.model.split('abcd'), (tuple('abcd'), tuple('abcd')))
    self.assertEqual(self.model.merge('abcd', 'efgh'), tuple('efgh'))
    self.assertEqual(self.model.received('abcd', 'efgh'), tuple('abcd'))
    self.assertEqual(self.model.weight_is_global, (False,) * 4)

  def test_without_a_copy_what_is_received_is_the_model(self):
    model = testing.classifier().with_global_layers(('output',))
    self.assertEqual(model.received('cd', 'ab'), tuple('abcd'))

  def test_another_split_has_none(self):
    self.assertEqual(self.model.with_global_layers(('output',)).split('abcd')[0], ('c', 'd'))
    self.assertEqual(self.model.with_all_global().merge('abcd', ''), tuple('abcd'))

  def test_description_counts_both(self):
    lines = [line.split() for line in self.model.describe_split().splitlines()]
    self.assertEqual(lines[1], ['hidden_1/kernel', 'both', '(4,', '5)', '20', '80'])
    self.assertEqual(lines[5], ['all', 'global', '100.00%', 'of', '43', '43', '172'])
    self.assertEqual(lines[6], ['all', 'local', '100.00%', 'of', '43', '43', '172'])


class ExtraWeightsTest(absltest.TestCase):
  extra = np.array([1, 2], np.float32)

  def setUp(self):
    super().setUp()
    model = testing.classifier().with_global_layers(('output',))
    self.model = model.with_extra_weights({'extra/kernel': self.extra})

  def test_they_are_local_whatever_the_split(self):
    self.assertEqual(self.model.weight_is_global, (False, False, True, True, False))
    self.assertEqual(self.model.split('abcde'), (('c', 'd'), ('a', 'b', 'e')))
    self.assertEqual(self.model.merge('cd', 'abe'), tuple('abcde'))
    self.assertEqual(self.model.with_all_global().split('abcde')[1], ('e',))

  def test_they_may_be_global_until_another_split(self):
    model = testing.classifier().with_extra_weights({'extra/kernel': self.extra}, are_global=True)
    self.assertEqual(model.split('abcde'), (tuple('abcde'), ()))
    self.assertEqual(model.with_all_global().split('abcde')[1], ('e',))

  def test_they_may_be_global_beside_any_split(self):
    model = self.model.with_global_extra_weights()
    self.assertEqual(model.split('abcde'), (('c', 'd', 'e'), ('a', 'b')))

  def test_they_are_not_a_layer(self):
    self.assertEqual(self.model.layer_names, ('hidden_1', 'output'))
    with self.assertRaisesRegex(ValueError, 'no layer with weights named extra'):
      self.model.with_global_layers(('extra',))

  def test_they_come_last(self):
    self.assertEqual(self.model.weight_names[3:], ('output/bias', 'extra/kernel'))
    np.testing.assert_array_equal(self.model.initial_weights[4], self.extra)
    self.assertEqual(self.model.network_weights('abcde'), tuple('abcd'))
    self.assertEqual(testing.classifier().network_weights('abcd'), tuple('abcd'))
    self.assertIn('extra/kernel', self.model.describe_split())

  def test_predictions_are_without_them(self):
    x = np.ones([2, 4], np.float32)
    with_extra, without = (
      testing.in_graph(lambda m=m: m.predict(m.initial_weights, tf.constant(x), training=False))
      for m in (self.model, testing.classifier())
    )
    np.testing.assert_array_equal(with_extra, without)


class FromKerasTest(absltest.TestCase):
  def test_initial_weights_are_those_of_keras(self):
    keras_model = models.build_mlp((4,), 3, (5,), seed=3)
    weights = keras_model.get_weights()
    for got, want in zip(_wrap(keras_model).initial_weights, weights, strict=True):
      np.testing.assert_array_equal(got, want)

  def test_predicts_what_keras_predicts_with_other_weights(self):
    keras_model = models.build_mlp((4,), 3, (5,), seed=3)
    start = keras_model.get_weights()
    weights = [weight + 1 for weight in start]
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    keras_model.set_weights(weights)
    want = keras_model(x).numpy()
    keras_model.set_weights(start)
    model = _wrap(keras_model)
    got = testing.in_graph(lambda: model.predict(weights, tf.constant(x), training=False))
    np.testing.assert_allclose(got, want, rtol=1e-5)

  def test_names_follow_the_weights_where_the_orders_of_keras_and_tff_differ(self):
    pair = models_testing.LastFirst(3, name='pair')
    model = _wrap(tf.keras.Sequential([tf.keras.layers.InputLayer((3,)), pair]))
    names = [f'pair/{layer}/{kind}' for layer in ('first', 'last') for kind in ('kernel', 'bias')]
    self.assertEqual(model.weight_names, tuple(names))
    self.assertEqual(model.layer_names, ('pair',))
    # Both biases are zeros at first: their values do not tell whose they are.
    weights = [weight + number for number, weight in enumerate(model.initial_weights)]
    x = np.eye(3, dtype=np.float32)
    got = testing.in_graph(lambda: model.predict(weights, tf.constant(x), training=False))
    kernel, bias, next_kernel, next_bias = weights
    np.testing.assert_allclose(got, (x @ kernel + bias) @ next_kernel + next_bias, rtol=1e-5)

  def test_names_are_those_of_the_network_where_it_is_copied(self):
    class Pair(tf.keras.layers.Layer):
      def __init__(self, **options):
        super().__init__(**options)
        # Their names go on with each layer that is made.
        self.first, self.second = tf.keras.layers.Dense(3), tf.keras.layers.Dense(3)

      def call(self, x):
        return self.second(self.first(x))

    # With dropout, the network is copied.
    parts = [tf.keras.layers.InputLayer((3,)), Pair(name='pair'), tf.keras.layers.Dropout(0.5)]
    network = tf.keras.Sequential(parts)
    model = _wrap(network)
    names = [weight.name.removesuffix(':0') for weight in network.trainable_weights]
    self.assertLen(names, 4)
    self.assertCountEqual(model.weight_names, names)
    weights = [weight + 1 for weight in model.initial_weights]
    x = np.eye(3, dtype=np.float32)
    found = testing.in_graph(lambda: model.predict(weights, tf.constant(x), training=False))
    models.assign_weights(network, dict(zip(model.weight_names, weights, strict=True)))
    np.testing.assert_allclose(network(x), found, rtol=1e-5)

  def test_batch_normalisation_in_a_model_within(self):
    layers = tf.keras.layers
    x = tf.keras.Input((3,))
    hidden = layers.BatchNormalization(name='norm')(layers.Dense(4, name='hidden')(x))
    body = tf.keras.Model(x, layers.Dense(5, name='top')(hidden))
    for is_frozen, names in ((False, ('hidden', 'norm', 'top', 'out')), (True, ('out',))):
      body.trainable = not is_frozen
      network = tf.keras.Sequential([layers.InputLayer((3,)), body, layers.Dense(2, name='out')])
      expected = network(np.eye(3, dtype=np.float32)).numpy()
      model = _wrap(network)
      self.assertEqual(model.layer_names, names)
      found = testing.in_graph(
        lambda model=model: model.predict(model.initial_weights, tf.eye(3), training=False)
      )
      np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

  def test_layers_that_share_weights_are_refused(self):
    class Back(tf.keras.layers.Layer):
      def __init__(self, dense, **options):
        super().__init__(**options)
        self.dense = dense
        if not dense.built:
          dense.build((None, 3))

      def call(self, x):
        return x @ tf.transpose(self.dense.kernel)

      def get_config(self):
        return {**super().get_config(), 'dense': tf.keras.layers.serialize(self.dense)}

      @classmethod
      def from_config(cls, config):
        return cls(**{**config, 'dense': tf.keras.layers.deserialize(config['dense'])})

    dense = tf.keras.layers.Dense(4, use_bias=False)
    network = tf.keras.Sequential([tf.keras.layers.InputLayer((3,)), dense, Back(dense)])
    with self.assertRaisesRegex(ValueError, 'share weights, expected a layer for each'):
      _wrap(network)

  def test_group_normalisation_is_welcome(self):
    keras_model = tf.keras.Sequential(
      [
        tf.keras.layers.Dense(4, input_shape=(4,), name='dense'),
        tf.keras.layers.GroupNormalization(2, name='norm'),
      ]
    )
    self.assertEqual(_wrap(keras_model).layer_names, ('dense', 'norm'))

  def test_model_without_trainable_weights_is_refused(self):
    keras_model = models.build_mlp((4,), 3, (5,))
    keras_model.trainable = False
    with self.assertRaisesRegex(ValueError, 'no weight is trainable, expected one or more'):
      _wrap(keras_model)

  def test_several_inputs_or_outputs_are_refused(self):
    one, other = tf.keras.Input((4,)), tf.keras.Input((4,))
    dense = tf.keras.layers.Dense(3)
    two_inputs = tf.keras.Model([one, other], dense(tf.keras.layers.Add()([one, other])))
    two_outputs = tf.keras.Model(one, [dense(one), tf.keras.layers.Dense(3)(one)])
    for keras_model, sentence in (
      (two_inputs, '2 inputs found, expected one; join several by models.join_inputs'),
      (two_outputs, '2 outputs found, expected one'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        _wrap(keras_model)

  def test_mixed_precision_is_refused(self):
    half = tf.keras.layers.Dense(4, dtype='mixed_float16', name='half')
    layers = [tf.keras.layers.InputLayer((4,)), half, tf.keras.layers.Dense(3, dtype='float32')]
    with self.assertRaisesRegex(
      ValueError, 'layer half computes in float16 with weights in float32'
    ):
      _wrap(tf.keras.Sequential(layers))

  def test_weights_of_one_name_are_refused(self):
    class Twins(tf.keras.layers.Layer):
      def build(self, input_shape):
        del input_shape
        self.one, self.other = (self.add_weight('twin', (4, 3)) for _ in range(2))

      def call(self, inputs):
        return inputs @ self.one + inputs @ self.other

    keras_model = tf.keras.Sequential([tf.keras.layers.InputLayer((4,)), Twins(name='twins')])
    with self.assertRaisesRegex(ValueError, 'two weights share a name: twins/twin, twins/twin'):
      _wrap(keras_model)


if __name__ == '__main__':
  absltest.main()

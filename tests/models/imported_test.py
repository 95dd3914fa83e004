"""Tests of networks that a function of the user's builds."""

import contextlib
import pathlib
import sys

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models

_MODULE = """
import tensorflow as tf
layers = tf.keras.layers
number = 3

def build(input_shape, num_outputs, seed):
  return tf.keras.Sequential(
    [layers.InputLayer(input_shape), layers.Flatten(), layers.Dense(4), layers.Dense(num_outputs)])

def keras3(input_shape, num_outputs, seed):
  import keras
  return keras.Sequential(
    [keras.Input(input_shape), keras.layers.Dense(4), keras.layers.Dense(num_outputs)])

_body = layers.Dense(4, name='body', trainable=False)

def shared(input_shape, num_outputs, seed):
  x = tf.keras.Input(input_shape)
  return tf.keras.Model(x, layers.Dense(num_outputs, name='head')(_body(x)))

def head(layer):
  return lambda shape, outputs, seed: tf.keras.Sequential(
    [layers.InputLayer(shape), layer(outputs)])

def two_arguments(input_shape, num_outputs):
  return None

def compiled(input_shape, num_outputs, seed):
  model = build(input_shape, num_outputs, seed)
  model.compile('sgd', loss='mae', metrics=['mse'])
  return model

def fails(input_shape, num_outputs, seed):
  raise KeyError('no such body')

def nothing(input_shape, num_outputs, seed):
  return 3

def subclassed(input_shape, num_outputs, seed):
  class Own(tf.keras.Model):
    pass
  return Own()

unbuilt = lambda input_shape, num_outputs, seed: tf.keras.Sequential([layers.Dense(num_outputs)])

def of_ten(input_shape, num_outputs, seed):
  return build((10,), num_outputs, seed)

wide = lambda input_shape, num_outputs, seed: build(input_shape, num_outputs + 2, seed)
softmax = head(lambda n: layers.Dense(n, 'softmax'))
sigmoid = head(lambda n: layers.Dense(n, 'sigmoid'))
frozen = head(lambda n: layers.Dense(n, trainable=False))
infinite = head(lambda n: layers.Dense(n, kernel_initializer=tf.keras.initializers.Constant(1e39)))

def two_inputs(input_shape, num_outputs, seed):
  inputs = [tf.keras.Input((5,), name=name) for name in 'ab']
  return tf.keras.Model(inputs, layers.Dense(num_outputs)(layers.Concatenate()(inputs)))

def one_array(input_shape, num_outputs, seed):
  return build((sum(size for size, in input_shape.values()),), num_outputs, seed)

def two_of_keras3(input_shape, num_outputs, seed):
  import keras
  inputs = {name: keras.Input(shape, name=name) for name, shape in input_shape.items()}
  joined = keras.layers.Concatenate()(list(inputs.values()))
  return keras.Model(inputs, keras.layers.Dense(num_outputs)(joined))
"""


class ImportedTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'networks_of_mine.py').write_text(_MODULE)
    (folder / 'broken_network.py').write_text('1 / 0')
    # As where it was started, which an installed command does not have on its path.
    self.enter_context(contextlib.chdir(folder))
    self.addCleanup(sys.modules.pop, 'networks_of_mine', None)

  def _build(self, name, **options):
    return models.build_imported(f'networks_of_mine:{name}', (5,), 3, 7, **options)

  def test_same_weights_and_names_each_time(self):
    one, other = self._build('build'), self._build('build')
    for weight, same in zip(one.weights, other.weights, strict=True):
      self.assertEqual(weight.name, same.name)
      np.testing.assert_array_equal(weight, same)
    self.assertEqual([layer.name for layer in one.layers], ['flatten', 'dense', 'dense_1'])
    self.assertEqual(one.output_shape, (None, 3))
    another = models.build_imported('networks_of_mine:build', (5,), 3, 8)
    self.assertFalse(np.array_equal(one.get_weights()[0], another.get_weights()[0]))

  def test_what_it_is_compiled_with_is_left_out(self):
    one, other = self._build('compiled'), self._build('build')
    self.assertFalse(one._is_compiled)
    for weight, same in zip(one.get_weights(), other.get_weights(), strict=True):
      np.testing.assert_array_equal(weight, same)

  @absltest.skipIf(tf.__version__.startswith('2.14.'), 'Legacy Keras is all there is.')
  def test_keras3(self):
    one, other = self._build('keras3'), self._build('keras3')
    self.assertIsInstance(one, tf.keras.Model)
    self.assertEqual([weight.name for weight in one.weights], [w.name for w in other.weights])
    np.testing.assert_array_equal(one.get_weights()[0], other.get_weights()[0])

  def test_several_inputs(self):
    shapes = {'b': (5,), 'a': (5,)}
    names = ['two_inputs', 'one_array']
    if not tf.__version__.startswith('2.14.'):
      names.append('two_of_keras3')
    for name in names:
      model = models.build_imported(f'networks_of_mine:{name}', shapes, 3, 7)
      self.assertEqual(model.input_shape, (None, 10), name)
    with self.assertRaisesRegex(
      ValueError, r'--model=n.*:two_inputs takes the input a as \[5\], bu'
    ):
      models.build_imported('networks_of_mine:two_inputs', {**shapes, 'a': (6,)}, 3, 7)
    with self.assertRaisesRegex(ValueError, 'takes the inputs a, b, but an example has b, c'):
      models.build_imported('networks_of_mine:two_inputs', {'b': (5,), 'c': (5,)}, 3, 7)

  def test_layers_that_the_function_keeps_stay_its_own(self):
    one = self._build('shared')
    kernel = one.get_layer('body').get_weights()[0]
    one.set_weights([weight + 1 for weight in one.get_weights()])
    other = self._build('shared')
    np.testing.assert_array_equal(other.get_layer('body').get_weights()[0], kernel)
    self.assertEqual([weight.name for weight in other.trainable_weights][0], 'head/kernel:0')
    self.assertLen(other.non_trainable_weights, 2)

  def test_refuses(self):
    for name, sentence in (
      ('number', 'networks_of_mine:number, but networks_of_mine has no function number'),
      ('another', 'but networks_of_mine has no function another'),
      ('two_arguments', r'cannot be called as build\(input_shape, num_outputs, seed\)'),
      ('fails', "--model=networks_of_mine:fails failed: KeyError: 'no such body'"),
      ('nothing', 'returns a int, expected a Keras model'),
      ('subclassed', r'model own cannot be called on examples of \[5\]: NotImpl'),
      ('unbuilt', 'returns a model without an Input: give it one'),
      ('of_ten', r'takes float32 \[10\], but an example is float32 \[5\]'),
      ('wide', r'gives \[5\] for an example, expected num_outputs, \[3\]'),
      ('softmax', 'ends in a softmax, expected logits'),
      ('sigmoid', 'ends in a sigmoid, expected logits'),
      ('frozen', 'has no trainable weights'),
      ('infinite', 'has a weight that is not finite'),
      ('two_inputs', 'takes the inputs a, b, but an example has one input'),
    ):
      with self.subTest(name), self.assertRaisesRegex(ValueError, sentence):
        self._build(name)

  def test_numbers_may_end_in_a_sigmoid(self):
    self.assertEqual(self._build('sigmoid', objective='regression').output_shape, (None, 3))

  def test_module_that_cannot_be_imported(self):
    for module, sentence in (
      ('not_there', 'that can be imported: ModuleNotFoundError: No module named .not_there'),
      ('broken_network', 'that can be imported: ZeroDivisionError: division by zero'),
    ):
      with self.assertRaisesRegex(ValueError, f'--model is {module}:build, .*{sentence}'):
        models.build_imported(f'{module}:build', (5,), 3, 0)


if __name__ == '__main__':
  absltest.main()

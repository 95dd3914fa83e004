"""Tests of what is made of Keras' downloads; none is made."""

from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg.data import cifar10, examples, mnist


class KerasDatasetsTest(absltest.TestCase):
  def test_grey_images(self):
    train = (np.full([3, 28, 28], 255, np.uint8), np.array([5, 0, 4], np.uint8))
    test = (np.zeros([1, 28, 28], np.uint8), np.array([7], np.uint8))
    with mock.patch.object(tf.keras.datasets.mnist, 'load_data', return_value=(train, test)):
      source = mnist.load()
    self.assertEqual(source.name, 'mnist')
    np.testing.assert_array_equal(source.train.x, np.ones([3, 28, 28, 1], np.float32))
    np.testing.assert_array_equal(source.train.y, [5, 0, 4])
    np.testing.assert_array_equal(source.test.y, [7])

  def test_colour_images(self):
    part = (np.full([2, 32, 32, 3], 51, np.uint8), np.array([[6], [9]], np.uint8))
    with mock.patch.object(tf.keras.datasets.cifar10, 'load_data', return_value=(part, part)):
      source = cifar10.load()
    np.testing.assert_array_equal(source.test.x, np.full([2, 32, 32, 3], 0.2, np.float32))
    np.testing.assert_array_equal(source.test.y, [6, 9])
    self.assertEqual(source.class_names[6], 'frog')

  def test_no_network(self):
    error = Exception('URL fetch failure')
    for module, name, files in (
      (mnist, 'mnist', 'the four official files'),
      (cifar10, 'cifar10', 'the official folder cifar-10-batches-py'),
    ):
      with (
        self.subTest(name),
        mock.patch.object(getattr(tf.keras.datasets, name), 'load_data', side_effect=error),
        self.assertRaisesRegex(
          examples.DataError,
          rf'{name} could not be downloaded \(URL fetch failure\): without a network, '
          f'put {files}',
        ),
      ):
        module.load()


if __name__ == '__main__':
  absltest.main()

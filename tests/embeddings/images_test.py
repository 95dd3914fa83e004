"""Tests of embedding images whose pixels are known."""

import dataclasses
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests.embeddings import testing
from tff_lg import data
from tff_lg.embeddings import cache, embedding_set, extractor, images, presets, runs


def _source(num_train=3, num_test=2, shape=(2, 2, 3), name='arrays'):
  """Makes images: image i is all i / 8."""
  values = np.arange(num_train + num_test, dtype=np.float32) / 8
  x = np.broadcast_to(values.reshape(-1, *[1] * len(shape)), (len(values), *shape)).copy()
  y = (np.arange(len(values)) % 2).astype(np.int32)
  train = data.Examples(x[:num_train], y[:num_train])
  return data.Source(name, train, data.Examples(x[num_train:], y[num_train:]), 2, ('even', 'odd'))


class ImagesTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    folder = testing.class_folder(cls)
    saved = testing.save_network(testing.ImageNetwork(), folder)
    inputs = presets.ImageInput(size=4, low=0.0, high=1.0)
    preset = dataclasses.replace(presets.PRESETS['inception_v3'], inputs=inputs)
    cls.network = extractor.load_extractor(preset, saved)

  def setUp(self):
    super().setUp()
    self.cache_dir = self.create_tempdir().full_path

  def _embed(self, source, inputs=None, **arguments):
    network, calls = testing.count_calls(self.network)
    if inputs is not None:
      network = dataclasses.replace(
        network, preset=dataclasses.replace(network.preset, inputs=inputs)
      )
    store = cache.EmbeddingCache(self.cache_dir)
    return images.embed_images(source, network, store, **arguments), calls

  @parameterized.parameters(1, 2, 3, 32)
  def test_embeddings(self, batch_size):
    done, calls = self._embed(_source(), batch_size=batch_size)
    wanted = [[i / 8, i / 8, i / 8, i / 8, 4] for i in range(5)]
    np.testing.assert_allclose(done.embeddings.x, wanted, rtol=1e-6)
    np.testing.assert_array_equal(
      done.embeddings.ids, ['train/0', 'train/1', 'train/2', 'test/0', 'test/1']
    )
    np.testing.assert_array_equal(done.embeddings.split, ['train'] * 3 + ['test'] * 2)
    np.testing.assert_array_equal(done.embeddings.y, [0, 1, 0, 1, 0])
    np.testing.assert_array_equal(done.embeddings.class_names, ['even', 'odd'])
    self.assertLen(calls, -(-5 // batch_size))
    self.assertEqual({call.shape for call in calls}, {(batch_size, 4, 4, 3)})
    self.assertEqual(done.num_computed, 5)

  def test_grey_images_get_three_channels_and_the_range_is_kept_to(self):
    done, calls = self._embed(
      _source(shape=(2, 2, 1)), presets.ImageInput(size=3, low=-1.0, high=3.0), batch_size=5
    )
    values = 4 * np.arange(5) / 8 - 1
    np.testing.assert_allclose(
      calls[0], np.broadcast_to(values[:, None, None, None], (5, 3, 3, 3)), atol=1e-6
    )
    np.testing.assert_allclose(done.embeddings.x[:, 3], values, atol=1e-6)

  def test_resize_by_hand(self):
    batch = np.array([0, 1], np.float32).reshape(1, 1, 2, 1)
    # Pixel centres at 1/8, 3/8, 5/8, 7/8 of the width, between centres at 1/4 and 3/4.
    row = [0, 0.25, 0.75, 1]
    result = images.prepare(batch, presets.ImageInput(size=4, low=0.0, high=1.0))
    self.assertEqual(result.shape, (1, 4, 4, 3))
    np.testing.assert_allclose(result[0, :, :, 2], [row] * 4, atol=1e-6)
    # Halved, with the triangle twice as wide: centres 0.5 to 3.5 from one at 1, weights 3 3 1.
    batch = np.array([0, 0.5, 1, 0.25], np.float32).reshape(1, 1, 4, 1)
    result = images.prepare(batch, presets.ImageInput(size=2, low=0.0, high=1.0))
    wanted = [(0 * 3 + 0.5 * 3 + 1 * 1) / 7, (0.5 * 1 + 1 * 3 + 0.25 * 3) / 7]
    np.testing.assert_allclose(result[0, 0, :, 0], wanted, atol=1e-6)

  def test_only_new_images_are_embedded(self):
    self._embed(_source(2, 2))
    done, calls = self._embed(_source(4, 3), batch_size=3)
    # Images 4, 5 and 6; 0 to 3 are known, though two have moved to the training part.
    self.assertEqual(done.num_computed, 3)
    self.assertLen(calls, 1)
    np.testing.assert_allclose(done.embeddings.x[:, 0], np.arange(7) / 8, rtol=1e-6)

  def test_same_bytes_in_another_shape_are_another_image(self):
    self._embed(_source(shape=(2, 4, 3)))
    self.assertEqual(self._embed(_source(shape=(4, 2, 3)))[0].num_computed, 5)

  def test_other_preprocessing_is_embedded_again(self):
    self._embed(_source())
    done, _ = self._embed(_source(), presets.ImageInput(size=4, low=0.0, high=2.0))
    self.assertEqual(done.num_computed, 5)
    np.testing.assert_allclose(done.embeddings.x[:, 0], np.arange(5) / 4, rtol=1e-6)

  def test_some_of_the_images(self):
    done, _ = self._embed(_source(5, 3), max_examples=4, seed=2)
    np.testing.assert_array_equal(done.embeddings.split, ['train'] * 2 + ['test'] * 2)
    for name, x in zip(done.embeddings.ids, done.embeddings.x, strict=True):
      part, position = name.split('/')
      self.assertAlmostEqual(x[0], (int(position) + (5 if part == 'test' else 0)) / 8)

  def test_stopped_and_resumed(self):
    rng = np.random.default_rng(0)
    examples = data.Examples(rng.random((20, 5, 5, 3), np.float32), np.zeros(20, np.int32))
    source = data.Source('arrays', examples, examples.take(np.arange(0)), 1, ('one',))
    whole, _ = self._embed(source, batch_size=3)

    self.cache_dir = self.create_tempdir().full_path
    add = cache.EmbeddingCache.add

    def stop(store, keys, x):
      if len(store) >= 12:
        raise KeyboardInterrupt
      add(store, keys, x)

    with mock.patch.object(runs, '_ROWS_A_SHARD', 6):
      with mock.patch.object(cache.EmbeddingCache, 'add', stop):
        with self.assertRaises(KeyboardInterrupt):
          self._embed(source, batch_size=3)
      resumed, calls = self._embed(source, batch_size=3)
    self.assertEqual(resumed.num_computed, 8)
    self.assertLen(calls, 3)
    np.testing.assert_array_equal(resumed.embeddings.x, whole.embeddings.x)

  @parameterized.named_parameters(
    ('vectors', _source(shape=(4,)), r'--source=arrays: examples \[5, 4\] found'),
    ('channels', _source(shape=(2, 2, 2)), r'examples \[5, 2, 2, 2\] found'),
    ('range', _source(num_train=10), 'pixels from 0 to 1.375 found, expected 0 to 1'),
  )
  def test_refuses(self, source, message):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      self._embed(source)


if __name__ == '__main__':
  absltest.main()

"""Tests of embedding the image files of a folder."""

import dataclasses
import pathlib

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.embeddings import testing
from tff_lg.embeddings import cache, embedding_set, extractor, image_files, presets


class ImageFilesTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    folder = testing.class_folder(cls)
    saved = testing.save_network(testing.ImageNetwork(), folder)
    inputs = presets.ImageInput(size=4, low=0.0, high=2.0)
    preset = dataclasses.replace(presets.PRESETS['inception_v3'], inputs=inputs)
    cls.network = extractor.load_extractor(preset, saved)

  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    self.cache_dir = self.create_tempdir().full_path

  def _write(self, name, colour, shape=(6, 3)):
    """Writes an image of one colour, one or three numbers of 255."""
    path = self.folder / name
    path.parent.mkdir(exist_ok=True)
    pixels = np.broadcast_to(np.array(colour, np.uint8), (*shape, len(colour)))
    path.write_bytes(tf.io.encode_png(pixels).numpy())

  def _embed(self, **arguments):
    network, calls = testing.count_calls(self.network)
    store = cache.EmbeddingCache(self.cache_dir)
    return image_files.embed_image_files(str(self.folder), network, store, **arguments), calls

  def test_embeddings_of_any_size_and_of_grey_images(self):
    self._write('b/COCO_2.png', [51, 102, 255], (2, 9))
    self._write('a_1.png', [51])
    self._write('c_3.PNG', [255, 0, 0], (4, 4))
    (self.folder / 'notes.txt').write_text('no image')
    done, calls = self._embed(batch_size=2, provenance={'data_dir': 'x'})
    self.assertEqual(done.embeddings.ids.tolist(), ['a_1.png', 'b/COCO_2.png', 'c_3.PNG'])
    # Of [0, 1] to [0, 2]: a pixel, the mean and the number of rows.
    wanted = [[0.4, 0.4, 0.4, 0.4, 4], [0.4, 0.8, 2, 3.2 / 3, 4], [2, 0, 0, 2 / 3, 4]]
    np.testing.assert_allclose(done.embeddings.x, wanted, rtol=1e-5)
    self.assertEqual({call.shape for call in calls}, {(2, 4, 4, 3)})
    self.assertEqual(done.embeddings.class_names.tolist(), ['image'])
    self.assertIn('"data_dir": "x"', done.embeddings.provenance)
    # Only what is new is embedded.
    self._write('d_4.png', [0])
    again, calls = self._embed()
    self.assertEqual((again.num_computed, len(calls), len(again.embeddings)), (1, 1, 4))
    np.testing.assert_array_equal(again.embeddings.x[:3], done.embeddings.x)
    self.assertLen(self._embed(max_examples=2)[0].embeddings, 2)

  def test_refuses(self):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, '--data_dir: no image found in'):
      self._embed()
    (self.folder / 'x_1.jpg').write_bytes(b'no image')
    with self.assertRaisesRegex(embedding_set.EmbeddingError, 'x_1.jpg: cannot be decoded'):
      self._embed()
    (self.folder / 'x_1.jpg').unlink()
    (self.folder / 'x_2.jpg').symlink_to(self.folder / 'gone')
    with self.assertRaisesRegex(embedding_set.EmbeddingError, 'x_2.jpg: cannot be read'):
      self._embed()


if __name__ == '__main__':
  absltest.main()

"""Tests of loading networks, on two of a few lines."""

import dataclasses
import os
import shutil
from unittest import mock

import numpy as np
import tensorflow as tf
import tensorflow_hub as hub
from absl.testing import absltest, parameterized

from tests.embeddings import testing
from tff_lg.embeddings import embedding_set, extractor, presets

_AUDIO = presets.PRESETS['yamnet']
_IMAGES = dataclasses.replace(
  presets.PRESETS['inception_v3'], inputs=presets.ImageInput(4, 0.0, 1.0)
)


class _Wrong(tf.Module):
  """Embeds a waveform as whole numbers."""

  @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
  def __call__(self, waveform):
    return tf.cast(waveform[None], tf.int32)


class ExtractorTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    folder = testing.class_folder(cls)
    cls.audio = testing.save_network(testing.AudioNetwork(), f'{folder}/audio')
    cls.images = testing.save_network(testing.ImageNetwork(), f'{folder}/images')
    cls.scaled = testing.save_network(testing.ImageNetwork(2.0), f'{folder}/scaled')
    cls.wrong = testing.save_network(_Wrong(), f'{folder}/wrong')

  def test_audio_is_pooled_over_patches(self):
    network = extractor.load_extractor(_AUDIO, self.audio)
    waveform = np.concatenate([np.full(15600, 0.5), np.full(7680, -0.25)]).astype(np.float32)
    # Second patch: from 7680 to 23280, of which 15600 - 7680 = 7920 samples are 0.5.
    means = [0.5, (7920 * 0.5 - 7680 * 0.25) / 15600]
    np.testing.assert_allclose(network.embed(waveform), [max(means), 0.5, 0.5, 1.0], rtol=1e-6)
    self.assertEqual(network.handle, self.audio)
    self.assertEqual(network.preset, _AUDIO)

  def test_images(self):
    network = extractor.load_extractor(_IMAGES, self.images)
    np.testing.assert_allclose(
      network.embed(np.ones((2, 4, 4, 3), np.float32)), [[1, 1, 1, 1, 4]] * 2
    )

  def test_digest_is_of_what_the_network_computes(self):
    moved = os.path.join(self.create_tempdir().full_path, 'elsewhere')
    shutil.copytree(self.images, moved)
    digest = extractor.hash_model(self.images)
    self.assertLen(digest, 64)
    self.assertEqual(extractor.hash_model(moved), digest)
    # Other weights in the same graph.
    self.assertNotEqual(extractor.hash_model(self.scaled), digest)
    with open(os.path.join(moved, 'notes.txt'), 'w', encoding='utf-8') as file:
      file.write('no part of the network')
    self.assertEqual(extractor.hash_model(moved), digest)
    with open(os.path.join(moved, 'assets', 'classes.txt'), 'w', encoding='utf-8') as file:
      file.write('part of it')
    self.assertNotEqual(extractor.hash_model(moved), digest)

  def test_only_the_network_of_a_given_digest_is_loaded(self):
    digest = extractor.hash_model(self.images)
    for given in (digest, digest.upper()):
      self.assertEqual(extractor.load_extractor(_IMAGES, self.images, given).digest, digest)
    with mock.patch.object(hub, 'KerasLayer') as load:
      with self.assertRaisesRegex(
        embedding_set.EmbeddingError,
        f'images cannot be loaded .its SHA-256 is {digest}, expected --handle_sha256, abc',
      ):
        extractor.load_extractor(_IMAGES, self.images, 'abc')
    load.assert_not_called()

  def test_key_depends_on_network_preprocessing_and_content(self):
    network = extractor.Extractor(_AUDIO, 'here', 'digest', tf.identity)
    key = network.key('content')
    self.assertRegex(key, '^[0-9a-f]{32}$')
    self.assertEqual(dataclasses.replace(network, handle='there').key('content'), key)
    longer = dataclasses.replace(_AUDIO, inputs=presets.AudioInput(16000, 20000))
    renamed = dataclasses.replace(_AUDIO, name='other')
    self.assertEqual(dataclasses.replace(network, preset=renamed).key('content'), key)
    others = {
      network.key('other'),
      dataclasses.replace(network, digest='other').key('content'),
      dataclasses.replace(network, preset=longer).key('content'),
      dataclasses.replace(network, preset=dataclasses.replace(_AUDIO, output=0)).key('content'),
      dataclasses.replace(network, preset=_IMAGES).key('content'),
      key,
    }
    self.assertLen(others, 6)

  def _assert_refused(self, preset, handle, message):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      extractor.load_extractor(preset, handle)

  def test_no_such_folder(self):
    self._assert_refused(
      _AUDIO, '/nowhere', '--handle: /nowhere found, expected a TF-Hub handle or an existing'
    )

  def test_folder_without_a_network(self):
    self._assert_refused(
      _AUDIO, self.create_tempdir().full_path, 'cannot be loaded .no saved_model.pb in'
    )

  def test_damaged_network(self):
    folder = self.create_tempdir()
    folder.create_file('saved_model.pb', content='damaged')
    self._assert_refused(_AUDIO, folder.full_path, f'--handle: {folder.full_path} cannot be loaded')

  def test_network_of_the_other_kind(self):
    self._assert_refused(_AUDIO, self.images, 'cannot be used with --preset=yamnet')
    self._assert_refused(_IMAGES, self.audio, r'which gives it float32 \[None, 4, 4, 3\]')

  def test_output_that_is_not_there(self):
    preset = dataclasses.replace(_AUDIO, output=3)
    self._assert_refused(preset, self.audio, 'cannot be used with --preset=yamnet')

  def test_output_that_is_not_an_embedding(self):
    self._assert_refused(_AUDIO, self.wrong, r'gives int32 \[None\], expected float32 \[patches, d')


if __name__ == '__main__':
  absltest.main()

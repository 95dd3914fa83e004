"""Tests of embedding clips, each of one value."""

import json

import numpy as np
from absl.testing import absltest, parameterized

from tests.embeddings import testing
from tff_lg.embeddings import cache, clips, embedding_set, extractor, fsd, presets

_CLIPS = {
  'train': [
    ('a.wav', 'Tom', testing.constant(0.5, 15600)),
    ('b.wav', 'Cough', testing.constant(-0.25, 7800)),
    ('c.wav', 'Tom', testing.constant(0.125, 40000)),
  ],
  'test': [('d.wav', 'Cough', testing.constant(1.0, 3900))],
}
# [mean, max, min, 1], the largest of each over the patches; a short clip ends in zeros. The
# network has whole patches only, so c.wav has 4: (40000 - 15600) // 7680 + 1.
_WANTED = [[0.5, 0.5, 0.5, 1], [-0.125, 0, -0.25, 1], [0.125, 0.125, 0.125, 1], [0.25, 1, 0, 1]]


class ClipsTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    folder = testing.class_folder(cls)
    saved = testing.save_network(testing.AudioNetwork(), folder)
    cls.network = extractor.load_extractor(presets.PRESETS['yamnet'], saved)

  def setUp(self):
    super().setUp()
    self.folder = testing.write_clips(self.create_tempdir().full_path, _CLIPS)
    self.cache_dir = self.create_tempdir().full_path

  def _path(self, name, part='train'):
    return self.folder / f'FSDKaggle2018.audio_{part}' / name

  def _embed(self, **arguments):
    """Returns what is embedded, and the lengths of the waveforms the network was called with."""
    network, calls = testing.count_calls(self.network)
    listed = fsd.list_clips(str(self.folder), positive_class='Cough')
    done = clips.embed_clips(listed, network, cache.EmbeddingCache(self.cache_dir), **arguments)
    self.assertLen(calls, done.num_computed)
    return done, sorted(len(call) for call in calls)

  def test_embeddings(self):
    done, lengths = self._embed(provenance={'source': 'test'})
    np.testing.assert_allclose(done.embeddings.x, _WANTED, rtol=1e-5)
    self.assertEqual(done.embeddings.x.dtype, np.float32)
    np.testing.assert_array_equal(done.embeddings.ids, ['a.wav', 'b.wav', 'c.wav', 'd.wav'])
    np.testing.assert_array_equal(done.embeddings.y, [0, 1, 0, 1])
    np.testing.assert_array_equal(done.embeddings.split, ['train'] * 3 + ['test'])
    np.testing.assert_array_equal(done.embeddings.class_names, ['rest', 'Cough'])
    self.assertEqual(lengths, [15600, 15600, 15600, 40000])
    self.assertEqual(done.skipped, {})
    said = json.loads(done.embeddings.provenance)
    self.assertEqual((said['source'], said['skipped']), ('test', {}))

  def test_some_of_the_clips(self):
    done, _ = self._embed(max_examples=2, seed=1)
    self.assertLen(done.embeddings, 2)
    rows = np.searchsorted(['a.wav', 'b.wav', 'c.wav', 'd.wav'], done.embeddings.ids)
    np.testing.assert_allclose(done.embeddings.x, np.array(_WANTED)[rows], rtol=1e-5)

  def test_second_run_calls_nothing(self):
    first, _ = self._embed()
    second, lengths = self._embed()
    self.assertEqual(lengths, [])
    np.testing.assert_array_equal(second.embeddings.x, first.embeddings.x)
    np.testing.assert_array_equal(second.embeddings.keys, first.embeddings.keys)

  def test_changed_clip_alone_is_embedded_again(self):
    first, _ = self._embed()
    testing.write_clip(self._path('b.wav'), testing.constant(0.75, 20000))
    second, lengths = self._embed()
    self.assertEqual(lengths, [20000])
    np.testing.assert_allclose(second.embeddings.x[1], [0.75, 0.75, 0.75, 1], rtol=1e-5)
    np.testing.assert_array_equal(
      second.embeddings.keys != first.embeddings.keys, [False, True, False, False]
    )
    np.testing.assert_array_equal(second.embeddings.x[2:], first.embeddings.x[2:])

  def test_clips_of_equal_content_are_embedded_once(self):
    self._path('b.wav').write_bytes(self._path('a.wav').read_bytes())
    done, lengths = self._embed()
    self.assertLen(lengths, 3)
    np.testing.assert_allclose(done.embeddings.x[:2], [_WANTED[0]] * 2, rtol=1e-5)

  def _damage(self):
    """Damages all of the four clips but c.wav."""
    self._path('a.wav').write_bytes(b'no sound')
    testing.write_clip(self._path('b.wav'), np.zeros(0))
    self._path('d.wav', 'test').unlink()

  def test_unreadable_clips_are_listed_and_skipped(self):
    self._damage()
    with self.assertLogs('absl', 'WARNING') as logs:
      done, lengths = self._embed()
    self.assertEqual(lengths, [40000])
    np.testing.assert_array_equal(done.embeddings.ids, ['c.wav'])
    np.testing.assert_allclose(done.embeddings.x, _WANTED[2:3], rtol=1e-5)
    self.assertLen(logs.output, 3)
    self.assertStartsWith(done.skipped['a.wav'], 'cannot be decoded: ')
    self.assertEqual(done.skipped['b.wav'], 'has no samples')
    self.assertEqual(done.skipped['d.wav'], 'cannot be read: No such file or directory')
    self.assertEqual(json.loads(done.embeddings.provenance)['skipped'], done.skipped)

  def test_clips_of_equal_unreadable_content_are_all_skipped(self):
    self._path('a.wav').write_bytes(b'no sound')
    self._path('c.wav').write_bytes(b'no sound')
    done, _ = self._embed()
    np.testing.assert_array_equal(done.embeddings.ids, ['b.wav', 'd.wav'])
    self.assertCountEqual(done.skipped, ['a.wav', 'c.wav'])

  @parameterized.named_parameters(
    ('no_sound', 'a.wav', b'no sound', 'clip a.wav cannot be decoded: .*'),
    ('last', 'c.wav', b'', 'clip c.wav cannot be decoded: .*'),
    ('missing', 'b.wav', None, 'clip b.wav cannot be read: No such file or directory'),
  )
  def test_strict_refuses(self, name, content, message):
    self._path(name).unlink()
    if content is not None:
      self._path(name).write_bytes(content)
    message = f'^--strict: {message}, expected every clip to be readable.$'
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      self._embed(strict=True)

  def test_strict_has_nothing_against_good_clips(self):
    self.assertLen(self._embed(strict=True)[0].embeddings, 4)

  def test_no_clip_at_all(self):
    self._damage()
    self._path('c.wav').unlink()
    with self.assertRaisesRegex(
      embedding_set.EmbeddingError, 'none of 4 clips can be read, the first because'
    ):
      self._embed()


if __name__ == '__main__':
  absltest.main()

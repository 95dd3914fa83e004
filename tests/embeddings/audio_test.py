"""Tests of decoding, on sounds whose samples are known."""

import hashlib
import os

import numpy as np
import soundfile
from absl.testing import absltest, parameterized

from tff_lg.embeddings import audio, presets

_INPUTS = presets.AudioInput(sample_rate=16000, min_samples=15600)


class AudioTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _write(self, samples, sample_rate=16000, subtype='PCM_16'):
    path = os.path.join(self.folder, 'clip.wav')
    soundfile.write(path, samples, sample_rate, subtype=subtype)
    return path

  def test_short_clip_is_padded_at_its_end(self):
    path = self._write(np.array([8192, -16384, 32767], np.int16))
    waveform = audio.read_waveform(path, _INPUTS)
    self.assertEqual(waveform.dtype, np.float32)
    self.assertEqual(waveform.shape, (15600,))
    np.testing.assert_array_equal(waveform[:3], np.float32([0.25, -0.5, 32767 / 32768]))
    np.testing.assert_array_equal(waveform[3:], 0)

  @parameterized.parameters(15600, 15601)
  def test_long_clip_is_left(self, num_samples):
    samples = np.arange(num_samples, dtype=np.int16)
    waveform = audio.read_waveform(self._write(samples), _INPUTS)
    np.testing.assert_array_equal(waveform, samples / np.float32(32768))

  def test_channels_are_averaged(self):
    path = self._write(np.array([[0.5, 0.25], [1.0, -1.0]], np.float32), subtype='FLOAT')
    np.testing.assert_array_equal(audio.read_waveform(path, _INPUTS)[:3], [0.375, 0, 0])

  def test_stereo_at_8_khz_is_resampled(self):
    seconds = np.arange(16000) / 8000
    tone = 0.5 * np.sin(2 * np.pi * 440 * seconds)
    path = self._write(np.stack([tone, 0 * tone], axis=1), 8000)
    waveform = audio.read_waveform(path, _INPUTS)
    self.assertEqual(waveform.shape, (32000,))
    self.assertEqual(waveform.dtype, np.float32)
    # The same tone, half as loud. The ends are the resampling filter's own.
    wanted = 0.25 * np.sin(2 * np.pi * 440 * np.arange(32000) / 16000)
    np.testing.assert_allclose(waveform[1000:-1000], wanted[1000:-1000], atol=1e-3)

  def test_what_is_above_half_the_rate_is_filtered_out(self):
    seconds = np.arange(44100) / 44100
    path = self._write(0.5 * np.sin(2 * np.pi * 10000 * seconds), 44100)
    waveform = audio.read_waveform(path, _INPUTS)
    self.assertEqual(waveform.shape, (16000,))
    self.assertLess(np.abs(waveform[1000:-1000]).max(), 1e-3)

  def test_clip_without_samples(self):
    with self.assertRaisesRegex(audio.ClipError, '^has no samples$'):
      audio.read_waveform(self._write(np.zeros(0)), _INPUTS)

  @parameterized.parameters(b'', b'no sound at all', b'RIFF\x04\x00\x00\x00WAVE')
  def test_file_without_sound(self, content):
    path = self.create_tempfile('clip.wav', content=content, mode='wb').full_path
    with self.assertRaisesRegex(audio.ClipError, r'^cannot be decoded: .*[^.]$'):
      audio.read_waveform(path, _INPUTS)

  def test_sample_that_is_not_finite(self):
    path = self._write(np.array([0, np.nan], np.float32), subtype='FLOAT')
    with self.assertRaisesRegex(audio.ClipError, 'has samples that are not finite'):
      audio.read_waveform(path, _INPUTS)

  def test_hashes(self):
    path = self.create_tempfile('clip.wav', content=b'abc', mode='wb').full_path
    nowhere = os.path.join(self.folder, 'nowhere')
    found, missing, folder = audio.hash_files([path, nowhere, self.folder], num_threads=2)
    self.assertEqual(found, hashlib.sha256(b'abc').hexdigest())
    self.assertEqual(str(missing), 'cannot be read: No such file or directory')
    self.assertEqual(str(folder), 'cannot be read: Is a directory')


if __name__ == '__main__':
  absltest.main()

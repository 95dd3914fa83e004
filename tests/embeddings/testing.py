"""Networks and data small enough to know every value of."""

import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Mapping, Sequence

import numpy as np
import soundfile
import tensorflow as tf
from absl.testing import absltest

from tff_lg.embeddings import extractor


class AudioNetwork(tf.Module):
  """YAMNet's signature and patches; a patch is embedded as [mean, max, min, 1]."""

  @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
  def __call__(self, waveform):
    """Returns scores [patches, 2], embeddings [patches, 4], spectrogram [frames, 3]."""
    patches = tf.signal.frame(waveform, 15600, 7680)
    ones = tf.ones_like(patches[:, 0])
    reduced = [f(patches, axis=1) for f in (tf.reduce_mean, tf.reduce_max, tf.reduce_min)]
    embeddings = tf.stack([*reduced, ones], axis=1)
    return embeddings[:, :2] * 7.0, embeddings, tf.zeros([5, 3])


class ImageNetwork(tf.Module):
  """Gives a pixel, the mean and the number of rows: [batch, 5]."""

  def __init__(self, scale: float = 1.0):
    super().__init__()
    self.scale = tf.Variable(scale)

  @tf.function(input_signature=[tf.TensorSpec([None, None, None, 3], tf.float32)])
  def __call__(self, images):
    """Returns float32 [batch, 5]."""
    rows = tf.fill(tf.shape(images)[:1], tf.cast(tf.shape(images)[1], tf.float32))
    mean = tf.reduce_mean(images, axis=[1, 2, 3])
    return self.scale * tf.concat([images[:, 0, 0], mean[:, None], rows[:, None]], axis=1)


def class_folder(test_case: type[absltest.TestCase]) -> str:
  """Makes a folder for all tests of a class, removed after the last: saving takes a while."""
  parent = absltest.get_default_test_tmpdir()
  os.makedirs(parent, exist_ok=True)
  return test_case.enterClassContext(tempfile.TemporaryDirectory(dir=parent))


def save_network(network: tf.Module, folder: str) -> str:
  """Saves a network; returns `folder`."""
  tf.saved_model.save(network, folder)
  return folder


def count_calls(network: extractor.Extractor) -> tuple[extractor.Extractor, list[np.ndarray]]:
  """Returns a network that also notes what it is called with, and those notes."""
  calls = []

  def note(inputs):
    calls.append(inputs)
    return inputs

  def embed(inputs):
    noted = tf.numpy_function(note, [inputs], tf.float32)
    return network.embed(tf.ensure_shape(noted, inputs.shape))

  return dataclasses.replace(network, embed=embed), calls


def write_clips(
  folder: str, clips: Mapping[str, Sequence[tuple[str, str, np.ndarray | None]]]
) -> pathlib.Path:
  """Writes a data set in FSDKaggle2018's layout.

  Args:
    folder: where to.
    clips: 'train' and 'test', each (file name, label, samples at 16 kHz; None writes no file).

  Returns:
    `folder`.
  """
  root = pathlib.Path(folder)
  names = {'train': 'train_post_competition', 'test': 'test_post_competition_scoring_clips'}
  (root / 'FSDKaggle2018.meta').mkdir()
  for part, name in names.items():
    audio = root / f'FSDKaggle2018.audio_{part}'
    audio.mkdir()
    lines = ['fname,label,license']
    for file_name, label, samples in clips[part]:
      lines.append(f'{file_name},{label},CC0')
      if samples is not None:
        write_clip(audio / file_name, samples)
    (root / 'FSDKaggle2018.meta' / f'{name}.csv').write_text('\n'.join(lines) + '\n')
  return root


def write_clip(path: pathlib.Path, samples: np.ndarray) -> None:
  """Writes mono samples at 16 kHz, exactly."""
  soundfile.write(path, samples, 16000, subtype='FLOAT', format='WAV')


def constant(value: float, num_samples: int = 100) -> np.ndarray:
  """Makes a clip of one value."""
  return np.full(num_samples, value, np.float32)

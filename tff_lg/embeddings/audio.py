"""Clips as a network takes them: decoded, mono, resampled, long enough."""

import concurrent.futures
import hashlib
import os
from collections.abc import Sequence

import numpy as np
import soundfile
import soxr

from tff_lg.embeddings import presets


class ClipError(ValueError):
  """A clip that cannot be used; the message says why, without the clip's name."""


def read_waveform(path: str, inputs: presets.AudioInput) -> np.ndarray:
  """Decodes a clip.

  Channels are averaged before the resampling (both are linear, and one channel is less work).

  Args:
    path: a sound file, of any format and rate that libsndfile reads.
    inputs: the rate and the least length.

  Returns:
    float32 [samples], mono, at `inputs.sample_rate`; a clip shorter than `inputs.min_samples` has
    zeros at its end.

  Raises:
    ClipError: the file cannot be decoded, or has no samples or some that are not finite.
  """
  try:
    channels, sample_rate = soundfile.read(path, dtype='float32', always_2d=True)
  except (soundfile.SoundFileError, OSError) as error:
    # The name of the file is said by the caller.
    reason = str(getattr(error, 'error_string', error)).rstrip('.')
    raise ClipError(f'cannot be decoded: {reason}') from error
  if not len(channels):
    raise ClipError('has no samples')
  if not np.isfinite(channels).all():
    raise ClipError('has samples that are not finite')
  mono = channels.mean(axis=1)
  if sample_rate != inputs.sample_rate:
    mono = soxr.resample(mono, sample_rate, inputs.sample_rate)
  return np.pad(mono, (0, max(0, inputs.min_samples - len(mono))))


def hash_files(paths: Sequence[str], num_threads: int) -> list[str | ClipError]:
  """Hashes the contents of files, several at a time.

  Args:
    paths: the files.
    num_threads: how many are read at a time.

  Returns:
    For each file its SHA-256 in hexadecimal, or why it cannot be read.
  """
  with concurrent.futures.ThreadPoolExecutor(num_threads) as pool:
    return list(pool.map(_hash_file, paths))


def _hash_file(path: str) -> str | ClipError:
  try:
    with open(path, 'rb') as file:
      return hashlib.file_digest(file, 'sha256').hexdigest()
  except OSError as error:
    return ClipError(f'cannot be read: {os.strerror(error.errno or 0)}')

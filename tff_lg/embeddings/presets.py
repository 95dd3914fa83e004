"""Known extractors: where they are, what they take, what they return.

A network that is not listed runs under the preset of its kind, with another `handle`.
"""

import dataclasses
import os
from collections.abc import Mapping

from tff_lg.embeddings import embedding_set


@dataclasses.dataclass(frozen=True)
class AudioInput:
  """One waveform at a time, mono, float32 [samples] in [-1, 1]; patches come out.

  Attributes:
    sample_rate: in Hz.
    min_samples: a shorter clip is padded with zeros at its end to this length, one patch.
  """

  sample_rate: int
  min_samples: int


@dataclasses.dataclass(frozen=True)
class ImageInput:
  """Square images with three channels, float32 [batch, size, size, 3].

  Attributes:
    size: in pixels.
    low: value of black.
    high: value of white.
  """

  size: int
  low: float
  high: float


@dataclasses.dataclass(frozen=True)
class Preset:
  """A frozen network.

  Attributes:
    name: of the preset.
    handle: where the network is by default, a TF-Hub handle.
    inputs: what the network takes.
    output: which of several outputs holds the embeddings; a single output is taken as it is.
  """

  name: str
  handle: str
  inputs: AudioInput | ImageInput
  output: int = 0

  @property
  def audio(self) -> AudioInput:
    """Returns `inputs`; TypeError for a network that does not take sounds."""
    if not isinstance(self.inputs, AudioInput):
      raise TypeError(f'preset {self.name} is for images, expected one for sounds.')
    return self.inputs

  @property
  def image(self) -> ImageInput:
    """Returns `inputs`; TypeError for a network that does not take images."""
    if not isinstance(self.inputs, ImageInput):
      raise TypeError(f'preset {self.name} is for sounds, expected one for images.')
    return self.inputs


PRESETS: Mapping[str, Preset] = {
  preset.name: preset
  for preset in (
    # A patch is 0.96 s of frames 10 ms apart, the last of which is 25 ms long: 15,600 samples.
    Preset('yamnet', 'https://tfhub.dev/google/yamnet/1', AudioInput(16_000, 15_600), output=1),
    Preset(
      'inception_v3',
      'https://tfhub.dev/google/imagenet/inception_v3/feature_vector/5',
      ImageInput(299, 0.0, 1.0),
    ),
  )
}


def find_handle(preset: Preset, handle: str | None = None) -> str:
  """Finds the network that is meant; one that is to be downloaded is not looked for.

  Args:
    preset: which network, without `handle`.
    handle: a TF-Hub handle or a SavedModel folder.

  Returns:
    The handle, or the folder's path.

  Raises:
    EmbeddingError: there is no such folder; one sentence.
  """
  handle = os.path.expanduser(handle or preset.handle)
  if '://' not in handle and not os.path.isdir(handle):
    raise embedding_set.EmbeddingError(
      f'--handle: {handle} found, expected a TF-Hub handle or an existing SavedModel folder.'
    )
  return handle

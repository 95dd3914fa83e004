"""A frozen network from TF-Hub or a folder, as a function from inputs to embeddings."""

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Callable

import tensorflow as tf
import tensorflow_hub as hub

from tff_lg import errors
from tff_lg.embeddings import embedding_set, presets

# What is computed around the network; raised by one when it changes, so that no older embedding
# is taken for a new one.
_RECIPE = 1


@dataclasses.dataclass(frozen=True, eq=False)
class Extractor:
  """A frozen network with its preprocessing.

  Attributes:
    preset: what goes in.
    handle: where the network was found.
    digest: SHA-256 of the network's files, in hexadecimal.
    embed: inside a graph, audio: float32 [samples] -> float32 [d], the maximum over patches;
      images: float32 [batch, size, size, 3] -> float32 [batch, d].
  """

  preset: presets.Preset
  handle: str
  digest: str
  embed: Callable[[tf.Tensor], tf.Tensor]

  def preprocessing(self) -> dict[str, object]:
    """Returns what is done around the network, ready for JSON."""
    inputs = self.preset.inputs
    values = {'recipe': _RECIPE, 'output': self.preset.output, **dataclasses.asdict(inputs)}
    if isinstance(inputs, presets.AudioInput):
      return {'kind': 'audio', 'resampling': 'soxr HQ', 'pooling': 'max', **values}
    return {'kind': 'image', 'resizing': 'bilinear, antialiased', **values}

  def key(self, content: str) -> str:
    """Returns the cache key of an example: 32 hexadecimal digits.

    It changes with the network, the preprocessing and the example, and with nothing else.

    Args:
      content: a hash of the example.
    """
    parts = [self.digest, self.preprocessing(), content]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def load_extractor(
  preset: presets.Preset, handle: str | None = None, sha256: str | None = None
) -> Extractor:
  """Loads a network and tries its signature.

  Args:
    preset: what goes in and, without `handle`, which network.
    handle: a TF-Hub handle or a SavedModel folder.
    sha256: that the network must have, see `hash_model`; None for any. A network is a program:
      one with another hash is not loaded.

  Returns:
    The network, its weights frozen. One that takes audio runs on the CPU: its waveforms have
    different lengths and come one at a time.

  Raises:
    EmbeddingError: the network cannot be had, is another one, or takes or returns something else.
  """
  handle = presets.find_handle(preset, handle)
  is_audio = isinstance(preset.inputs, presets.AudioInput)
  try:
    folder = hub.resolve(handle)
    digest = hash_model(folder)
    if sha256 is not None and sha256.lower() != digest:
      raise embedding_set.EmbeddingError(
        f'its SHA-256 is {digest}, expected --handle_sha256, {sha256}'
      )
    with tf.device('CPU') if is_audio else contextlib.nullcontext():
      network = hub.KerasLayer(folder, trainable=False)
  except Exception as error:  # Anything from the network to the file system.
    raise embedding_set.EmbeddingError(
      f'--handle: {handle} cannot be loaded ({_reason(error)}).'
    ) from error

  def embed(inputs: tf.Tensor) -> tf.Tensor:
    outputs = network(inputs)
    if isinstance(outputs, list | tuple):
      outputs = outputs[preset.output]
    return tf.reduce_max(outputs, axis=0) if is_audio else outputs

  shape = () if is_audio else (preset.image.size, preset.image.size, 3)
  spec = tf.TensorSpec([None, *shape], tf.float32)
  try:
    output = tf.function(embed).get_concrete_function(spec).structured_outputs
    found = f'{output.dtype.name} {list(output.shape)}'
    fits = output.dtype == tf.float32 and output.shape.rank == (1 if is_audio else 2)
  except Exception as error:  # What a network does with wrong input is its own affair.
    raise embedding_set.EmbeddingError(
      f'--handle: {handle} cannot be used with --preset={preset.name}, which gives it float32 '
      f'{list(spec.shape)} ({_reason(error)}).'
    ) from error
  if not fits:
    wanted = '[patches, d], pooled to [d]' if is_audio else '[batch, d]'
    raise embedding_set.EmbeddingError(
      f'--handle: {handle} gives {found}, expected float32 {wanted}.'
    )
  return Extractor(preset, handle, digest, embed)


def hash_model(folder: str) -> str:
  """Hashes what decides what a SavedModel computes: graph, weights, assets.

  Args:
    folder: of the SavedModel, on any file system TensorFlow reads.

  Returns:
    SHA-256 in hexadecimal. Where the folder is does not matter.

  Raises:
    EmbeddingError: there is no SavedModel.
  """
  digest = hashlib.sha256()
  paths = sorted(tf.io.gfile.glob(os.path.join(folder, 'saved_model.pb*')))
  if not paths:
    raise embedding_set.EmbeddingError(f'no saved_model.pb in {folder}')
  for subfolder in ('assets', 'variables'):
    for parent, _, names in tf.io.gfile.walk(os.path.join(folder, subfolder)):
      paths += [os.path.join(parent, name) for name in sorted(names)]
  for path in sorted(paths):
    with tf.io.gfile.GFile(path, 'rb') as file:
      content = hashlib.sha256(file.read()).hexdigest()
    digest.update(f'{os.path.relpath(path, folder)} {content}\n'.encode())
  return digest.hexdigest()


def _reason(error: Exception) -> str:
  """Returns what a network's own error says first, cut where it is long."""
  return errors.first_line(error).rstrip('.')[:300]

"""Embeds the images of a data set."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import data
from tff_lg.embeddings import cache, embedding_set, extractor, presets, runs


def embed_images(
  source: data.Source,
  network: extractor.Extractor,
  store: cache.EmbeddingCache,
  *,
  batch_size: int = 32,
  max_examples: int | None = None,
  seed: int = 0,
  provenance: Mapping[str, Any] | None = None,
) -> runs.Embedded:
  """Embeds images: resized, scaled, with three channels.

  Args:
    source: images [n, height, width, 1 or 3] in [0, 1].
    network: takes images.
    store: gives what was embedded before, and gets what is embedded now.
    batch_size: images a call of the network, at least 1.
    max_examples: keeps this many images, see `choose`.
    seed: of that choice.
    provenance: what is to be said of the data, ready for JSON.

  Returns:
    The set, training part first; the ids are 'train/0', ..., by position in the source.

  Raises:
    EmbeddingError: the source has no such images, or an embedding is not finite.
  """
  parts = {'train': source.train, 'test': source.test}
  split = np.concatenate([np.full(len(part), name) for name, part in parts.items()])
  positions = np.concatenate([np.arange(len(part)) for part in parts.values()])
  chosen = runs.choose(split, max_examples, seed)
  split, positions = split[chosen], positions[chosen]
  taken = [part.take(positions[split == name]) for name, part in parts.items()]
  images = np.concatenate([part.x for part in taken])
  _check(images, source.name)
  keys = np.array([network.key(_hash(image)) for image in images], str)

  def compute(rows: np.ndarray) -> runs.Batches:
    return _embed_pixels(images, rows, network, batch_size)

  num_computed = runs.fill(store, keys, compute, 'image')
  embeddings = embedding_set.EmbeddingSet(
    ids=np.array([f'{name}/{at}' for name, at in zip(split, positions, strict=True)]),
    x=store.gather(keys.tolist()),
    y=np.concatenate([part.y for part in taken]),
    split=split,
    class_names=np.array(source.class_names, str),
    keys=keys,
    provenance=runs.provenance(network, {**(provenance or {}), 'skipped': {}}),
  )
  return runs.Embedded(embeddings, num_computed, {})


def _check(images: np.ndarray, name: str) -> None:
  if images.ndim != 4 or images.shape[-1] not in (1, 3) or not images.size:
    raise embedding_set.EmbeddingError(
      f'--source={name}: examples {list(images.shape)} found, '
      'expected images [n, height, width, 1 or 3].'
    )
  if images.min() < 0 or images.max() > 1:
    raise embedding_set.EmbeddingError(
      f'--source={name}: pixels from {images.min():g} to {images.max():g} found, expected 0 to 1.'
    )


def _hash(image: np.ndarray) -> str:
  shape = 'x'.join(map(str, image.shape))
  return f'{shape} {hashlib.sha256(np.ascontiguousarray(image).data).hexdigest()}'


def prepare(batch: tf.Tensor, inputs: presets.ImageInput) -> tf.Tensor:
  """Makes images what a network takes.

  Args:
    batch: float32 [batch, height, width, 1 or 3] in [0, 1].
    inputs: the size and the range.

  Returns:
    float32 [batch, size, size, 3] in [low, high]; one channel is repeated. Bilinear, with
    antialiasing, which matters only for images larger than `size`.
  """
  batch = tf.image.resize(batch, [inputs.size, inputs.size], antialias=True)
  batch = inputs.low + (inputs.high - inputs.low) * batch
  return tf.broadcast_to(batch, [tf.shape(batch)[0], inputs.size, inputs.size, 3])


def _embed_pixels(
  images: np.ndarray, rows: np.ndarray, network: extractor.Extractor, batch_size: int
) -> runs.Batches:
  """Gives (rows, embeddings), `batch_size` at a time."""
  groups = [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]

  def fill_up(group: np.ndarray) -> np.ndarray:
    # A network's kernels, and with them a result's last bits, depend on the size of a batch.
    padding = [(0, batch_size - len(group))] + [(0, 0)] * (images.ndim - 1)
    return np.pad(images[group], padding)

  dataset = tf.data.Dataset.from_generator(
    lambda: map(fill_up, groups),
    output_signature=tf.TensorSpec([batch_size, *images.shape[1:]], tf.float32),
  )
  dataset = dataset.map(lambda batch: prepare(batch, network.preset.image)).prefetch(2)
  # Outside tf.data, whose functions cannot use an accelerator.
  embed = tf.function(network.embed)
  for group, batch in zip(groups, dataset, strict=True):
    yield group, embed(batch).numpy()[: len(group)]

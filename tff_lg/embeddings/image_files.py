"""Embeds the image files of a folder."""

import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.embeddings import audio, cache, embedding_set, extractor, image_folder, images, runs


def embed_image_files(
  folder: str,
  network: extractor.Extractor,
  store: cache.EmbeddingCache,
  *,
  batch_size: int = 32,
  max_examples: int | None = None,
  seed: int = 0,
  provenance: Mapping[str, Any] | None = None,
) -> runs.Embedded:
  """Embeds the images of a folder and of all folders in it: resized, scaled, three channels.

  Args:
    folder: with files that end in .jpg, .jpeg, .png, .bmp or .gif, whose first picture is taken.
    network: takes images.
    store: gives what was embedded before, and gets what is embedded now.
    batch_size: images a call of the network, at least 1.
    max_examples: keeps this many images, see `runs.choose`.
    seed: of that choice.
    provenance: what is to be said of the data, ready for JSON.

  Returns:
    The set, without labels: all are of the one class `image` and of the part `train`. The ids are
    the files' paths in the folder, in their order.

  Raises:
    EmbeddingError: no folder, no image in it, a file that cannot be read or decoded, or an
      embedding that is not finite.
  """
  root = pathlib.Path(folder).expanduser()
  paths = image_folder.find_images(folder)
  split = np.full(len(paths), 'train')
  paths = [paths[row] for row in runs.choose(split, max_examples, seed)]
  contents = audio.hash_files([str(path) for path in paths], len(os.sched_getaffinity(0)))
  for path, content in zip(paths, contents, strict=True):
    if not isinstance(content, str):
      raise embedding_set.EmbeddingError(f'{path}: {content}.')
  keys = np.array([network.key(f'file {content}') for content in contents], str)

  def compute(rows: np.ndarray) -> runs.Batches:
    return _embed_files(paths, rows, network, batch_size)

  num_computed = runs.fill(store, keys, compute, 'image')
  embeddings = embedding_set.EmbeddingSet(
    ids=np.array([path.relative_to(root).as_posix() for path in paths]),
    x=store.gather(keys.tolist()),
    y=np.zeros(len(paths), np.int32),
    split=split[: len(paths)],
    class_names=np.array(['image']),
    keys=keys,
    provenance=runs.provenance(network, {**(provenance or {}), 'skipped': {}}),
  )
  return runs.Embedded(embeddings, num_computed, {})


def _embed_files(
  paths: list[pathlib.Path], rows: np.ndarray, network: extractor.Extractor, batch_size: int
) -> runs.Batches:
  """Gives (rows, embeddings), `batch_size` at a time."""
  inputs = network.preset.image
  shape = (inputs.size, inputs.size, 3)
  failed: list[str] = []

  def read(row: np.ndarray) -> np.ndarray:
    try:
      # Three channels, of a grey image too.
      pixels = tf.io.decode_image(
        paths[row].read_bytes(), channels=3, dtype=tf.float32, expand_animations=False
      )
    except (tf.errors.InvalidArgumentError, OSError) as error:
      failed.append(f'{paths[row]}: cannot be decoded as an image ({type(error).__name__}).')
      return np.zeros(shape, np.float32)
    return images.prepare(pixels[tf.newaxis], inputs)[0].numpy()

  def load(row: tf.Tensor) -> tf.Tensor:
    return tf.ensure_shape(tf.numpy_function(read, [row], tf.float32), shape)

  groups = [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]
  # A network's kernels, and with them a result's last bits, depend on the size of a batch.
  filled = np.concatenate([rows, rows[:1].repeat(-len(rows) % batch_size)])
  dataset = tf.data.Dataset.from_tensor_slices(filled)
  dataset = dataset.map(load, tf.data.AUTOTUNE, deterministic=True).batch(batch_size).prefetch(2)
  # Outside tf.data, whose functions cannot use an accelerator.
  embed = tf.function(network.embed)
  for group, batch in zip(groups, dataset, strict=True):
    if failed:
      raise embedding_set.EmbeddingError(failed[0])
    yield group, embed(batch).numpy()[: len(group)]

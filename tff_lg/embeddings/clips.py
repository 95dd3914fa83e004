"""Embeds the clips of a list."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from absl import logging

from tff_lg.embeddings import audio, cache, embedding_set, extractor, fsd, runs


def embed_clips(
  clips: fsd.ClipList,
  network: extractor.Extractor,
  store: cache.EmbeddingCache,
  *,
  strict: bool = False,
  max_examples: int | None = None,
  seed: int = 0,
  provenance: Mapping[str, Any] | None = None,
) -> runs.Embedded:
  """Embeds clips: decoded, resampled, padded, each by itself, the maximum over its patches.

  A clip depends on no other, so its embedding is the same whatever else is embedded.

  Args:
    clips: what to embed.
    network: takes audio.
    store: gives what was embedded before, and gets what is embedded now.
    strict: refuses a clip that cannot be read or is empty, instead of leaving it out.
    max_examples: keeps this many clips, see `choose`.
    seed: of that choice.
    provenance: what is to be said of the data, ready for JSON.

  Returns:
    The set in the order of `clips`, and what was skipped.

  Raises:
    EmbeddingError: no clip can be read, or, if `strict`, one cannot; or an embedding is not
      finite. Embeddings made so far stay in `store`.
  """
  clips = clips.take(runs.choose(clips.split, max_examples, seed))
  num_threads = len(os.sched_getaffinity(0))
  contents = audio.hash_files(clips.paths.tolist(), num_threads)
  is_there = np.array([isinstance(content, str) for content in contents])
  skipped = {str(clips.ids[row]): str(contents[row]) for row in np.flatnonzero(~is_there).tolist()}
  if strict:
    _refuse(skipped)
  found = clips.take(np.flatnonzero(is_there))
  keys = np.array([network.key(content) for content in contents if isinstance(content, str)], str)

  failures: dict[int, str] = {}

  def compute(rows: np.ndarray) -> runs.Batches:
    for batch in _embed_waveforms(found.paths, rows, network, 2 * num_threads, failures):
      if strict:
        _refuse({str(found.ids[row]): reason for row, reason in failures.items()})
      yield batch

  num_computed = runs.fill(store, keys, compute, 'clip')
  # Clips of equal content were read once.
  reasons = {keys[row]: reason for row, reason in failures.items()}
  is_read = np.array([key not in reasons for key in keys], bool)
  for row in np.flatnonzero(~is_read):
    skipped[str(found.ids[row])] = reasons[keys[row]]
  if strict:  # The last ones come after the last batch.
    _refuse(skipped)
  for name, reason in skipped.items():
    logging.warning('Skipped: clip %s %s.', name, reason)
  if not is_read.any():
    name, reason = next(iter(skipped.items()))
    raise embedding_set.EmbeddingError(
      f'--data_dir: none of {len(clips.ids)} clips can be read, the first because {name} {reason}.'
    )
  read, keys = found.take(np.flatnonzero(is_read)), keys[is_read]
  embeddings = embedding_set.EmbeddingSet(
    ids=read.ids,
    x=store.gather(keys.tolist()),
    y=read.y,
    split=read.split,
    class_names=read.class_names,
    keys=keys,
    provenance=runs.provenance(network, {**(provenance or {}), 'skipped': skipped}),
  )
  return runs.Embedded(embeddings, num_computed, skipped)


def _refuse(skipped: Mapping[str, str]) -> None:
  for name, reason in skipped.items():
    raise embedding_set.EmbeddingError(
      f'--strict: clip {name} {reason}, expected every clip to be readable.'
    )


def _embed_waveforms(
  paths: np.ndarray,
  rows: np.ndarray,
  network: extractor.Extractor,
  num_threads: int,
  failures: dict[int, str],
) -> runs.Batches:
  """Gives rows with their embeddings; notes in `failures` which rows cannot be decoded, and why."""

  def read(row: np.ndarray) -> np.ndarray:
    try:
      return audio.read_waveform(paths[row], network.preset.audio)
    except audio.ClipError as error:
      failures[int(row)] = str(error)
      return np.zeros(0, np.float32)

  def load(row: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    waveform = tf.numpy_function(read, [row], tf.float32)
    return row, tf.ensure_shape(waveform, [None])

  # Measured on two cores with YAMNet and clips of half a second: 115 a second one by one, 160 with
  # two a core on one thread each. Clips joined with gaps, so that no patch spans two, came to 200,
  # but needs the length and distance of patches, which differ between networks.
  dataset = tf.data.Dataset.from_tensor_slices(rows).map(load, num_threads, deterministic=True)
  dataset = dataset.filter(lambda row, waveform: tf.size(waveform) > 0)
  dataset = dataset.map(
    lambda row, waveform: (row, network.embed(waveform)), num_threads, deterministic=True
  )
  options = tf.data.Options()
  options.threading.private_threadpool_size = num_threads
  options.threading.max_intra_op_parallelism = 1
  return dataset.batch(8).with_options(options).as_numpy_iterator()

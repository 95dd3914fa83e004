"""The steps of every embedding run: choose examples, embed those not cached, record how."""

import importlib.metadata
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tff_lg import progress
from tff_lg.embeddings import cache, embedding_set, extractor

# A killed run loses no more than about this many embeddings, a few seconds.
_ROWS_A_SHARD = 256
_PACKAGES = ('tensorflow', 'tensorflow-hub', 'soundfile', 'soxr')

# (rows, int64 [b]; embeddings, float32 [b, d]), batch after batch.
Batches = Iterable[tuple[np.ndarray, np.ndarray]]


class Embedded(NamedTuple):
  """The result of an embedding run.

  Attributes:
    embeddings: the examples that could be read.
    num_computed: how many embeddings the network made; the others were in the cache.
    skipped: id -> why, of the examples left out.
  """

  embeddings: embedding_set.EmbeddingSet
  num_computed: int
  skipped: Mapping[str, str]


def choose(split: np.ndarray, max_examples: int | None, seed: int) -> np.ndarray:
  """Chooses examples at random, from each part by its share of the whole.

  With the same seed a larger choice contains a smaller one.

  Args:
    split: str [n], 'train' or 'test'.
    max_examples: how many to choose; None, or at least n, chooses all.
    seed: of the choice.

  Returns:
    int64, positions, ascending.
  """
  if max_examples is None or max_examples >= len(split):
    return np.arange(len(split))
  order = np.random.default_rng(seed).permutation(len(split))
  num_train = round(max_examples * np.mean(split == 'train'))
  train, test = (order[split[order] == name] for name in embedding_set.SPLITS)
  return np.sort(np.concatenate([train[:num_train], test[: max_examples - num_train]]))


def fill(
  store: cache.EmbeddingCache,
  keys: np.ndarray,
  compute: Callable[[np.ndarray], Batches],
  unit: str,
) -> int:
  """Embeds what `store` lacks, once per key, and stores it a shard at a time.

  A shard is whole batches. A resumed run therefore makes the same batches as a run that was
  never killed, and the same bits.

  Args:
    store: the cache.
    keys: str [n], one per row; equal keys are equal examples.
    compute: gets the rows to embed, in ascending order. It returns them in batches with their
      embeddings, and may leave rows out.
    unit: what a row is, in the singular, for the progress bar.

  Returns:
    How many embeddings were made.

  Raises:
    EmbeddingError: an embedding is not finite. Embeddings stored before stay.
  """
  _, first = np.unique(keys, return_index=True)
  missing = np.array([row for row in np.sort(first) if keys[row] not in store], np.int64)
  if not len(missing):
    return 0
  held: list[tuple[np.ndarray, np.ndarray]] = []
  num_held = num_computed = 0

  def flush() -> None:
    if held:
      rows, x = zip(*held, strict=True)
      store.add(keys[np.concatenate(rows)].tolist(), np.concatenate(x))
      held.clear()

  with progress.Bar(len(missing), unit, 'Embedding') as bar:
    for rows, x in compute(missing):
      if not np.isfinite(x).all():
        raise embedding_set.EmbeddingError(
          '--handle: the network gives values that are not finite, expected finite embeddings.'
        )
      held.append((rows, x))
      num_held += len(rows)
      num_computed += len(rows)
      bar.update(len(rows))
      if num_held >= _ROWS_A_SHARD:
        flush()
        num_held = 0
  flush()
  return num_computed


def provenance(network: extractor.Extractor, data: Mapping[str, Any]) -> str:
  """Returns JSON on how a set was made; nothing that differs between a run and its repetition.

  Args:
    network: what embedded it.
    data: what was embedded, ready for JSON.
  """
  return json.dumps(
    {
      'preset': network.preset.name,
      'handle': network.handle,
      'model_sha256': network.digest,
      'preprocessing': network.preprocessing(),
      **data,
      'versions': {name: importlib.metadata.version(name) for name in _PACKAGES},
    },
    sort_keys=True,
  )

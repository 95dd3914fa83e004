"""Scikit-learn's digits as embeddings, for runs without a file of one's own."""

import json

import numpy as np

from tff_lg import data
from tff_lg.embeddings.embedding_set import EmbeddingSet


def load_digits() -> EmbeddingSet:
  """Loads digits whose embeddings are their 64 pixels."""
  source = data.load_source('digits')
  split = np.repeat(['train', 'test'], [len(source.train), len(source.test)])
  ids = np.array([f'digit_{index}' for index in range(len(split))])
  return EmbeddingSet(
    ids=ids,
    x=np.concatenate([source.train.x, source.test.x]).reshape(len(ids), -1),
    y=np.concatenate([source.train.y, source.test.y]),
    split=split,
    class_names=np.array(source.class_names),
    keys=ids,
    provenance=json.dumps({'source': 'scikit-learn digits, pixels'}),
  )

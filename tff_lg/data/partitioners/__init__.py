"""Ways to spread training examples over clients, one per file.

Each factory checks its settings and returns a `Partitioner`. This is a function from the training
examples, the number of classes and a random generator to the indices of each client. Any function
of that form will do.
"""

from tff_lg.data.partitioners.classes_per_client import classes_per_client
from tff_lg.data.partitioners.dirichlet import dirichlet
from tff_lg.data.partitioners.iid import iid
from tff_lg.data.partitioners.natural import natural
from tff_lg.data.partitioners.partitioner import Partitioner
from tff_lg.data.partitioners.shards import shards
from tff_lg.data.partitioners.similarity import similarity

__all__ = [
  'Partitioner',
  'classes_per_client',
  'dirichlet',
  'iid',
  'natural',
  'shards',
  'similarity',
]

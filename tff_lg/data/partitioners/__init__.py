"""Ways to spread training examples over clients, one per file, which registers its entry.

Each factory checks its settings and returns a `Partitioner`. This is a function from the training
examples, the number of classes and a random generator to the indices of each client. Any function
of that form will do.
"""

from tff_lg import entries
from tff_lg.data.partitioners.partitioner import Partitioner

# In the order of help and tables.
# isort: off
from tff_lg.data.partitioners.iid import iid
from tff_lg.data.partitioners.shards import shards
from tff_lg.data.partitioners.classes_per_client import classes_per_client
from tff_lg.data.partitioners.dirichlet import dirichlet
from tff_lg.data.partitioners.similarity import similarity
from tff_lg.data.partitioners.natural import natural
# isort: on

__all__ = [
  'Partitioner',
  'classes_per_client',
  'dirichlet',
  'iid',
  'natural',
  'shards',
  'similarity',
]

entries.import_modules(__name__)

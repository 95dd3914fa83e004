"""Data sets, and how they are spread over clients.

Comes in: a data set's name and folder. Goes out: `FederatedData`, numpy arrays of each client's
training, validation and test examples. May import: numpy; nothing of this package. (The loaders
import scikit-learn or TensorFlow when they are called.)

  source = data.load_source('mnist', data_dir)
  partitioner = data.partitioners.classes_per_client(100, 2)
  clients = data.partition_clients(source, partitioner, validation_fraction=0.1, seed=0).clients
"""

from tff_lg.data import partitioners
from tff_lg.data.examples import DataError, Examples, Source
from tff_lg.data.federated import ClientExamples, FederatedData, partition_clients
from tff_lg.data.sources import SOURCE_NAMES, load_source

__all__ = [
  'SOURCE_NAMES',
  'ClientExamples',
  'DataError',
  'Examples',
  'FederatedData',
  'Source',
  'load_source',
  'partition_clients',
  'partitioners',
]
